"""What can be shown of answers that all failed: the sentences that pass every check by themselves and together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..metrics._cite_reading import Reading, read
from ..metrics._cite_sentences import Sentence
from ..metrics._markers import nfc
from ..metrics.cite import check
from ..signatures.types import AccessScope, CitationRegistry, Passage, Violation
from ._cite_evidence import Evidence
from ._cite_render import Rendered, composed
from ._guarded import Seen

_GRAVE = {
    "fabricated_id": 8, "misattributed": 6, "unsupported_claim": 6, "stale_prior_turn_citation": 6, "id_collision": 6,
    "unparsable": 5, "abstain_violation": 5, "missing_inline_citation": 3,
}  # fmt: skip
_HOLLOW = re.compile(r"(?<=\S)\s*\[\s*\](?!\()")  # brackets around a marker that was taken out
_EMPTY_ITEM = re.compile(r"(?m)^[ \t>]*(?:[-*+\u2022\u2013]|\(?\d{1,3}[.)])[ \t]*$\n?")
MOST_SENTENCES = 40  # an answer is asked for in four
MOST_CHARACTERS = 8_000


class Standard(NamedTuple):
    """What an answer of this turn is held against: as the checks take it, and the evidence of the prompt."""

    registry: CitationRegistry
    context: Sequence[Passage] | None
    question: str
    scope: AccessScope | None
    found: Sequence[Evidence]


class Salvaged(NamedTuple):
    """An answer that passes all checks, and how many sentences of the model's it has."""

    rendered: Rendered
    kept: int
    of: int


def salvage(standard: Standard, seen: Sequence[Seen]) -> Salvaged | None:
    """Return what is left of the best answer: the one with the least grave violations of which anything is left.

    Markers of unknown documents are taken out; then a sentence without a source, or one that its sources do not bear
    out, is dropped.

    Args:
        standard: What answers are held against.
        seen: The turn's predictions, each with its violations.
    """
    for one in sorted(seen, key=lambda one: gravity(one.violations)):  # stable: among equals the first
        found = _safe(standard, one.prediction)
        if found is not None:
            return found
    return None


def gravity(violations: Sequence[Violation]) -> int:
    """Return how bad an answer is: the sum over its violations, an unknown source being the worst."""
    return sum(_GRAVE.get(violation.code, 2) for violation in violations)


def _safe(standard: Standard, prediction: Any) -> Salvaged | None:
    answer = getattr(prediction, "answer", None)
    if not isinstance(answer, str) or not answer.strip() or getattr(prediction, "abstained", False):
        return None
    notes = {source.doc_id: source.relevance for source in getattr(prediction, "sources", ())}
    reading = read_answer(standard, answer[:MOST_CHARACTERS])
    if reading is None:
        return None
    body = _body(reading)

    def passes(text: str) -> Rendered | None:
        return passing(standard, text, notes)

    kept = _kept(reading, body, passes)
    cited = [piece for piece in kept if piece.cites]
    if not cited:
        return None
    whole = passes(_joined(body, reading, kept)) or passes(" ".join(piece.text.strip() for piece in cited))
    if whole is not None:
        return Salvaged(whole, len(cited), len(reading.sentences))
    first = passes(cited[0].text)
    return None if first is None else Salvaged(first, 1, len(reading.sentences))


class _Piece(NamedTuple):
    place: int
    text: str
    cites: bool


def _kept(reading: Reading, body: str, passes: Callable[[str], Rendered | None]) -> list[_Piece]:
    """Return the sentences that pass alone; one that only leads in stays where what it leads to stays."""
    kept, lead = list[_Piece](), None
    for place, sentence in enumerate(reading.sentences[:MOST_SENTENCES]):
        text = _without_unknown(reading, body, sentence)
        if sentence.markers and passes(text) is not None:
            kept += [lead] if lead is not None else []
            kept.append(_Piece(place, text, True))
            lead = None
        else:
            leads = not sentence.markers and not sentence.claims and sentence.text.rstrip().endswith(":")
            lead = _Piece(place, text, False) if leads else None
    return kept


def _without_unknown(reading: Reading, body: str, sentence: Sentence) -> str:
    """Return a sentence without the markers that are broken or cite what nobody knows."""
    text, at = "", sentence.start
    for marker in sentence.markers:
        if marker.codes or not all(i in reading.known for i in marker.ids):
            text += body[at : marker.start].rstrip(" ")
            at = marker.end
    return _HOLLOW.sub("", text + body[at : sentence.end])


def _joined(body: str, reading: Reading, kept: Sequence[_Piece]) -> str:
    """Return the answer with the sentences that stay, its lists and lines as they were."""
    by_place = {piece.place: piece.text for piece in kept}
    pieces, at = list[str](), 0
    for place, sentence in enumerate(reading.sentences):
        between = body[at : sentence.start]
        pieces.append("".join(c for c in between if c.isspace()))
        pieces.append(by_place.get(place, ""))
        at = sentence.end
    text = _EMPTY_ITEM.sub("", "".join(pieces))
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]{2,}(?=\S)", " ", text)).strip()


def _body(reading: Reading) -> str:
    """Return the answer's text, Sources sections blanked out, characters in their places."""
    text = list(reading.text.text)
    for place in reading.places:
        text[place.start : place.end] = " " * (place.end - place.start)
    return "".join(text)


def passing(standard: Standard, text: str, notes: dict[str, str]) -> Rendered | None:
    """Return a text with its Sources section if it cites and breaks no rule, else None; `notes` go with the sources."""
    reading = read_answer(standard, text)
    if reading is None or not reading.cited:
        return None
    offered = {nfc(item.doc_id): item for item in standard.found}
    if any(doc_id not in offered for doc_id in reading.cited):
        return None
    told = composed(text.strip(), [(offered[doc_id], notes.get(doc_id, "")) for doc_id in reading.cited])
    broken = check(
        registry=standard.registry, context=standard.context, question=standard.question, access_scope=standard.scope,
        prediction={
            "answer": told.answer, "sources": list(told.sources), "new_citations": list(told.new),
            "reused_citations": list(told.reused),
        },
    )  # fmt: skip
    return None if broken else told


def read_answer(standard: Standard, answer: str) -> Reading | None:
    """Return an answer as the checks read it, or None where it cannot be read."""
    reading = read({"answer": answer}, standard.registry, standard.context, standard.question, standard.scope)
    return reading if isinstance(reading, Reading) else None
