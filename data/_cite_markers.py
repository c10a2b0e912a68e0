"""Markers of a gold answer: how an id is written in a convention, which ids a text cites, what is no marker at all.

A gold is written with care, so this reads the one right form only; the parser for what models write is a metric's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from ..signatures.types import Convention

DEFAULT: Convention = "source_tag"
"""How a session cites that was told nothing and has not cited yet."""
_CODE = re.compile(r"^```.*?(?:^```|\Z)|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile('"[^"\n]*"|“[^“”\n]*”|„[^„“\n]*“|«[^«»\n]*»')
# What a reader would take for a citation; a year in brackets belongs to the name of a case.
_LOOKS_CITED = re.compile(r"[\[(【]\s*(?:Source:|\^|https?:|\d{1,3}\b)[^\])】]*[\])】]?")
_TOKEN = re.compile(r"\[[^\s\]]+\]")
_IDS: dict[str, re.Pattern[str]] = {
    "numeric": re.compile(r"[1-9]\d*"),
    "footnote": re.compile(r"\^[1-9]\d*"),
    "url": re.compile(r"https?://\S+"),
}


def marker(doc_id: str, convention: Convention | None) -> str:
    """Return how a session cites a document."""
    return f"[Source: {doc_id}]" if (convention or DEFAULT) == "source_tag" else f"[{doc_id}]"


def fits(doc_id: str, convention: Convention | None) -> bool:
    """Whether a convention can write this id."""
    pattern = _IDS.get(convention or DEFAULT)
    return bool(doc_id.strip()) and (pattern is None or pattern.fullmatch(doc_id) is not None)


def cited(text: str, known: Iterable[str], convention: Convention | None) -> list[str]:
    """Return the known ids that a text cites outside code, each once, in order; longer ids win over their parts."""
    found = _pattern(known, convention).finditer(_CODE.sub(" ", nfc(text)))
    return list(dict.fromkeys(match.group(1) for match in found))


def numbered(text: str, numbers: Mapping[str, int], convention: Convention | None) -> str:
    """Return a text with the numbers of a prompt in place of the ids that it cites; code stays as it is.

    Args:
        text: With the session's markers, without Sources section.
        numbers: Id -> its number in the prompt; markers of other ids stay.
        convention: The session's.
    """
    plain, at, pieces = nfc(text), 0, list[str]()
    by_id = {nfc(doc_id): number for doc_id, number in numbers.items()}
    pattern = _pattern(by_id, convention)

    def short(prose: str) -> str:
        return pattern.sub(lambda match: f"[{by_id[match.group(1)]}]", prose)

    for code in _CODE.finditer(plain):
        pieces += [short(plain[at : code.start()]), code.group()]
        at = code.end()
    return "".join((*pieces, short(plain[at:])))


def strays(text: str, known: Iterable[str], convention: Convention | None) -> list[str]:
    """Return what looks like a citation and cites no known id in this convention; code and quotes may hold it."""
    rest = _QUOTED.sub(" ", _pattern(known, convention).sub(" ", _CODE.sub(" ", nfc(text))))
    found = [match.group() for match in _LOOKS_CITED.finditer(rest) if not _is_aside(match.group())]
    if convention == "bare_id":
        found += [match.group() for match in _TOKEN.finditer(rest)]
    return found


def nfc(text: str) -> str:
    """Return a text in the form in which ids compare."""
    return unicodedata.normalize("NFC", text)


def _is_aside(text: str) -> bool:
    """Whether brackets hold a number in passing: "(3 of them)", "(12)"; only square ones hold markers."""
    return text[0] == "(" and "Source:" not in text


def _pattern(known: Iterable[str], convention: Convention | None) -> re.Pattern[str]:
    ids = sorted({nfc(each) for each in known}, key=len, reverse=True)
    if not ids:
        return re.compile(r"(?!)")
    lead = r"\[Source: " if (convention or DEFAULT) == "source_tag" else r"\["
    return re.compile(f"{lead}({'|'.join(re.escape(each) for each in ids)})\\]")
