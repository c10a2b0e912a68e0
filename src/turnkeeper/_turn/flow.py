"""A turn from the user's words to the committed state. A generator: `work.drive` and `work.adrive` run it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ..errors import UnknownSessionError, VersionConflictError
from ..metrics._scope import beyond_scope
from ..metrics._turn_kind import TurnReading, turn_kind
from ..sessions import SessionState
from ..signatures.types import Notice, Turn
from .answering import Answered, asked_back, barred, cited_answer, given_reply, left_to_carry_forward, registry_of
from .asked import Asked, messages, spoken
from .committing import commit, committed_before
from .expanding import expand
from .finding import Found, as_cited, find, searched
from .ledger import Kept, carried
from .prompted import prompted
from .replies import reply_to
from .result import ConversationTurn
from .talk import Talk
from .tallied import Tallied
from .understand import BOUNDARY, Understood, completed, understand, understood_by_rule
from .within import within
from .work import Flow, Work

CONFLICTS = 25
"""Times that a turn is taken when another process is first each time. Identical steps are answered from caches."""
PAUSES = (0.01, 0.5)
"""Seconds: the longest pause after the first conflict, which doubles with each further one, and what it grows to."""

NOT_SEARCHED = Notice(code="retrieval_failed", message="The search failed: nothing that the given reply cites is kept.")


class Taken(NamedTuple):
    """A turn as far as it has come: what `committing` makes a record of."""

    asked: Asked
    state: SessionState
    reading: TurnReading
    understood: Understood
    found: Found
    answered: Answered
    kept: Kept

    @property
    def number(self) -> int:
        """Number of this turn."""
        return self.state.turn + 1


def turn(talk: Talk, asked: Asked) -> Flow[ConversationTurn]:
    """Take a turn once those before it in its session are over; when another writer was first, from the new state.

    Raises:
        VersionConflictError: It happened `CONFLICTS` times in a row.
        TurnkeeperError: What the store raises; nothing is committed then.
    """
    started = time.perf_counter()
    place = talk.queues.place(asked.session_id, asked.tenant)
    try:
        [waited] = yield (Work("queue", place.wait, place.await_turn),)
        if waited.error is not None:
            raise waited.error
        place.begin()
        return (yield from _taken_at_last(talk, asked, started))
    finally:
        place.leave()


def _taken_at_last(talk: Talk, asked: Asked, started: float) -> Flow[ConversationTurn]:
    for attempt in range(CONFLICTS):
        try:
            return (yield from _attempt(talk, asked, started))
        except VersionConflictError:
            if attempt == CONFLICTS - 1:
                raise
        # As long as chance wants, so that writers who met do not meet again; never long, so that nobody falls behind.
        pause = random.uniform(0, min(PAUSES[1], PAUSES[0] * 2**attempt))
        yield (Work("pause", partial(time.sleep, pause), partial(asyncio.sleep, pause)),)
    raise AssertionError("unreachable")


def _attempt(talk: Talk, asked: Asked, started: float) -> Flow[ConversationTurn]:
    before = yield from committed_before(talk, asked)
    if before is not None:
        return before
    state = yield from _loaded(talk, asked)
    history = messages(state)
    tallied = Tallied()
    pending = [one.question for one in state.ledger if one.status == "pending"]
    reading = turn_kind(asked.query, history=history, pending=pending)
    told = {"session_id": asked.session_id, "tenant": asked.tenant, "turn": state.turn + 1}
    taken = yield from within(_taken(talk, asked, state, history, reading, tallied), told)
    return (yield from commit(talk, taken, tallied, started))


def _taken(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    reading: TurnReading,
    tallied: Tallied,
) -> Flow[Taken]:
    registry = registry_of(talk, state)
    told = yield from prompted(talk, asked, state, tallied)
    if asked.reply is not None:
        understood = understood_by_rule(talk, asked, state, history)
        answered, found = yield from _given(talk, asked, state, history, reading, understood, tallied)
    elif reading.kind not in ("question", "clarification"):
        understood = understood_by_rule(talk, asked, state, history)
        found = yield from find(talk, asked, state, history, understood, registry, tallied, wanted=False)
        answered = yield from reply_to(talk, reading, asked, state, history, tallied)
    else:
        said = spoken(told, state.registry)
        read = yield from understand(talk, asked, state, said, reading, tallied)
        understood = yield from expand(talk, asked, state, history, said, read, tallied)
        codes = tallied.codes()
        wanted = BOUNDARY not in codes and understood.action != "clarify"
        completes = wanted and reading.kind == "clarification" and talk.steps.get("carry_forward") is not None
        pending = completed(state, understood.standalone) if completes else state
        found = yield from find(talk, asked, pending, history, understood, registry, tallied, wanted=wanted)
        if completes:
            answered = left_to_carry_forward(state)
        elif wanted:
            answered = yield from cited_answer(talk, asked, state, told, understood, found, tallied)
        else:
            answered = barred(state) if BOUNDARY in codes else asked_back(state, tallied)
    kept = yield from carried(talk, asked, state, told, understood, found, answered, tallied)
    return Taken(asked, state, reading, understood, found, answered, kept)


def _given(
    talk: Talk,
    asked: Asked,
    state: SessionState,
    history: Sequence[Turn],
    reading: TurnReading,
    understood: Understood,
    tallied: Tallied,
) -> Flow[tuple[Answered, Found]]:
    """Take note of a given reply; where it came without passages, what it cites is among those that a search finds."""
    bare = not isinstance(asked.passages, (list, tuple))
    wanted = bare and reading.kind != "social" and not beyond_scope(asked.query, asked.scope)
    found = yield from searched(talk, asked, state, history, understood, tallied, wanted=wanted)
    if found.passages is None and asked.passages is not None:
        tallied.warn([NOT_SEARCHED])
        found = found._replace(passages=())  # the reply stands all the same
    answered = given_reply(asked, state, found)
    return answered, as_cited(found, answered.registry)


def _loaded(talk: Talk, asked: Asked) -> Flow[SessionState]:
    [done] = yield (Work("load", lambda: talk.store.load(asked.session_id, asked.tenant, recent=talk.recent)),)
    if isinstance(done.error, UnknownSessionError) and type(done.error) is UnknownSessionError:
        return SessionState(session_id=asked.session_id, tenant=asked.tenant)
    if done.error is not None:
        raise done.error
    state: SessionState = done.value
    return state
