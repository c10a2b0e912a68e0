"""The golden set of reformulate: what it holds, that it is sound, that no split leaks into another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from turnkeeper.data import reformulate
from turnkeeper.data.reformulate import SPLITS, GoldenRow, contains, load
from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.reformulate import Reformulation
from turnkeeper.signatures.types import Violation

ROWS = {split: load(split) for split in SPLITS}
ALL = [row for rows in ROWS.values() for row in rows]
CARD = Path(reformulate.__file__).parent / "golden" / "reformulate" / "README.md"


def kind(row: GoldenRow) -> str:
    """The kind without the language that `language_kept_xx` names."""
    return "language_kept" if row.kind.startswith("language_kept_") else row.kind


def words(*texts: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(texts).casefold()))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


# What the set holds (REF-16)


@pytest.mark.parametrize(("split", "count"), [("train", 306), ("dev", 136), ("test", 177)])
def test_the_number_of_rows_is_exact(split: str, count: int) -> None:
    assert len(ROWS[split]) == count


@pytest.mark.parametrize(
    ("number", "query"),
    [
        (0, "ok and how often does it need cleaning"),
        (9, "whats its overdraft limit"),
        (285, "elle peut y monter ?"),
    ],
)
def test_train_rows_stand_where_they_are_expected(number: int, query: str) -> None:
    assert ROWS["train"][number].query == query


@pytest.mark.parametrize("split", SPLITS)
def test_ids_count_the_rows_of_their_split(split: str) -> None:
    assert [row.id for row in ROWS[split]] == [f"rf-{split}-{n:03d}" for n in range(1, len(ROWS[split]) + 1)]


@pytest.mark.parametrize("split", SPLITS)
def test_at_least_twelve_domains(split: str) -> None:
    assert len({row.domain for row in ROWS[split]}) >= 12


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("share", "least"),
    [("language", 0.08), ("unchanged", 0.15), ("scoped", 0.08), ("ellipsis_no_mention", 0.10), ("assistant", 0.30)],
)
def test_a_share_of_every_split_is(share: str, least: float, split: str) -> None:
    counted = {
        "language": lambda row: row.language != "en",
        "unchanged": lambda row: row.gold.action == "unchanged",
        "scoped": lambda row: row.access_scope is not None,
        "ellipsis_no_mention": lambda row: row.kind == "ellipsis_no_mention",
        "assistant": lambda row: any(_is_reply(row, r.turn) for r in row.gold.resolved_references),
    }[share]
    assert sum(map(counted, ROWS[split])) >= least * len(ROWS[split])


def _is_reply(row: GoldenRow, turn: int | None) -> bool:
    return turn is not None and row.history[turn].role == "assistant"


def test_every_kind_is_in_every_split() -> None:
    kinds = {split: {kind(row) for row in rows} for split, rows in ROWS.items()}
    assert kinds["train"] == kinds["dev"] == kinds["test"]


def test_the_card_counts_the_kinds_as_they_are() -> None:
    table = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|$", CARD.read_text(encoding="utf-8"), re.MULTILINE)
    counted = {split: Counter(map(kind, rows)) for split, rows in ROWS.items()}
    found = {name: tuple(str(counted[split][name]) for split in SPLITS) for name in set().union(*counted.values())}
    assert {name: counts for name, *counts in map(list, table)} == {
        name: list(counts) for name, counts in found.items()
    }


# That it is sound


@pytest.mark.parametrize("split", SPLITS)
def test_every_gold_passes_the_checks(split: str) -> None:  # REF-16
    flagged = {row.id: found for row in ROWS[split] if (found := violations(row))}
    assert flagged == {}


def violations(row: GoldenRow) -> list[Violation]:
    gold = row.gold
    prediction = Reformulation(
        standalone_query=gold.standalone_query, resolved_references=gold.resolved_references, action=gold.action
    )
    return check(history=row.history, query=row.query, prediction=prediction, access_scope=row.access_scope)


def test_a_rewrite_is_at_most_three_times_as_long_as_the_query() -> None:
    long = [
        row.id
        for row in ALL
        for text in (row.gold.standalone_query, *row.gold.acceptable)
        if len(text.split()) > max(12, 3 * len(row.query.split()))
    ]
    assert long == []


def test_a_rewrite_changes_the_query() -> None:
    assert [row.id for row in ALL if row.gold.action == "rewrite" and row.gold.standalone_query == row.query] == []


def test_no_rewrite_names_a_restricted_term_that_the_query_does_not_name() -> None:  # REF-05
    leaks = [
        (row.id, term)
        for row in ALL
        for term in (row.access_scope.restricted_terms if row.access_scope else ())
        for text in (row.gold.standalone_query, *row.gold.acceptable)
        if contains(text, term) and not contains(row.query, term)
    ]
    assert leaks == []


# That no split leaks


def test_a_family_lies_in_one_split() -> None:
    splits = defaultdict(set)
    for split, rows in ROWS.items():
        for row in rows:
            splits[row.family].add(split)
    assert [family for family, where in splits.items() if len(where) > 1] == []


def test_rows_that_share_a_message_share_a_family() -> None:
    families = defaultdict(set)
    for row in ALL:
        for turn in row.history:
            if turn.role == "assistant" and len(turn.content.split()) > 8:
                families[turn.content].add(row.family)
    assert [text for text, names in families.items() if len(names) > 1] == []


def test_no_near_duplicate_crosses_a_split() -> None:
    bags = {s: [(r.id, words(r.query, *(t.content for t in r.history))) for r in rows] for s, rows in ROWS.items()}
    close = [
        (one, other)
        for a, b in combinations(SPLITS, 2)
        for one, left in bags[a]
        for other, right in bags[b]
        if len(left | right) > 8 and overlap(left, right) > 0.5
    ]
    assert close == []


def test_no_standalone_query_crosses_a_split() -> None:
    golds = {s: [(r.id, words(r.gold.standalone_query)) for r in rows] for s, rows in ROWS.items()}
    close = [
        (one, other)
        for a, b in combinations(SPLITS, 2)
        for one, left in golds[a]
        for other, right in golds[b]
        if len(left) > 4 and overlap(left, right) > 0.6
    ]
    assert close == []
