"""Shape of a standalone query: one utterance, short enough, of the form of the query, and no answer to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..signatures.types import Turn, Violation
from ._frames import core_of, is_correction
from ._language import unspaced
from ._speech_act import (
    Form,
    assistant_voice,
    bare_answer,
    clauses,
    ends_as_question,
    form_of,
    is_indirect,
    lead_in,
    list_marks,
    refusal,
    transcript_mark,
    utterances,
)
from ._text import fold
from ._utterance import is_acknowledgement, is_pick, offer_of

_SHORTEST_LIMIT = 12
_GROWTH = 3
_UNSPACED_LIMIT = (80, 6)  # characters; scripts without spaces hold a sentence in one white-space word
_STRUCTURE = re.compile(r"^\s*[\[{<]|```|\[\[\s*##|</?\w+>|\s\|\s|\s//\s")
_FIRST = re.compile(r"\b(?:i|me|my|mine|i'm|i've|i'd|i'll)\b")
_SECOND = re.compile(r"\b(?:you|your|yours)\b")


def shape_violations(result: str, query: str, history: Sequence[Turn]) -> list[Violation]:
    """Return the violations of `not_single_utterance`, `too_long` and `answered`."""
    found = []
    if reason := _not_single(result, query):
        found.append(
            Violation(code="not_single_utterance", message=f"{reason}; write one utterance.", span=result[:200])
        )
    words, limit = len(result.split()), max(_SHORTEST_LIMIT, _GROWTH * len(query.split()))
    if words > limit:
        message = f"The standalone query has {words} words; at most {limit} are allowed for this query."
        found.append(Violation(code="too_long", message=message, span=result[:200]))
    elif len(result) > max(_UNSPACED_LIMIT[0], _UNSPACED_LIMIT[1] * len(query)) and unspaced(result):
        message = f"The standalone query has {len(result)} characters; it must stay near the query's length."
        found.append(Violation(code="too_long", message=message, span=result[:200]))
    if reason := _answered(result, query, history):
        found.append(Violation(code="answered", message=reason, span=result[:200]))
    return found


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _not_single(result: str, query: str) -> str | None:
    if _lines(result) > max(1, _lines(query)):
        return "The standalone query has several lines"
    if mark := transcript_mark(result, query):
        return f"The standalone query is a transcript ('{mark}')"
    if _STRUCTURE.search(result[:4000]) and not _STRUCTURE.search(query[:4000]):
        return "The standalone query is wrapped in markup or separators"
    if list_marks(result) > max(1, list_marks(query)) or result.count(";") > max(1, query.count(";")):
        return "The standalone query is a list of queries"
    if utterances(result) > max(utterances(query), clauses(query)):
        return f"The standalone query has {utterances(result)} sentences"
    return None


def _answered(result: str, query: str, history: Sequence[Turn]) -> str | None:
    if words := lead_in(result, query):
        return f"'{words[:80]}' introduces the query; return the query alone."
    if words := refusal(result, query):
        return f"'{words[:80]}' comments on what is known; return the user's query, whether or not it can be answered."
    if words := bare_answer(result, query):
        return f"'{words[:80]}' answers the user; return the question itself."
    user_words = fold(query + "\n" + "\n".join(t.content for t in history if t.role == "user"))
    if words := assistant_voice(result, user_words):
        return f"'{words[:80]}' speaks to the user; keep the user's perspective."
    low, asked = fold(result), fold(query)
    if _FIRST.search(asked) and not _FIRST.search(low) and _SECOND.search(low) and not _SECOND.search(user_words):
        return "The standalone query addresses the user; keep the first person of the query."
    return _form_broken(result, query, history)


def _form_broken(result: str, query: str, history: Sequence[Turn]) -> str | None:
    """A question is not answered; a statement stays a statement and a request a request.

    Politeness does not make a request ("tell me ...", "I'd like to know ..."). A fragment takes the form of the user's
    last turn, a message that answers the assistant's question that of what it continues.
    """
    got, whole, core = form_of(result), form_of(query), form_of(core_of(query))
    continues = is_acknowledgement(query) or is_pick(query) or is_correction(query) or offer_of(history) is not None
    if got == "statement":
        if "question" in (whole, core):
            return "The standalone query states something; the user asked a question, so ask it."
        if (
            core == "fragment"
            and not offer_of(history)
            and (form := _last_user_form(history)) in ("question", "request")
        ):
            return f"The standalone query states something; the user continues a {form}, so write one."
    if continues:
        return None
    if whole == core == "statement" and got in ("question", "request"):
        return f"The standalone query is a {got}; the user stated something, so state it."
    if (
        core == "request"
        and got in ("question", "statement")
        and not is_indirect(query)
        and not ends_as_question(query)
    ):
        return f"The standalone query is a {got}; the user made a request, so make it."
    return None


def _last_user_form(history: Sequence[Turn]) -> Form | None:
    return next((form_of(turn.content) for turn in reversed(history) if turn.role == "user"), None)
