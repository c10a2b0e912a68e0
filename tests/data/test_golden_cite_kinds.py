"""The golden set of cite: that a row is of the kind it says."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from turnkeeper.data.cite import SPLITS, GoldenRow, load

from .test_golden_cite import body, cited_text, listed, retrieved

ALL = [row for split in SPLITS for row in load(split)]
MEANS: dict[str, Callable[[GoldenRow], bool]] = {
    "first_citation": lambda row: not row.registry.entries and bool(row.gold.new_citations),
    "new_source": lambda row: bool(row.registry.entries) and not row.gold.reused_citations,
    "mixed_new_reused": lambda row: bool(row.gold.new_citations and row.gold.reused_citations),
    "retrieved_again": lambda row: bool(set(row.gold.reused_citations) & retrieved(row)),
    "reuse_without_retrieval": lambda row: not row.context and not row.gold.new_citations,
    "reuse_from_snippet": lambda row: bool(row.context) and not retrieved(row) & set(listed(row)),
    "several_sources_one_answer": lambda row: len(listed(row)) > 1,
    "only_what_is_used": lambda row: len(retrieved(row)) >= 3 and len(listed(row)) == 1,
    "one_document_many_passages": lambda row: len(row.context or ()) > len(retrieved(row)),
    "long_session": lambda row: len(row.registry.entries) >= 7,
    "withdrawn_source": lambda row: any(entry.withdrawn for entry in row.registry.entries),
    "out_of_scope": lambda row: row.access_scope is not None,
    "abstain_empty_context": lambda row: row.context == (),
    "abstain_retrieval_failed": lambda row: row.context is None,
    "abstain_near_miss": lambda row: bool(row.context),
    "abstain_withdrawn_only": lambda row: any(entry.withdrawn for entry in row.registry.entries),
    "abstain_out_of_scope": lambda row: row.access_scope is not None,
    "bracketed_year": lambda row: re.search(r"\[\d{4}\]", body(row)) is not None,
    "quoted_brackets": lambda row: '"[' in body(row),
    "user_typed_marker": lambda row: "[Source:" in row.question and "[Source:" in body(row),
    "markers_in_source_text": lambda row: re.search(r"\[\d+\]", cited_text(row)) is not None,
    "forged_passage": lambda row: "[Source:" in cited_text(row),
    "chunk_label_in_passage": lambda row: re.search(r"chunk|block", cited_text(row)) is not None,
    "code_block": lambda row: "`" in body(row),
    "table_answer": lambda row: "|---|" in body(row),
    "list_answer": lambda row: len(re.findall(r"^(?:-|\d\.) ", body(row), re.MULTILINE)) > 1,
    "other_language": lambda row: row.language != "en",
}


@pytest.mark.parametrize("kind", MEANS)
def test_a_kind_is_what_it_says(kind: str) -> None:
    rows = [row for row in ALL if row.kind == kind]
    assert rows and [row.id for row in rows if not MEANS[kind](row)] == []


def test_what_abstains_says_so_in_its_kind() -> None:
    named = {row.id for row in ALL if row.kind.startswith("abstain_")}
    assert named == {row.id for row in ALL if row.gold.abstain and row.kind != "other_language"}
