"""expand: the checks that need no gold (design section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..signatures.expand import Expansion
from ..signatures.types import DomainContext, Exclusion, Turn, Violation
from ._content import Vocabulary, names_no_quantity, terms
from ._leaks import leaks, same_phrase
from ._negation import Detected, detect, without_exclusions
from ._predictions import read_prediction
from ._text import is_known

if TYPE_CHECKING:
    from .expand_metric import Components, metric, score_components

__all__ = ["Components", "Detected", "check", "detect", "metric", "score_components", "without_exclusions"]

_MOST_REPORTED = 8  # violations of one kind; a model can act on no more
_MOST_CLAIMED = 200
_LONGEST_SPAN = 200  # characters


def __getattr__(name: str) -> Any:
    # The metric stands on the check, and whoever checks at run time needs no golden rows.
    if name in {"Components", "metric", "score_components"}:
        from . import expand_metric

        return getattr(expand_metric, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def check(
    *,
    history: Sequence[Turn],
    query: str,
    prediction: Any,
    domain_context: DomainContext | None = None,
    exclusions: Sequence[Exclusion] | None = None,
    standalone_query: str | None = None,
) -> list[Violation]:
    """Check an expansion against the conversation; pure, deterministic, linear in the input.

    Args:
        history: The earlier messages, oldest first.
        query: The user's message as written; what is ruled out is read here.
        prediction: An `Expansion`, or any mapping or object with its fields; unknown fields are ignored.
        domain_context: Words of the application's field.
        exclusions: The state after the turn before; None rebuilds it from the history.
        standalone_query: The query that can be read alone; its names and numbers are given.

    Returns:
        The broken rules, empty when there is none. What a model wrote never raises: an unusable prediction is one
        `unparsable` violation that names the field.

    Example:
        >>> said = {"expanded_query": "standing desk drawers height adjustable", "negation_constraints": []}
        >>> found = check(history=[], query="standing desks without drawers", prediction=said)
        >>> for violation in found:
        ...     print(violation.code, violation.span)
        excluded_term_present drawers
        dropped_exclusion drawers
    """
    parsed = read_prediction(prediction, Expansion, none_is_absent=True)
    if isinstance(parsed, Violation):
        return [parsed]
    detected = detect(history, query, domain_context, exclusions)
    given = [query, standalone_query or "", *(turn.content for turn in history), *_domain_words(domain_context)]
    return [*_empty(parsed), *_leaked(parsed, detected), *_constraints(parsed, detected), *_unsupported(parsed, given)]


def _empty(parsed: Expansion) -> list[Violation]:
    if any(c.isalnum() for c in parsed.expanded_query):
        return []
    message = "The expanded query is empty; return the words of the query without what is ruled out."
    return [Violation(code="empty_query", message=message)]


def _leaked(parsed: Expansion, detected: Detected) -> list[Violation]:
    found: dict[str, str] = {}
    for text in (parsed.expanded_query, *parsed.expansion_terms_added[:_MOST_CLAIMED]):
        for leak in leaks(text, detected.exclusions):
            found.setdefault(text[leak.start : leak.end][:_LONGEST_SPAN], leak.phrase)
    return [
        Violation(
            code="excluded_term_present",
            message=f"'{span}' names '{phrase[:_LONGEST_SPAN]}', which the user ruled out; leave it out.",
            span=span,
        )
        for span, phrase in list(found.items())[:_MOST_REPORTED]
    ]


def _constraints(parsed: Expansion, detected: Detected) -> list[Violation]:
    claimed = parsed.negation_constraints[:_MOST_CLAIMED]
    dropped = [p for p in detected.active if not any(same_phrase(p, c) for c in claimed)]
    invented = [c for c in claimed if not any(same_phrase(p, c) for p in detected.active)]
    reasons = (
        ("dropped_exclusion", dropped, "The user ruled out '{}'; list it among the negation constraints."),
        ("invented_exclusion", invented, "The user does not rule out '{}'; leave it out of the negation constraints."),
    )
    return [
        Violation(code=code, message=message.format(p[:_LONGEST_SPAN]), span=p[:_LONGEST_SPAN])
        for code, phrases, message in reasons
        for p in phrases[:_MOST_REPORTED]
    ]


def _unsupported(parsed: Expansion, given: Sequence[str]) -> list[Violation]:
    """Names and numbers that occur nowhere in what the user, the conversation and the application gave."""
    known: Vocabulary | None = None
    found: dict[str, None] = {}
    for text in (parsed.expanded_query, *parsed.expansion_terms_added[:_MOST_CLAIMED]):
        for term in terms(text):
            cased = term.text != term.text.lower()
            if term.kind == "word" and (not cased or len(term.key) < 2 or is_known(term.key)):
                continue
            if term.kind == "negation" or names_no_quantity(term):
                continue
            known = known or Vocabulary(given)
            if not known.has(term, english=True):
                found.setdefault(term.text[:_LONGEST_SPAN])
    return [
        Violation(
            code="unsupported_term",
            message=f"'{word}' is a name or number that nobody gave; leave it out.",
            span=word,
        )
        for word in list(found)[:_MOST_REPORTED]
    ]


def _domain_words(context: DomainContext | None) -> list[str]:
    if context is None:
        return []
    listed = [word for table in (context.glossary, context.aliases) for key, v in table.items() for word in (key, *v)]
    return [*context.entities, *listed]
