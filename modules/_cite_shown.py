"""The ids under which a turn's passages are shown: registered ones first, a retriever's own, then new ones.

Pure: the same registry and passages give the same ids. The registry is append-only, so what it holds decides, and no
document is ever shown under two ids, nor an id for two documents.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._known_sources import same_title
from ..metrics._markers import find_markers, nfc, written
from ..signatures.types import CitationRegistry, Convention, Passage
from ._cite_naming import free_ids

_PLAIN = re.compile(r"[A-Za-z][\w.-]{0,80}[A-Za-z0-9]")
_NUMBER = re.compile(r"\^?[1-9]\d{0,8}")
_LONGEST = 300  # characters that a marker may hold
_OWN = ("doc_id", "doc_ids")


class Shown(NamedTuple):
    """Passages as they are cited.

    Attributes:
        passages: In the given order, under the ids that are shown.
        source_ids: Shown id to the retriever's.
    """

    passages: tuple[Passage, ...]
    source_ids: dict[str, str]


def with_shown_ids(
    registry: CitationRegistry,
    passages: Sequence[Passage],
    convention: Convention | None = None,
    *,
    as_shown: bool = False,
) -> Shown:
    """Return the passages under the ids that are shown.

    A document that the registry holds keeps its id, matched by `source_id`. Another is shown under the retriever's id,
    save under `numeric` and `footnote`, where it gets the next number, and save where that id is empty, is taken by
    another document or cannot be read back from a marker: then it gets the next id of the registered pattern. A passage
    without an id is the same document as long as its title and text are the same.

    Args:
        registry: The session's.
        passages: As the retriever gave them; `doc_id` may be empty.
        convention: The session's; the registry's by default.
        as_shown: The ids are those that are shown already: registered ids and numbers stay what they are, where the
            title does not say otherwise.
    """
    told = convention or registry.convention or "source_tag"
    held = {nfc(entry.doc_id): entry for entry in registry.entries}
    by_source: dict[str, str] = {}
    for entry in registry.entries:
        by_source.setdefault(nfc(entry.source_id or entry.doc_id), entry.doc_id)
    sources = [_source(passage) for passage in passages]
    shown: dict[str, str] = {}
    used = set(held)
    waiting = list[str]()
    for passage, source in zip(passages, sources, strict=True):
        if source in shown or source in waiting:
            continue
        kept = by_source.get(source)
        own = _renamed_from(passage) if as_shown else None
        if own is not None:  # a number that is shown is no retriever's number, though both may be "2"
            kept = by_source.get(own) if by_source.get(own) == passage.doc_id else None
        same = held.get(nfc(passage.doc_id)) if as_shown and passage.doc_id else None
        if same is not None and (kept is None or passage.title.strip()):
            if same_title(same.title, passage.title) or not (same.title.strip() and passage.title.strip()):
                kept = same.doc_id
        if kept is None and _stays(passage.doc_id, told, as_shown) and nfc(passage.doc_id) not in used:
            kept = passage.doc_id
        if kept is None:
            waiting.append(source)
        else:
            shown[source] = kept
            used.add(nfc(kept))
    named = [entry.doc_id for entry in registry.entries] or list(dict.fromkeys(shown.values()))
    # A retriever's own numbers say nothing of the numbers that readers see.
    taken = used if told in ("numeric", "footnote") else {*used, *by_source, *sources}
    new = free_ids(named, taken, told)
    for source in waiting:
        shown[source] = next(new)
    told_passages = tuple(_under(p, shown[s], s) for p, s in zip(passages, sources, strict=True))
    given = {s: p.doc_id for p, s in zip(reversed(passages), reversed(sources), strict=True) if p.doc_id.strip()}
    known = {entry.doc_id: entry.source_id or entry.doc_id for entry in registry.entries}
    return Shown(told_passages, {shown[s]: known.get(shown[s], given.get(s, s)) for s in shown})


def _source(passage: Passage) -> str:
    if passage.doc_id.strip():
        return nfc(passage.doc_id)
    digest = hashlib.sha256(f"{passage.title}\0{passage.text}".encode("utf-8", "replace")).hexdigest()
    return f"text:{digest[:16]}"


def _renamed_from(passage: Passage) -> str | None:
    """Return the retriever's id of a passage that stands under another one already, as `_under` keeps it."""
    own = passage.metadata.get("doc_id")
    return nfc(own) if isinstance(own, str) and own.strip() and nfc(own) != nfc(passage.doc_id) else None


def _stays(doc_id: str, convention: Convention, as_shown: bool) -> bool:
    """Whether a retriever's id may be shown as it is."""
    if convention in ("numeric", "footnote"):
        return as_shown and bool(_NUMBER.fullmatch(doc_id)) and doc_id.startswith("^") == (convention == "footnote")
    return readable(doc_id, convention)


def readable(doc_id: str, convention: Convention) -> bool:
    """Whether a marker with this id is read back as this id, and a line of the Sources section can hold it."""
    if doc_id != doc_id.strip() or not doc_id.isprintable() or not 0 < len(doc_id) <= _LONGEST:
        return False
    if not any(c.isalnum() for c in doc_id):
        return False
    if _PLAIN.fullmatch(doc_id):
        return True
    found = find_markers(f"So it is {written(doc_id, convention)}.", [doc_id], convention)
    return len(found) == 1 and found[0].ids == (nfc(doc_id),) and not found[0].codes


def _under(passage: Passage, doc_id: str, source: str) -> Passage:
    """Return a passage under another id; its metadata then says what an access scope means by the document's id."""
    if passage.doc_id == doc_id:
        return passage
    own = dict.fromkeys(_OWN, passage.doc_id or source)
    return passage.model_copy(update={"doc_id": doc_id, "metadata": {**own, **passage.metadata}})
