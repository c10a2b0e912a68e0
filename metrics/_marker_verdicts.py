"""Which convention a bracket follows, and whether that is the session's."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..signatures.types import Convention
from ._marker_lists import Items
from ._marker_types import DRIFT, MALFORMED

PREFIX = re.compile(
    r"\s{0,2}(?:(?:re)?sources?|src|refs?\.?|references?|doc(?:ument)?s?|cit(?:e|ation)s?|cf|quellen?|fuentes?|fonti"
    r"|fonte|bron|k\u00e4lla|kilde|\u51fa\u5178|\u6765\u6e90|\u4f86\u6e90|\u8cc7\u6599)"
    r"(?:\s{0,2}[:\uff1a=#]\s{0,2}|\s{1,2})",
    re.IGNORECASE,
)
TAG = "Source: "

_NUMBER = re.compile(r"\d{1,6}")
_NUMBERS = re.compile(r"\s{0,2}[#\u2116n]?\s?\d{1,4}(?:\s{0,2}[,;\uff0c\u2013\u2014-]\s{0,2}\d{1,4})*[.)]?\s{0,2}")
_LABELLED = re.compile(r"(?:doc|source|src|ref|id|chunk|passage|result|context)[\W_]{0,2}\d{1,5}[a-z]?", re.IGNORECASE)
_BROKEN_NUMBER = re.compile(r"[-#\u2116]?\s?\d{1,4}(?:\.\d{0,3})?[a-z]?[.)]?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_NO_ID = frozenset(("sic", "x", "X", "...", "\u2026", "!", "?", "-", "/", "edit", "emphasis", "omitted", "redacted"))
_BEFORE_YEAR = re.compile(r"(?:\b[A-Z][\w'.]*|\bv\.?|\*|_|\))\s?$")
_AFTER_YEAR = re.compile(r"\s?(?:\d{1,4}\s)?[A-Z][A-Za-z.]{0,12}")


class Verdict(NamedTuple):
    """What a bracket is.

    Attributes:
        ids: What `cited_ids` lists of it.
        codes: What is wrong with its form.
        why: The same in words.
    """

    ids: tuple[str, ...]
    codes: tuple[str, ...]
    why: str


_FAULTS = {
    "range": "hides ids in a range",
    "locator": "holds a page or place beside the id",
    "joiner": "joins ids by a word in place of a comma",
    "label": "repeats 'Source:'",
    "spaces": "has blanks or a line break inside the brackets",
    "unclosed": "is not closed",
    "closer": "is closed by another bracket",
}


def verdict(items: Items, convention: Convention, prefix: str, before: str, after: str) -> Verdict | None:
    """Judge a square bracket; None when it is no citation at all.

    Args:
        items: Its ids.
        convention: The session's.
        prefix: "Source: " or another label as written, "" without one.
        before: Some text before the bracket.
        after: Some text behind it.
    """
    ids, unknown = items.ids, items.unknown
    known = tuple(i for i in ids if i not in unknown)
    faults = [_FAULTS[fault] for fault in items.faults]
    if "unclosed" in items.faults:
        return _unclosed(items, convention, prefix)
    if prefix:
        return _tagged(items, convention, prefix, known, faults)
    if convention == "source_tag":
        if not unknown or (known and "range" in items.faults):
            return Verdict(known, (DRIFT,), f"must be written {TAG}ID inside the brackets")
        if known or (any(_looks_cited(i) for i in ids) and not _case_year(ids, before, after)):
            return Verdict(known, (DRIFT,), f"must be written {TAG}ID inside the brackets")
        return None
    if unknown and (_case_year(ids, before, after) or (after[:1].isalpha() and not known)):
        return None  # the year of a case name; letters that an editor put in, "[t]he"
    if all(i not in unknown or _well_formed(i, convention, alone=len(ids) == 1 or bool(known)) for i in ids):
        return Verdict(ids, (MALFORMED,) if faults else (), " and ".join(faults))
    if known:
        return Verdict(known, (MALFORMED,), " and ".join(faults) or "holds more than ids")
    if convention == "numeric" and len(ids) == 1 and _BROKEN_NUMBER.fullmatch(ids[0]):
        return Verdict((), (MALFORMED,), "is no number of a source")
    if any(_looks_cited(i) or _LABELLED.fullmatch(i) for i in ids):
        return Verdict((), (DRIFT,), "is not written as this conversation writes citations")
    return None


def _unclosed(items: Items, convention: Convention, prefix: str) -> Verdict | None:
    tag = convention == "source_tag"
    if not (items.ids and items.ids[0] not in items.unknown) or tag != bool(prefix):
        return None
    return Verdict((), (MALFORMED,), _FAULTS["unclosed"])


def _tagged(
    items: Items, convention: Convention, prefix: str, known: tuple[str, ...], faults: list[str]
) -> Verdict | None:
    if convention == "source_tag" and prefix == TAG:
        return Verdict(items.ids, (MALFORMED,) if faults else (), " and ".join(faults))
    if not known and not re.search(r"[:\uff1a=#]", prefix) and not all(_looks_cited(i) for i in items.ids):
        return None  # "[see the source below]" and the like
    if convention == "source_tag" and "source" in prefix.lower():
        return Verdict(known, (MALFORMED,), f"must begin exactly with '{TAG}'")
    return Verdict(known, (DRIFT,), "bears a label that this conversation does not use")


def _well_formed(doc_id: str, convention: Convention, *, alone: bool) -> bool:
    if convention == "numeric":
        return _NUMBER.fullmatch(doc_id) is not None
    if convention == "footnote":
        return doc_id.startswith("^") and len(doc_id) > 1 and not re.search(r"\s", doc_id)
    if convention == "url":
        return doc_id.startswith(("http://", "https://")) and not re.search(r"\s", doc_id)
    return (
        not re.search(r"\s", doc_id)
        and any(c.isalnum() for c in doc_id)
        and not doc_id.startswith(("^", "http://", "https://", "@"))
        and doc_id not in _NO_ID
        and (alone or any(c.isdigit() or c in "_-:" for c in doc_id))
    )


def _looks_cited(doc_id: str) -> bool:
    """Whether a foreign style shows: a small number, a caret, an address, a dagger, a pandoc key."""
    return (
        _NUMBERS.fullmatch(doc_id) is not None
        or re.fullmatch(r"\^[\w-]{1,20}", doc_id) is not None
        or re.fullmatch(r"@[\w:.-]{1,60}", doc_id) is not None
        or doc_id.startswith(("http://", "https://"))
        or ("\u2020" in doc_id and any(c.isdigit() for c in doc_id))
    )


def _case_year(ids: tuple[str, ...], before: str, after: str) -> bool:
    """Whether this is the year of a case name: "Re Moss [1998] KLR 7"."""
    return (
        len(ids) == 1
        and _YEAR.fullmatch(ids[0]) is not None
        and (_BEFORE_YEAR.search(before) is not None or _AFTER_YEAR.match(after) is not None)
    )
