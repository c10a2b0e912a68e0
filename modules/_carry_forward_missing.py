"""What code says is missing where no model was asked: words that a reviewer can act on."""

from __future__ import annotations

from ..metrics._ledger_words import content

_LEAD = "no passage on "
_NOTHING = "no passage answers it"
_LONGEST = 120


def about(question: str) -> str:
    """Return what is missing for a question that nothing was found for, in its own words."""
    told = " ".join(term.text for term in content(question))
    if not told:
        return _NOTHING
    return _LEAD + (told if len(told) <= _LONGEST else told[:_LONGEST].rsplit(" ", 1)[0])


def says_nothing(missing: str) -> bool:
    """Whether a text is code's own, which the words of a model may replace."""
    return not missing.strip() or missing.startswith(_LEAD) or missing == _NOTHING
