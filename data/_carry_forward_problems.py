"""What contradicts itself in a golden row of carry_forward although every field has the right type."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..signatures.cite import ABSTENTION
from ._cite_markers import cited, fits, strays
from ._golden import Problem, contains, folded

if TYPE_CHECKING:
    from ..signatures.carry_forward import UnresolvedQuestion
    from .carry_forward import Current, Decision, GoldenRow


def problems(row: GoldenRow) -> Iterator[Problem]:
    """Yield what the types cannot say, state before gold."""
    yield from _of_ledger(row)
    yield from _of_context(row)
    yield from _of_pending(row)
    yield from _of_current(row)
    yield from _of_ledger_after(row)


def normalized(question: str) -> str:
    """Return a question in the form in which two of them merge: NFC, caseless, less white space and end punctuation."""
    text = " ".join(folded(question).split())
    while text and (text[-1].isspace() or unicodedata.category(text[-1]).startswith("P")):
        text = text[:-1]
    return text


def enters(row: GoldenRow) -> bool:
    """Whether the current question joins the ledger: asked, not wholly answered, searched for, and not there yet."""
    if row.context is None or not row.gold.current.asks or row.gold.current_answer.status == "ANSWERED":
        return False
    return normalized(row.question) not in {normalized(entry.question) for entry in row.ledger}


def _of_ledger(row: GoldenRow) -> Iterator[Problem]:
    ids: set[str] = set()
    questions: set[str] = set()
    for number, entry in enumerate(row.ledger):
        place = f"ledger.{number}"
        if not entry.question_id or entry.question_id in ids:
            yield Problem(f"{place}.question_id", f"{entry.question_id!r} is empty or stands twice")
        if normalized(entry.question) in questions:
            yield Problem(f"{place}.question", f"{entry.question!r} stands twice")
        ids.add(entry.question_id)
        questions.add(normalized(entry.question))
        if not entry.missing_evidence.strip():
            yield Problem(f"{place}.missing_evidence", "is empty")
        if entry.status != "pending":
            yield Problem(f"{place}.status", f"{entry.status!r}; the model is asked about pending ones only")
        if not 1 <= entry.first_asked_turn < row.turn:
            yield Problem(f"{place}.first_asked_turn", f"{entry.first_asked_turn} is not before {row.turn}")
        elif not 1 <= entry.attempts <= row.turn - entry.first_asked_turn:
            yield Problem(f"{place}.attempts", f"{entry.attempts} since turn {entry.first_asked_turn}")


def _of_context(row: GoldenRow) -> Iterator[Problem]:
    ids: set[str] = set()
    for number, passage in enumerate(row.context or ()):
        if not fits(passage.doc_id, "source_tag") or passage.doc_id in ids:
            yield Problem(f"context.{number}.doc_id", f"{passage.doc_id!r} is empty or stands twice")
        ids.add(passage.doc_id)
        if not passage.title.strip() or not passage.text.strip():
            yield Problem(f"context.{number}.text", "a passage has a title and a text")


def _of_pending(row: GoldenRow) -> Iterator[Problem]:
    gold = row.gold
    if [each.question for each in gold.pending] != [entry.question for entry in row.ledger]:
        yield Problem("gold.pending", "is not one decision for each question of the ledger, verbatim, in its order")
    decided = [each for each in gold.pending if each.decision == "resolved"]
    if [each.question for each in decided] != [each.question for each in gold.resolved_questions]:
        yield Problem("gold.resolved_questions", "differs from the decisions")
        return
    for number, (decision, resolved) in enumerate(zip(decided, gold.resolved_questions, strict=True)):
        place = f"gold.resolved_questions.{number}"
        if decision.missing_words or decision.settled or decision.part:
            yield Problem("gold.pending", f"{decision.question!r} is resolved, and nothing of it is missing")
        yield from _of_answer(row, place, resolved.answer, resolved.citations, decision)
    for number, decision in enumerate(gold.pending):
        if decision.decision == "carried":
            yield from _of_part(row, f"gold.pending.{number}", decision)


def _of_part(row: GoldenRow, place: str, decision: Decision) -> Iterator[Problem]:
    if bool(decision.part) != bool(decision.settled):
        yield Problem(f"{place}.settled", "partial evidence has an answer and what it settles, or neither")
    if decision.part:
        found = cited(decision.part, [passage.doc_id for passage in row.context or ()], "source_tag")
        yield from _of_answer(row, f"{place}.part", decision.part, found, decision)
    elif decision.must_cite or decision.may_cite or decision.facts:
        yield Problem(place, f"{decision.question!r} is carried, and cites nothing")


def _of_current(row: GoldenRow) -> Iterator[Problem]:
    answer, current = row.gold.current_answer, row.gold.current
    if answer.status != "UNANSWERED":
        yield from _of_answer(row, "gold.current_answer", answer.text or "", answer.citations, current)
    elif answer.citations or current.may_cite or current.facts or current.must_cite:
        yield Problem("gold.current_answer", "UNANSWERED, and cites nothing")
    elif answer.text is not None and answer.text.removesuffix(".") != ABSTENTION:
        yield Problem("gold.current_answer.text", f"null or exactly {ABSTENTION!r}")
    if bool(current.missing_words) != (current.asks and answer.status != "ANSWERED"):
        yield Problem("gold.current.missing_words", "stand where something asked is missing, and nowhere else")


def _of_answer(
    row: GoldenRow, place: str, text: str, citations: Sequence[str], right: Current | Decision
) -> Iterator[Problem]:
    known = {passage.doc_id: passage for passage in row.context or ()}
    found = cited(text, known, "source_tag")
    if not found or found != list(citations):
        yield Problem(f"{place}.citations", f"the text cites, in this order: {', '.join(found) or 'nothing'}")
    for stray in strays(text, known, "source_tag"):
        yield Problem(place, f"{stray!r} cites no passage of this turn")
    if not set(right.must_cite) <= set(found) or not set(found) <= set(right.may_cite) <= set(known):
        yield Problem(
            "gold", f"{place}: must_cite within citations within may_cite within the context, which is not so"
        )
    if not right.facts:
        yield Problem("gold", f"{place}: an answer has at least one fact")
    for fact in right.facts:
        if not contains(text, fact):
            yield Problem("gold", f"{place}: the fact {fact!r} does not stand in the answer")


def _of_ledger_after(row: GoldenRow) -> Iterator[Problem]:
    after, place = row.gold.updated_unresolved_questions, "gold.updated_unresolved_questions"
    carried = {each.question: each for each in row.gold.pending if each.decision == "carried"}
    step = 0 if row.context is None else 1
    expected: list[tuple[str | None, str, int, int]] = [
        (entry.question_id, entry.question, entry.first_asked_turn, entry.attempts + step)
        for entry in row.ledger
        if entry.question in carried
    ]
    if enters(row):
        expected.append((None, row.question, row.turn, 1))
    if [(e.question_id, e.question, e.first_asked_turn, e.attempts) for e in after] != expected:
        yield Problem(place, f"by ledger and decisions: {expected}")
        return
    for entry in after:
        words = carried[entry.question].missing_words if entry.question in carried else row.gold.current.missing_words
        settled = carried[entry.question].settled if entry.question in carried else ()
        yield from _of_missing(entry, words, settled)
    if row.context is None and any(
        e.missing_evidence != b.missing_evidence for e, b in zip(after, row.ledger, strict=True)
    ):
        yield Problem(place, "nothing changes where the retrieval failed")


def _of_missing(entry: UnresolvedQuestion, words: Sequence[str], settled: Sequence[str]) -> Iterator[Problem]:
    missing, place = folded(entry.missing_evidence), "gold.updated_unresolved_questions"
    if not any(folded(word) in missing for word in words):
        yield Problem(place, f"{entry.missing_evidence!r} holds none of {', '.join(words) or 'no words'}")
    for word in settled:
        if contains(entry.missing_evidence, word):
            yield Problem(place, f"{entry.missing_evidence!r} still asks for {word!r}, which is settled")
