"""NevIR: pairs of queries that differ in a negation, which is content: none of them excludes anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from ._files import FileRow, Place, objects
from ._rows import PublicQuery, PublicSet, distinct


class NevirRow(FileRow):
    """A pair; the documents are not read."""

    id: str = Field(min_length=1)
    q1: str = Field(min_length=1)
    q2: str = Field(min_length=1)


def read(path: Path) -> Iterator[PublicQuery]:
    """Yield both queries of each pair, `<id>/q1` and `<id>/q2`; pairs about one passage are one family."""
    return distinct(_queries(path))


def _queries(path: Path) -> Iterator[tuple[Place, PublicQuery]]:
    for found in objects(path):
        row = found.fitted(NevirRow)
        family = row.id.rpartition("-")[0] or row.id
        for name, query in (("q1", row.q1), ("q2", row.q2)):
            yield found.place, PublicQuery(id=f"{row.id}/{name}", family=family, query=query)


SET = PublicSet(
    name="nevir",
    title="NevIR: Negation in Neural Information Retrieval",
    task="exclusions",
    provenance="Crowd workers' queries for pairs of passages of CondaQA that differ in a negation; Johns Hopkins "
    "University, repository orionw/NevIR, data set orionweller/NevIR.",
    licence="MIT",
    citation="Weller, Lawrie, Van Durme: NevIR: Negation in Neural Information Retrieval. EACL 2024, arXiv 2305.07614",
    files={
        "train.jsonl, validation.jsonl, test.jsonl": "{id, WorkerId, q1, q2, doc1, doc2} a line",
        "trimmed *.jsonl": "the same without WorkerId",
    },
    recognises=lambda raw: "q1" in raw and "q2" in raw,
    read=read,
)
