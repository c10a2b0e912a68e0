"""Passages that assert what the user ruled out, minding their own polarity (design 5.7).

Keyword filters drop "has no drawers" from a search for desks without drawers, and vector search brings back what is
excluded (openfoodfacts-server#944, themoltnet#336); so what was found is read before it is used.

Rulings where the design is silent:
- Asserted once is asserted: a passage that denies the thing here and has it there is flagged.
- What can be had without ("optional drawers", "with or without drawers", "drawers cost extra") is no contradiction.
- Some is not none: "almost no sugar", "low in sugar", "may contain traces of nuts", "not every room has a balcony".
- What is said of something else is no assertion: a comparison ("unlike Oslo", "than plastic"), a condition, other
  models, a place that is only near.
- A question asserts what its answer says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..signatures.types import Exclusion, Frozen, Passage
from ._leaks import leaks
from ._polarity import Polarity
from ._text import fold


class Contradiction(Frozen):
    """A passage that holds what the user ruled out.

    Attributes:
        doc_id: The passage's document.
        phrase: The exclusion's phrase, as the user wrote it.
        span: The asserting words of title or text, or `field: value` of the metadata.
    """

    doc_id: str
    phrase: str
    span: str


def contradictions(passages: Sequence[Passage], exclusions: Sequence[Exclusion]) -> tuple[Contradiction, ...]:
    """Return what in the passages contradicts active exclusions, one a passage and exclusion, in the passages' order.

    Args:
        passages: What a retriever returned; title and text are read apart.
        exclusions: The carried state; revoked ones are passed over. One with a `field` compares with that field of the
            metadata, and with title and text when the passage lacks it; a phrase that is a document's id (a result that
            was shown already) flags the document.
    """
    active = [exclusion for exclusion in exclusions if exclusion.status == "active"]
    if not active:
        return ()
    found = []
    for passage in passages:
        spans = _asserted(passage, active)
        for phrase in dict.fromkeys(exclusion.phrase for exclusion in active):
            if phrase in spans:
                found.append(Contradiction(doc_id=passage.doc_id, phrase=phrase, span=spans[phrase]))
    return tuple(found)


def _asserted(passage: Passage, active: Sequence[Exclusion]) -> dict[str, str]:
    """Return phrase to asserting words."""
    spans: dict[str, str] = {}
    in_text = []
    for exclusion in active:
        names = (exclusion.phrase, *exclusion.aliases)
        if _is_one_of(passage.doc_id, names):
            spans.setdefault(exclusion.phrase, passage.doc_id)
        elif exclusion.field is None or exclusion.field not in passage.metadata:
            in_text.append(exclusion)
        elif _is_one_of(passage.metadata[exclusion.field], names):
            spans.setdefault(exclusion.phrase, f"{exclusion.field}: {passage.metadata[exclusion.field]}")
    for text in (passage.title, passage.text):
        polarity: Polarity | None = None
        for leak in leaks(text, in_text):
            if leak.phrase not in spans:
                polarity = polarity or Polarity(text)
                clause = polarity.asserting(leak.start, leak.end)
                if clause is not None:
                    spans[leak.phrase] = clause
    return spans


def _is_one_of(value: Any, names: Sequence[str]) -> bool:
    values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
    wanted = {fold(name).strip() for name in names}
    return any(fold(str(one)).strip() in wanted for one in values)
