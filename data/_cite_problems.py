"""What contradicts itself in a golden row of cite although every field has the right type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..signatures.cite import ABSTENTION
from ._cite_evidence import Document, documents
from ._cite_markers import cited, fits, marker, nfc, strays
from ._golden import Problem, contains

if TYPE_CHECKING:
    from .cite import GoldenRow

HEADING = "Sources:"
"""The line above the list of sources."""


def problems(row: GoldenRow) -> Iterator[Problem]:
    """Yield what the types cannot say, state before gold."""
    known = documents(row.registry, row.context, row.access_scope)
    yield from _of_registry(row)
    yield from _of_context(row, known)
    yield from _of_abstention(row) if row.gold.abstain else _of_answer(row, known)


def _of_registry(row: GoldenRow) -> Iterator[Problem]:
    entries, convention = row.registry.entries, row.registry.convention
    if entries and convention is None:
        yield Problem("registry.convention", "null although sources are registered")
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        place = f"registry.entries.{number}"
        if entry.doc_id in seen:
            yield Problem(f"{place}.doc_id", f"{entry.doc_id!r} is registered twice")
        seen.add(entry.doc_id)
        if not fits(entry.doc_id, convention):
            yield Problem(f"{place}.doc_id", f"{entry.doc_id!r} is no id of the convention {convention!r}")
        if not 1 <= entry.first_turn <= entry.last_turn < row.turn:
            yield Problem(f"{place}.last_turn", f"{entry.first_turn} to {entry.last_turn} is not before {row.turn}")


def _of_context(row: GoldenRow, known: dict[str, Document]) -> Iterator[Problem]:
    for number, passage in enumerate(row.context or ()):
        if not fits(passage.doc_id, row.registry.convention):
            yield Problem(f"context.{number}.doc_id", f"{passage.doc_id!r} is no id of {row.registry.convention!r}")
        if nfc(passage.doc_id) != passage.doc_id:
            yield Problem(f"context.{number}.doc_id", f"{passage.doc_id!r} is not in NFC")
        if not passage.title or passage.title != known[passage.doc_id].title:
            yield Problem(f"context.{number}.title", f"{passage.title!r}, known as {known[passage.doc_id].title!r}")


def _of_abstention(row: GoldenRow) -> Iterator[Problem]:
    gold = row.gold
    if gold.answer.removesuffix(".") != ABSTENTION:
        yield Problem("gold.answer", f"an abstention is exactly {ABSTENTION!r}")
    for field in ("sources", "new_citations", "reused_citations", "must_cite", "may_cite", "facts"):
        if getattr(gold, field):
            yield Problem(f"gold.{field}", "an abstention has none")


def _of_answer(row: GoldenRow, known: dict[str, Document]) -> Iterator[Problem]:
    gold, convention = row.gold, row.registry.convention
    body, _, listed = gold.answer.rpartition(f"\n\n{HEADING}\n")
    found = cited(body, known, convention)
    if not found:
        yield Problem("gold.answer", "cites nothing above a Sources section, and is no abstention")
    for stray in strays(body, known, convention):
        yield Problem("gold.answer", f"{stray!r} is no marker of a known id in this session's convention")
    for doc_id in found:
        if known[doc_id].why:
            yield Problem("gold.answer", f"{marker(doc_id, convention)} is cited, yet {known[doc_id].why}")
    if [source.doc_id for source in gold.sources] != found:
        yield Problem("gold.sources", f"cited in this order: {', '.join(found)}")
    for source in gold.sources:
        if source.doc_id in known and source.title != known[source.doc_id].title:
            yield Problem("gold.sources", f"{source.doc_id!r} has the title {known[source.doc_id].title!r}")
    if listed.split("\n") != [f"- {source.doc_id}: {source.title}" for source in gold.sources]:
        yield Problem("gold.answer", "the Sources section and `sources` differ")
    yield from _of_lists(row, found, known)
    for fact in gold.facts:
        if not contains(body, fact):
            yield Problem("gold.facts", f"{fact!r} does not stand in the answer")


def _of_lists(row: GoldenRow, found: list[str], known: dict[str, Document]) -> Iterator[Problem]:
    gold, registered = row.gold, {entry.doc_id for entry in row.registry.entries}
    for field, expected in (
        ("new_citations", tuple(each for each in found if each not in registered)),
        ("reused_citations", tuple(each for each in found if each in registered)),
    ):
        if getattr(gold, field) != expected:
            yield Problem(f"gold.{field}", f"by answer and registry: {', '.join(expected) or 'none'}")
    if not gold.must_cite or not set(gold.must_cite) <= set(found):
        yield Problem("gold.must_cite", "empty, or holds what the answer does not cite")
    if not set(found) <= {*gold.must_cite, *gold.may_cite}:
        yield Problem("gold.may_cite", "must_cite and may_cite leave out what the answer cites")
    for doc_id in gold.may_cite:
        if doc_id in gold.must_cite or doc_id not in known or known[doc_id].why:
            yield Problem("gold.may_cite", f"{doc_id!r} is a must, unknown or no evidence")
    if not gold.facts:
        yield Problem("gold.facts", "an answer has at least one")
