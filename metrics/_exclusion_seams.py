"""Where a phrase was cut out of a query: what stands on either side goes on as one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from ._negation_text import in_class
from ._reference_words import parts_of_speech

_CONJUNCTIONS = frozenset("and or but".split())
_FINITE = frozenset(
    "is are was were has have had do does can could will would should must contain contains include includes cost "
    "costs come comes fit fits allow allows accept accepts require requires need needs belong belongs serve "
    "serves".split()
)
_ASKING = frozenset("which what who whose".split())
_RELATIVE = frozenset("that which who".split())
_SUBJECTS = frozenset("i we you he she they it i'm i'd we're".split())
_LEADS = frozenset(
    "with contain contains containing have has having include includes including need needs use uses of on by".split()
)
_ARTICLES = frozenset("a an the any some".split())


def mended(before: Sequence[str], led: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the words on both sides of a cut as one run.

    "lamps | and have a dimmer" becomes "lamps that have a dimmer", "which of them | and have a dimmer" loses its "and",
    and in "flats (with a) | and a lift" the lead serves what is left.

    Args:
        before: The words that stay before the cut.
        led: The words that led to it and stay only where something follows for them.
        after: The words behind it.
    """
    if led and len(before) > 2 and before[-2].casefold() in _RELATIVE:  # "toys that run (on)"
        before, led = before[:-2], [*before[-2:], *led]
    if before and led and after and _is_head(after[0]) and _positive(led):
        return [*before, *led, *after]  # "with a (mercury) switch"
    if not before or len(after) < 2 or after[0].casefold() not in _CONJUNCTIONS:
        return [*before, *after]
    low = [word.casefold() for word in before]
    following = after[1].casefold()
    if following in _FINITE:
        if not _RELATIVE.isdisjoint(low[1:]) or not _SUBJECTS.isdisjoint(low):
            return [*before, *after]
        return [*before, *([] if low[0] in _ASKING else ["that"]), *after[1:]]
    if following == "with":
        return [*before, *after[1:]]
    lead = [word for word in led if word.casefold() not in _ARTICLES]
    if lead and after[0].casefold() != "but" and _positive(lead) and not in_class(following, "preposition"):
        return [*before, *lead, *after[1:]]
    return [*before, *after]


def _is_head(word: str) -> bool:
    """Whether a word right behind a cut is the noun that the cut word stood before."""
    return (
        word.isalpha()
        and word.islower()
        and "NOUN" in parts_of_speech(word)
        and not in_class(word, "preposition", "stop", "link", "skip", "adverb")
        and word not in _CONJUNCTIONS | _FINITE
    )


def _positive(lead: Sequence[str]) -> bool:
    """Whether words led to something wanted ("with", "which contain", "that run on")."""
    low = [word.casefold() for word in lead if word.casefold() not in _ARTICLES]
    return bool(low) and low[-1] in _LEADS and (low[0] in _RELATIVE or all(word in _LEADS for word in low))
