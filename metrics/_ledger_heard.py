"""How a turn is heard by the ledger: whether it asks something new, or completes a question that is open.

The one reading for the checks and for the program; in a conversation it is that of `turn_kind`, from the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..signatures.types import OpenQuestion, Turn
from ._ledger_utterance import Asking, asking, cannot_stand
from ._speech_act import ends_as_question
from ._turn_kind import CLARIFIED, left_open, turn_kind


class Heard(NamedTuple):
    """What a turn is to the ledger.

    Attributes:
        asking: Whether it asks something that may have to be kept.
        completes: Whether it adds to the newest pending question ("March."), and asks nothing itself.
        states: Whether it does so by a sentence, which another step may have taken for a question.
    """

    asking: Asking
    completes: bool
    states: bool = False


def heard(question: str, ledger: Iterable[OpenQuestion], *, turn: int, history: Sequence[Turn] = ()) -> Heard:
    """Hear a turn: what asks nothing is small talk, a look at the conversation, a statement, or completes a question.

    Args:
        question: The user's message of this turn.
        ledger: Open questions before it; resolved ones count for nothing.
        turn: Its number, from 1.
        history: What was said before. Without an assistant's turn at its end only the ledger tells what is waiting.
    """
    known = [entry for entry in ledger if entry.status != "resolved"]
    pending = [entry for entry in known if entry.status == "pending"]
    if history and history[-1].role == "assistant":
        kind = turn_kind(question, history=history, pending=[entry.question for entry in pending]).kind
        if kind in ("clarification", "social"):
            return Heard("nothing", kind == "clarification")
        asks = asking(question, known, first=turn == 1, clarifying=False, searched=kind == "question")
        adds = asks == "nothing" and bool(pending) and left_open(history[-1].content) and _fills(question)
        return Heard(asks, adds, states=adds)
    if pending and (pending[-1].first_asked_turn >= turn - 1 or cannot_stand(question)):
        asks = asking(question, known, first=turn == 1)
        if asks == "nothing" and _fills(question):
            return Heard(asks, True)
    return Heard(asking(question, known, first=turn == 1, clarifying=False), False)


def _fills(question: str) -> bool:
    """Whether words that ask nothing now may fill a gap: few, and no small talk, which asks nothing anywhere."""
    few = len(question.split()) <= CLARIFIED and not ends_as_question(question)
    return few and asking(question, first=True) != "nothing"
