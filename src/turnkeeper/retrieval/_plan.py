"""A request as embedded engines run it: phrases of plain words with their weights, and conditions on facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ..signatures.expand import Clause
from ._analysis import words
from ._conditions import AnyOf, Conditions, conditions
from ._facts import said
from ._stripping import stripped
from .request import SearchRequest

MOST_WORDS = 1_024
"""Different words of the query, and of the context, that are searched for; Lucene's engines have the same bound."""

Excluded = Literal["filter", "ignore", "only"]
"""Of passages whose text names something excluded: leave them out, take no notice, or return only those."""

_LONGEST_PHRASE = 8  # words of a clause that are also looked for side by side
_HEAVIEST = 1_000.0


class Phrase(NamedTuple):
    """Words side by side, and what they add to the score."""

    words: tuple[str, ...]
    weight: float


class Plan(NamedTuple):
    """What an engine runs.

    Attributes:
        must: Phrases that must stand in title or text.
        should: Words and phrases of query and context; at least one must be there unless `must` or `browse` say what
            is wanted.
        values: Facts that add a weight.
        must_not: Phrases that were excluded.
        asked: What must hold of the metadata, always.
        browse: Whether everything permitted is wanted: the request only rules out or filters.
    """

    must: tuple[Phrase, ...]
    should: tuple[Phrase, ...]
    values: tuple[tuple[AnyOf, float], ...]
    must_not: tuple[tuple[str, ...], ...]
    asked: Conditions
    browse: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not (self.must or self.should or self.values or self.browse)


def plan(request: SearchRequest) -> Plan:
    """Return what an engine runs for a request; linear in its length."""
    request = stripped(request)
    query = request.query
    must = tuple(Phrase(said_, clause.weight) for clause, said_ in _on_text(query.must))
    own = _loose((said_, clause.weight) for clause, said_ in _on_text(query.should))
    context = _loose([(words(request.context), request.context_weight)], side_by_side=False)
    values = tuple(
        (AnyOf(said(clause.field, clause.phrase)), weight_of(clause.weight))
        for clause in query.should
        if clause.field is not None and weight_of(clause.weight)
    )
    fields = any(clause.field is not None for clause in (*query.must, *query.must_not))
    return Plan(
        must=tuple(Phrase(said_, weight_of(weight)) for said_, weight in must),
        should=(*own, *context),
        values=values,
        must_not=tuple(dict.fromkeys(said_ for _, said_ in _on_text(query.must_not))),
        asked=conditions(request),
        browse=not (must or own or values) and bool(query.must_not or request.all_filters or fields),
    )


def _on_text(clauses: Iterable[Clause]) -> list[tuple[Clause, tuple[str, ...]]]:
    """Return the clauses on title and text with their words; one without a word asks for nothing."""
    return [(clause, found) for clause in clauses if clause.field is None and (found := words(clause.phrase))]


def _loose(clauses: Iterable[tuple[tuple[str, ...], float]], side_by_side: bool = True) -> tuple[Phrase, ...]:
    """Return the words of clauses one by one, each at its highest weight, and short clauses also side by side."""
    found: dict[tuple[str, ...], float] = {}
    for said_, weight in clauses:
        weight = weight_of(weight)
        each: list[tuple[str, ...]] = [(word,) for word in said_]
        if side_by_side and 1 < len(said_) <= _LONGEST_PHRASE:
            each.append(said_)
        for phrase in each if weight else ():
            if phrase in found or len(found) < MOST_WORDS:
                found[phrase] = max(weight, found.get(phrase, 0.0))
    return tuple(Phrase(*item) for item in found.items())


def weight_of(weight: float) -> float:
    """Return a weight that every engine takes: finite and not negative (nor a negative zero)."""
    return min(round(weight, 6), _HEAVIEST) if weight > 0 else 0.0
