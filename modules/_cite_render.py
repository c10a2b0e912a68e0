"""From numbers of one prompt to the session's markers, the Sources section, and what is new or reused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..metrics._marker_types import written
from ..metrics._sources_places import section_places
from ..signatures.cite import ABSTENTION, NO_PRIOR_CITATIONS, Source
from ..signatures.cite_forms import NO_EVIDENCE
from ..signatures.types import Convention
from ._cite_evidence import Evidence

# A number in brackets of its own, or made a link, loses both: "([1])", "[[1]]", "[1](https://...)".
_HANDLES = re.compile(
    r"\s{0,8}(?P<outer>[\[(\u3010]\s?)?\[\s{0,8}(?P<numbers>\d{1,3}(?:\s{0,8}[,;]\s{0,8}\d{1,3}){0,40})\s{0,8}\]"
    r"(?:\([^()\s]{0,2000}\))?(?(outer)\s?[\])\u3011])"
)
_EMPTY = re.compile(r"(?<=\S)\s+\[\s*\]")  # what is left of a marker that names nothing
_NOTE = 80  # characters of a relevance note


class Rendered(NamedTuple):
    """An answer as the session shows it.

    Attributes:
        answer: Text with markers and the Sources section, or the abstention.
        sources: The section as data, in the order of the first citation.
        new: Ids that the registry does not hold yet.
        reused: Ids that it holds.
        unknown: Numbers that no source of the prompt had.
    """

    answer: str
    sources: tuple[Source, ...]
    new: tuple[str, ...]
    reused: tuple[str, ...]
    unknown: tuple[int, ...]


def rendered(text: str, found: Sequence[Evidence], convention: Convention | None) -> Rendered:
    """Return an answer with short numbers in the session's form; never raises on what a model wrote."""
    body = _without_sections(text.strip())
    if body.startswith(NO_PRIOR_CITATIONS):  # the prompt's line, copied
        body = body[len(NO_PRIOR_CITATIONS) :].lstrip(" .:\n")
    if not body or NO_EVIDENCE in body:
        return Rendered(ABSTENTION, (), (), (), ())
    cited: dict[int, str] = {}
    unknown: list[int] = []

    def mark(match: re.Match[str]) -> str:
        markers = []
        for number in map(int, re.findall(r"\d+", match["numbers"])):
            if 1 <= number <= len(found):
                if number not in cited:
                    cited[number] = _sentence_before(body, match.start())
                markers.append(written(found[number - 1].doc_id, convention))
            else:
                unknown.append(number)
        return " " + " ".join(dict.fromkeys(markers)) if markers else ""

    told = _before_stop(_EMPTY.sub("", _HANDLES.sub(mark, body)))
    if not cited:
        return Rendered(told, (), (), (), tuple(unknown))
    chosen = [(found[number - 1], note) for number, note in cited.items()]
    return composed(told, chosen)._replace(unknown=tuple(unknown))


def composed(told: str, chosen: Sequence[tuple[Evidence, str]]) -> Rendered:
    """Return a text with markers together with its Sources section and what is new or reused.

    Args:
        told: The text.
        chosen: What it cites, in the order of the first citation, each with its note.
    """
    section = "\n".join(f"- {item.doc_id}: {item.title}".rstrip() for item, _ in chosen)
    return Rendered(
        answer=f"{told}\n\nSources:\n{section}",
        sources=tuple(Source(doc_id=i.doc_id, title=i.title, relevance=note) for i, note in chosen),
        new=tuple(item.doc_id for item, _ in chosen if not item.registered),
        reused=tuple(item.doc_id for item, _ in chosen if item.registered),
        unknown=(),
    )


def from_claims(claims: Iterable[Any]) -> str:
    """Return claims as running text with numbers, the form that `rendered` takes; "" for none."""
    parts = []
    for claim in claims:
        sentence, sources = getattr(claim, "sentence", ""), getattr(claim, "sources", ())
        if not isinstance(sentence, str) or not sentence.strip():
            continue
        numbers = ", ".join(str(n) for n in sources if isinstance(n, int))
        plain = " ".join(_HANDLES.sub("", sentence).split())
        parts.append(f"{plain.rstrip('.')} [{numbers}]." if numbers else plain)
    return " ".join(parts)


def _without_sections(text: str) -> str:
    """Return an answer up to its own Sources section; code writes the section."""
    places = section_places(text)
    if not places:
        return text
    before = text[: places[0].start].strip()
    return before or text[places[0].end :].strip()


def _sentence_before(body: str, end: int) -> str:
    """Return the sentence that a number stands behind, as the note of what its source gives."""
    start = max(body.rfind(mark, 0, max(0, end - 1)) for mark in (". ", "! ", "? ", "\n", "] "))
    sentence = " ".join(_HANDLES.sub("", body[start + 1 : end]).strip(" .]").split())
    return sentence if len(sentence) <= _NOTE else sentence[:_NOTE].rsplit(" ", 1)[0] + " ..."


def _before_stop(text: str) -> str:
    """Put the markers that follow a full stop before it, where the sentence they belong to ends."""
    return re.sub(r"([.!?])((?: \[[^\[\]\n]{1,300}\])+)(?=\s|$)", lambda m: f"{m[2]}{m[1]}", text)
