"""Checks of what a prediction makes of the ledger: nothing dropped, doubled, reworded, invented or renumbered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from ..signatures.types import Violation
from ._cite_reading import shown, violation
from ._ledger import normal
from ._ledger_reading import Carrying, Reading, Resolving
from ._ledger_utterance import Asking


def entry_violations(
    reading: Reading, question: str, turn: int, asks: Asking, uncounted: Collection[str]
) -> Iterator[Violation]:
    """Yield what is wrong with the two lists.

    Args:
        reading: Of the prediction.
        question: The user's, of this turn.
        turn: Its number.
        asks: Whether it asks something.
        uncounted: Ids of the questions for which no attempt counts.
    """
    lost = list(reading.lost())
    for entry in lost:
        message = f"The pending question {shown(entry.question)} is in neither list; resolve it or carry it forward."
        yield violation("silently_dropped", message, entry.question)
    yield from _doubled(reading)
    yield from _unknown(reading, question, asks, lost=bool(lost))
    for carrying in reading.carrying:
        yield from _changed(reading, carrying, turn, uncounted)


def _doubled(reading: Reading) -> Iterator[Violation]:
    resolved = Counter(_name(r) for r in reading.resolving)
    carried = Counter(_name(c) for c in reading.carrying)
    listed: list[Resolving | Carrying] = [*reading.resolving, *reading.carrying]
    written = {_name(one): one.given.question for one in listed}
    for name, text in written.items():
        if resolved[name] and carried[name]:
            message = f"{shown(text)} is resolved and carried forward at the same time; it is one of them."
            yield violation("contradiction", message, text)
        if resolved[name] > 1 or carried[name] > 1:
            yield violation("duplicate_question", f"{shown(text)} is listed twice; list it once.", text)


def _name(listed: Resolving | Carrying) -> str:
    return listed.entry.question_id if listed.entry is not None else "= " + normal(listed.given.question)


def _unknown(reading: Reading, question: str, asks: Asking, *, lost: bool) -> Iterator[Violation]:
    strange = [c.given.question for c in reading.carrying if c.entry is None and not c.current]
    strange += [
        r.given.question
        for r in reading.resolving
        if r.entry is None
        and not (normal(r.given.question) == normal(question) and reading.answer.status == "ANSWERED")
    ]
    for text in strange:
        yield violation("unknown_question", f"Nobody has {shown(text)} pending; leave it out.", text)
    for text in strange if lost else ():
        message = f"{shown(text)} is no pending question word for word; repeat the user's own words."
        yield violation("not_verbatim", message, text)
    for carrying in reading.carrying:
        if carrying.reworded and carrying.entry is not None:
            message = f"{shown(carrying.given.question)} must read {shown(carrying.entry.question)}, word for word."
            yield violation("not_verbatim", message, carrying.given.question)
        elif carrying.current and asks == "nothing":
            message = f"{shown(question)} asks nothing that could stay open; leave it out."
            yield violation("unknown_question", message, question)


def _changed(reading: Reading, carrying: Carrying, turn: int, uncounted: Collection[str]) -> Iterator[Violation]:
    given, entry = carrying.given, carrying.entry
    if entry is not None:
        first, counted = entry.first_asked_turn, entry.status == "pending" and entry.question_id not in uncounted
        attempts = entry.attempts + counted
        had = reading.had_ids[reading.ledger.index(entry)]
        if had and given.question_id not in (None, "", entry.question_id):
            yield _immutable(given.question, "question_id", given.question_id, entry.question_id)
    elif carrying.current:
        first, attempts = turn, 1
        taken = (one for one, had in zip(reading.ledger, reading.had_ids, strict=True) if had)
        if given.question_id and any(given.question_id == one.question_id for one in taken):
            yield _immutable(given.question, "question_id", given.question_id, "a new one")
    else:
        return
    if given.first_asked_turn not in (None, first):
        yield _immutable(given.question, "first_asked_turn", given.first_asked_turn, first)
    if given.attempts not in (None, attempts):
        yield _immutable(given.question, "attempts", given.attempts, attempts)


def _immutable(question: str, field: str, given: object, right: object) -> Violation:
    message = f"`{field}` of {shown(question)} is {right}, not {str(given)[:80]}; the server keeps it."
    return violation("immutable_field_changed", message, question)
