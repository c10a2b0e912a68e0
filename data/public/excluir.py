"""ExcluIR: exclusionary queries; what each rules out was marked by a model, so these figures are silver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from ._files import FileRow, Place, objects
from ._rows import PublicQuery, PublicSet, distinct


class ExcluirRow(FileRow):
    """A trimmed row; the published files do not mark what is ruled out, and are not read."""

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    silver_exclude: tuple[str, ...]


def read(path: Path) -> Iterator[PublicQuery]:
    """Yield the queries; `exclude` is the silver label, empty where the labelling model found none."""
    return distinct(_queries(path))


def _queries(path: Path) -> Iterator[tuple[Place, PublicQuery]]:
    for found in objects(path):
        row = found.fitted(ExcluirRow)
        yield found.place, PublicQuery(id=row.id, family=row.id, query=row.query, exclude=row.silver_exclude)


SET = PublicSet(
    name="excluir",
    title="ExcluIR: Exclusionary Neural Information Retrieval",
    task="exclusions",
    provenance="Queries written by a model over HotpotQA passages and corrected by people; repository zwh-sdu/ExcluIR.",
    licence="none stated in the repository",
    citation="Zhang, Zhang, Wu, Pei, Ren, de Rijke, Chen, Ren: ExcluIR: Exclusionary Neural Information Retrieval. "
    "arXiv 2404.17288, 2024",
    files={"trimmed *.jsonl": "{id, query, silver_exclude: [phrase]} a line"},
    recognises=lambda raw: "silver_exclude" in raw and "gold_exclude" not in raw,
    read=read,
)
