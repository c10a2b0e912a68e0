"""The gold of a draft, behaviour by behaviour: the recorded answer, and what can be told of any right one from it.

What cannot be told is left to the person: the golden reader names what a draft lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..data._golden import contains
from ..data.reformulate import bare_referent
from ..metrics._abstention import is_abstention
from .reading import Recorded, dicts

FIELDS: dict[str, dict[str, Any]] = {
    "reformulate": {"access_scope": None},
    "expand": {"standalone_query": None, "domain_context": None, "exclusions": None},
    "cite": {"turn": 1, "registry": {"convention": None, "entries": []}, "context": None},
    "carry_forward": {"turn": 1, "ledger": [], "context": None},
}
"""Behaviour -> the fields that a row has beside its history and what was asked, with what stands for a missing one."""
_FACTS = 4
_NUMBER = re.compile(r"\d[\d.,:]*\d|\d")
_WORD = re.compile(r"[^\W\d_]{4,}")


def _reformulate(turn: Recorded) -> dict[str, Any]:
    result = turn.result
    text, action = str(result.get("standalone_query") or turn.asked), result.get("action", "rewrite")
    references = [placed for each in dicts(result.get("resolved_references")) if (placed := _placed(each, turn))]
    named = [bare for each in references if contains(text, bare := bare_referent(each["referent"]))]
    return {
        "standalone_query": text,
        "action": "unchanged" if text == turn.asked and action != "clarify" else action,
        "resolved_references": references,
        "acceptable": [],
        "must_contain": _unique(named) or _longest(text),
        "must_not_contain": _unique(each["mention"] for each in references if not contains(text, each["mention"])),
    }


def _placed(reference: dict[str, Any], turn: Recorded) -> dict[str, Any] | None:
    """Return a reference with the index of its referent in the window: the event counts in the whole history."""
    mention, referent = str(reference.get("mention", "")), str(reference.get("referent", ""))
    if not referent or not contains(turn.asked, mention):
        return None
    bare = bare_referent(referent)
    places = [place for place, message in enumerate(turn.history) if contains(message["content"], bare)]
    if not places and not contains(turn.asked, bare):
        return None
    return {"mention": mention, "referent": referent, "turn": places[-1] if places else None}


def _expand(turn: Recorded) -> dict[str, Any]:
    result = turn.result
    return {
        "expanded_query": str(result.get("expanded_query") or turn.asked),
        "negation_constraints": _list(result.get("negation_constraints")),
        "expansion_terms_added": _list(result.get("expansion_terms_added")),
        "acceptable_terms": [],
        "relevant_terms": [],
        "vague": False,
    }


def _cite(turn: Recorded) -> dict[str, Any]:
    result = turn.result
    answer = str(result.get("answer") or "")
    abstained = is_abstention(answer)
    cited = [] if abstained else [each["doc_id"] for each in dicts(result.get("sources")) if "doc_id" in each]
    return {
        "answer": answer,
        "sources": [] if abstained else dicts(result.get("sources")),
        "new_citations": _list(result.get("new_citations")),
        "reused_citations": _list(result.get("reused_citations")),
        "must_cite": cited,
        "may_cite": [],
        "facts": [] if abstained else _facts(answer.rpartition("\n\nSources:\n")[0] or answer),
        "abstain": abstained,
    }


def _carry_forward(turn: Recorded) -> dict[str, Any]:
    result = turn.result
    said = result.get("current_answer")
    current = said if isinstance(said, dict) and said else {"text": None, "citations": [], "status": "UNANSWERED"}
    resolved = dicts(result.get("resolved_questions"))
    ledger = [each for each in dicts(turn.inputs.get("ledger")) if each.get("status", "pending") == "pending"]
    known = {str(each.get("question_id")) for each in ledger}
    left = [
        each if str(each.get("question_id")) in known else {**each, "question_id": None}
        for each in dicts(result.get("updated_unresolved_questions"))
    ]
    answers = {str(each.get("question")): each for each in resolved}
    missing = {str(each.get("question")): str(each.get("missing_evidence") or "") for each in left}
    citations = _list(current.get("citations"))
    answered = current.get("status") != "UNANSWERED"
    return {
        "current_answer": current,
        "resolved_questions": resolved,
        "updated_unresolved_questions": left,
        "pending": [_decision(str(each.get("question")), answers, missing) for each in ledger],
        "current": {
            "asks": answered or turn.asked in missing,
            "must_cite": citations,
            "may_cite": citations,
            "facts": _facts(str(current.get("text") or "")) if answered else [],
            "missing_words": _longest(missing.get(turn.asked, "")),
        },
    }


def _decision(question: str, answers: dict[str, dict[str, Any]], missing: dict[str, str]) -> dict[str, Any]:
    found = answers.get(question)
    cited = _list(found.get("citations")) if found else []
    return {
        "question": question,
        "decision": "resolved" if found else "carried",
        "must_cite": cited,
        "may_cite": cited,
        "part": None,
        "facts": _facts(str(found.get("answer") or "")) if found else [],
        "missing_words": [] if found else _longest(missing.get(question, "")),
        "settled": [],
    }


GOLDS: dict[str, Callable[[Recorded], dict[str, Any]]] = {
    "reformulate": _reformulate,
    "expand": _expand,
    "cite": _cite,
    "carry_forward": _carry_forward,
}
"""Behaviour -> what makes the gold of a draft."""


def _facts(text: str) -> list[str]:
    """Return what a right answer is most likely to hold: its numbers, else its longest word."""
    bare = re.sub(r"\[[^\]\n]{0,200}\]", " ", text)
    return _unique(n for n in _NUMBER.findall(bare) if contains(bare, n))[:_FACTS] or _longest(bare)


def _longest(text: str) -> list[str]:
    """Return the longest word of a text, none of a text without words."""
    words = sorted(set(_WORD.findall(text)), key=lambda word: (-len(word), word))
    return words[:1] or text.split()[:1]


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
