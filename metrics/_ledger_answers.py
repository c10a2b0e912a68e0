"""Checks of the answers: what is resolved is grounded and whole, and the question of this turn is not lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..signatures.cite import ABSTENTION
from ..signatures.types import Violation
from ._abstention import is_abstention
from ._cite_reading import shown, violation
from ._ledger_evidence import Answer, CitedText, answering, shares_words, ungrounded
from ._ledger_reading import Reading
from ._ledger_utterance import Asking
from ._open_parts import open_part


def resolution_violations(reading: Reading, cited: CitedText) -> Iterator[Violation]:
    """Yield resolutions without evidence or of a part alone, and pending questions that the evidence answers."""
    for resolving in reading.resolving:
        if resolving.entry is None:
            continue
        question = resolving.entry.question
        answer = Answer(question, resolving.given.answer, resolving.given.citations)
        reason = ungrounded(answer, cited)
        if reason is None and not shares_words(answer, cited, resolving.entry.standalone_query):
            reason = "neither the answer nor what it cites is about it"
        if reason is not None:
            yield violation("ungrounded_resolution", f"{shown(question)} is not resolved: {reason}.", question)
        elif (part := open_part(answer, cited)) is not None:
            yield _partial(question, part)
    for carrying in reading.carrying:
        entry = carrying.entry
        if entry is not None and not carrying.reworded and entry.status == "pending" and answering(entry, cited):
            message = f"A passage of this turn answers {shown(entry.question)}; resolve it and cite that passage."
            yield violation("missed_resolution", message, entry.question)


def current_violations(
    reading: Reading, question: str, asks: Asking, cited: CitedText, standalone: Sequence[str] = ()
) -> Iterator[Violation]:
    """Yield what is wrong with the answer to the question of this turn."""
    status = reading.answer.status
    text = reading.answer.text or ""
    answer = Answer(question, text, reading.answer.citations)
    carried = reading.entering is not None or _again(reading, "carrying")
    if status == "UNANSWERED":
        yield from _unanswered(reading, answer, asks)
    elif not any(c.isalnum() for c in text):
        yield violation("missing_field", f"The answer is {status} and has no text.", "current_answer.text")
    elif answer.denied and asks != "nothing":
        yield violation("contradiction", f"The answer is {status} and says that nothing was found.", text)
    elif asks != "nothing" or answer.citations:
        reason = ungrounded(answer, cited)
        if reason is not None:
            yield violation(
                "ungrounded_resolution", f"The answer to {shown(question)} has no evidence: {reason}.", text
            )
        if asks == "asks" and not shares_words(answer, cited, *standalone):
            message = f"The answer is not about the question of this turn, {shown(question)}; answer that one."
            yield violation("current_question_lost", message, question)
        elif status == "ANSWERED" and asks == "asks" and (part := open_part(answer, cited)) is not None:
            yield _partial(question, part)
    if status == "ANSWERED" and carried and asks != "nothing":
        yield violation("contradiction", f"{shown(question)} is answered and open at the same time.", question)
    if status != "ANSWERED" and _again(reading, "resolving"):
        yield violation("contradiction", f"{shown(question)} is resolved, and its answer is {status}.", question)
    nothing_said = answer.denied or not any(c.isalnum() for c in text)
    if asks == "asks" and not carried and reading.recurs is None and (status != "ANSWERED" or nothing_said):
        message = f"{shown(question)} is neither answered nor recorded; put it into the unresolved questions."
        yield violation("current_question_lost", message, question)


def _unanswered(reading: Reading, answer: Answer, asks: Asking) -> Iterator[Violation]:
    text = reading.answer.text
    if answer.citations:
        message = "The answer is UNANSWERED and cites; either it is answered, or it cites nothing."
        yield violation("contradiction", message, answer.citations[0])
    if asks != "nothing" and text is not None and text.strip() and not is_abstention(text):
        message = f"An UNANSWERED question has no text, or exactly '{ABSTENTION}'."
        yield violation("contradiction", message, text)


def _again(reading: Reading, where: str) -> bool:
    """Whether the pending question that the user asks again is in one of the lists."""
    listed = reading.carrying if where == "carrying" else reading.resolving
    return reading.recurs is not None and any(
        one.entry is not None and one.entry.question_id == reading.recurs.question_id for one in listed
    )


def _partial(question: str, part: str) -> Violation:
    message = f"Of {shown(question)} the part {shown(part)} is not answered; keep it open with what is missing."
    return violation("partial_resolution", message, question)
