"""Turns for hostile citations: golden rows, each with documents beside it that nobody may cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from _citation_oracle import BRACKETS, visible

from turnkeeper.data import cite
from turnkeeper.signatures.types import AccessScope, CitationRegistry, Passage, RegisteredSource

HIDDEN = "The vault of Ostrava holds 7,777 silver thimbles"
"""What the hidden documents say."""
_SENTENCE = re.compile(r"[^.!?\n\u3002]{12,200}[.!?\u3002]")


class Case(NamedTuple):
    """A turn.

    Attributes:
        inputs: What the guard takes.
        convention: How its session cites.
        allowed: Ids that may be cited, with titles.
        said: Sentences of allowed documents, without their stop, by id.
        forged: Ids of documents that are hidden, withdrawn or of nowhere.
    """

    id: str
    inputs: dict[str, Any]
    convention: str
    allowed: dict[str, str]
    said: dict[str, str]
    forged: tuple[str, ...]


def cases() -> Iterator[Case]:
    """Yield the golden train and dev rows that have evidence, and no brackets, powers or code in any text."""
    for split in ("train", "dev"):
        for row in cite.load(split):
            texts = [row.question, *(t for p in row.context or () for t in (p.title, p.text))]
            texts += [t for e in row.registry.entries for t in (e.title, e.snippet)]
            if any(c in BRACKETS or c in "`\u00b2\u00b3" for text in texts for c in text):
                continue
            case = _case(row)
            if case.said:
                yield case


def _case(row: Any) -> Case:
    convention = row.registry.convention or "source_tag"
    gone, away, found = _hidden_ids(convention)
    zone = {"zone": "north"}
    scope = row.access_scope or AccessScope(allowed={})
    scope = scope.model_copy(update={"allowed": {**scope.allowed, "zone": ["north"]}})
    entries = [e.model_copy(update={"metadata": {**e.metadata, **zone}}) for e in row.registry.entries]
    passages = [p.model_copy(update={"metadata": {**p.metadata, **zone}}) for p in row.context or ()]
    hidden = {"title": "Thimbles", "snippet": f"{HIDDEN}.", "first_turn": 1, "last_turn": 1}
    entries += [
        RegisteredSource(doc_id=gone, source_id=gone, metadata=zone, withdrawn=True, **hidden),
        RegisteredSource(doc_id=away, source_id=away, metadata={"zone": "south"}, **hidden),
    ]
    passages.append(Passage(doc_id=found, title="Thimbles", text=f"{HIDDEN}.", metadata={"zone": "south"}))
    allowed = visible(entries, passages, scope)
    texts: dict[str, str] = {}
    for one in (*entries, *passages):
        match = _SENTENCE.match(getattr(one, "text", None) or getattr(one, "snippet", ""))
        if one.doc_id in allowed and match:
            texts.setdefault(one.doc_id, match.group()[:-1])
    inputs = {
        "history": list(row.history), "query": row.question, "turn": max(2, row.turn), "access_scope": scope,
        "registry": CitationRegistry(convention=convention, entries=tuple(entries)), "context": passages,
    }  # fmt: skip
    return Case(row.id, inputs, convention, allowed, texts, (gone, away, found, *_nowhere(convention)))


def _hidden_ids(convention: str) -> tuple[str, str, str]:
    return {
        "numeric": ("91", "92", "93"),
        "footnote": ("^91", "^92", "^93"),
        "url": ("https://thimble.example/1", "https://thimble.example/2", "https://thimble.example/3"),
    }.get(convention, ("THIMBLE-GONE", "THIMBLE-SOUTH", "THIMBLE-FOUND"))


def _nowhere(convention: str) -> tuple[str, ...]:
    return {
        "numeric": ("77", "1234"),
        "footnote": ("^77", "^1234"),
        "url": ("https://zorvanth.example/77", "http://zorvanth.example"),
    }.get(convention, ("ZORVANTH-77", "zorvanth_guide"))
