"""`turnkeeper.Conversation`: the whole turn, from the user's words to the committed answer (design section 10)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

from ._turn.flow import turn as take
from ._turn.given import MAX_QUERY, asked_of
from ._turn.result import ConversationTurn, OpenEntry, ResolvedEntry, StepReport
from ._turn.rewriting import rewriter_by_default, rewriting_guard
from ._turn.search import SEARCH, SearchSettings, as_retriever
from ._turn.steps import AUTO, Steps
from ._turn.streamed import (
    AnswerText,
    DraftRetracted,
    DraftText,
    FoundPassage,
    StepEnded,
    StepStarted,
    StreamEvent,
    TurnCommitted,
)
from ._turn.streaming import astreamed, streamed
from ._turn.talk import RECENT, Talk
from ._turn.work import adrive, drive
from .errors import InputError
from .lms import resolve_lm
from .loading import load
from .metrics._near_duplicates import required
from .modules._guard import RiskLevel, Scrub
from .sessions import SessionExport, SessionState, SessionStore
from .signatures.carry_forward import LedgerPolicy
from .signatures.types import AccessScope, Convention, DomainContext, MetadataFilter

__all__ = [
    "MAX_QUERY", "SEARCH", "AnswerText", "Conversation", "ConversationTurn", "DraftRetracted", "DraftText",
    "FoundPassage", "OpenEntry", "ResolvedEntry", "SearchSettings", "StepEnded", "StepReport", "StepStarted",
    "StreamEvent", "TurnCommitted",
]  # fmt: skip

_IN_PROCESS = ("embedded", "gguf:", "llama-cpp/")


class Conversation:
    """Sessions that keep what they owe: references, exclusions, citations and open questions.

    Thread-safe; one conversation serves all sessions of an application. Turns of one session that come at once wait for
    each other, from threads and event loops alike, and are taken in the order they came; different sessions do not
    wait. Another process may write to the same session: it is met by compare-and-swap, and the turn is taken again. Of
    an LM no exception gets out: a step that fails is left out with a warning, and the turn is committed all the same.
    What the store raises does get out, and then nothing was committed.

    Of the result of a callable in place of a step only its decisions are taken: the standalone query, terms and
    exclusions to add, the answer's text, which open questions are answered. Answers are held to the checks; ledger,
    registry and exclusions are composed here. No callable is given what today's scope or `withdraw` hides.

    Args:
        store: Where sessions live.
        retriever: A `Retriever`, or a function from a `SearchRequest` to passages; None when every turn brings its own
            passages.
        lm: What `resolve_lm` takes, for all steps; the embedded model by default.
        reformulate: "auto" for the compiled program, a guard of `turnkeeper.load`, a callable with the same arguments
            (it may return the standalone query as a text), or None to switch the step off.
        expand: The same. Switched off, nothing is added to a search; what the user ruled out stays ruled out. A program
            of ours asks its LM where its words can find something; see `SearchSettings.always_expand`.
        answerer: The same for cite. A callable may return a text with markers, which is held to the checks.
        carry_forward: The same. Switched off, no question is kept for later.
        rewriter: What puts the last answer into other words ("shorter please"): "auto" for the answerer's LM, None, or
            a callable of `aspect`, `topic` and `text`. Where its text does not hold, the answer stays as it was.
        lms: LM of single steps by their stem, in place of `lm`.
        convention: How a new session cites.
        searching: How many passages, and what the previous question counts.
        policy: When open questions go to a person, and which are one. `SetupError` where it needs a missing package.
        risk_level: "high" asks a person where "normal" guesses.
        domain_context: Words of the application's field.
        scrub: Hook applied to every history text before any step; one that fails leaves the history out.
        recent: Turns of a session that prompts may draw on; older ones are owed by registry, ledger and exclusions.
        concurrent: Whether independent steps run at the same time; by default unless the LM runs in this process.
    """

    def __init__(
        self,
        store: SessionStore,
        retriever: Any = None,
        lm: Any = None,
        *,
        reformulate: Any = AUTO,
        expand: Any = AUTO,
        answerer: Any = AUTO,
        carry_forward: Any = AUTO,
        rewriter: Any = AUTO,
        lms: Mapping[str, Any] | None = None,
        convention: Convention = "source_tag",
        searching: SearchSettings | None = None,
        policy: LedgerPolicy | None = None,
        risk_level: RiskLevel = "normal",
        domain_context: DomainContext | None = None,
        scrub: Scrub | None = None,
        recent: int = RECENT,
        concurrent: bool | None = None,
    ) -> None:
        if risk_level not in ("normal", "high"):
            raise InputError(f"risk_level must be 'normal' or 'high', not {risk_level!r}")
        if scrub is not None and not callable(scrub):
            raise InputError(f"scrub must be a function of a text, not {type(scrub).__name__}")
        if recent < 1:
            raise InputError(f"recent must be at least 1, not {recent}")
        self.store = store
        self._lm, self._lms = lm, dict(lms or {})
        self._risk_level: RiskLevel = risk_level
        self._scrub = scrub
        self._lock = Lock()
        given = {"reformulate": reformulate, "expand": expand, "cite": answerer, "carry_forward": carry_forward}
        chosen = lm is not None or bool({"rewrite", "cite"} & self._lms.keys())
        given["rewrite"] = rewriter if chosen else rewriter_by_default(rewriter, answerer, scrub)
        steps = Steps(given, self._load)
        unknown = sorted(set(self._lms) - set(given))
        if unknown:
            raise InputError(f"lms: no step {unknown[0]!r}; there is: {', '.join(given)}")
        self._talk = Talk(
            store=store,
            retriever=as_retriever(retriever),
            steps=steps,
            searching=searching or SearchSettings(),
            convention=convention,
            policy=required(policy or LedgerPolicy()),
            risk_level=risk_level,
            domain_context=domain_context,
            recent=recent,
            scrub=scrub,
        )
        self._concurrent = concurrent

    @property
    def policy(self) -> LedgerPolicy:
        """When open questions go to a person, and which are one."""
        return self._talk.policy

    def turn(
        self,
        session_id: str,
        query: str,
        scope: AccessScope | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        tenant: str = "default",
        passages: Any = SEARCH,
        given_answer: str | None = None,
        metadata_filters: Sequence[MetadataFilter | Mapping[str, Any]] = (),
    ) -> ConversationTurn:
        """Take one turn of a session, which begins with its first turn.

        Args:
            session_id: The application's id.
            query: The user's words.
            scope: What this user may see; server-derived, never from the client.
            idempotency_key: The same key gives the same turn again, and changes nothing.
            tenant: Whose session it is; server-derived.
            passages: What the application's own retrieval found, the best first, or None when it failed; or a
                `Retriever` for this turn alone. The conversation's retriever is asked when this is left out.
            given_answer: An answer that the user was given already: only its citations and its state are kept. What it
                cites must be among `passages`, or what the retriever finds where these are left out.
            metadata_filters: The application's filters, applied as given.

        Raises:
            InputError: An argument that cannot be used; the message names it.
            StoreUnavailableError, CorruptSessionError, VersionConflictError: What the store raises; nothing is lost.
                A conflict gets out only when other processes were first many times in a row.
        """
        asked = asked_of(session_id, query, scope, idempotency_key, tenant, passages, given_answer, metadata_filters)
        return drive(take(self._talk, asked), concurrent=self._is_concurrent())

    async def aturn(
        self,
        session_id: str,
        query: str,
        scope: AccessScope | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        tenant: str = "default",
        passages: Any = SEARCH,
        given_answer: str | None = None,
        metadata_filters: Sequence[MetadataFilter | Mapping[str, Any]] = (),
    ) -> ConversationTurn:
        """Take one turn without blocking the event loop; otherwise as `turn`."""
        asked = asked_of(session_id, query, scope, idempotency_key, tenant, passages, given_answer, metadata_filters)
        return await adrive(take(self._talk, asked), concurrent=self._is_concurrent())

    def stream(
        self,
        session_id: str,
        query: str,
        scope: AccessScope | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        tenant: str = "default",
        passages: Any = SEARCH,
        given_answer: str | None = None,
        metadata_filters: Sequence[MetadataFilter | Mapping[str, Any]] = (),
    ) -> Iterator[StreamEvent]:
        """Take one turn and tell how it goes: steps as they begin and end, drafts, the answer, at last the turn.

        `AnswerText` is checked and committed; `DraftText` comes while the LM writes, where it streams, and is void
        again with `DraftRetracted`. The turn begins with the first event and ends with its reader: closing the iterator
        (`contextlib.closing`) cancels it. Then nothing of it is committed, or all of it where the commit had begun;
        the same `idempotency_key` finds out, and gives the turn again. Arguments and errors are those of `turn`.
        """
        asked = asked_of(session_id, query, scope, idempotency_key, tenant, passages, given_answer, metadata_filters)
        return streamed(take(self._talk, asked), concurrent=self._is_concurrent())

    def astream(
        self,
        session_id: str,
        query: str,
        scope: AccessScope | Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        tenant: str = "default",
        passages: Any = SEARCH,
        given_answer: str | None = None,
        metadata_filters: Sequence[MetadataFilter | Mapping[str, Any]] = (),
    ) -> AsyncIterator[StreamEvent]:
        """As `stream`, without blocking the event loop; `contextlib.aclosing`, or cancelling the task, cancels it."""
        asked = asked_of(session_id, query, scope, idempotency_key, tenant, passages, given_answer, metadata_filters)
        return astreamed(take(self._talk, asked), concurrent=self._is_concurrent())

    def state(self, session_id: str, tenant: str = "default") -> SessionState:
        """Return what a session owes now: registry, ledger, exclusions, reviews, newest turns."""
        return self.store.load(session_id, tenant, recent=self._talk.recent)

    def branch(
        self, session_id: str, turn: int, tenant: str = "default", *, new_session_id: str | None = None
    ) -> SessionState:
        """Start a new session from the state after a turn, for a message that the user edited."""
        return self.store.branch(session_id, turn, tenant, new_session_id=new_session_id)

    def withdraw(self, session_id: str, doc_id: str, tenant: str = "default") -> SessionState:
        """Mark a cited source as withdrawn: its id stays its own for ever, its text is no evidence any more."""
        return self.store.withdraw(session_id, doc_id, tenant)

    def export(self, session_id: str, tenant: str = "default") -> SessionExport:
        """Return all that is stored of a session, verified from its first turn on."""
        return self.store.export(session_id, tenant)

    def delete(self, session_id: str, tenant: str = "default") -> None:
        """Delete a session and all its texts."""
        self.store.delete(session_id, tenant)

    def _load(self, step: str) -> Any:
        """Load the program of a step once, whichever turn needs it first."""
        with self._lock:
            own = "cite" if step == "rewrite" and step not in self._lms else step
            spec = self._lms.get(own, self._lm)
            if not hasattr(spec, "model"):  # a spec is resolved once, so that all steps share the loaded weights
                spec = self._resolved(own, spec)
            if step == "rewrite":
                return rewriting_guard(spec, scrub=self._scrub)
            return load(step, lm=spec, risk_level=self._risk_level)  # its history is scrubbed before any step

    def _resolved(self, step: str, spec: Any) -> Any:
        lm = resolve_lm(spec, cache=False)
        if step in self._lms:
            self._lms[step] = lm
        else:
            self._lm = lm
        return lm

    def _is_concurrent(self) -> bool:
        if self._concurrent is not None:
            return self._concurrent
        specs = [self._lm, *self._lms.values()]
        return not any(spec is None or str(getattr(spec, "model", spec)).startswith(_IN_PROCESS) for spec in specs)
