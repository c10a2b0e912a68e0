"""One streamed turn on the real embedded model, and one that is given up half-way."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import dspy
import pytest

from turnkeeper.conversation import AnswerText, Conversation, DraftRetracted, DraftText, TurnCommitted
from turnkeeper.sessions import SqlStore
from turnkeeper.signatures.types import Passage

pytestmark = pytest.mark.embedded
PAGES = [
    Passage(doc_id="SPA-1", title="Spa opening", text="The Harn spa opens at 7:00 and closes at 22:30."),
    Passage(doc_id="SPA-2", title="Spa fares", text="A day ticket of the Harn spa costs 18 crowns."),
]
ASKED = "When does the Harn spa open and close, and what does a day ticket cost?"


def test_a_turn_on_the_embedded_model(embedded_lm: dspy.LM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNKEEPER_LM_DEADLINE", "1800")  # how fast the machine is does not matter here
    with SqlStore(tmp_path / "s.db") as store:
        talk = Conversation(store, lm=embedded_lm)
        begin, first, shown, told = time.perf_counter(), 0.0, "", []
        for event in talk.stream("s", ASKED, passages=PAGES, idempotency_key="a"):
            told.append(event)
            if isinstance(event, DraftText):
                first = first or time.perf_counter() - begin
                shown += event.text
            elif isinstance(event, DraftRetracted):
                shown = ""
        last, ended = told[-1], time.perf_counter() - begin
        assert isinstance(last, TurnCommitted) and last.turn.turn == 1
        assert "".join(event.text for event in told if isinstance(event, AnswerText)) == last.turn.answer
        assert last.turn.answer.startswith(shown)
        assert 0 < first < ended, [event.type for event in told]  # a draft came, before the turn was over
        with contextlib.closing(talk.stream("s", f"{ASKED} Please.", passages=PAGES, idempotency_key="b")) as events:
            for event in events:
                if getattr(event, "name", "") == "cite":
                    break
        assert talk.state("s").turn == 1
        again = talk.turn("s", ASKED, passages=PAGES, idempotency_key="a")
        assert again.replayed and talk.export("s").state.turn == 1
        assert embedded_lm("Say one word.", max_tokens=4)  # the engine goes on
