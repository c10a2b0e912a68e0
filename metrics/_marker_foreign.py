"""Attempts at a citation without square brackets: superscripts, other brackets, and what providers leak."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ._marker_types import DRIFT, Marker

_ANGLED = re.compile(r"<([^<>\s]{1,300})>")
_SUPERSCRIPT = re.compile(
    r"[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+(?:[,\u207b\u02d2\u00b7][\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)*"
)
_BASE = re.compile(r"[^\W_]+$")
_POWERS = frozenset(
    "m cm mm dm km nm µm um in ft yd mi px s ms min h w kw j n kg g l ml sin cos tan log ln exp chi meter meters metre "
    "metres inch inches feet mile miles second seconds".split()
)
_MOST_COMPARED = 20
_PROVIDER = re.compile(
    "\ue200[^\ue201\n]{0,300}\ue201?"  # private-use brackets around "cite turn0search1"
    r"|:contentReference\[oaicite:\d{1,4}\](?:\{index=\d{1,4}\})?"
    r"|</?(?:cite|citation|ref|co)\b[^<>\n]{0,200}>"
    r"|<sup>\s{0,2}\[?\^?[\w, -]{1,20}\]?\s{0,2}</sup>|<\|?(?:cite|citation|source)[^<>\n]{0,100}\|?>"
    r"|<sup>\s{0,2}\[?https?://[^\s<>]{1,300}\s{0,2}</sup>"
    r"|\bturn\d{1,3}(?:search|view|news|fetch|file|image)\d{1,3}\b|\\cite[tp]?\{[^{}\n]{1,200}\}"
    r"|\{\{?\s{0,2}(?:cite|citation|source|ref)\b[^{}\n]{0,200}\}\}?|##\d{1,3}\$\$|\^\[?\d{1,3}\]?\^|\^\(\d{1,3}\)"
)


def superscripts(prose: str, quotable: frozenset[str], documents: Sequence[str] = ()) -> Iterator[Marker]:
    """Yield superscript numbers behind a word or a sentence: no power, and not the document's own.

    Behind a number it is a power, save where a document has that number without one.
    """
    compared = 0
    for match in _SUPERSCRIPT.finditer(prose):
        before = prose[max(0, match.start() - 40) : match.start()]
        base = _BASE.search(before)
        word = base.group() if base else ""
        power = word.lower() in _POWERS or len(word) == 1 or any(c.isdigit() for c in word)
        if word.isdecimal() and word + match.group() not in quotable and compared < _MOST_COMPARED:
            compared += 1
            plain = re.compile(rf"(?<!\w){word}(?![\w\u2070-\u2079\u00b9\u00b2\u00b3])")
            power = not any(plain.search(text) for text in documents)
        if not before.strip() or power or (not word and before[-1:] in " ([") or word + match.group() in quotable:
            continue
        why = "is a superscript; cite in square brackets"
        yield Marker(match.start(), match.end(), match.group(), (), (DRIFT,), why)


def provider_markers(prose: str) -> Iterator[Marker]:
    """Yield markers that belong to some provider's or typesetter's own syntax."""
    for match in _PROVIDER.finditer(prose):
        why = "belongs to another system; cite as this conversation does"
        yield Marker(match.start(), match.end(), match.group(), (), (DRIFT,), why)


def angled(prose: str, known_ids: frozenset[str]) -> Iterator[Marker]:
    """Yield known ids in angle brackets; an address in them is a link, which has rules of its own."""
    for match in _ANGLED.finditer(prose):
        if match[1] in known_ids and "://" not in match[1]:
            why = "stands in angle brackets; cite in square brackets"
            yield Marker(match.start(), match.end(), match.group(), (match[1],), (DRIFT,), why)


def quotable_superscripts(documents: list[str]) -> Iterator[str]:
    """Yield the words with superscripts that documents hold, as `superscripts` compares them."""
    for text in documents:
        for match in _SUPERSCRIPT.finditer(text):
            base = _BASE.search(text[max(0, match.start() - 40) : match.start()])
            yield (base.group() if base else "") + match.group()
