"""The first step of a turn: the query made standalone, and what it rules out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..metrics._restricted import named_terms
from ..metrics._scope import beyond_scope
from ..metrics._turn_kind import TurnReading
from ..metrics.expand import detect, without_exclusions
from ..sessions.state import SessionState
from ..signatures.expand import BooleanQuery
from ..signatures.reformulate import Action, ReformulateResult
from ..signatures.types import Exclusion, Notice, Turn
from .asked import Asked
from .reasked import asked_anew, doubted
from .talk import Talk
from .tallied import Tallied
from .work import Done, Flow

BOUNDARY = "permission_boundary"
"""The code of a warning that the question reaches beyond what the user may see."""


class Understood(NamedTuple):
    """What is searched for.

    Attributes:
        standalone: The query as it can be read alone.
        action: What reformulate did.
        boolean: The query of expand, or None where it is off or failed.
        terms: Words that expand added.
        exclusions: The state after this turn, revoked ones included.
        searched: What the search for `boolean` gave, where it was made before it was known to be enough.
    """

    standalone: str
    action: Action
    boolean: BooleanQuery | None
    terms: tuple[str, ...]
    exclusions: tuple[Exclusion, ...]
    searched: Done | None = None

    @property
    def ruled_out(self) -> tuple[str, ...]:
        """The phrases that are ruled out now, each once."""
        return tuple(dict.fromkeys(e.phrase for e in self.exclusions if e.status == "active"))


def understand(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    reading: TurnReading,
    tallied: Tallied,
) -> Flow[Understood]:
    """Reformulate; a step that is off or fails leaves the user's own words, and what they rule out always holds."""
    detected = detect(history, asked.query, talk.domain_context, list(state.exclusions))
    anew = asked_anew(asked.query, detected, state) or doubted(asked.query, state)
    if anew is not None:  # the words are known; that today's scope lets them be asked is seen to all the same
        standalone, action = yield from _reformulated(talk, replace(asked, query=anew), (), tallied)
        action = "rewrite" if action == "unchanged" else action
    else:
        standalone, action = yield from _reformulated(talk, asked, history, tallied)
    if anew is None and reading.kind == "clarification":
        standalone, action = _completed(state, asked.query, standalone), "rewrite"
    standalone = _within(asked, anew or asked.query, standalone, tallied)
    return Understood(standalone, action, None, (), tuple(detected.exclusions))


def understood_by_rule(talk: Talk, asked: Asked, state: SessionState, history: Sequence[Turn]) -> Understood:
    """Return what rules alone understand: the user's own words, and what they rule out."""
    found = detect(history, asked.query, talk.domain_context, list(state.exclusions))
    return Understood(asked.query, "unchanged", None, (), tuple(found.exclusions))


def plain_query(understood: Understood) -> str:
    """Return the standalone query without the words that rule something out, where nothing better is at hand."""
    return without_exclusions(understood.standalone, understood.exclusions) or understood.standalone


def _within(asked: Asked, query: str, standalone: str, tallied: Tallied) -> str:
    """Return the standalone query, and warn where it reaches beyond the scope, whichever step made it or none.

    One that names what only the history named is given up for the user's own words.
    """
    if BOUNDARY in tallied.codes() or asked.scope is None:
        return standalone
    leaks = named_terms(standalone, asked.scope.restricted_terms)
    message = beyond_scope(query, asked.scope) or ("The query names something this user may not search." * bool(leaks))
    if message:
        tallied.warn([Notice(code=BOUNDARY, message=message)])
    return query if leaks else standalone


def completed(state: SessionState, standalone: str) -> SessionState:
    """Return the session with its newest pending question as the user has completed it, for searching again."""
    pending = [one.question_id for one in state.ledger if one.status == "pending"]
    ledger = tuple(
        one.model_copy(update={"standalone_query": standalone}) if one.question_id == pending[-1] else one
        for one in state.ledger
    )
    return state.model_copy(update={"ledger": ledger})


def _completed(state: SessionState, query: str, standalone: str) -> str:
    """Return the newest pending question with what the user adds to it ("March."), where reformulate left that open."""
    pending = [one for one in state.ledger if one.status == "pending"]
    if not pending or len(standalone.split()) > len(query.split()):
        return standalone
    asked = pending[-1].standalone_query or pending[-1].question
    return f"{asked} ({query.strip().rstrip('.')})"


def _reformulated(talk: Talk, asked: Asked, history: Sequence[Turn], tallied: Tallied) -> Flow[tuple[str, Action]]:
    step = talk.steps.get("reformulate")
    if step is None:
        return asked.query, "unchanged"
    inputs = {
        "history": list(history),
        "query": asked.query,
        "access_scope": asked.scope,
        "metadata_filters": list(asked.filters),
    }
    [done] = yield (step.work(**inputs),)
    result = _reformulation(done.value)
    tallied.step(done, result)
    return (result.standalone_query or asked.query, result.action) if result else (asked.query, "unchanged")


def _reformulation(value: Any) -> ReformulateResult | None:
    """Return a result as ours; a callable of the application may give the standalone query as a plain text."""
    if isinstance(value, str) and value.strip():
        return ReformulateResult(standalone_query=value, action="rewrite")
    return value if isinstance(value, ReformulateResult) else None
