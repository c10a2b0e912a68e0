"""What may stand between and behind the ids of a marker: separators, ranges, locators, closing brackets."""

from __future__ import annotations

import re

CLOSERS = "]\uff3d\u3011\u3015\u3017)\uff09}>"
SEPARATOR = re.compile(r"[ \t]*([,\uff0c;\uff1b\u3001])\s{0,3}")
JOINER = re.compile(r"\s{1,3}(?:and|und|et|y|e|or|&|\+)\s{1,3}|[ ]?[&+|/][ ]?|[ ](?=\d{1,6}\s?[\],])", re.IGNORECASE)
RANGE = re.compile(
    r"[ ]?(?:[\u2013\u2014\u2212~\u301c]|\.\.\.?|\u2026|-{1,2})[ ]?|[ ](?:to|bis|through)[ ]", re.IGNORECASE
)
PLACE = (
    r"(?:pp?\.?|pages?|pages?\.|p[\u00e1a]gs?\.?|S\.|Seiten?|lines?|ll?\.|sections?|sect?\.?|\u00a7{1,2}|ch(?:ap(?:ter)?)?\.?"
    r"|fig(?:ure)?\.?|table|para(?:graph)?s?\.?|art(?:icle)?\.?|clause|vol\.?|note|#)\s{0,2}[\dIVXivx]"
)
LOCATOR = re.compile(
    rf"\s{{0,2}}[\u2020\u2021][^\[\]\u3010\u3011\n]{{0,200}}|\s{{0,2}}[,;:(\uff0c]?\s{{0,2}}{PLACE}[^\[\]\n]{{0,60}}?(?=\s?[{re.escape(CLOSERS)}])\)?"
    rf"|:\d{{1,6}}(?:[-\u2013:]\d{{1,6}})*(?:\u2020[^\[\]\u3010\u3011\n]{{0,200}})?|#[^\s\[\]]{{1,60}}",
    re.IGNORECASE,
)
UNKNOWN = re.compile(rf"[^\[\]\u3010\u3011\n;\uff1b]{{1,300}}?(?=\s{{0,3}}(?:[;\uff1b]|[{re.escape(CLOSERS)}]))")
PLACED = re.compile(rf"\s{{0,2}}[,;:(\uff0c]?\s{{0,2}}{PLACE}[^\[\]\n]{{0,60}}\)?", re.IGNORECASE)
BLANK_INSIDE = re.compile(rf"\s{{1,3}}(?=[{re.escape(CLOSERS)}])")
SEPARATED = re.compile(r"\s{0,2}[,\uff0c;]\s{0,2}#?\d+\s{0,2}[\],\uff0c;]")
END = re.compile(
    rf"\s{{0,3}}[{re.escape(CLOSERS)},\uff0c;\uff1b\u3001]|\s{{1,3}}|[\u2013\u2014\u2212~\u2026|&+\u2020\u2021#]|\.\.|-\d|:\d|[.!?](?:\s|$)|[\u3002\uff01\uff1f]|$"
)
GOES_ON = re.compile(
    rf"\s{{0,3}}[{re.escape(CLOSERS)},\uff0c;\uff1b\u3001\n]|\s{{0,3}}$|\s\d{{1,6}}\s?[\],]", re.MULTILINE
)
LAST_OF_RANGE = re.compile(r"[^\s\[\],;]{0,60}?\d{1,6}(?=\s{0,2}[\],;\uff0c])")
COMMA = re.compile(r"[,\uff0c\u3001]\s{0,3}")


def ends(text: str, place: int) -> bool:
    """Whether an id may end here: before a bracket, a separator, a locator or a range, and in no longer word."""
    return END.match(text, place) is not None


def goes_on(text: str, place: int, *, hyphen: bool) -> bool:
    """Whether what follows a known id belongs to a list of ids, so that the id is no beginning of something else.

    Args:
        text: The text.
        place: Where the id ends.
        hyphen: Whether a hyphen makes a range; else it goes on with the id.
    """
    if (dash := RANGE.match(text, place)) is not None and (hyphen or dash.group() != "-"):
        return True
    return any(p.match(text, place) is not None for p in (GOES_ON, JOINER, LOCATOR))


def locator_of(doc_id: str) -> int | None:
    """Return where a page or place begins at the end of an unknown id, or None: "HB-9, p. 3"."""
    for match in PLACED.finditer(doc_id, 1):
        place = match.group()
        set_off = place[0] in ",;:(\uff0c" or place.lstrip().startswith(("p", "Page"))
        initial = place.lstrip(" ,;:(\uff0c").startswith(("P.", "S.", "L."))  # of an author, in an id
        if match.end() == len(doc_id) and set_off and not initial:
            return match.start()
    return None
