"""The golden set of expand against the checks: no gold leaks, and the detector reads what the gold says it should."""

from __future__ import annotations

import re

import pytest

from turnkeeper.data.expand import SPLITS, GoldenRow, load
from turnkeeper.metrics._leaks import leaks, same_phrase
from turnkeeper.metrics.expand import Detected, check, detect
from turnkeeper.signatures.expand import Expansion
from turnkeeper.signatures.types import Exclusion, Violation

ROWS = {split: load(split) for split in SPLITS}
AGREES = 0.97
"""Share of the rows of a split that the detector reads as the gold does; raise it when the detector learns."""
SMALL = frozenset("a an the of for from by in on at to with near".split())


def detected(row: GoldenRow) -> Detected:
    return detect(row.history, row.query, row.domain_context, row.exclusions)


def plain(phrases: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Phrases without case and small words: whether "near" belongs to a place is not what is compared here."""
    found = (re.findall(r"\w+", phrase.casefold()) for phrase in phrases)
    return frozenset(tuple(word for word in words if word not in SMALL) for words in found)


def agrees(row: GoldenRow) -> bool:
    return plain(detected(row).active) == plain(row.gold.negation_constraints)


def violations(row: GoldenRow) -> list[Violation]:
    prediction = Expansion(
        expanded_query=row.gold.expanded_query,
        negation_constraints=row.gold.negation_constraints,
        expansion_terms_added=row.gold.expansion_terms_added,
    )
    return check(
        history=row.history,
        query=row.query,
        prediction=prediction,
        domain_context=row.domain_context,
        exclusions=row.exclusions,
        standalone_query=row.standalone_query,
    )


def exclusions_of(row: GoldenRow) -> list[Exclusion]:
    """The gold's own exclusions, with the names that the domain context gives them."""
    names = row.domain_context.aliases if row.domain_context else {}
    return [
        Exclusion(phrase=phrase, aliases=tuple(x for name in names if same_phrase(name, phrase) for x in names[name]))
        for phrase in row.gold.negation_constraints
    ]


@pytest.mark.parametrize("split", SPLITS)
def test_no_gold_text_leaks_an_inflection_or_an_alias(split: str) -> None:
    leaking = [
        (row.id, text)
        for row in ROWS[split]
        for text in (row.gold.expanded_query, *row.gold.acceptable_terms, *row.gold.relevant_terms)
        if leaks(text, exclusions_of(row))
    ]
    assert leaking == []


@pytest.mark.parametrize("split", SPLITS)
def test_a_gold_passes_the_checks_where_the_detector_reads_it_right(split: str) -> None:
    flagged = {row.id: found for row in ROWS[split] if agrees(row) and (found := violations(row))}
    assert flagged == {}


@pytest.mark.parametrize("split", SPLITS)
def test_no_gold_is_empty_or_names_what_nobody_gave(split: str) -> None:
    codes = {"empty_query", "unparsable", "unsupported_term"}
    assert [row.id for row in ROWS[split] if codes & {violation.code for violation in violations(row)}] == []


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_detector_agrees_with_most_golds(split: str) -> None:
    differing = [row.id for row in ROWS[split] if not agrees(row)]
    assert len(differing) <= (1 - AGREES) * len(ROWS[split]), differing


@pytest.mark.parametrize("split", ["train", "dev"])
def test_what_is_vague_is_found_to_be_vague(split: str) -> None:
    assert [row.id for row in ROWS[split] if row.gold.vague and not detected(row).vague] == []
