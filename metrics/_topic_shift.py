"""A query that opens a topic of its own takes nothing from the topics before it (design section 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._content import Term, must_survive, needs_source
from ._references import find_mentions
from ._speech_act import form_of
from ._text import tokenize

if TYPE_CHECKING:
    from ._faithful import Comparison

_LEANS_ON_HISTORY = frozenset(
    "more less else other another also too instead same similar different still again then than both either neither "
    "compare compared comparison versus vs better worse best worst first second last next previous rather there "
    "here".split()
)
_RELATIONAL = frozenset("version edition copy translation sample size colour color variant model format".split())
_DETERMINERS = frozenset({"the", "this", "that", "these", "those"})
_OWN_WORDS = 3  # content words that make a question complete


def carried_over(c: Comparison) -> list[str]:
    """Return words of an earlier topic that were added to a query which is complete and about something else.

    The evidence must be strong, because a follow-up without a pronoun looks much the same: a whole English question
    with a name of its own, no reference, no comparison, no bare definite noun, and no content word in common with the
    history.
    """
    if not c.english or not c.spaced or not c.got:
        return []
    content = [t for t in c.asked if must_survive(t, c.language)]
    if len(content) < _OWN_WORDS or any(c.earlier.has(t, english=True) for t in content):
        return []
    if not any(_is_name(t) for t in content) or form_of(c.query) != "question":
        return []
    if any(t.key in _LEANS_ON_HISTORY or (len(t.key) > 4 and t.key.endswith("er")) for t in c.asked):
        return []
    if any(t.key in _RELATIONAL for t in c.asked):
        return []  # a version, a size is of something: "Is a Latin version available?"
    if _bare_definite(c) or find_mentions(c.query):
        return []
    added = (t for t in c.got if needs_source(t, c.language) and not c.known.has(t, english=True))
    return list(dict.fromkeys(t.text for t in added if c.earlier.has(t, english=True)))


def _is_name(term: Term) -> bool:
    return term.start > 0 and (term.text[:1].isupper() or term.kind == "identifier")


def _bare_definite(c: Comparison) -> bool:
    """Whether a definite noun phrase without a name ("the movie") may point to the history."""
    tokens = tokenize(c.query)
    return any(
        token.low in _DETERMINERS
        and not any(t.text[:1].isupper() or t.text[:1].isdigit() for t in tokens[n + 1 : n + 4])
        for n, token in enumerate(tokens)
    )
