"""How the phrases that a query excludes compare with those of a public set, by content words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..data.public import PublicQuery
from .public_rewrites import content

__all__ = ["ExclusionScore", "score_exclusions"]


class ExclusionScore(NamedTuple):
    """One query; a measure that the query says nothing about is None.

    Attributes:
        precision: Share of the found words that are excluded; None when nothing was found.
        recall: Share of the excluded words that were found; None when nothing is excluded.
        f1: Of both; None when nothing is excluded.
        right: 1.0 when a word of the excluded category alone was found and none of the included ones alone; None
            where the set does not say what is included.
        constrained: 1.0 when anything was found; None where something is excluded. Where nothing is, that is wrong.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    right: float | None
    constrained: float | None


def score_exclusions(query: PublicQuery, phrases: Iterable[str]) -> ExclusionScore:
    """Compare the phrases that were found in a query with those of the set."""
    found = content_of(phrases)
    excluded, included = content_of(query.exclude), content_of(query.include)
    common = len(found & excluded)
    if not excluded:
        return ExclusionScore(None, None, None, None, float(bool(found)))
    right = bool(found & (excluded - included)) and not found & (included - excluded)
    return ExclusionScore(
        precision=common / len(found) if found else None,
        recall=common / len(excluded),
        f1=2 * common / (len(found) + len(excluded)),
        right=float(right) if query.include else None,
        constrained=None,
    )


def content_of(phrases: Iterable[str]) -> set[str]:
    """Return the content words of several phrases."""
    return set().union(*map(content, phrases))
