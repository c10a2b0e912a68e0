"""How a standalone query compares with a person's rewrite: text measures that need no LM."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..data.public import PublicTurn
from ..metrics.reformulate import check

__all__ = ["FUNCTION_WORDS", "LOWER_IS_BETTER", "RewriteScore", "content", "rouge_l", "score_rewrite", "words"]

LEAST_WORDS = 12
TIMES_AS_LONG = 3
LEAST_INVENTED = 4
"""Letters of a word that can count as invented: shorter ones are particles that a rewrite may need."""
FUNCTION_WORDS = frozenset(
    """
    a an the this that any some not no
    i you we they it my your me there their its
    be is are was were do does did has have will can could should would
    who what which how and as at by for from in of on or to with
    """.split()
)
"""Words that carry no topic of their own; they are neither invented nor part of what is excluded."""


class RewriteScore(NamedTuple):
    """One rewrite against the reference; shares are 0 or 1.

    Attributes:
        rouge_l: F1 of the longest common subsequence of words.
        exact: The same words in the same order.
        residual: A reference is left that nothing in the rewrite explains (our own check).
        invented: A content word that neither the query nor the history holds.
        number_lost: A number of the query that the rewrite does not hold.
        too_long: More than max(12, three times the query's) words.
    """

    rouge_l: float
    exact: float
    residual: float
    invented: float
    number_lost: float
    too_long: float


LOWER_IS_BETTER = frozenset(("residual", "invented", "number_lost", "too_long"))


def score_rewrite(turn: PublicTurn, text: str) -> RewriteScore:
    """Score a rewrite of a turn that has a reference; an empty text is a bad rewrite, not an error."""
    said, reference = words(text), words(turn.rewrite or "")
    source = content(" ".join([turn.query, *(message.content for message in turn.history)]))
    invented = any(len(word) >= LEAST_INVENTED for word in content(text) - source)
    return RewriteScore(
        rouge_l=rouge_l(said, reference),
        exact=float(said == reference),
        residual=float(_residual(turn, text)),
        invented=float(invented),
        number_lost=float(not _numbers(turn.query) <= _numbers(text)),
        too_long=float(len(said) > max(LEAST_WORDS, TIMES_AS_LONG * len(words(turn.query)))),
    )


def words(text: str) -> list[str]:
    """Return the caseless words of a text, in order."""
    return re.findall(r"\w+", text.casefold())


def content(text: str) -> set[str]:
    """Return the content words of a text, without a plural's s; one letter is no word."""
    return {word.rstrip("s") for word in words(text) if len(word) > 1 and word not in FUNCTION_WORDS}


def rouge_l(said: Sequence[str], reference: Sequence[str]) -> float:
    """Return the F1 of the longest common subsequence (Lin, 2004, with equal weights), 0.0 for an empty side."""
    if not said or not reference:
        return 0.0
    best = [0] * (len(reference) + 1)  # of what was read so far, for each beginning of the reference
    for word in said:
        diagonal = 0
        for place, other in enumerate(reference, 1):
            above = best[place]
            best[place] = diagonal + 1 if word == other else max(above, best[place - 1])
            diagonal = above
    return 2 * best[-1] / (len(said) + len(reference))


def _residual(turn: PublicTurn, text: str) -> bool:
    prediction = {"standalone_query": text, "resolved_references": [], "access_constraints_applied": []}
    found = check(history=turn.history, query=turn.query, prediction=prediction, access_scope=None)
    return any(violation.code == "residual_reference" for violation in found)


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))
