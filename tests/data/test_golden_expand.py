"""The golden set of expand: what it holds, that it is sound, that no split leaks into another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from turnkeeper.data import expand
from turnkeeper.data._golden import contains
from turnkeeper.data.expand import MAX_ADDED, SPLITS, GoldenRow, load
from turnkeeper.data.leaks import require_apart

ROWS = {split: load(split) for split in SPLITS}
ALL = [row for rows in ROWS.values() for row in rows]
CARD = Path(expand.__file__).parent / "golden" / "expand" / "README.md"
UNMARKED = {"plain", "free_price", "cue_in_token", "jargon_expanded", "hyphen_token"}
"""Kinds whose rows need hold no negation."""


def words(*texts: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(texts).casefold()))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


# What the set holds


@pytest.mark.parametrize(("split", "count"), [("train", 208), ("dev", 142), ("test", 150)])
def test_the_number_of_rows_is_exact(split: str, count: int) -> None:
    assert len(ROWS[split]) == count


@pytest.mark.parametrize(
    ("number", "query"),
    [
        (0, "two-bedroom flats around Tillbrook without a gas boiler"),
        (9, "What else is there with a spa, besides Lindvik and Port Selle?"),
        (207, "lequel accepte les chiens ?"),
    ],
)
def test_train_rows_stand_where_they_are_expected(number: int, query: str) -> None:
    assert ROWS["train"][number].query == query


@pytest.mark.parametrize("split", SPLITS)
def test_ids_count_the_rows_of_their_split(split: str) -> None:
    assert [row.id for row in ROWS[split]] == [f"ex-{split}-{n:03d}" for n in range(1, len(ROWS[split]) + 1)]


@pytest.mark.parametrize("split", SPLITS)
def test_at_least_twelve_domains(split: str) -> None:
    assert len({row.domain for row in ROWS[split]}) >= 12


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("share", "least"),
    [("several turns", 0.5), ("a negation that excludes nothing", 1 / 3), ("language", 0.08), ("domain context", 0.09)],
)
def test_a_share_of_every_split_is(share: str, least: float, split: str) -> None:
    counted = {
        "several turns": lambda row: bool(row.history),
        "a negation that excludes nothing": lambda row: not row.gold.negation_constraints and row.kind not in UNMARKED,
        "language": lambda row: row.language != "en",
        "domain context": lambda row: row.domain_context is not None,
    }[share]
    assert sum(map(counted, ROWS[split])) >= least * len(ROWS[split])


def test_every_kind_is_in_every_split() -> None:
    kinds = {split: {row.kind for row in rows} for split, rows in ROWS.items()}
    assert kinds["train"] == kinds["dev"] == kinds["test"]


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


def test_every_excluded_phrase_is_the_users_own() -> None:  # "not that one" takes its words from what was shown
    strange = [
        (row.id, phrase)
        for row in ALL
        for phrase in row.gold.negation_constraints
        if row.kind != "already_shown" and not any(contains(text, phrase) for text in own_words(row))
    ]
    assert strange == []


def own_words(row: GoldenRow) -> Iterator[str]:
    yield row.query
    yield from (turn.content for turn in row.history if turn.role == "user")
    yield from (exclusion.phrase for exclusion in row.exclusions or ())


def test_what_was_shown_is_excluded_in_the_words_that_showed_it() -> None:
    strange = [
        (row.id, phrase)
        for row in ALL
        if row.kind == "already_shown"
        for phrase in row.gold.negation_constraints
        if not any(contains(turn.content, phrase) for turn in row.history) and not contains(row.query, phrase)
    ]
    assert strange == []


def test_no_gold_query_holds_an_excluded_phrase() -> None:
    leaks = [
        (row.id, phrase)
        for row in ALL
        for phrase in row.gold.negation_constraints
        if contains(row.gold.expanded_query, phrase)
    ]
    assert leaks == []


def test_every_gold_adds_two_to_eight_terms() -> None:
    assert [row.id for row in ALL if not 2 <= len(row.gold.expansion_terms_added) <= MAX_ADDED] == []


def test_two_to_six_words_of_an_answering_page_are_named() -> None:
    assert [row.id for row in ALL if not 2 <= len(row.gold.relevant_terms) <= 6] == []


def test_no_acceptable_term_is_one_that_the_gold_adds_or_the_query_holds() -> None:
    useless = [
        (row.id, term)
        for row in ALL
        for term in row.gold.acceptable_terms
        if term in row.gold.expansion_terms_added or contains(row.standalone_query or row.query, term)
    ]
    assert useless == []


def test_the_terms_hold_no_name_and_no_number_that_nobody_gave() -> None:
    invented = [
        (row.id, word)
        for row in ALL
        if row.language != "de"  # whose nouns are written as names are
        for term in (*row.gold.expansion_terms_added, *row.gold.acceptable_terms)
        for word in term.split()
        if (word[0].isupper() or word[0].isdigit()) and not contains(row.model_dump_json(exclude={"gold"}), word)
    ]
    assert invented == []


def test_a_query_that_leans_on_the_history_has_its_standalone_form() -> None:
    pointing = re.compile(r"\b(?:it|they|them|these|those|that one|which one)\b", re.IGNORECASE)
    bare = [row.id for row in ALL if row.kind == "carried" and pointing.search(row.query) and not row.standalone_query]
    assert bare == []


def test_a_state_that_is_carried_marks_some_exclusion_as_revoked() -> None:
    states = {exclusion.status for row in ALL for exclusion in row.exclusions or ()}
    assert states == {"active", "revoked"}


def test_only_vague_rows_warn_of_vagueness() -> None:
    assert {row.kind for row in ALL if row.gold.vague} == {"vague"}


# That no split leaks


def test_splits_share_no_id_no_family_and_no_turn() -> None:
    require_apart(behaviour="expand")


def test_rows_that_share_a_message_share_a_family() -> None:
    families = defaultdict(set)
    for row in ALL:
        for turn in row.history:
            if turn.role == "assistant" and len(turn.content.split()) > 8:
                families[turn.content].add(row.family)
    assert [text for text, names in families.items() if len(names) > 1] == []


def test_no_near_duplicate_crosses_a_split() -> None:
    bags = {s: [(r.id, words(r.query, *(t.content for t in r.history))) for r in rows] for s, rows in ROWS.items()}
    assert list(close_pairs(bags, at_least=8, closer_than=0.5)) == []


def test_no_expanded_query_crosses_a_split() -> None:
    golds = {s: [(r.id, words(r.gold.expanded_query)) for r in rows] for s, rows in ROWS.items()}
    assert list(close_pairs(golds, at_least=4, closer_than=0.5)) == []


def close_pairs(
    bags: dict[str, list[tuple[str, frozenset[str]]]], *, at_least: int, closer_than: float
) -> Iterator[tuple[str, str]]:
    for a, b in combinations(SPLITS, 2):
        for one, left in bags[a]:
            for other, right in bags[b]:
                if len(left | right) > at_least and overlap(left, right) > closer_than:
                    yield one, other
