"""The titles under which passages are cited: on one line, and as registered where only the title has changed since."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category

from ..metrics._markers import nfc
from ..signatures.types import CitationRegistry, Passage, RegisteredSource


def with_known_titles(registry: CitationRegistry, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return passages of an index with titles that a line of the Sources section can hold.

    A document that was cited before keeps the title it was cited under as long as its text is the one that was stored;
    with another text as well, an index may have given its id to another document, and the check has to see both titles.

    Args:
        registry: The session's.
        passages: Under the retriever's ids.
    """
    cited = {nfc(entry.source_id or entry.doc_id): entry for entry in registry.entries}
    return tuple(_titled(passage, cited.get(nfc(passage.doc_id))) for passage in passages)


def _titled(passage: Passage, entry: RegisteredSource | None) -> Passage:
    known = entry is not None and entry.title.strip() and _shares_text(entry.snippet, passage.text)
    title = entry.title if entry is not None and known else one_line(passage.title)
    return passage if title == passage.title else passage.model_copy(update={"title": title})


def one_line(text: str) -> str:
    """Return a text with every run of white space and control characters as one blank."""
    return " ".join("".join(" " if category(c) == "Cc" else c for c in text).split())


def _shares_text(one: str, other: str) -> bool:
    one, other = one.strip(), other.strip()
    return bool(one and other) and (one in other or other in one)
