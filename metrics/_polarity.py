"""Whether a text asserts a thing where it names it. Pure, linear, English first; see `_denials` and `_absences`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property

from ._absences import said_behind
from ._clauses import Word, words_of
from ._denial_cues import is_polar
from ._denials import Reach, reaches
from ._phrases import phrase_spans
from ._spelling import spelling

_LONGEST_SPAN = 160  # characters of a clause that a message quotes


class Polarity:
    """A text whose assertions can be asked for; what is costly is done once, and only when a phrase is named at all."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spelt = spelling(text)

    @cached_property
    def _words(self) -> list[Word]:
        return words_of(self._spelt)

    @cached_property
    def _starts(self) -> list[int]:
        return [word.start for word in self._words]

    @cached_property
    def _reaches(self) -> list[Reach | None]:
        return reaches(self._words)

    def asserted(self, phrases: Iterable[str]) -> str | None:
        """Return the words that first assert one of some names of a thing, or None when none is asserted."""
        for start, end in phrase_spans(self._spelt, phrases):
            first = bisect_right(self._starts, start) - 1
            last = bisect_left(self._starts, end) - 1
            if 0 <= first <= last and self._asserts(first, last):
                return self._clause(first, last)
        return None

    def _asserts(self, first: int, last: int) -> bool:
        reach = self._reaches[first]
        denied = reach is not None and reach.denies and not self._presupposed(reach, first)
        said = said_behind(self._words, first, last, self._spelt.text)
        if said is None:
            return not denied
        if said == "asserted":
            return True
        # A second denial gives the thing back: "isn't gluten-free", "no drawers are missing".
        return denied and reach is not None and reach.kind != "aside"

    def _presupposed(self, reach: Reach, first: int) -> bool:
        """Whether the thing is spoken of as there: "do not overfill the drawers", "no wobble in the drawers"."""
        definite = first > 0 and is_polar(self._words[first - 1].low, "definite")
        held = reach.kind in ("clause", "noun", "privative") and reach.governor
        licensed = is_polar(reach.governor, "existence") and not is_polar(reach.governor, "subject_alone")
        return definite and bool(held) and not licensed

    def _clause(self, first: int, last: int) -> str:
        """Return the clause of the original text around a name, cut to length at the borders of words."""
        words, left, right = self._words, first, last
        while left and not _breaks(words[left]) and words[left - 1].sentence == words[first].sentence:
            if words[last].end - words[left - 1].start > _LONGEST_SPAN // 2:
                break
            left -= 1
        while right + 1 < len(words) and words[right + 1].sentence == words[last].sentence:
            if _breaks(words[right + 1]) or words[right + 1].end - words[left].start > _LONGEST_SPAN:
                break
            right += 1
        at = self._spelt.at
        return self._text[at[words[left].start] : at[words[right].end - 1] + 1]


def _breaks(word: Word) -> bool:
    return any(mark in word.gap for mark in (",", ";", ":", "\u2014", "(", ")")) or word.low in ("but", "yet")
