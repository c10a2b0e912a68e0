"""A text in pieces that can be cited: a section, or as many of its paragraphs as fit. Linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST = 900
"""Characters of a piece; what a small model reads well, several of them in one prompt."""
LEAST = 200
"""A paragraph shorter than this is joined with its neighbour of the same section."""

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+")


class Chunk(NamedTuple):
    """A piece: its text, the headings that it stands under, and the line it begins at, from 1."""

    text: str
    headings: tuple[str, ...]
    line: int


class _Paragraph(NamedTuple):
    text: str
    headings: tuple[str, ...]
    line: int


def chunks(text: str, *, markdown: bool) -> Iterator[Chunk]:
    """Yield the pieces of a text in order; a text without a word has none.

    Args:
        text: With "\\n" as the end of lines.
        markdown: Whether headings begin sections; otherwise blank lines alone divide.
    """
    waiting: Chunk | None = None
    for paragraph in _paragraphs(text, markdown):
        for piece in _pieces(paragraph):
            if waiting is None:
                waiting = piece
            elif _joins(waiting, piece):
                waiting = waiting._replace(text=f"{waiting.text}\n\n{piece.text}")
            else:
                yield waiting
                waiting = piece
    if waiting is not None:
        yield waiting


def _joins(before: Chunk, piece: Chunk) -> bool:
    fits = len(before.text) + len(piece.text) + 2 <= MOST
    return fits and before.headings == piece.headings and min(len(before.text), len(piece.text)) < LEAST


def _paragraphs(text: str, markdown: bool) -> Iterator[_Paragraph]:
    headings: list[str] = []
    kept: list[str] = []
    start, fence = 1, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if markdown and (mark := _FENCE.match(line)):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        heading = _HEADING.match(line) if markdown and not fence else None
        underlined = markdown and not fence and len(kept) == 1 and _UNDERLINE.match(line)
        if heading or underlined or (not line.strip() and not fence):
            if kept and not underlined:
                yield _Paragraph("\n".join(kept), tuple(headings), start)
            if heading:
                headings[len(heading[1]) - 1 :] = [heading[2]]
            elif underlined:
                headings[0 if line.strip().startswith("=") else 1 :] = [kept[0].strip()]
            kept = []
            continue
        if not kept:
            start = number
        kept.append(line.rstrip())
    if kept:
        yield _Paragraph("\n".join(kept), tuple(headings), start)


def _pieces(paragraph: _Paragraph) -> Iterator[Chunk]:
    """Cut a paragraph that is too long after a sentence, else after a word, else where it must be."""
    text, at, line = paragraph.text, 0, paragraph.line
    if not any(c.isalnum() for c in text):
        return
    while at < len(text):
        end = len(text) if len(text) - at <= MOST else _cut(text, at)
        piece = text[at:end]
        if piece.strip():
            before = len(piece) - len(piece.lstrip("\n"))
            yield Chunk(piece.strip("\n").rstrip(), paragraph.headings, line + before)
        line += piece.count("\n")
        at = end


def _cut(text: str, at: int) -> int:
    """Return where the piece that begins at a place ends: behind the white space that follows a sentence or a word."""
    least, most = at + LEAST, at + MOST
    ends = [match.end() for match in _SENTENCE.finditer(text, least, most)]
    if ends:
        return ends[-1]
    space = max(text.rfind(" ", least, most), text.rfind("\n", least, most))
    return space + 1 if space > 0 else most
