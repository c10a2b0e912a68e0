"""The ways of searching that `retrieval_exclusions.py` compares, and its corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from turnkeeper.data._jsonl import JsonError, lines, parse_object
from turnkeeper.errors import InputError, RowError
from turnkeeper.metrics._exclusion_strip import without_exclusions
from turnkeeper.metrics._negation import detect
from turnkeeper.modules._expand_compose import TERM_WEIGHT
from turnkeeper.retrieval import Retriever, SearchRequest, search_verified
from turnkeeper.retrieval.request import ExclusionMode
from turnkeeper.signatures.expand import BooleanQuery, Clause
from turnkeeper.signatures.types import Exclusion, Frozen, Passage, Turn

K = 5


class CorpusPassage(Frozen):
    """A passage and what it asserts of the two properties that its topic is about."""

    doc_id: str
    domain: str
    topic: str
    title: str
    text: str
    asserts: tuple[str, ...]


class CorpusQuery(Frozen):
    """A query with an exclusion; `standalone_query` is what a reformulation would make of the last message."""

    id: str
    domain: str
    topic: str
    history: tuple[Turn, ...]
    query: str
    standalone_query: str
    excluded: tuple[str, ...]
    wanted: tuple[str, ...]
    contradicting: tuple[str, ...]

    @property
    def is_carried(self) -> bool:
        """Whether an earlier turn holds the exclusion."""
        return bool(self.history)


class Added(BaseModel):
    """What an expansion added; the rest of its fields are not read."""

    expansion_terms_added: tuple[str, ...]


class ExpandedRow(BaseModel):
    """A row of `turnkeeper run expand`; the rest of its fields are not read."""

    id: str
    prediction: Added


Row = TypeVar("Row", CorpusPassage, CorpusQuery, ExpandedRow)


def read(path: Path, model: type[Row]) -> list[Row]:
    """Return the rows of a file of the corpus.

    Raises:
        InputError: The file cannot be read.
        RowError: A line is no such row; the message names file, line and field.
    """
    rows = []
    try:
        with path.open("rb") as file:
            for number, line in lines(file):
                try:
                    rows.append(model.model_validate(parse_object(line)))
                except JsonError as error:
                    raise RowError(str(error), file=str(path), line=number) from None
                except ValidationError as error:
                    first = error.errors(include_url=False, include_input=False)[0]
                    raise RowError(
                        first["msg"], file=str(path), line=number, field=".".join(map(str, first["loc"]))
                    ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return rows


def detected(query: CorpusQuery) -> tuple[Exclusion, ...]:
    """Return what the detector reads from the user's own messages."""
    return detect(query.history, query.query).exclusions


def given(query: CorpusQuery) -> tuple[Exclusion, ...]:
    """Return the exclusions of the corpus itself, as a detector without a fault would find them."""
    return tuple(Exclusion(phrase=phrase) for phrase in query.excluded)


Exclusions = Callable[[CorpusQuery], tuple[Exclusion, ...]]
Search = Callable[[Retriever, CorpusQuery, tuple[Exclusion, ...]], Sequence[Passage]]


class Arm(NamedTuple):
    """One way of searching."""

    name: str
    title: str
    search: Search


def _request(
    text: str, exclusions: Sequence[Exclusion] = (), mode: ExclusionMode = "demote", terms: Sequence[str] = ()
) -> SearchRequest:
    active = [exclusion for exclusion in exclusions if exclusion.status == "active"]
    query = BooleanQuery(
        should=(Clause(phrase=text), *(Clause(phrase=term, weight=TERM_WEIGHT) for term in terms)),
        must_not=tuple(Clause(phrase=name) for e in active for name in (e.phrase, *e.aliases)),
    )
    return SearchRequest(query=query, k=K, exclusion_mode=mode)


def _stripped(query: CorpusQuery, exclusions: Sequence[Exclusion]) -> str:
    return without_exclusions(query.standalone_query, exclusions) or query.standalone_query


ARMS = (
    Arm("raw", "the last message as it is", lambda r, q, _: r.search(_request(q.query))),
    Arm("words", "standalone query, exclusions unheeded", lambda r, q, _: r.search(_request(q.standalone_query))),
    Arm("stripped", "exclusions cut from the query", lambda r, q, e: r.search(_request(_stripped(q, e)))),
    Arm("demoted", "… and must_not demoted", lambda r, q, e: r.search(_request(_stripped(q, e), e))),
    Arm("filtered", "… and must_not filtered", lambda r, q, e: r.search(_request(_stripped(q, e), e, "filter"))),
    Arm(
        "checked",
        "cut from the query, contradictions dropped, searched again",
        lambda r, q, e: search_verified(r, _request(_stripped(q, e), e), e).passages,
    ),
)
BASE = "words"
"""The arm that the others are compared with."""


def with_terms(naive: Mapping[str, Sequence[str]], ours: Mapping[str, Sequence[str]]) -> tuple[Arm, ...]:
    """Return the arms whose queries hold an LM's terms, by the id of the query; none where a mapping is empty.

    Args:
        naive: Terms of an LM that was asked for more words and knew of no exclusion.
        ours: Terms that passed the guard.
    """
    arms = []
    if naive:
        arms.append(
            Arm(
                "naive",
                "an LM's terms added, exclusions unheeded",
                lambda r, q, _: r.search(_request(q.standalone_query, terms=naive[q.id])),
            )
        )
    if ours:
        arms.append(
            Arm(
                "ours",
                "cut, our terms added, contradictions dropped, searched again",
                lambda r, q, e: search_verified(r, _request(_stripped(q, e), e, terms=ours[q.id]), e).passages,
            )
        )
    return tuple(arms)


def read_terms(path: Path | None, queries: Sequence[CorpusQuery]) -> dict[str, tuple[str, ...]]:
    """Return the added terms of an output file of `turnkeeper run expand` or `corpus_expansions.py`, by id.

    Raises:
        InputError: The file cannot be read, or it lacks a query.
        RowError: A line holds no such row.
    """
    if path is None:
        return {}
    found = {row.id: row.prediction.expansion_terms_added for row in read(path, ExpandedRow)}
    for query in queries:
        if query.id not in found:
            raise InputError(f"{path}: no row for the query {query.id!r}")
    return found
