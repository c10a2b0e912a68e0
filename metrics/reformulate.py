"""reformulate: the checks that need no gold (design section 4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..signatures.reformulate import Reformulation
from ..signatures.types import AccessScope, Turn, Violation
from ._discreet import restricted_leaks, unnamed
from ._faithful import Comparison, dropped_terms, said_by_user, unsupported_terms
from ._frames import corrected_fragment, replaced_value
from ._language import same_language
from ._predictions import read_prediction
from ._references import residual_references
from ._resolved import claimed_references, replaced_mentions, wrong_picks
from ._scope import scope_leaks
from ._single import shape_violations
from ._speech_act import form_of
from ._text import low_tokens
from ._topic_shift import carried_over
from ._utterance import is_acknowledgement, is_small_talk, offer_of

if TYPE_CHECKING:
    from .reformulate_metric import Components, metric, score_components

__all__ = ["Components", "check", "metric", "score_components"]

_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\x00-\x1f\x7f\ud800-\udfff]")
_MOST_REPORTED = 8  # violations of one kind; a model can act on no more
_LONGEST_SPAN = 200  # characters
_MOST_CLAIMED = 100  # resolved references that are looked through for restricted terms


def __getattr__(name: str) -> Any:
    # The metric stands on the check, and whoever checks at run time needs no golden rows.
    if name in {"Components", "metric", "score_components"}:
        from . import reformulate_metric

        return getattr(reformulate_metric, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def check(
    *, history: Sequence[Turn], query: str, prediction: Any, access_scope: AccessScope | None = None
) -> list[Violation]:
    """Check a reformulation against the conversation; pure, deterministic, linear in the input.

    Args:
        history: The earlier messages, oldest first.
        query: The user's message as written.
        prediction: A `Reformulation`, or any mapping or object with its fields; unknown fields are ignored.
        access_scope: The server-derived scope, None when nothing is limited.

    Returns:
        The broken rules, empty when there is none; none of them quotes a restricted term. What a model wrote never
        raises: an unusable prediction is one `unparsable` violation that names the field.

    Example:
        >>> from turnkeeper.signatures.types import Turn
        >>> history = [Turn(role="user", content="What does the Pax cover pay for?")]
        >>> said = {"standalone_query": "What is its waiting period in 2024?"}
        >>> [v.code for v in check(history=history, query="and its waiting period?", prediction=said)]
        ['residual_reference', 'unsupported_term']
    """
    parsed = read_prediction(prediction, Reformulation)
    if isinstance(parsed, Violation):
        return [parsed]
    said = [parsed.standalone_query, *(r.referent for r in parsed.resolved_references[:_MOST_CLAIMED])]
    found = [*restricted_leaks(said, query, access_scope), *_broken(parsed, history, query, access_scope)]
    return unnamed(found, said, query, access_scope) if found else found


def _broken(
    parsed: Reformulation, history: Sequence[Turn], query: str, access_scope: AccessScope | None
) -> list[Violation]:
    result = parsed.standalone_query
    plain, asked = _plain(result), _plain(query)
    if not plain or (plain != asked and not any(c.isalnum() for c in plain)):
        message = "The standalone query is empty; return the user's query in full."
        return [Violation(code="empty_query", message=message)]
    leaks = _leaks(result, query, history, access_scope)
    unresolved_is_fine = parsed.action == "clarify" or not history
    if _same_words(plain, asked):
        left = [] if unresolved_is_fine or _asks_nothing(query, history) else _residual(result, query, history)
        claims = parsed.resolved_references and claimed_references(parsed, Comparison.of(result, query, history), left)
        return [*leaks, *left, *_unaccepted(query, history), *_unapplied(query, history), *claims]
    if is_small_talk(query) and not (is_acknowledgement(query) and offer_of(history)):
        message = "The message is small talk or an acknowledgement with nothing to accept; return it unchanged."
        return [*leaks, Violation(code="dropped_term", message=message, span=query[:_LONGEST_SPAN])]
    left = [] if unresolved_is_fine else _residual(result, query, history)
    texts = Comparison.of(result, query, history)
    return [
        *shape_violations(result, query, history),
        *leaks,
        *left,
        *_language(result, query),
        *_faithfulness(texts, parsed),
        *claimed_references(parsed, texts, left),
        *wrong_picks(result, query, history),
    ]


def _language(result: str, query: str) -> list[Violation]:
    if same_language(query, result):
        return []
    message = "The standalone query is in another language than the user's query; write it in the user's language."
    return [Violation(code="language_changed", message=message, span=result[:_LONGEST_SPAN])]


def _faithfulness(texts: Comparison, parsed: Reformulation) -> list[Violation]:
    lost = dropped_terms(texts, replaced_mentions(parsed, texts))
    reasons = (
        (
            "unsupported_term",
            unsupported_terms(texts),
            "'{}' stands in neither the query nor the history; leave it out.",
        ),
        (
            "unsupported_term",
            carried_over(texts),
            "The query opens its own topic and '{}' is of an earlier one; leave it out.",
        ),
        ("dropped_term", lost, "'{}' of the query is missing in the standalone query; keep it."),
    )
    return [
        Violation(code=code, message=message.format(word), span=word)
        for code, words, message in reasons
        for word in words[:_MOST_REPORTED]
    ]


def _plain(text: str) -> str:
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip()


def _same_words(result: str, query: str) -> bool:
    """Whether two texts differ in case, white space and punctuation only."""
    if result == query:
        return True
    if len(result) > 2 * len(query) + 10:
        return False
    return _quotes(result) == _quotes(query) and low_tokens(result) == low_tokens(query)


def _quotes(text: str) -> int:
    return sum(text.count(mark) for mark in '"\u201c\u201d\u00ab\u00bb`')


def _asks_nothing(query: str, history: Sequence[Turn]) -> bool:
    """Small talk, and an acknowledgement without an offer, stay as they are."""
    return is_small_talk(query) or (is_acknowledgement(query) and offer_of(history) is None)


def _residual(result: str, query: str, history: Sequence[Turn]) -> list[Violation]:
    return [
        Violation(
            code="residual_reference",
            message=f"'{mention.text}' still refers to an earlier turn; put what it stands for in its place.",
            span=mention.text,
        )
        for mention in residual_references(result, query, history)[:_MOST_REPORTED]
    ]


def _unaccepted(query: str, history: Sequence[Turn]) -> list[Violation]:
    """An acknowledgement that accepts an offer says nothing on its own: it must become what was offered."""
    offer = offer_of(history) if is_acknowledgement(query) else None
    if offer is None:
        return []
    message = f"'{query.strip()}' accepts the assistant's offer; ask for what was offered: '{offer[:200]}'"
    return [Violation(code="residual_reference", message=message, span=query.strip())]


def _unapplied(query: str, history: Sequence[Turn]) -> list[Violation]:
    """A correction that is no sentence ("no, I meant X", "X, not Y") says nothing without what it corrects."""
    newest = next((t.content for t in reversed(history) if t.role == "user"), None)
    if newest is None:
        return []
    old = replaced_value(query)
    value = corrected_fragment(query) or (old and said_by_user(old[1], history) and form_of(query) == "fragment")
    if not value:
        return []
    message = f"'{query.strip()[:200]}' corrects the user's last question; ask that question as corrected."
    return [Violation(code="residual_reference", message=message, span=query.strip()[:_LONGEST_SPAN])]


def _leaks(result: str, query: str, history: Sequence[Turn], scope: AccessScope | None) -> list[Violation]:
    if scope is None:
        return []
    turns = "\n".join(t.content for t in history if t.role == "user")
    return [
        Violation(
            code="scope_leak",
            message=f"'{leak}' is beyond the user's access scope and not in the user's own words; leave it out.",
            span=leak,
        )
        for leak in scope_leaks(result, query, scope, turns)[:_MOST_REPORTED]
    ]
