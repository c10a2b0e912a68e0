"""What a streamed turn tells, in the order in which it happens."""

from __future__ import annotations

from typing import Literal

from ..signatures.types import Frozen
from .result import ConversationTurn


class FoundPassage(Frozen):
    """A passage that a search gave, under the retriever's id."""

    doc_id: str
    title: str = ""


class StepStarted(Frozen):
    """A step of the turn begins.

    Attributes:
        name: reformulate, expand, retrieve, retrieve_open, cite, carry_forward, reply (by code, without a search) or
            commit.
        query: What is searched for, by a search; for traces, not to be shown to the user.
    """

    type: Literal["step_started"] = "step_started"
    name: str
    query: str = ""


class StepEnded(Frozen):
    """A step of the turn has ended.

    Attributes:
        name: As it began.
        latency_ms: Wall time.
        calls: LM calls, retries included.
        failed: Whether it failed and is left out; a commit that failed raises.
        fallback: Whether it gave its fallback.
        passages: What a search found; None for any other step, and for a search that failed. Of two searches for
            the question of now the last counts.
    """

    type: Literal["step_ended"] = "step_ended"
    name: str
    latency_ms: float = 0.0
    calls: int = 0
    failed: bool = False
    fallback: bool = False
    passages: tuple[FoundPassage, ...] | None = None


class DraftText(Frozen):
    """The next sentences of an answer that is still being written: provisional.

    They have passed every check that the answer must pass, as far as it goes; the answer as a whole has not. Drafts
    since the last `DraftRetracted` are one text. With risk_level="high" there are none.
    """

    type: Literal["draft"] = "draft"
    text: str


class DraftRetracted(Frozen):
    """All drafts so far are void: they are not what will be answered, and must not stay on show.

    Attributes:
        codes: What the answer broke; `lm_error` when the LM failed, `replaced` when another text is answered,
            `not_committed` when the turn failed.
    """

    type: Literal["draft_retracted"] = "draft_retracted"
    codes: tuple[str, ...] = ()


class AnswerText(Frozen):
    """The next part of the answer, checked and committed. All parts together are `ConversationTurn.answer`."""

    type: Literal["answer"] = "answer"
    text: str


class TurnCommitted(Frozen):
    """The turn, answered and committed: the last event."""

    type: Literal["turn"] = "turn"
    turn: ConversationTurn


StreamEvent = StepStarted | StepEnded | DraftText | DraftRetracted | AnswerText | TurnCommitted
