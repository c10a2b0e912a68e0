"""QUEST: queries for sets of entities, made of Wikipedia categories; here those with one category taken away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from ._files import FileRow, Found, Place, objects
from ._rows import PublicQuery, PublicSet, distinct

_MARKED = re.compile(r"<mark>(.*?)</mark>")
_NOT = "not"


class QuestMetadata(FileRow):
    """What the query was made from; "_" stands for a category in the template."""

    template: str = Field(min_length=1)


class QuestRow(FileRow):
    """A published row."""

    query: str = Field(min_length=1)
    original_query: str
    metadata: dict[str, Any]


class TrimmedQuest(FileRow):
    """A trimmed row."""

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    gold_include: tuple[str, ...] = Field(min_length=1)
    gold_exclude: tuple[str, ...] = Field(min_length=1)


def read(path: Path) -> Iterator[PublicQuery]:
    """Yield the queries whose template takes something away ("_ that are not _").

    Of a published file the other queries are passed over, and the id is `line-<number>`, from 1; no fixed id is one.

    Raises:
        RowError: Also where the marked categories are not as many as the template has places.
    """
    return distinct(_queries(path))


def _queries(path: Path) -> Iterator[tuple[Place, PublicQuery]]:
    for found in objects(path):
        if "gold_exclude" in found.raw:
            row = found.fitted(TrimmedQuest)
            yield (
                found.place,
                PublicQuery(
                    id=row.id, family=row.id, query=row.query, include=row.gold_include, exclude=row.gold_exclude
                ),
            )
        else:
            query = _published(found, f"line-{found.place.line}")
            if query is not None:
                yield found.place, query


def _published(found: Found, name: str) -> PublicQuery | None:
    row = found.fitted(QuestRow)
    template = Found(found.place, row.metadata).fitted(QuestMetadata).template
    words = template.split()
    if _NOT not in words:
        return None
    places = [position for position, word in enumerate(words) if word.strip(",.") == "_"]
    marked = [text.strip() for text in _MARKED.findall(row.original_query)]
    if len(marked) != len(places):
        raise found.place.error(
            f"{len(marked)} categories between <mark> and </mark>, but {len(places)} places in {template!r}",
            "original_query",
        )
    after = words.index(_NOT)  # every QUEST template takes away its last category alone
    return PublicQuery(
        id=name, family=name, query=row.query,
        include=tuple(text for text, place in zip(marked, places, strict=True) if place < after),
        exclude=tuple(text for text, place in zip(marked, places, strict=True) if place > after),
    )  # fmt: skip


SET = PublicSet(
    name="quest",
    title="QUEST: A Retrieval Dataset of Entity-Seeking Queries with Implicit Set Operations",
    task="exclusions",
    provenance="Annotators' paraphrases of set operations over Wikipedia categories; Google, repository "
    "google-research/language, language/quest.",
    licence="Apache-2.0 for code and models; the publishers state none for the queries; category names from Wikipedia",
    citation="Malaviya, Shaw, Chang, Lee, Toutanova: QUEST: A Retrieval Dataset of Entity-Seeking Queries with "
    "Implicit Set Operations. ACL 2023",
    files={
        "train.jsonl, val.jsonl, test.jsonl": "{query, docs, original_query with <mark>categories</mark>, scores, "
        "metadata: {template, domain, …}} a line; with `--ids all`, since the fixed ids are of the trimmed file",
        "trimmed *.jsonl": "{id, query, gold_include: [category], gold_exclude: [category]} a line, negation alone",
    },
    recognises=lambda raw: "gold_exclude" in raw or ("original_query" in raw and "metadata" in raw),
    read=read,
)
