"""The Markdown of an answer: where it is code or link, and its blocks. Characters keep their places.

markdown-it-py reads the blocks (a fence inside a list, one that is never closed, indented code); code spans and links
inside a block are read here, since its inline tokens carry no places. Linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

BlockKind = Literal["text", "item", "heading", "table"]

_TICKS = re.compile(r"`+")
_TARGET = (
    r"\(\s{0,3}<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)>?(?:\s{1,3}\"[^\"\n]{0,300}\")?\s{0,3}\)"
)
_LINK = re.compile(r"!?\[((?:[^\[\]\n]|\[[^\[\]\n]{0,300}\]){0,2000})\]" + _TARGET)
# A bare URL takes in brackets only where it goes on behind them, so "https://x.example/a [1]" keeps its marker.
_URL = re.compile(r"(?<!\[)(?<!: )https?://[^\s<>\[\]]*(?:\[[^\s\[\]]{0,100}\][^\s<>\[\].,;:!?)\"'\u201d]+)+")
_FENCE_OPEN = re.compile(r"[ >]{0,9}(?:[-*+]\s+|\d{1,9}[.)]\s+)?(`{3,}|~{3,})")


class Block(NamedTuple):
    """A paragraph, list item's text, heading or table: its place (characters) and what it is."""

    start: int
    end: int
    kind: BlockKind


class Link(NamedTuple):
    """A Markdown link: its place, its label and where it leads."""

    start: int
    end: int
    label: str
    target: str


class Code(NamedTuple):
    """A code span, a fence or indented code: its place, the code itself, and whether it stands inside a line."""

    start: int
    end: int
    content: str
    inline: bool


class Layout(NamedTuple):
    """A text and what is known of its Markdown.

    Attributes:
        text: As given.
        prose: The same length, with blanks in place of code and of URLs that hold brackets.
        blocks: In order; code is none.
        codes: In order.
        links: In order; links inside code are none.
    """

    text: str
    prose: str
    blocks: tuple[Block, ...]
    codes: tuple[Code, ...]
    links: tuple[Link, ...]


def layout(text: str) -> Layout:
    """Read the Markdown of a text."""
    starts = _line_starts(text)
    blocks, codes = _blocks(text, starts)
    for block in blocks:
        if "`" in text[block.start : block.end]:
            codes += _code_spans(text, block)
    codes.sort()
    prose = _blanked(text, [(code.start, code.end) for code in codes])
    prose = _blanked(prose, [m.span() for m in _URL.finditer(prose)]) if "://" in prose else prose
    links = [Link(m.start(), m.end(), m[1], m[2]) for m in _LINK.finditer(prose)] if "](" in prose else []
    return Layout(text, prose, tuple(blocks), tuple(codes), tuple(links))


def open_fence(text: str) -> bool:
    """Whether a text ends inside a fence that nothing has closed yet."""
    starts = _line_starts(text)
    _, codes = _blocks(text, starts)
    if not codes or codes[-1].end < len(text.rstrip("\n")):
        return False
    lines = text[codes[-1].start : codes[-1].end].rstrip("\n").split("\n")
    opening = _FENCE_OPEN.match(lines[0])
    if opening is None:
        return False
    last = lines[-1].lstrip(" >").rstrip()
    return len(lines) == 1 or len(last) < len(opening[1]) or set(last) != {opening[1][0]}


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Definitions ("[1]: ...") and HTML stay text: markers are looked for in both. Inline tokens are not needed.
    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
    return parser.disable(["reference", "html_block", "inline", "text_join"])


def _line_starts(text: str) -> list[int]:
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    return [*starts, len(text)] if starts[-1] != len(text) else starts


def _blocks(text: str, starts: list[int]) -> tuple[list[Block], list[Code]]:
    blocks, codes, items = list[Block](), list[Code](), 0
    # "\r" alone and NUL would be rewritten by the parser and move its lines.
    for token in _parser().parse(text.replace("\r", " ").replace("\0", " ")):
        if token.type == "list_item_open":
            items += 1
        elif token.type == "list_item_close":
            items -= 1
        if token.map is None:
            continue
        start, end = starts[min(token.map[0], len(starts) - 1)], starts[min(token.map[1], len(starts) - 1)]
        if token.type in ("fence", "code_block"):
            codes.append(Code(start, end, token.content, False))
        elif token.type == "paragraph_open":
            blocks.append(Block(start, end, "item" if items else "text"))
        elif token.type == "heading_open":
            blocks.append(Block(start, end, "heading"))
        elif token.type == "table_open":
            blocks.append(Block(start, end, "table"))
    return blocks, codes


def _code_spans(text: str, block: Block) -> list[Code]:
    """Read the code spans of a block: a run of backticks up to the next run of the same length."""
    runs = [
        (m.start(), m.end())
        for m in _TICKS.finditer(text, block.start, block.end)
        if m.start() == block.start or text[m.start() - 1] != "\\"
    ]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    found, at = list[Code](), block.start
    for start, end in runs:
        if start < at:
            continue
        same = by_length[end - start]
        after = bisect_right(same, start)
        if after < len(same):
            at = same[after] + end - start
            found.append(Code(start, at, text[end : same[after]], True))
    return found


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    pieces, at = list[str](), 0
    for start, end in spans:
        if start < at:
            continue
        pieces += [text[at:start], "".join("\n" if c == "\n" else " " for c in text[start:end])]
        at = end
    return "".join((*pieces, text[at:])) if pieces else text
