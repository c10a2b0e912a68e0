"""What a prompt may offer as evidence: this turn's passages, then registered sources by their stored text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._evidence_scope import in_scope
from ..signatures.cite import NO_PRIOR_CITATIONS
from ..signatures.types import AccessScope, CitationRegistry, Passage

PASSAGE_WORDS = 160
"""Words of a passage that a prompt quotes."""
SNIPPET_WORDS = 60
"""Words of a registered source that was not found this turn."""

_FEW_WORDS = 15  # of a snippet; with fewer it says nothing
_FEWEST_OF_PASSAGE = 20


class Evidence(NamedTuple):
    """A document as the prompt shows it.

    Attributes:
        doc_id: As it is cited.
        title: The registry's where it has one: a title never changes within a session.
        text: What is quoted.
        registered: Whether the session has cited it before.
    """

    doc_id: str
    title: str
    text: str
    registered: bool


class Budget(NamedTuple):
    """Words of each part of the evidence; shrunk in this order when a prompt is too long: snippets, then passages."""

    passage: int = PASSAGE_WORDS
    snippet: int = SNIPPET_WORDS

    def smaller(self) -> Budget | None:
        """Return the next smaller budget, or None at the smallest: of snippets the titles, of passages 20 words."""
        if self.snippet:
            return self._replace(snippet=self.snippet // 2 if self.snippet > _FEW_WORDS else 0)
        return self._replace(passage=self.passage // 2) if self.passage > _FEWEST_OF_PASSAGE else None


WHOLE = Budget()
"""What a prompt quotes where it fits."""


def evidence(
    registry: CitationRegistry,
    context: Sequence[Passage] | None,
    scope: AccessScope | None = None,
    budget: Budget | None = None,
) -> tuple[Evidence, ...]:
    """Return what may be cited now, in the order of the prompt; a document stands there once.

    Of its passages each text is quoted once. A withdrawn source, one outside today's scope and one without stored text
    are left out.

    Args:
        registry: The session's.
        context: This turn's passages under the ids that are shown; None when retrieval failed.
        scope: Today's.
        budget: Words quoted of each.
    """
    words = budget or WHOLE
    known = {entry.doc_id: entry for entry in registry.entries}
    texts: dict[str, dict[str, None]] = {}
    titles: dict[str, str] = {}
    for passage in context or ():
        entry = known.get(passage.doc_id)
        visible = in_scope(scope, passage.metadata, (passage.doc_id,), passage.title, passage.text)
        if (entry is not None and entry.withdrawn) or not visible:
            continue
        titles.setdefault(passage.doc_id, (entry.title if entry else "") or passage.title)
        texts.setdefault(passage.doc_id, {})[_cut(passage.text, words.passage)] = None
    found = [Evidence(doc_id, titles[doc_id], " ".join(parts), doc_id in known) for doc_id, parts in texts.items()]
    stored = [
        Evidence(e.doc_id, e.title, _cut(e.snippet, words.snippet), True)
        for e in registry.entries
        if e.doc_id not in texts
        and e.snippet.strip()
        and not e.withdrawn
        and in_scope(scope, e.metadata, (e.doc_id, e.source_id), e.title, e.snippet)
    ]
    return (*found, *stored)


def numbered(found: Sequence[Evidence]) -> str:
    """Render the evidence, one line a document, so that no text can forge another's number."""
    return "\n".join(f"[{n}] {_line(e.title)}: {_line(e.text)}" for n, e in enumerate(found, 1))


def sources_text(found: Sequence[Evidence]) -> str:
    """Return what the prompt says of sources: the numbered ones, under a line that says so when none was cited before.

    The words stand here and not in a field of their own, so that later prompts do not grow by an empty one.
    """
    return numbered(found) if any(e.registered for e in found) else f"{NO_PRIOR_CITATIONS}\n{numbered(found)}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, words: int) -> str:
    return " ".join(text.split()[:words])
