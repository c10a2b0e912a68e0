"""The golden set of carry_forward: what it holds, that it is sound, that no split leaks into another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from turnkeeper.data import carry_forward
from turnkeeper.data._carry_forward_problems import normalized
from turnkeeper.data._golden import contains, folded
from turnkeeper.data.carry_forward import SPLITS, Call, Current, Decision, GoldenRow, load, to_demos
from turnkeeper.data.leaks import require_apart
from turnkeeper.signatures.carry_forward_forms import FORMS, Form

from .test_golden_cite import close_pairs, words

ROWS = {split: load(split) for split in SPLITS}
ALL = [row for rows in ROWS.values() for row in rows]
CARD = Path(carry_forward.__file__).parent / "golden" / "carry_forward" / "README.md"
OWN_WORDS = {"cross_language"}
"""Kinds whose facts need not stand in the source letter by letter."""
_MARKER = re.compile(r"\s*\[Source: [^\]]+\]")


def resolvable(row: GoldenRow) -> bool:
    return bool(row.gold.resolved_questions)


def answers(row: GoldenRow) -> Iterator[tuple[str, str, Current | Decision]]:
    """Yield question, answer without markers, and what is right, for all that a row answers, parts included."""
    resolved = {each.question: each.answer for each in row.gold.resolved_questions}
    for decision in row.gold.pending:
        text = resolved.get(decision.question) or decision.part
        if text:
            yield decision.question, _MARKER.sub("", text), decision
    if row.gold.current_answer.citations:
        yield row.question, _MARKER.sub("", row.gold.current_answer.text or ""), row.gold.current


def cited_text(row: GoldenRow, right: Current | Decision) -> str:
    return " ".join(f"{p.title} {p.text}" for p in row.context or () if p.doc_id in right.may_cite)


# What the set holds


@pytest.mark.parametrize(("split", "count"), [("train", 91), ("dev", 46), ("test", 100)])
def test_the_number_of_rows_is_exact(split: str, count: int) -> None:
    assert len(ROWS[split]) == count


@pytest.mark.parametrize(
    ("number", "question"),
    [(0, "and is there a cafe up there?"), (9, "When should I prune it?"), (90, "obrigada, era só isso")],
)
def test_train_rows_stand_where_they_are_expected(number: int, question: str) -> None:
    assert ROWS["train"][number].question == question


@pytest.mark.parametrize("split", SPLITS)
def test_ids_count_the_rows_of_their_split(split: str) -> None:
    assert [row.id for row in ROWS[split]] == [f"cf-{split}-{n:03d}" for n in range(1, len(ROWS[split]) + 1)]


@pytest.mark.parametrize("split", SPLITS)
def test_at_least_forty_domains(split: str) -> None:
    assert len({row.domain for row in ROWS[split]}) >= 40


SHARES: dict[str, tuple[float, Callable[[GoldenRow], bool]]] = {
    "nothing pending can be resolved": (0.3, lambda row: bool(row.ledger) and not resolvable(row)),
    "nothing can be answered at all": (0.12, lambda row: not resolvable(row) and not row.gold.current_answer.citations),
    "resolved": (0.4, resolvable),
    "resolved while the user asks something else": (
        0.3,
        lambda row: bool({d.question for d in row.gold.pending if d.decision == "resolved"} - {row.question}),
    ),
    "one resolved and another carried": (0.15, lambda row: len({d.decision for d in row.gold.pending}) == 2),
    "five or more pending": (0.05, lambda row: len(row.ledger) >= 5),
    "nothing asked": (0.07, lambda row: not row.gold.current.asks),
    "joins the ledger": (0.13, lambda row: any(not e.question_id for e in row.gold.updated_unresolved_questions)),
    "not English": (0.08, lambda row: row.language != "en"),
    "injections": (0.05, lambda row: row.kind.startswith("poisoned")),
}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("share", SHARES)
def test_a_share_of_every_split_is(share: str, split: str) -> None:
    least, counts = SHARES[share]
    assert sum(map(counts, ROWS[split])) >= least * len(ROWS[split])


def test_every_kind_is_in_every_split() -> None:
    kinds = {split: {row.kind for row in rows} for split, rows in ROWS.items()}
    assert kinds["train"] == kinds["dev"] == kinds["test"]


@pytest.mark.parametrize(("split", "most"), [("train", 9), ("dev", 10), ("test", 12)])
def test_ledgers_are_empty_to_long(split: str, most: int) -> None:
    sizes = {len(row.ledger) for row in ROWS[split]}
    assert {0, 1, 2, 3} <= sizes and max(sizes) == most


def test_the_card_counts_the_kinds_as_they_are() -> None:
    assert card_table("\\w+") == counted("kind")


def test_the_card_counts_the_languages_as_they_are() -> None:
    assert card_table("`[a-z]{2}`") == {f"`{name}`": counts for name, counts in counted("language").items()}


def card_table(name: str) -> dict[str, list[int]]:
    found = re.findall(rf"^\| ({name}) \| (\d+) \| (\d+) \| (\d+) \|$", CARD.read_text(encoding="utf-8"), re.MULTILINE)
    return {row: [int(count) for count in counts] for row, *counts in found}


def counted(field: str) -> dict[str, list[int]]:
    counts = {split: Counter(getattr(row, field) for row in rows) for split, rows in ROWS.items()}
    return {name: [counts[split][name] for split in SPLITS] for name in set().union(*counts.values())}


# That it is sound


def test_the_facts_stand_in_the_cited_text() -> None:
    strange = [
        (row.id, fact)
        for row in ALL
        if row.kind not in OWN_WORDS
        for _, _, right in answers(row)
        for fact in right.facts
        if folded(fact) not in folded(cited_text(row, right))
    ]
    assert strange == []


def test_every_number_of_an_answer_stands_in_the_cited_text() -> None:
    number = re.compile(r"\d+(?:[.,:]\d+)*")
    strange = [
        (row.id, found)
        for row in ALL
        for _, text, right in answers(row)
        for found in number.findall(text)
        if found not in cited_text(row, right)
    ]
    assert strange == []


def test_answers_are_one_or_two_short_sentences() -> None:
    assert [(row.id, text) for row in ALL for _, text, _ in answers(row) if len(text.split()) > 32] == []


def test_what_is_missing_is_a_short_phrase() -> None:
    long = [
        (row.id, entry.missing_evidence)
        for row in ALL
        for entry in (*row.ledger, *row.gold.updated_unresolved_questions)
        if len(entry.missing_evidence.split()) > 11 or entry.missing_evidence.endswith((".", "?"))
    ]
    assert long == []


def test_a_fact_does_not_give_itself_away_in_the_question() -> None:
    told = [
        (row.id, question)
        for row in ALL
        for question, _, right in answers(row)
        if all(contains(question, fact) for fact in right.facts)
    ]
    assert told == []


def test_the_ledger_of_a_later_turn_follows_from_the_one_before() -> None:
    sessions = defaultdict(list)
    for row in ALL:
        sessions[row.family].append(row)
    for rows in sessions.values():
        assert [row.turn for row in rows] == sorted({row.turn for row in rows}), rows[0].family
        for earlier, later in pairwise(rows):
            closed = {each.question for each in earlier.gold.resolved_questions}
            held = {entry.question: entry.first_asked_turn for entry in later.ledger}
            assert not closed & held.keys(), later.id
            known = {e.question: e.first_asked_turn for e in earlier.gold.updated_unresolved_questions}
            assert all(known.get(q, turn) == turn for q, turn in held.items()), later.id
            assert all(q in known or turn >= earlier.turn for q, turn in held.items()), later.id


# That no split leaks


def test_splits_share_no_id_no_family_and_no_turn() -> None:
    require_apart(behaviour="carry_forward")


def test_no_passage_crosses_a_split() -> None:
    homes = defaultdict(set)
    for split, rows in ROWS.items():
        for row in rows:
            for passage in row.context or ():
                homes[folded(passage.text)].add(split)
    assert [text for text, splits in homes.items() if len(splits) > 1] == []


def test_no_near_duplicate_crosses_a_split() -> None:
    bags = {
        split: [(row.id, words(question, text)) for row in rows for question, text, _ in answers(row)]
        for split, rows in ROWS.items()
    }
    assert list(close_pairs(bags, at_least=8, closer_than=0.5)) == []


def test_no_pending_question_crosses_a_split() -> None:
    asked = {split: {folded(entry.question) for row in rows for entry in row.ledger} for split, rows in ROWS.items()}
    assert [a & b for a, b in ((asked["train"], asked["dev"]), (asked["train"], asked["test"]))] == [set(), set()]
    assert asked["dev"] & asked["test"] == set()


# That it gives demos


@pytest.mark.parametrize("form", FORMS)
def test_a_demo_holds_the_facts_and_what_is_missing(form: Form) -> None:
    for row in ALL:
        open_after = {normalized(e.question): e.missing_evidence for e in row.gold.updated_unresolved_questions}
        asked = [*row.gold.pending, *([row.gold.current] if row.gold.current.asks else [])]
        for place, right in enumerate(asked):
            if row.context is None:
                continue
            pending = isinstance(right, Decision)
            question = right.question if isinstance(right, Decision) else row.question
            ids = [passage.doc_id for passage in row.context]
            (demo,) = to_demos(row, form, [Call({}, [place if pending else -1], ids)])
            told = folded(str(demo.fields)).replace("\\'", "'")
            assert all(folded(fact) in told for fact in right.facts), (row.id, told)
            if right.missing_words:
                assert folded(open_after[normalized(question)]) in told, (row.id, told)
