"""Types that all behaviours share: frozen, closed pydantic models (design section 2)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ._access_scope import MAX_TERM, MAX_TERMS, AccessScope
from ._frozen import Frozen

__all__ = [
    "MAX_TERM",
    "MAX_TERMS",
    "AccessScope",
    "CitationRegistry",
    "Convention",
    "DomainContext",
    "Exclusion",
    "Frozen",
    "GuardedResult",
    "MetadataFilter",
    "Notice",
    "OpenQuestion",
    "Passage",
    "RegisteredSource",
    "ResolvedReference",
    "Turn",
    "Usage",
    "Violation",
]


class Turn(Frozen):
    """One message of the conversation, oldest first in a history."""

    role: Literal["user", "assistant"]
    content: str


class MetadataFilter(Frozen):
    """A filter from the application (date range, document scope), applied as given, never by the model."""

    field: str
    op: Literal["eq", "ne", "in", "not_in", "lt", "le", "gt", "ge"]
    value: str | int | float | bool | list[str] | list[int] | list[float]


class ResolvedReference(Frozen):
    """A mention of the query and what it stands for.

    Attributes:
        mention: The words of the query.
        referent: The words of the history (or of the query) that it stands for.
        turn: Index of the referent's message in the history, from 0; null when it stands in the query itself.
    """

    mention: str
    referent: str
    turn: int | None = None


class Exclusion(Frozen):
    """Something that the user ruled out, carried from turn to turn until the user revokes it (section 5).

    Attributes:
        phrase: The excluded words, as the user wrote them, without cue, determiner and trailing prepositional phrase.
        cue: The words that ruled it out ("without", "anything but", "-").
        turn: Index of the message in the history that set it, from 0; null for the query itself.
        aliases: Other names of the phrase, by the domain context.
        field: Metadata field that holds the value, or null for body text.
        status: "revoked" once the user took it back.
    """

    phrase: str
    cue: str = ""
    turn: int | None = None
    aliases: tuple[str, ...] = ()
    field: str | None = None
    status: Literal["active", "revoked"] = "active"


class Passage(Frozen):
    """A piece of a document, as a retriever returns it.

    Attributes:
        doc_id: The retriever's id of the document.
        title: Title of the document.
        text: What was found.
        score: The retriever's score; larger is better, comparable within one search only.
        metadata: Fields that filters and access scopes read.
    """

    doc_id: str
    title: str = ""
    text: str = ""
    score: float | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


Convention = Literal["source_tag", "numeric", "bare_id", "url", "footnote"]


class RegisteredSource(Frozen):
    """A document that the session has cited or may cite; entries are added and never change their id (section 6).

    Attributes:
        doc_id: What is shown and cited; under `numeric` and `footnote` the number that the registry allocated.
        source_id: The retriever's id; the same as `doc_id` in the other conventions.
        title: Title of the document, as the Sources section shows it.
        snippet: Text that supported a citation, kept so that a later turn can cite it without retrieval.
        metadata: Fields that the access scope reads.
        first_turn: Turn that registered it, from 1.
        last_turn: Turn that cited it last.
        withdrawn: Whether its text is no evidence any more; the id stays taken for ever.
    """

    doc_id: str
    source_id: str = ""
    title: str = ""
    snippet: str = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    first_turn: int = 1
    last_turn: int = 1
    withdrawn: bool = False


class CitationRegistry(Frozen):
    """The citation state of one session.

    Attributes:
        convention: How citations are written; null before the first one.
        entries: Sources in the order of their registration.
    """

    convention: Convention | None = None
    entries: tuple[RegisteredSource, ...] = ()


class OpenQuestion(Frozen):
    """A question that could not be answered yet (section 7); its wording never changes.

    Attributes:
        question_id: The server's id.
        question: The user's words, verbatim.
        standalone_query: The same for searching again.
        exclusions: What was ruled out when it was asked.
        evidence_digest: Digest of the evidence it was last held against.
        missing_evidence: What is still needed.
        first_asked_turn: Turn in which it entered, from 1.
        attempts: 1 when it enters, one more each turn it is carried.
        status: "unresolvable" after the policy gave it up.
    """

    question_id: str = ""
    question: str
    standalone_query: str = ""
    exclusions: tuple[Exclusion, ...] = ()
    evidence_digest: str = ""
    missing_evidence: str = ""
    first_asked_turn: int = 1
    attempts: int = 1
    status: Literal["pending", "resolved", "unresolvable"] = "pending"


class DomainContext(Frozen):
    """What the application knows of its field's words.

    Attributes:
        glossary: Term to its synonyms: what may be added to a query.
        aliases: Phrase to its other names: what an exclusion of the phrase excludes too.
        entities: Names that may be added to a query although nobody said them.
    """

    glossary: dict[str, list[str]] = Field(default_factory=dict)
    aliases: dict[str, list[str]] = Field(default_factory=dict)
    entities: list[str] = Field(default_factory=list)


class Violation(Frozen):
    """A broken rule of a check.

    Attributes:
        code: One of the codes of the behaviour.
        message: One sentence that a model can act on.
        span: The offending text, when there is one.
    """

    code: str
    message: str
    span: str | None = None


class Notice(Frozen):
    """Something the application should know although nothing failed."""

    code: str
    message: str


class Usage(Frozen):
    """Tokens and calls that one result cost; zero for a step that needed no LM."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reused_tokens: int = 0
    latency_ms: float = 0.0


class GuardedResult(Frozen):
    """What every behaviour's result carries beside its own fields.

    Attributes:
        ok: False when the last attempt broke a rule, whatever was then returned.
        violations: The violations of the last attempt.
        warnings: Notices such as `fallback_raw_query` or `ambiguous_reference`.
        lm_attempts: Predictions asked of the LM, retries included; 0 when none was needed.
        fallback: Whether the result is the fallback and not the model's.
        program: The artifact id, or `zero-shot`.
        usage: Calls, tokens, milliseconds.
    """

    ok: bool = True
    violations: tuple[Violation, ...] = ()
    warnings: tuple[Notice, ...] = ()
    lm_attempts: int = 0
    fallback: bool = False
    program: str = "zero-shot"
    usage: Usage = Usage()
