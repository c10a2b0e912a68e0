"""Golden rows of carry_forward: the reader names what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data._carry_forward_problems import normalized
from turnkeeper.data.carry_forward import GoldenRow, digest, load
from turnkeeper.errors import InputError, RowError
from turnkeeper.signatures.cite import ABSTENTION

LOCK, HEIGHT = "When does the lock open?", "How high and how old is the gate?"
ANSWER = "The lock opens at 6:00 [Source: C-1]."
NOTHING: dict[str, Any] = {"must_cite": [], "may_cite": [], "facts": [], "missing_words": []}
RESOLVED: dict[str, Any] = {
    **NOTHING, "question": LOCK, "decision": "resolved", "must_cite": ["C-1"], "may_cite": ["C-1"], "facts": ["6:00"],
}  # fmt: skip
CARRIED: dict[str, Any] = {**NOTHING, "question": HEIGHT, "decision": "carried", "missing_words": ["old", "age"]}
PART: dict[str, Any] = {
    **CARRIED, "must_cite": ["C-2"], "may_cite": ["C-2"], "facts": ["4 m"], "part": "It is 4 m high [Source: C-2].",
    "settled": ["high"],
}  # fmt: skip
AFTER: list[dict[str, Any]] = [
    {
        "question_id": "q2",
        "question": HEIGHT,
        "missing_evidence": "how old it is",
        "first_asked_turn": 3,
        "attempts": 2,
    },
    {"question": "Who owns it?", "missing_evidence": "the owner", "first_asked_turn": 5, "attempts": 1},
]
GOOD: dict[str, Any] = {
    "id": "a-1",
    "kind": "one_of_several",
    "domain": "canals",
    "language": "en",
    "family": "a",
    "turn": 5,
    "history": [{"role": "user", "content": "Is the towpath paved?"}],
    "ledger": [
        {"question_id": "q1", "question": LOCK, "missing_evidence": "the hour", "first_asked_turn": 2, "attempts": 3},
        {"question_id": "q2", "question": HEIGHT, "missing_evidence": "all", "first_asked_turn": 3, "attempts": 1},
    ],
    "question": "Who owns it?",
    "context": [
        {"doc_id": "C-1", "title": "Hours", "text": "The lock opens at 6:00."},
        {"doc_id": "C-2", "title": "Gate", "text": "The gate is 4 m high."},
    ],
    "gold": {
        "current_answer": {"text": ABSTENTION, "citations": [], "status": "UNANSWERED"},
        "resolved_questions": [{"question": LOCK, "answer": ANSWER, "citations": ["C-1"]}],
        "updated_unresolved_questions": AFTER,
        "pending": [RESOLVED, PART],
        "current": {**NOTHING, "missing_words": ["owner"]},
    },
}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def with_gold(**fields: Any) -> dict[str, Any]:
    return {**GOOD, "gold": {**GOOD["gold"], **fields}}


def entry(**fields: Any) -> dict[str, Any]:
    return {**GOOD, "ledger": [{**GOOD["ledger"][0], **fields}, GOOD["ledger"][1]]}


def answered(text: str | None, *citations: str, status: str = "ANSWERED", **current: Any) -> dict[str, Any]:
    answer = {"text": text, "citations": list(citations), "status": status}
    right = {**NOTHING, "must_cite": list(citations), "may_cite": list(citations), **current}
    return with_gold(current_answer=answer, current=right, updated_unresolved_questions=AFTER[:1])


def resolving(**fields: Any) -> dict[str, Any]:
    return with_gold(resolved_questions=[{**GOOD["gold"]["resolved_questions"][0], **fields}])


def test_a_good_row_loads(tmp_path: Path) -> None:
    (row,) = load("train", written(tmp_path, GOOD))
    assert row.gold.pending[1].settled == ("high",) and row.gold.updated_unresolved_questions[1].question_id is None


def test_an_answered_question_does_not_enter(tmp_path: Path) -> None:
    row = answered("A guild of 6 owns it [Source: C-1].", "C-1", facts=["guild"])
    assert load("train", written(tmp_path, row))[0].gold.current_answer.status == "ANSWERED"


def test_thanks_ask_nothing_and_do_not_enter(tmp_path: Path) -> None:
    row = {**answered(None, status="UNANSWERED", asks=False), "question": "Thanks!"}
    assert not load("train", written(tmp_path, row))[0].gold.current.asks


def test_a_question_that_is_pending_already_does_not_enter_again(tmp_path: Path) -> None:
    again = {**with_gold(updated_unresolved_questions=AFTER[:1]), "question": "how high and HOW old is the  gate"}
    (row,) = load("train", written(tmp_path, again))
    assert normalized(row.question) == normalized(HEIGHT)


@pytest.mark.parametrize("other", ["How high and how old is gate 2?", "How high and how old is not the gate?"])
def test_digits_and_negation_keep_questions_apart(other: str) -> None:
    assert normalized(other) != normalized(HEIGHT)


def test_a_failed_retrieval_leaves_the_ledger_as_it_is(tmp_path: Path) -> None:
    ledger = GOOD["ledger"]
    row = {
        **with_gold(
            resolved_questions=[],
            updated_unresolved_questions=ledger,
            pending=[
                {**NOTHING, "question": LOCK, "decision": "carried", "missing_words": ["hour"]},
                {**CARRIED, "missing_words": ["all"]},
            ],
        ),
        "context": None,
    }
    assert load("train", written(tmp_path, row))[0].context is None


def test_an_unknown_split_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="no split 'val'; there is: train, dev, test"):
        load("val")


BAD: list[tuple[str, dict[str, Any], str, str]] = [
    ("a field too many", {**GOOD, "note": "x"}, "note", "unknown; there is: id, kind"),
    ("no context, not even null", {k: v for k, v in GOOD.items() if k != "context"}, "context", "is missing"),
    ("an entry without id", entry(question_id=""), "ledger.0.question_id", "is empty or stands twice"),
    ("an id twice", entry(question_id="q2"), "ledger.1.question_id", "'q2' is empty or stands twice"),
    ("a question twice", entry(question=HEIGHT.upper()), "ledger.1.question", "stands twice"),
    ("nothing missing", entry(missing_evidence=" "), "ledger.0.missing_evidence", "is empty"),
    ("asked today", entry(first_asked_turn=5), "ledger.0.first_asked_turn", "5 is not before 5"),
    ("more attempts than turns", entry(attempts=4), "ledger.0.attempts", "4 since turn 2"),
    ("a resolved entry", entry(status="resolved"), "ledger.0.status", "pending ones only"),
    ("a passage twice", {**GOOD, "context": [GOOD["context"][0]] * 2}, "context.1.doc_id", "stands twice"),
    ("a passage without text", {**GOOD, "context": [{"doc_id": "C-1", "title": "x"}]}, "context.0.text", "a title and"),
    ("a decision too few", with_gold(pending=[RESOLVED]), "gold.pending", "one decision for each question"),
    ("other words", with_gold(pending=[{**RESOLVED, "question": "Lock?"}, PART]), "gold.pending", "verbatim"),
    ("a resolution left out", with_gold(resolved_questions=[]), "gold.resolved_questions", "differs"),
    ("no marker", resolving(answer="At 6:00."), "gold.resolved_questions.0.citations", "cites, in this order: nothing"),
    ("a stranger", resolving(answer=f"{ANSWER} See [Source: C-9]."), "gold.resolved_questions.0", "'[Source: C-9]'"),
    ("another passage", resolving(citations=["C-2"]), "gold.resolved_questions.0.citations", "in this order: C-1"),
    ("a fact of nowhere", with_gold(pending=[{**RESOLVED, "facts": ["7:00"]}, PART]), "gold", "'7:00' does not stand"),
    ("no fact", with_gold(pending=[{**RESOLVED, "facts": []}, PART]), "gold", "at least one fact"),
    ("a must too many", with_gold(pending=[{**RESOLVED, "must_cite": ["C-2"]}, PART]), "gold", "must_cite within"),
    (
        "resolved, yet missing",
        with_gold(pending=[{**RESOLVED, "missing_words": ["x"]}, PART]),
        "gold.pending",
        "nothing of it is missing",
    ),
    ("carried with a source", with_gold(pending=[RESOLVED, {**CARRIED, "may_cite": ["C-2"]}]), "gold.pending.1", "is"),
    (
        "a part that settles nothing",
        with_gold(pending=[RESOLVED, {**PART, "settled": []}]),
        "gold.pending.1.settled",
        "or",
    ),
    (
        "still asked for though settled",
        with_gold(updated_unresolved_questions=[{**AFTER[0], "missing_evidence": "how high and old"}, AFTER[1]]),
        "gold.updated_unresolved_questions",
        "still asks for 'high'",
    ),
    (
        "nothing of what is missing",
        with_gold(updated_unresolved_questions=[{**AFTER[0], "missing_evidence": "more"}, AFTER[1]]),
        "gold.updated_unresolved_questions",
        "'more' holds none of old, age",
    ),
    (
        "a question dropped",
        with_gold(updated_unresolved_questions=AFTER[1:]),
        "gold.updated_unresolved_questions",
        "by",
    ),
    ("the question lost", with_gold(updated_unresolved_questions=AFTER[:1]), "gold.updated_unresolved_questions", "by"),
    (
        "an attempt not counted",
        with_gold(updated_unresolved_questions=[{**AFTER[0], "attempts": 1}, AFTER[1]]),
        "gold.updated_unresolved_questions",
        "by ledger and decisions",
    ),
    ("another abstention", answered("No idea.", status="UNANSWERED"), "gold.current_answer.text", "null or exactly"),
    ("cites without an answer", answered(None, "C-1", status="UNANSWERED"), "gold.current_answer", "cites nothing"),
    ("an answer without marker", answered("A guild.", facts=["guild"]), "gold.current_answer.citations", "nothing"),
    ("nothing said to be missing", answered(None, status="UNANSWERED"), "gold.current.missing_words", "stand where"),
]


@pytest.mark.parametrize(("row", "field", "says"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_row_names_file_line_and_field(row: dict[str, Any], field: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(RowError, match=re.escape(says)) as caught:
        load("train", written(tmp_path, {**GOOD, "id": "first"}, row))
    assert (caught.value.line, caught.value.field) == (2, field)


def test_the_digest_minds_words_and_not_the_order_of_fields(tmp_path: Path) -> None:
    first = digest("train", written(tmp_path, GOOD))
    assert digest("train", written(tmp_path, dict(reversed(GOOD.items())))) == first
    assert (
        digest(
            "train",
            written(
                tmp_path,
                {
                    **GOOD,
                    "question": "Who owns it now?",
                    **{
                        "gold": {
                            **GOOD["gold"],
                            "updated_unresolved_questions": [AFTER[0], {**AFTER[1], "question": "Who owns it now?"}],
                        }
                    },
                },
            ),
        )
        != first
    )


def test_a_row_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        GoldenRow.model_validate(GOOD).question = "x"  # type: ignore[misc]
