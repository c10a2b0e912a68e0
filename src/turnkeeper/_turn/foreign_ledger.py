"""What a carry_forward of the application gave: which questions it answers. The ledger is composed here, by code.

A resolution is held to what a model's is held to: citations of this turn's evidence, which bears the answer out. One
that does not hold changes nothing, and a question that a result does not name is carried on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..metrics._ledger import normal
from ..metrics._ledger_reading import shared_words
from ..metrics._ledger_words import Text
from ..metrics._markers import find_markers, nfc
from ..modules._carry_forward_compose import composed
from ..modules._carry_forward_reading import read_single
from ..modules._carry_forward_request import CURRENT, Asked, Batch, CarryForwardRequest, Decided
from ..modules._carry_forward_rules import CarryForwardBehaviour
from ..modules._guarded import Outcome, RiskLevel
from ..signatures.carry_forward import CarryForwardResult, ResolvedQuestion
from ..signatures.types import CitationRegistry, Notice, OpenQuestion
from .answer import body_of

UNDECIDED = "question_undecided"
_BRACKETS = re.compile(r"\[[^\[\]\n]{0,300}\]")
_BEHAVIOUR = CarryForwardBehaviour()


def as_carried(value: object, inputs: Mapping[str, Any], risk: RiskLevel) -> CarryForwardResult | None:
    """Return the result of a turn by the decisions of a callable's, or None where that is none.

    Args:
        value: What the callable gave.
        inputs: What a guard would have been given.
        risk: The conversation's.

    Raises:
        InputError: The inputs cannot be used.
    """
    if not isinstance(value, CarryForwardResult):
        return None
    task = _BEHAVIOUR.prepare({**inputs, "history": []}, scrub=None, risk_level=risk)
    outcome = _BEHAVIOUR.settled(task) if task.given.failed else None
    if not value.ok or value.fallback:
        outcome = _BEHAVIOUR.fall_back(task, ())
    if outcome is None:
        # The callable was free to look again where a guard would not ask twice about the same evidence.
        request = replace(task.request, ledger=tuple(_fresh(one) for one in task.request.ledger))
        decided, strange = _decisions(value, request, task.given.registry)
        outcome = _BEHAVIOUR.accept(task, composed(request, decided, 0))
        outcome = _with_digests(outcome, task.request.ledger)
        outcome = outcome._replace(warnings=(*outcome.warnings, *strange))
    return CarryForwardResult(
        **outcome.fields,
        ok=value.ok,
        violations=value.violations,
        warnings=(*value.warnings, *outcome.warnings),
        lm_attempts=value.lm_attempts,
        fallback=value.fallback,
        program=value.program,
        usage=value.usage,
    )


def _decisions(
    value: CarryForwardResult, request: CarryForwardRequest, registry: CitationRegistry
) -> tuple[list[Decided], list[Notice]]:
    """Return a decision on every question that there is evidence for, and what is said of others."""
    asked = {item.place: item for item in request.asked}
    missing = {place: one.missing_evidence for one in value.updated_unresolved_questions
               for place in _places(request, one.question, one.question_id)}  # fmt: skip
    decided = {place: Decided(place, missing=missing.get(place, "")) for place in asked}
    strange: list[Notice] = []
    for place, answer, citations in _claims(value, request):
        if place is not None and place in asked:
            decided[place] = _decided(asked[place], answer, citations, request, registry)
        else:
            message = "A question was called resolved that is not open, or that no evidence was found for."
            strange.append(Notice(code=UNDECIDED, message=message))
    return list(decided.values()), strange


def _claims(value: CarryForwardResult, request: CarryForwardRequest) -> list[tuple[int | None, str, tuple[str, ...]]]:
    """Return place, answer and citations of each question that a result calls answered."""
    claims: list[tuple[int | None, str, tuple[str, ...]]] = []
    for one in value.resolved_questions:
        places = [place for place in _places(request, one.question) if place not in {claimed for claimed, *_ in claims}]
        meant = max(places, key=lambda place: _speaks_of(request, place, one), default=None)
        claims.append((meant, one.answer, one.citations))
    current = value.current_answer
    place = CURRENT if request.asks_current else request.completed
    if request.current is None and place is not None and current.status != "UNANSWERED" and current.text:
        named = {claimed for claimed, *_ in claims}
        claims += [(place, current.text, current.citations)] if place not in named else []
    return claims


def _places(request: CarryForwardRequest, question: str, question_id: str | None = None) -> list[int]:
    """Return the places of the questions in these words, or of the one of them that an id names."""
    known = [place for place, entry in enumerate(request.ledger) if normal(entry.question) == normal(question)]
    named = [place for place in known if request.ledger[place].question_id == question_id]
    return named or known


def _speaks_of(request: CarryForwardRequest, place: int, one: ResolvedQuestion) -> tuple[bool, int]:
    """Tell questions in the same words apart: whether an answer cites its evidence only, and the words it shares."""
    texts = {nfc(found.doc_id): found.text for found in request.found[place].evidence}
    cited = [nfc(doc_id) for doc_id in one.citations]
    text = Text([one.answer, *(texts.get(doc_id, "") for doc_id in cited)])
    return all(doc_id in texts for doc_id in cited), shared_words(request.ledger[place], text)


def _decided(
    item: Asked, answer: str, citations: Sequence[str], request: CarryForwardRequest, registry: CitationRegistry
) -> Decided:
    """Return an answer with markers as a model's with numbers is read; ids that are no evidence of its question end it.

    An answer without markers is one that its citations bear out as a whole.
    """
    numbers = {nfc(one.doc_id): number for number, one in enumerate(item.evidence, 1)}
    text = nfc(body_of(answer))
    ids = [*numbers, *(nfc(entry.doc_id) for entry in registry.entries)]
    told, at, cited = "", 0, list[str]()
    for marker in find_markers(text, ids, request.convention):
        cited += marker.ids
        told += text[at : marker.start] + _handles(marker.ids, numbers)
        at = marker.end
    told += text[at:]
    if not cited:
        cited = [nfc(doc_id) for doc_id in citations]
        told = f"{_BRACKETS.sub('', told).rstrip()} {_handles(cited, numbers)}"
    strange = [doc_id for doc_id in cited if doc_id not in numbers]
    if strange or not cited:
        why = f"{strange[0]!r} is no evidence of this turn" if strange else "its answer cites nothing"
        return Decided(item.place, doubts=(("ungrounded_resolution", why),))
    return read_single(Batch((item,), item.evidence), told)[0]


def _handles(ids: Sequence[str], numbers: Mapping[str, int]) -> str:
    return f"[{', '.join(str(numbers[doc_id]) for doc_id in ids if doc_id in numbers)}]"


def _fresh(entry: OpenQuestion) -> OpenQuestion:
    return entry.model_copy(update={"evidence_digest": ""})


def _with_digests(outcome: Outcome, before: Sequence[OpenQuestion]) -> Outcome:
    """Return an outcome in which questions that were held against nothing keep the digest they had."""
    had = {entry.question_id: entry.evidence_digest for entry in before}
    ledger = tuple(
        one if one.evidence_digest else one.model_copy(update={"evidence_digest": had.get(one.question_id, "")})
        for one in outcome.fields["ledger"]
    )
    return outcome._replace(fields={**outcome.fields, "ledger": ledger})
