"""The conversation as a prompt of cite replays it: without Sources sections, its markers as this prompt's numbers.

What the session's markers said is the registry's matter. Left in the text they would be copied where numbers are asked
for, and under `numeric` they would mean other documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..metrics._markers import find_markers, nfc
from ..metrics._sources_places import section_places
from ..signatures.types import Turn
from ._cite_evidence import Evidence
from ._window import Quoted, window

RECENT = 4
"""Newest messages that are always kept (two exchanges)."""
_LONGEST = 20_000  # characters of a message that are read; the window keeps a hundred words


def replayed(history: Sequence[Turn], question: str, evidence: Sequence[Evidence]) -> list[Quoted]:
    """Return the messages to quote, as `window` picks and cuts them."""
    handles = {nfc(item.doc_id): number for number, item in enumerate(evidence, 1)}
    kept = [message.place for message in window(history, question, recent=RECENT)]
    told = [_replayed(history[place], handles) for place in kept]
    return window(told, question, recent=len(told))


def _replayed(turn: Turn, handles: Mapping[str, int]) -> Turn:
    return turn if turn.role == "user" else Turn(role=turn.role, content=without_citations(turn.content, handles))


def without_citations(answer: str, handles: Mapping[str, int]) -> str:
    """Return an earlier answer without its Sources sections, its markers as numbers of this prompt.

    A marker of a document that this prompt does not show is left out.

    Args:
        answer: As it was shown.
        handles: Ids (NFC) to the numbers of this prompt.
    """
    text = nfc(answer[:_LONGEST])
    for place in reversed(section_places(text)):
        text = f"{text[: place.start].rstrip()}\n{text[place.end :].lstrip()}"
    pieces, at = list[str](), 0
    for marker in find_markers(text, handles, None):
        numbers = list(dict.fromkeys(handles[i] for i in marker.ids if i in handles))
        before = text[at : marker.start]
        pieces += [before if numbers else before.rstrip(" "), f"[{', '.join(map(str, numbers))}]" if numbers else ""]
        at = marker.end
    return "".join((*pieces, text[at:])).strip()
