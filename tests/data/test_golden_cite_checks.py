"""The golden set of cite against the checks: every gold passes, and a gold that was damaged does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from turnkeeper.data._cite_evidence import documents
from turnkeeper.data._cite_markers import marker
from turnkeeper.data.cite import SPLITS, GoldenRow, load
from turnkeeper.metrics.cite import check, cited_ids
from turnkeeper.signatures.cite import CitedAnswer
from turnkeeper.signatures.types import Violation

ROWS = {split: load(split) for split in SPLITS}
ANSWERED = [row for rows in ROWS.values() for row in rows if not row.gold.abstain]
NOTICED = 0.97
"""Share of wrong sources and wrong numbers that the check notices; code and numbers of a title hide the others."""


def prediction(row: GoldenRow) -> CitedAnswer:
    gold = row.gold
    return CitedAnswer(
        answer=gold.answer,
        sources=gold.sources,
        new_citations=gold.new_citations,
        reused_citations=gold.reused_citations,
    )


def violations(row: GoldenRow, predicted: Any) -> list[Violation]:
    return check(
        registry=row.registry,
        context=row.context,
        question=row.question,
        prediction=predicted,
        access_scope=row.access_scope,
    )


def body(row: GoldenRow) -> str:
    return row.gold.answer.rpartition("\n\nSources:\n")[0]


@pytest.mark.parametrize("split", SPLITS)
def test_every_gold_passes_the_check(split: str) -> None:
    flagged = {row.id: found for row in ROWS[split] if (found := violations(row, prediction(row)))}
    assert flagged == {}


@pytest.mark.parametrize("split", SPLITS)
def test_the_parser_reads_what_the_gold_lists(split: str) -> None:
    differing = [
        row.id
        for row in ROWS[split]
        if cited_ids(registry=row.registry, context=row.context, question=row.question, prediction=prediction(row))
        != [source.doc_id for source in row.gold.sources]
    ]
    assert differing == []


def test_an_answer_without_its_sources_section_is_noticed() -> None:
    unseen = [r.id for r in ANSWERED if not violations(r, prediction(r).model_copy(update={"answer": body(r)}))]
    assert unseen == []


def test_an_answer_without_markers_is_noticed() -> None:
    unseen = []
    for row in ANSWERED:
        text = body(row)
        for source in row.gold.sources:
            text = text.replace(f" {marker(source.doc_id, row.registry.convention)}", "")
        if not violations(row, {"answer": text}):
            unseen.append(row.id)
    assert len(unseen) <= (1 - NOTICED) * len(ANSWERED), unseen


def test_ids_called_new_that_are_reused_are_noticed() -> None:
    swapped = [
        (row, prediction(row).model_copy(update={"new_citations": gold.reused_citations, "reused_citations": ()}))
        for row in ANSWERED
        if (gold := row.gold).reused_citations and not gold.new_citations
    ]
    assert swapped and [row.id for row, wrong in swapped if not violations(row, wrong)] == []


def test_another_document_is_noticed() -> None:
    tried = list(with_another_document())
    unseen = [row.id for row, wrong in tried if not violations(row, wrong)]
    assert len(tried) > 200 and len(unseen) <= (1 - NOTICED) * len(tried), unseen


def with_another_document() -> Iterator[tuple[GoldenRow, CitedAnswer]]:
    """Yield answers from one source that cite another known one instead, with a section and lists that fit."""
    for row in ANSWERED:
        known = documents(row.registry, row.context, row.access_scope)
        others = [doc_id for doc_id, document in known.items() if document.texts and doc_id != row.gold.must_cite[0]]
        if len(row.gold.sources) > 1 or not others:
            continue
        right, wrong = row.gold.must_cite[0], others[0]
        text = body(row).replace(marker(right, row.registry.convention), marker(wrong, row.registry.convention))
        held = wrong in {entry.doc_id for entry in row.registry.entries}
        yield (
            row,
            CitedAnswer(
                answer=f"{text}\n\nSources:\n- {wrong}: {known[wrong].title}",
                sources=(row.gold.sources[0].model_copy(update={"doc_id": wrong, "title": known[wrong].title}),),
                new_citations=() if held else (wrong,),
                reused_citations=(wrong,) if held else (),
            ),
        )


def test_another_number_is_noticed() -> None:
    tried = list(with_another_number())
    unseen = [row.id for row, wrong in tried if not violations(row, wrong)]
    assert len(tried) > 200 and len(unseen) <= (1 - NOTICED) * len(tried), unseen


def with_another_number() -> Iterator[tuple[GoldenRow, CitedAnswer]]:
    for row in ANSWERED:
        fact = next((fact for fact in row.gold.facts if re.search(r"\d", fact)), None)
        if fact is not None:
            wrong = re.sub(r"\d", lambda digit: str((int(digit.group()) + 3) % 10), fact)
            yield row, prediction(row).model_copy(update={"answer": row.gold.answer.replace(fact, wrong)})
