"""Citations of a reply that was given: the session learns from it how to cite, and registers what it cites."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..metrics._cite_layout import layout
from ..metrics._known_sources import same_title
from ..metrics._markers import find_markers, nfc
from ..metrics._sources_places import section_places
from ..metrics._sources_section import entries
from ..signatures.types import CitationRegistry, Convention, Passage, RegisteredSource
from ._cite_registry import SNIPPET
from ._cite_shown import with_shown_ids

_NUMBER = re.compile(r"\^?[1-9]\d{0,3}")


def learn_convention(reply: str, ids: Collection[str] = ()) -> Convention | None:
    """Return how an answer cites, by its first citation; None when it cites nothing.

    Args:
        reply: Of the assistant.
        ids: Those of its documents, where they are known; without them a bracketed word is no citation.
    """
    known = {nfc(doc_id) for doc_id in ids}
    for convention in _CONVENTIONS:
        found = [m for m in find_markers(reply, known, convention) if m.ids and not m.codes]
        if found and _is(found[0].text, found[0].ids[0], convention, known):
            return convention
    return None


_CONVENTIONS: tuple[Convention, ...] = ("source_tag", "footnote", "url", "numeric", "bare_id")


def _is(text: str, doc_id: str, convention: Convention, known: set[str]) -> bool:
    if convention == "source_tag":
        return text.startswith("[Source: ")
    if convention == "footnote":
        return doc_id.startswith("^")
    if convention == "url":
        return doc_id.startswith(("http://", "https://"))
    if convention == "numeric":
        return bool(_NUMBER.fullmatch(doc_id)) and not doc_id.startswith("^")
    return doc_id in known


def after_reply(
    registry: CitationRegistry, reply: str, context: Sequence[Passage] | None, turn: int
) -> CitationRegistry:
    """Return the registry after a reply that was given, not made here: ids cited or listed in it are registered when
    they are among the turn's documents, and how it cites is how the session cites, if nothing said so before.

    A number is a document's by the title that the reply's Sources section lists it with, else by the document's place
    among the turn's; an id that is registered is never given to another document.

    Args:
        registry: Before the turn.
        reply: The assistant's text.
        context: The turn's passages under the retriever's ids; None when retrieval failed.
        turn: Number of the turn, from 1.
    """
    passages = list(context or ())
    convention = registry.convention or learn_convention(reply, [p.doc_id for p in passages])
    if convention is None or not passages:
        return registry
    told = with_shown_ids(registry, passages, convention)
    named = _named(reply, registry, passages, convention)
    held = {nfc(entry.doc_id) for entry in registry.entries}
    by_source = {nfc(entry.source_id or entry.doc_id) for entry in registry.entries}
    fresh: dict[str, RegisteredSource] = {}
    again: set[str] = set()
    for shown, place in named.items():
        passage, source = passages[place], told.source_ids[told.passages[place].doc_id]
        if nfc(source) in by_source:
            again.add(told.passages[place].doc_id)
        elif nfc(shown) not in held and nfc(shown) not in map(nfc, fresh):
            by_source.add(nfc(source))
            fresh[shown] = RegisteredSource(
                doc_id=shown, source_id=source, title=passage.title, snippet=_snippet(passages, passage),
                metadata=told.passages[place].metadata, first_turn=turn, last_turn=turn,
            )  # fmt: skip
    kept = [e.model_copy(update={"last_turn": turn}) if e.doc_id in again else e for e in registry.entries]
    return CitationRegistry(convention=convention, entries=(*kept, *fresh.values()))


def _named(
    reply: str, registry: CitationRegistry, passages: Sequence[Passage], convention: Convention
) -> dict[str, int]:
    """Return the ids that a reply cites or lists, each with the place of its passage."""
    own = {nfc(passage.doc_id): n for n, passage in reversed(list(enumerate(passages))) if passage.doc_id.strip()}
    known = {*own, *(nfc(entry.doc_id) for entry in registry.entries)}
    text = layout(nfc(reply))
    listed = [e for section in entries(text.text, section_places(text.prose), known) for e in section]
    cited = [doc_id for m in find_markers(reply, known, convention) if not m.codes for doc_id in m.ids]
    titles = {e.doc_id: e.title for e in listed}
    documents = list(dict.fromkeys(nfc(p.doc_id) for p in passages))
    found: dict[str, int] = {}
    for doc_id in dict.fromkeys((*cited, *titles)):
        if convention not in ("numeric", "footnote"):
            place = own.get(doc_id)
        else:
            place = _numbered(doc_id, titles.get(doc_id, ""), passages, documents, own, listed=bool(listed))
        if place is not None:
            found[doc_id] = place
    return found


def _numbered(
    doc_id: str, title: str, passages: Sequence[Passage], documents: Sequence[str], own: dict[str, int], *, listed: bool
) -> int | None:
    if not _NUMBER.fullmatch(doc_id):
        return None
    if title:
        return next(
            (n for n, p in enumerate(passages) if p.title.strip() and same_title(p.title, title)), own.get(doc_id)
        )
    if doc_id in own:
        return own[doc_id]
    number = int(doc_id.removeprefix("^"))
    return own.get(documents[number - 1]) if not listed and number <= len(documents) else None


def _snippet(passages: Sequence[Passage], one: Passage) -> str:
    return " ".join(" ".join(p.text.split()) for p in passages if p.doc_id == one.doc_id)[:SNIPPET]
