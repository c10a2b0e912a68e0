"""A question that stands alone is asked of cite without what was said before; one in doubt is not. Scripted steps."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper import Conversation
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import Notice, Passage

FERRY = Passage(doc_id="FER-1", title="Ferry", text="The Tarn ferry takes 40 minutes and costs 12 crowns.")


class _Seen:
    """An answerer that notes which history it was given."""

    def __init__(self) -> None:
        self.histories: list[list[Any]] = []

    def __call__(self, *, history: list[Any], **_: Any) -> str:
        self.histories.append(list(history))
        return "It takes 40 minutes [Source: FER-1]."


def rewritten(*codes: str, **fields: Any) -> Any:
    """A reformulation by script, with warnings of these codes."""
    warnings = tuple(Notice(code=code, message="by script") for code in codes)
    made = {"standalone_query": "What does the Tarn ferry cost?", "action": "rewrite", "warnings": warnings, **fields}
    return lambda **_: ReformulateResult(**made)


def second_history(reformulate: Any) -> list[Any]:
    seen = _Seen()
    talk = Conversation(MemoryStore(), reformulate=reformulate, expand=None, answerer=seen, carry_forward=None)
    talk.turn("s", "How long does the Tarn ferry take?", passages=[FERRY])
    talk.turn("s", "and what does it cost?", passages=[FERRY])
    return seen.histories[1]


def test_a_question_made_to_stand_alone_needs_no_history() -> None:
    assert second_history(rewritten()) == []
    assert second_history(lambda **_: "What does the Tarn ferry cost?") == []


@pytest.mark.parametrize("code", ["ambiguous_reference", "guessed_reference", "uncertain_reference"])
def test_a_doubtful_reference_keeps_it(code: str) -> None:
    assert [turn.role for turn in second_history(rewritten(code))] == ["user", "assistant"]


def test_a_fallback_and_a_step_that_is_off_or_fails_keep_it() -> None:
    def broken(**_: Any) -> Any:
        raise RuntimeError("gone")

    for reformulate in (rewritten(fallback=True, ok=False), None, broken):
        assert len(second_history(reformulate)) == 2
