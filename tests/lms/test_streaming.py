"""What the engine tells of an answer while it writes it: all pieces together are the answer, to the character."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import dspy
import pytest
from dspy import lm15
from dspy.lm15 import Config, Message, Request
from hypothesis import example, given, settings
from hypothesis import strategies as st

from turnkeeper.lms._generation import Generation, Options
from turnkeeper.lms._streaming import aevents_of, events_of
from turnkeeper.lms._template import Prompt

from .toy_model import ToyContext, ToyModel, logits

HOLE = [{"text": '{"answer": "'}, {"hole": {"max_tokens": 300, "stop": '"'}}, {"text": '"}'}]


def told(wanted: bytes, **config: Any) -> tuple[str, list[str]]:
    """The answer of a model that wants to write some bytes, and the pieces that were told of it."""
    pieces: list[str] = []
    start = len(b'{"answer": "') - 1 if "extensions" in config else 0

    def mind(text: bytes) -> Any:
        at = len(text) - start
        return logits({wanted[at : at + 1]: 9.0} if 0 <= at < len(wanted) else {b"": 9.0})

    options = Options.of(Config(temperature=0.0, max_tokens=400, **config), 400)
    model: Any = ToyModel()
    pool: Any = ToyContext(mind)
    outcome = Generation(model, 10_000, options, lambda: None, pieces.append).run(Prompt([], 0), pool, "exact")
    return outcome.text, pieces


TEXTS = st.text(alphabet='ab \\"\n\t\u00e9\U0001f9ea\u2028u0d83e', max_size=40)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
@example("\\ud83e\\udd6a and \\u00e9")
@example("\\")
def test_a_hole_is_told_as_it_will_stand_in_the_answer(text: str) -> None:
    answer, pieces = told(text.encode() + b'"', extensions={"skeleton": HOLE})
    assert "".join(pieces) == answer and all(pieces)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(st.sampled_from(["ab", "STOP", "\u00e9a", "\n"]), max_size=2))
@example("\U0001f9ea", [])
def test_free_text_is_told_up_to_its_stop(text: str, stops: list[str]) -> None:
    answer, pieces = told(text.encode(), stop=tuple(stops))
    assert "".join(pieces) == answer and all(pieces)


def test_a_text_is_told_while_it_is_written() -> None:
    _, pieces = told(b"Twelve boats lie here.")
    assert len(pieces) == len("Twelve boats lie here.")


def _request() -> Request:
    return Request(model="toy", messages=(Message.user("Say it."),))


def _complete(pieces: list[str], failure: BaseException | None = None) -> Any:
    ended: list[bool] = []

    def complete(request: Request, cancelled: threading.Event | None = None, hear: Any = None) -> lm15.Response:
        assert cancelled is not None
        for piece in pieces:
            if cancelled.is_set():
                ended.append(True)
                raise lm15.TransportError("given up")
            hear(piece)
        if failure is not None:
            raise failure
        cancelled.wait(0 if pieces != ["endless"] else 20)
        ended.append(cancelled.is_set())
        return lm15.Response(
            id="1", model="toy", message=Message.assistant("".join(pieces)), finish_reason="stop",
            usage=lm15.Usage(input_tokens=1, output_tokens=2),
        )  # fmt: skip

    complete.ended = ended  # type: ignore[attr-defined]
    return complete


def _read(complete: Any, asynchronous: bool) -> lm15.Response:
    if not asynchronous:
        return lm15.materialize_response(events_of(complete, _request()), _request())

    async def read() -> lm15.Response:
        return await lm15.amaterialize_response(aevents_of(complete, _request()), _request())

    return asyncio.run(read())


@pytest.mark.parametrize("asynchronous", [False, True])
def test_events_make_the_response_again_and_a_failure_is_the_readers(asynchronous: bool) -> None:
    response = _read(_complete(["One ", "boat."]), asynchronous)
    assert response.text == "One boat." and response.finish_reason == "stop" and response.usage.output_tokens == 2
    with pytest.raises(lm15.TimeoutError):
        _read(_complete(["One "], lm15.TimeoutError("late")), asynchronous)


def test_closing_the_events_ends_the_call() -> None:
    complete = _complete(["endless"])
    events = events_of(complete, _request())
    assert [event.type for _, event in zip(range(2), events, strict=False)] == ["start", "delta"]
    events.close()  # type: ignore[attr-defined]
    assert complete.ended == [True]


@pytest.mark.light
def test_the_light_model_streams_what_it_answers(light_lm: dspy.LM) -> None:
    request = Request(
        model="light", messages=(Message.user("Count to five."),), config=Config(temperature=0.0, max_tokens=24)
    )
    events = list(light_lm.engine.stream(request))
    text = "".join(event.delta.text for event in events if event.type == "delta")
    assert text == light_lm.engine.complete(request).text and len(events) > 5
    assert events[-1].usage.output_tokens

    stopped = light_lm.engine.stream(request)
    next(stopped), next(stopped)
    stopped.close()
    assert light_lm.engine.complete(request).text == text  # an answer given up leaves no trace
