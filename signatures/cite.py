"""cite: what it takes and gives (design section 6)."""

from __future__ import annotations

from .types import CitationRegistry, Frozen, GuardedResult

ABSTENTION = "I cannot find evidence to answer this question"
"""The one wording of an abstention; a final period is allowed."""
NO_PRIOR_CITATIONS = "NO_PRIOR_CITATIONS"
"""What a prompt says in place of an empty registry."""
NO_EVIDENCE = "NO_EVIDENCE"
"""What a model writes where no source answers; code writes the abstention."""
MAX_CLAIMS = 6
"""Sentences that a model is asked for at most, one claim each; an unbounded list sends a small one into a loop."""
MAX_SENTENCE = 300
"""Characters of one of them."""
MAX_SOURCES = 3
"""Numbers of sources behind one of them."""


class Source(Frozen):
    """An entry of the Sources section."""

    doc_id: str
    title: str = ""
    relevance: str = ""


class CitedAnswer(Frozen):
    """A prediction of the behaviour, as a program makes it and as a row of `turnkeeper check` gives it.

    Attributes:
        answer: Text with inline markers and the Sources section, or the abstention.
        sources: The Sources section as data.
        new_citations: Ids cited here that the registry did not hold.
        reused_citations: Ids cited here that it held.
        citation_consistency_check: A claim of whoever predicted; read by nobody but a person.
    """

    answer: str
    sources: tuple[Source, ...] = ()
    new_citations: tuple[str, ...] = ()
    reused_citations: tuple[str, ...] = ()
    citation_consistency_check: str | None = None


class CiteResult(GuardedResult):
    """What the application gets.

    Attributes:
        registry: The state to store with this turn.
        abstained: Whether the answer is the abstention.
    """

    answer: str
    sources: tuple[Source, ...] = ()
    new_citations: tuple[str, ...] = ()
    reused_citations: tuple[str, ...] = ()
    citation_consistency_check: str = ""
    registry: CitationRegistry = CitationRegistry()
    abstained: bool = False
