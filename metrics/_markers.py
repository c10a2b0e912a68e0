"""Citation markers of an answer: known ids first and longest first, foreign and broken ones as attempts.

Nothing is a marker inside code, links, the Sources section, or quotation marks when the quoted document holds the same
brackets. Linear in the text. Rules: design section 6, 4 and 5; each was a bug of some product first.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection

from ..signatures.types import Convention
from ._cite_layout import Layout, Link, layout
from ._marker_ends import cut_off, unfinished, unopened
from ._marker_foreign import angled, provider_markers, quotable_superscripts, superscripts
from ._marker_lists import Items, KnownIds, read_items
from ._marker_patterns import CLOSERS
from ._marker_types import DRIFT, MALFORMED, Marker, folded_digits, learnt, written
from ._marker_verdicts import PREFIX, TAG, verdict
from ._sources_places import section_places, without_sections

__all__ = ["Marker", "MarkerReader", "find_markers", "learnt", "nfc", "written"]

_OPENERS = "[\uff3b\u3010\u3014\u3016(\uff08{<"
_OPENER = re.compile("[" + re.escape(_OPENERS) + "]")
_CLOSER = dict(zip(_OPENERS, CLOSERS, strict=True))
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|\u201c[^\u201d\n]{1,400}\u201d|\u00ab[^\u00bb\n]{1,400}\u00bb|\u201e[^\u201c\n]{1,400}\u201c|\u300c[^\u300d\n]{1,400}\u300d"
)
_BRACKETED = re.compile(
    r"[\[\uff3b\u3010\u3014\u3016(\uff08{<][^\[\]\uff3b\uff3d\u3010\u3011\n]{1,300}?[\]\uff3d\u3011\u3015\u3017)\uff09}>]"
)
_ENDS_CLAUSE = re.compile(r"\s{0,2}(?:[.,;:!?\u3002]|$|\n|[\[(|])")
_WORD_BEFORE = re.compile(r"[\w\"')\]%\u201d]\s?$")
_DIGIT = re.compile(r"\d{1,6}")


def find_markers(
    text: str, known: Collection[str], convention: Convention | None, documents: Collection[str] = ()
) -> list[Marker]:
    """Return the markers of an answer in order; places are those of its NFC form.

    Args:
        text: The answer.
        known: Ids of the registry and of this turn's passages.
        convention: The session's; None learns it from the first citation of the text.
        documents: Texts that the answer may quote with their own brackets.
    """
    text = nfc(text)
    known = frozenset(nfc(doc_id) for doc_id in known)
    return MarkerReader(known, convention or learnt(text, known), documents).read(layout(text))


def nfc(text: str) -> str:
    """Return a text in the form in which ids compare."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


class MarkerReader:
    """Reads the markers of texts of one session."""

    def __init__(self, known: Collection[str], convention: Convention, documents: Collection[str] = ()) -> None:
        """Prepare for known ids (NFC), a convention and texts that may be quoted."""
        self._known = KnownIds(known)
        self._convention: Convention = convention
        texts = [nfc(document) for document in documents]
        self._quotable = frozenset(m.group() for text in texts for m in _BRACKETED.finditer(text))
        self._superscripts = frozenset(quotable_superscripts(texts))
        self._documents = texts

    def read(self, text: Layout, *, ends: bool = True) -> list[Marker]:
        """Return the markers of a text in order; `ends` tells that nothing follows, so the last may be cut off."""
        prose = without_sections(text.prose, section_places(text.prose))
        if "\\[" in prose or "\\]" in prose:  # escaped brackets show as brackets
            prose = prose.replace("\\[", " [").replace("\\]", " ]")
        found = self._brackets(text, prose)
        taken = [(marker.start, marker.end) for marker in found]
        others = [
            *superscripts(prose, self._superscripts, self._documents),
            *provider_markers(prose),
            *unopened(prose, self._convention),
            *unfinished(prose),
            *angled(prose, self._known.ids),
        ]
        found += [marker for marker in others if not _inside(marker, taken)]
        found.sort()
        if ends and (cut := cut_off(text.prose, found, self._convention, self._known.ids)) is not None:
            found = [marker for marker in found if marker.end <= cut.start] + [cut]
        return found

    def _brackets(self, text: Layout, prose: str) -> list[Marker]:
        found, folded = list[Marker](), folded_digits(prose)
        quotes = [m.span() for m in _QUOTED.finditer(prose)]
        at = link = quote = 0
        for match in _OPENER.finditer(prose):
            place = match.start()
            if place < at:
                continue
            while link < len(text.links) and text.links[link].end <= place:
                link += 1
            while quote < len(quotes) and quotes[quote][1] <= place:
                quote += 1
            if link < len(text.links) and text.links[link].start <= place:
                marker, at = self._link(text.links[link], prose), text.links[link].end
            else:
                marker = self._marker(prose, folded, place)
                quoted = quote < len(quotes) and quotes[quote][0] < place
                if marker is not None and marker.text in self._quotable and (quoted or _own(marker)):
                    at, marker = marker.end, None
            if marker is not None:
                found.append(marker)
                at = max(at, marker.end)
        return found

    def _marker(self, prose: str, folded: str, place: int) -> Marker | None:
        """Read a bracket as written, then with its digits folded."""
        read = self._read(prose, place)
        if folded is not prose and (read is None or not read.ids or set(read.ids) - self._known.ids):
            again = self._read(folded, place)
            if again is not None and again.text != prose[again.start : again.end]:
                ids = tuple(i for i in again.ids if i in self._known.ids)
                written = prose[again.start : again.end]
                return again._replace(
                    text=written, ids=ids, codes=(DRIFT,), why="is written in digits of another script"
                )
        return read

    def _read(self, text: str, place: int) -> Marker | None:
        opener = text[place]
        if text[place + 1 : place + 2] == opener and not next(self._known.at(text, place + 1), None):
            return None  # doubled: the inner one is read, and then seen to be doubled
        items, prefix = self._items(text, place + 1, _CLOSER[opener])
        if items is None or not items.ids:
            return None
        before, after = text[max(0, place - 40) : place], text[items.end : items.end + 40]
        if opener != "[":
            return self._other(text, place, items, prefix, before, after)
        judged = verdict(items, self._convention, prefix, before, after)
        if judged is None:
            return None
        start, end, codes, why = place, items.end, judged.codes, judged.why
        if before.endswith("[") and after.startswith("]") and "unclosed" not in items.faults:
            start, end, codes, why = start - 1, end + 1, (*codes, MALFORMED), "has doubled brackets"
        return Marker(start, end, text[start:end], tuple(dict.fromkeys(judged.ids)), codes, why)

    def _items(self, text: str, place: int, closer: str) -> tuple[Items | None, str]:
        commas = self._convention in ("numeric", "footnote", "bare_id")
        digits = self._convention in ("numeric", "footnote")
        match = PREFIX.match(text, place)
        tagged = self._convention == "source_tag" and text.startswith(TAG, place)
        plain = read_items(text, place, self._known, closer, commas=commas, digits=digits)
        if plain is not None and plain.ids[0] in self._known.ids and not tagged:
            return plain, ""
        if match is None:
            return plain, ""
        prefix = TAG if tagged else match.group()
        inner = read_items(text, place + len(prefix), self._known, closer, commas=commas and not tagged, digits=digits)
        if inner is not None and inner.ids and (tagged or re.search(r"[:\uff1a=#]", prefix) or not inner.unknown):
            return inner, prefix
        return plain, ""

    def _other(self, text: str, place: int, items: Items, prefix: str, before: str, after: str) -> Marker | None:
        """Judge a round, fullwidth or curly bracket: an attempt when all it holds is known ids, or a label says so."""
        opener = text[place]
        if "unclosed" in items.faults or text[items.end - 1] != _CLOSER[opener]:
            return None
        known = tuple(dict.fromkeys(i for i in items.ids if i in self._known.ids))
        labelled = bool(re.search(r"[:\uff1a=#]", prefix)) and "source" in prefix.lower()
        if opener in "({<\uff08" and not labelled:
            if items.unknown or (opener == "<" and not items.ids[0].startswith("http")):
                return None
            number = all(_DIGIT.fullmatch(i) for i in items.ids)
            if number and not (_ENDS_CLAUSE.match(after) and _WORD_BEFORE.search(before) and opener in "(\uff08"):
                return None
        elif items.unknown and not labelled:
            if not all(_DIGIT.fullmatch(i) or "\u2020" in i for i in items.unknown):
                return None
        codes = (DRIFT, MALFORMED) if "locator" in items.faults else (DRIFT,)
        why = f"stands in '{opener}{_CLOSER[opener]}' and must stand in square brackets"
        return Marker(place, items.end, text[place : items.end], known, codes, why)

    def _link(self, link: Link, prose: str) -> Marker | None:
        """A link is no citation, save in a `url` session, and save that a label names a source in so many words."""
        label = nfc(link.label)
        text = prose[link.start : link.end]
        if self._convention == "url" and (label in self._known.ids or label.startswith(("http://", "https://"))):
            return Marker(link.start, link.end, text, (label,))
        if label.startswith(TAG) and self._convention == "source_tag":
            return Marker(link.start, link.end, text, (), (DRIFT,), "is a link; leave the target out")
        return None


def _own(marker: Marker) -> bool:
    """Whether fullwidth brackets that a document holds are its own: they cite nothing that is known."""
    return not marker.ids and marker.text[0] not in "[("


def _inside(marker: Marker, taken: list[tuple[int, int]]) -> bool:
    n = bisect_right(taken, (marker.start, 1 << 60))
    return n > 0 and taken[n - 1][1] > marker.start
