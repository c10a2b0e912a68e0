"""Whether a text asserts a thing where it names it. Pure, linear, English first; see `_denials` and `_absences`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from ._absences import said_behind
from ._clauses import Word, sentence_starts, words_of
from ._denial_cues import is_polar
from ._denials import Reach, reaches
from ._spelling import Spelling, spelling

_LONGEST_SPAN = 160  # characters of a clause that a message quotes


class _Window:
    """A sentence and the one behind it, which may answer it: all that the polarity of a name depends on."""

    def __init__(self, spelt: Spelling, begin: int, stop: int | None) -> None:
        self.words = words_of(spelt, begin, stop)
        self.starts = [word.start for word in self.words]
        self.reaches = reaches(self.words)


class Polarity:
    """A text whose assertions can be asked for; only the sentences that name what is asked for are analysed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spelt = spelling(text)
        self._windows: dict[int, _Window] = {}

    @cached_property
    def _sentences(self) -> list[int]:
        return sentence_starts(self._spelt)

    def asserting(self, start: int, end: int) -> str | None:
        """Return the clause that asserts what is named from `start` to `end` of the text, or None when none does."""
        start, end = bisect_left(self._spelt.at, start), bisect_left(self._spelt.at, end)
        window = self._window(start)
        first = bisect_right(window.starts, start) - 1
        last = bisect_left(window.starts, end) - 1
        if 0 <= first <= last and self._asserts(window, first, last):
            return self._clause(window.words, first, last)
        return None

    def _window(self, offset: int) -> _Window:
        number = bisect_right(self._sentences, offset) - 1
        if number not in self._windows:
            stop = self._sentences[number + 2] if number + 2 < len(self._sentences) else None
            self._windows[number] = _Window(self._spelt, self._sentences[number], stop)
        return self._windows[number]

    def _asserts(self, window: _Window, first: int, last: int) -> bool:
        reach = window.reaches[first]
        denied = reach is not None and reach.denies and not _presupposed(reach, window.words, first)
        said = said_behind(window.words, first, last, self._spelt.text)
        if said is None:
            return not denied
        if said in ("asserted", "apart"):
            return said == "asserted"
        # A second denial gives the thing back: "isn't gluten-free", "no drawers are missing".
        return denied and reach is not None and reach.kind != "aside"

    def _clause(self, words: Sequence[Word], first: int, last: int) -> str:
        """Return the clause of the original text around a name, cut to length at the borders of words."""
        left, right = first, last
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


def _presupposed(reach: Reach, words: Sequence[Word], first: int) -> bool:
    """Whether the thing is spoken of as there: "do not overfill the drawers", "if the drawers jam"."""
    if first == 0 or not is_polar(words[first - 1].low, "definite"):
        return False
    if reach.kind == "aside":
        return reach.cue in ("if", "unless")
    licensed = is_polar(reach.governor, "existence") and not is_polar(reach.governor, "subject_alone")
    return reach.kind != "joined" and bool(reach.governor) and not licensed


def _breaks(word: Word) -> bool:
    return any(mark in word.gap for mark in (",", ";", ":", "\u2014", "(", ")")) or word.low in ("but", "yet")
