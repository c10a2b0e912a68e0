"""What must hold of a passage's metadata, from scope, filters and clauses on fields."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from ..errors import InputError
from ..signatures.expand import Clause
from ..signatures.types import MetadataFilter
from ._facts import ends, equal, permitted, said
from .request import SearchRequest


class AnyOf(NamedTuple):
    """At least one of these facts; never when there are none."""

    facts: tuple[str, ...]


class Between(NamedTuple):
    """A fact in this range."""

    low: str
    high: str
    with_low: bool
    with_high: bool


Condition = AnyOf | Between


class Conditions(NamedTuple):
    """Each of `required` must hold, and none of `forbidden`: a passage without the field passes the latter."""

    required: tuple[Condition, ...] = ()
    forbidden: tuple[Condition, ...] = ()


def conditions(request: SearchRequest) -> Conditions:
    """Return what scope, filters and clauses on metadata fields ask of a passage.

    Raises:
        InputError: A filter's value does not fit its operator.
    """
    required: list[Condition] = []
    forbidden: list[Condition] = []
    for field, values in request.scope.allowed.items() if request.scope else ():
        required.append(AnyOf(tuple(fact for value in values for fact in permitted(field, value))))
    for each in request.all_filters:
        (forbidden if each.op in ("ne", "not_in") else required).append(_condition(each))
    required += clause_conditions(request.query.must)
    forbidden += clause_conditions(request.query.must_not)
    return Conditions(tuple(required), tuple(forbidden))


def clause_conditions(clauses: Iterable[Clause]) -> list[Condition]:
    """Return what the clauses on metadata fields ask, one condition each."""
    return [AnyOf(said(clause.field, clause.phrase)) for clause in clauses if clause.field is not None]


def hold(facts: frozenset[str], asked: Conditions) -> bool:
    """Whether the conditions hold of a passage's facts."""
    return all(_holds(facts, each) for each in asked.required) and not any(_holds(facts, e) for e in asked.forbidden)


def _holds(facts: frozenset[str], condition: Condition) -> bool:
    if isinstance(condition, AnyOf):
        return not facts.isdisjoint(condition.facts)
    low, high, with_low, with_high = condition
    return any((low <= f if with_low else low < f) and (f <= high if with_high else f < high) for f in facts)


def _condition(given: MetadataFilter) -> Condition:
    value = given.value
    if given.op in ("in", "not_in"):
        return AnyOf(tuple(_equal(given, v) for v in (value if isinstance(value, list) else [value])))
    if isinstance(value, list):
        raise InputError(f"filter on `{given.field}`: `{given.op}` takes one value; `in` takes a list")
    at = _equal(given, value)
    if given.op in ("eq", "ne"):
        return AnyOf((at,))
    if isinstance(value, bool):
        raise InputError(f"filter on `{given.field}`: `{given.op}` takes a number or a text, not {value}")
    below, above = ends(given.field, value)
    if given.op in ("lt", "le"):
        return Between(below, at, True, given.op == "le")
    return Between(at, above, given.op == "ge", False)


def _equal(given: MetadataFilter, value: str | int | float | bool) -> str:
    fact = equal(given.field, value)
    if fact is None or value in (math.inf, -math.inf):
        raise InputError(f"filter on `{given.field}`: {str(value)[:40]} is no finite number of at most 64 bits")
    return fact
