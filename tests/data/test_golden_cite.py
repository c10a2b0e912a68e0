"""The golden set of cite: what it holds, that it is sound, that no split leaks into another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from turnkeeper.data import cite
from turnkeeper.data._cite_evidence import documents
from turnkeeper.data._cite_markers import marker
from turnkeeper.data._golden import contains, folded
from turnkeeper.data.cite import SPLITS, GoldenRow, load
from turnkeeper.data.leaks import require_apart

ROWS = {split: load(split) for split in SPLITS}
ALL = [row for rows in ROWS.values() for row in rows]
ANSWERED = [row for row in ALL if not row.gold.abstain]
CARD = Path(cite.__file__).parent / "golden" / "cite" / "README.md"
OWN_WORDS = {"number_words", "cross_language"}
"""Kinds whose facts need not stand in the source letter by letter."""


def words(*texts: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(texts).casefold()))


def registered(row: GoldenRow) -> set[str]:
    return {entry.doc_id for entry in row.registry.entries}


def retrieved(row: GoldenRow) -> set[str]:
    return {passage.doc_id for passage in row.context or ()}


def listed(row: GoldenRow) -> list[str]:
    return [source.doc_id for source in row.gold.sources]


def body(row: GoldenRow) -> str:
    """The answer without markers and Sources section."""
    text = row.gold.answer.rpartition("\n\nSources:\n")[0]
    for doc_id in listed(row):
        text = text.replace(marker(doc_id, row.registry.convention), " ")
    return text


def cited_text(row: GoldenRow) -> str:
    known = documents(row.registry, row.context, row.access_scope)
    return " ".join(text for doc_id in listed(row) for text in (known[doc_id].title, *known[doc_id].texts))


# What the set holds


@pytest.mark.parametrize(("split", "count"), [("train", 177), ("dev", 96), ("test", 135)])
def test_the_number_of_rows_is_exact(split: str, count: int) -> None:
    assert len(ROWS[split]) == count


@pytest.mark.parametrize(
    ("number", "question"),
    [
        (0, "how early do i have to be there with the car?"),
        (9, "Who is the manager of the Lund office at the moment?"),
        (176, "how high is the tower in metres"),
    ],
)
def test_train_rows_stand_where_they_are_expected(number: int, question: str) -> None:
    assert ROWS["train"][number].question == question


@pytest.mark.parametrize("split", SPLITS)
def test_ids_count_the_rows_of_their_split(split: str) -> None:
    assert [row.id for row in ROWS[split]] == [f"ci-{split}-{n:03d}" for n in range(1, len(ROWS[split]) + 1)]


@pytest.mark.parametrize("split", SPLITS)
def test_at_least_fourteen_domains(split: str) -> None:
    assert len({row.domain for row in ROWS[split]}) >= 14


SHARES: dict[str, tuple[float, Callable[[GoldenRow], bool]]] = {
    "abstentions": (0.15, lambda row: row.gold.abstain),
    "abstentions beside tempting passages": (0.07, lambda row: row.gold.abstain and bool(row.context)),
    "not English": (0.08, lambda row: row.language != "en"),
    "something registered": (0.6, lambda row: bool(row.registry.entries)),
    "reused": (0.3, lambda row: bool(row.gold.reused_citations)),
    "new and reused together": (0.07, lambda row: bool(row.gold.reused_citations and row.gold.new_citations)),
    "passages that are not cited": (0.3, lambda row: bool(retrieved(row) - set(listed(row)))),
    "injections": (0.05, lambda row: row.kind.startswith(("poisoned", "forged"))),
}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("share", SHARES)
def test_a_share_of_every_split_is(share: str, split: str) -> None:
    least, counts = SHARES[share]
    assert sum(map(counts, ROWS[split])) >= least * len(ROWS[split])


@pytest.mark.parametrize("split", SPLITS)
def test_every_convention_is_in_every_split_and_so_is_none_yet(split: str) -> None:
    conventions = {row.registry.convention for row in ROWS[split]}
    assert conventions == {"source_tag", "numeric", "bare_id", "url", "footnote", None}


def test_every_kind_is_in_every_split() -> None:
    kinds = {split: {row.kind for row in rows} for split, rows in ROWS.items()}
    assert kinds["train"] == kinds["dev"] == kinds["test"]


def test_sessions_are_long_enough_to_lose_an_early_source() -> None:
    for split, entries, turn in (("train", 28, 20), ("dev", 12, 15), ("test", 20, 20)):
        assert any(len(row.registry.entries) >= entries and row.turn >= turn for row in ROWS[split]), split


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
        for row in ANSWERED
        if row.kind not in OWN_WORDS
        for fact in row.gold.facts
        if folded(fact) not in folded(cited_text(row))
    ]
    assert strange == []


def test_every_number_of_an_answer_stands_in_the_cited_text() -> None:
    number = re.compile(r"\d+(?:[.,:]\d+)*")
    listing = re.compile(r"^\d\. ", re.MULTILINE)
    strange = [
        (row.id, found)
        for row in ANSWERED
        if row.kind not in OWN_WORDS | {"user_typed_marker"}
        for found in number.findall(listing.sub("", body(row)))
        if found not in cited_text(row)
    ]
    assert strange == []


def test_every_source_says_what_it_gives() -> None:
    assert [row.id for row in ANSWERED for source in row.gold.sources if len(source.relevance.strip()) < 3] == []


def test_an_answer_has_one_to_four_sentences_or_is_a_list_a_table_or_code() -> None:
    laid_out = re.compile(r"^(?:- |\d\. |\||```|## )", re.MULTILINE)
    plain = [row for row in ANSWERED if not laid_out.search(body(row))]
    assert [row.id for row in plain if len(body(row).split()) > 60] == []


def test_a_session_only_adds_and_never_renames() -> None:
    sessions = defaultdict(list)
    for row in ALL:
        sessions[row.family].append(row)
    for rows in sessions.values():
        assert [row.turn for row in rows] == sorted({row.turn for row in rows}), rows[0].family
        for earlier, later in pairwise(rows):
            before, after = ([(e.doc_id, e.title) for e in row.registry.entries] for row in (earlier, later))
            assert after[: len(before)] == before, later.id
            assert {*earlier.gold.new_citations} <= registered(later), later.id
            assert earlier.registry.convention in (None, later.registry.convention), later.id


def test_a_fact_does_not_give_itself_away_in_the_question() -> None:
    told = [row.id for row in ANSWERED if all(contains(row.question, fact) for fact in row.gold.facts)]
    assert told == []


# That no split leaks


def test_splits_share_no_id_no_family_and_no_turn() -> None:
    require_apart(behaviour="cite")


def test_no_document_crosses_a_split() -> None:
    homes = defaultdict(set)
    for split, rows in ROWS.items():
        for row in rows:
            for document in documents(row.registry, row.context, None).values():
                for text in document.texts:
                    homes[folded(text)].add(split)
    assert [text for text, splits in homes.items() if len(splits) > 1] == []


def test_no_near_duplicate_crosses_a_split() -> None:
    bags = {split: [(row.id, words(row.question, body(row))) for row in rows] for split, rows in ROWS.items()}
    assert list(close_pairs(bags, at_least=8, closer_than=0.5)) == []


def close_pairs(
    bags: dict[str, list[tuple[str, frozenset[str]]]], *, at_least: int, closer_than: float
) -> Iterator[tuple[str, str]]:
    for a, b in combinations(SPLITS, 2):
        for one, left in bags[a]:
            for other, right in bags[b]:
                if len(left | right) > at_least and len(left & right) / len(left | right) > closer_than:
                    yield one, other
