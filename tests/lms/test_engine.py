"""The embedded engine on the light model: machinery, not quality."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dspy
import pytest
from dspy.lm15 import Config, Message, Request, Response
from dspy.utils.exceptions import ContextWindowExceededError, LMError, LMInvalidRequestError, LMTimeoutError

from turnkeeper.lms.engine import AsyncLlamaEngine, LlamaEngine

from ..timing import patiently, undisturbed

pytestmark = pytest.mark.light

QUESTIONS = [f"Say something about the number {number}." for number in range(12)]
SYSTEMS = ["You are terse.", "You are a sailor.", "You count things."]


@pytest.fixture
def engine(light_lm: dspy.LM) -> Any:
    """An engine of its own, so that counts and contexts start at nothing."""
    engine = LlamaEngine(light_lm.engine.path, n_ctx=1024)
    yield engine
    engine.close()


def lm_of(engine: LlamaEngine, **options: Any) -> dspy.LM:
    options = {"temperature": 0.0, "max_tokens": 16, "cache": False, "num_retries": 0, **options}
    return dspy.LM("llama-cpp/light", engine=engine, async_engine=AsyncLlamaEngine(engine), **options)


def ask(engine: LlamaEngine, user: str, system: str | None = SYSTEMS[0], **config: Any) -> Response:
    settings = {"temperature": 0.0, "max_tokens": 16, **config}
    return engine.complete(
        Request(model="light", system=system, messages=(Message.user(user),), config=Config(**settings))
    )


def test_a_call_counts_its_tokens(engine: LlamaEngine) -> None:
    usage = ask(engine, "Say hi.").usage
    assert usage.input_tokens is not None and usage.input_tokens > 10
    assert usage.output_tokens is not None and 1 <= usage.output_tokens <= 16
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens


def test_the_static_prefix_is_reused(engine: LlamaEngine) -> None:
    first = ask(engine, "Say hi.").usage.cache_read_tokens
    second = ask(engine, "Say hello to all of us.").usage.cache_read_tokens
    assert first == 0 and second is not None and second > 5
    assert engine.stats.calls == 2 and engine.stats.reused_tokens == second


def test_exact_mode_reuses_no_token_of_the_question(engine: LlamaEngine) -> None:
    prefix = ask(engine, "a").usage
    again = ask(engine, "Say hi to the crew.").usage
    same = ask(engine, "Say hi to the crew.").usage
    assert prefix.cache_read_tokens == 0
    assert same.cache_read_tokens == again.cache_read_tokens


def test_longest_mode_reuses_the_question_too(light_lm: dspy.LM) -> None:
    engine = LlamaEngine(light_lm.engine.path, n_ctx=1024, reuse="longest")
    first = ask(engine, "Say hi to the crew.").usage
    second = ask(engine, "Say hi to the crew.").usage
    engine.close()
    assert first.input_tokens is not None and second.cache_read_tokens == first.input_tokens - 1


def test_the_order_of_requests_cannot_change_an_answer(light_lm: dspy.LM) -> None:  # REF-11
    prompts = [(question, SYSTEMS[index % 3]) for index, question in enumerate(QUESTIONS)]

    def answers(order: list[tuple[str, str]]) -> dict[tuple[str, str], str | None]:
        engine = LlamaEngine(light_lm.engine.path, n_ctx=1024, max_contexts=2)
        found = {prompt: ask(engine, *prompt, max_tokens=24).text for prompt in order}
        engine.close()
        return found

    forward, backward = answers(prompts), answers(prompts[::-1])
    assert len(set(forward.values())) > 6  # answers that differ, else equality says little
    assert forward == backward


def test_a_seeded_sample_can_be_repeated(engine: LlamaEngine) -> None:
    first, second, other = (ask(engine, QUESTIONS[0], temperature=1.5, seed=seed).text for seed in (7, 7, 8))
    assert first == second != other


def test_top_k_one_is_greedy(engine: LlamaEngine) -> None:
    assert ask(engine, QUESTIONS[1], temperature=2.0, top_k=1, seed=1).text == ask(engine, QUESTIONS[1]).text


def test_a_stop_string_ends_and_is_left_out(engine: LlamaEngine) -> None:
    whole = ask(engine, QUESTIONS[2]).text or ""
    word = whole.split()[2]
    stopped = ask(engine, QUESTIONS[2], stop=(word,))
    assert stopped.text == whole[: whole.index(word)]
    assert stopped.finish_reason == "stop"


def test_max_tokens_is_said_to_have_ended_it(engine: LlamaEngine) -> None:
    response = ask(engine, QUESTIONS[3], max_tokens=3)
    assert response.finish_reason == "length" and response.usage.output_tokens == 3


def test_a_schema_bounds_lists_and_texts(engine: LlamaEngine) -> None:
    schema = {
        "type": "object",
        "properties": {
            "names": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 8}},
            "size": {"enum": ["big", "small"]},
        },
        "required": ["names", "size"],
        "additionalProperties": False,
    }
    text = ask(engine, "A box.", max_tokens=80, response_format={"type": "json_schema", "schema": schema}).text
    found = json.loads(text or "")
    assert len(found["names"]) <= 2 and all(len(name) <= 8 for name in found["names"])
    assert found["size"] in {"big", "small"}


def test_a_grammar_holds_when_sampling(engine: LlamaEngine) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    wanted = {"type": "json_schema", "schema": schema}
    texts = [ask(engine, "A number.", temperature=1.8, seed=seed, response_format=wanted).text for seed in range(5)]
    assert all(text is not None and text.lstrip().startswith("{") for text in texts)


def test_a_schema_that_no_grammar_expresses_is_an_invalid_request(engine: LlamaEngine) -> None:
    wanted = {"name": "a", "schema": {"$ref": "#/$defs/Missing"}}
    with pytest.raises(LMInvalidRequestError, match="grammar"):
        lm_of(engine)("x", response_format={"type": "json_schema", "json_schema": wanted})


def test_context_overflow_is_dspys_error(engine: LlamaEngine) -> None:
    with pytest.raises(ContextWindowExceededError, match="context of 1024 tokens"):
        lm_of(engine)("word " * 2000)


def test_a_call_after_an_overflow_works(engine: LlamaEngine) -> None:
    before = ask(engine, QUESTIONS[0]).text
    with pytest.raises(ContextWindowExceededError):
        lm_of(engine)("word " * 2000)
    assert ask(engine, QUESTIONS[0]).text == before


def test_a_deadline_is_a_timeout_of_dspy(light_lm: dspy.LM) -> None:
    engine = LlamaEngine(light_lm.engine.path, n_ctx=1024, deadline=1e-6)
    with pytest.raises(LMTimeoutError, match="did not answer within"):
        lm_of(engine)("Say hi.")
    engine.close()


def test_the_deadline_of_the_settings_counts(engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNKEEPER_LM_DEADLINE", "0.000001")
    with pytest.raises(LMTimeoutError):
        lm_of(engine)("Say hi.")


def test_answers_after_a_timeout_are_those_of_before(engine: LlamaEngine) -> None:
    before = ask(engine, QUESTIONS[4]).text
    engine.deadline = 1e-6
    with pytest.raises(LMTimeoutError):
        lm_of(engine)("Say hi.")
    engine.deadline = None
    assert ask(engine, QUESTIONS[4]).text == before


def test_a_cancelled_task_frees_the_engine(engine: LlamaEngine) -> None:
    async def give_up() -> None:
        call = asyncio.create_task(lm_of(engine, max_tokens=900).acall("Tell a very long story."))
        await asyncio.sleep(0.3)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    ask(engine, "Say hi.")  # loads the model
    calls = itertools.count(1)

    def measure() -> str:
        asyncio.run(give_up())
        begin = undisturbed()
        ask(engine, "Say hi.")
        seconds = undisturbed() - begin
        assert engine.stats.calls == 1 + next(calls)  # what was given up was not answered first
        return "" if seconds < 3 else f"{seconds:.1f} s"  # 900 tokens take longer

    patiently(measure)


def test_threads_wait_for_each_other(engine: LlamaEngine) -> None:
    alone = [ask(engine, question).text for question in QUESTIONS[:8]]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda question: ask(engine, question).text, QUESTIONS[:8]))
    assert together == alone


def test_async_gives_what_sync_gives(engine: LlamaEngine) -> None:
    lm = lm_of(engine)

    async def gather() -> list[Any]:
        return await asyncio.gather(*(lm.acall(question) for question in QUESTIONS[:4]))

    assert asyncio.run(gather()) == [lm(question) for question in QUESTIONS[:4]]


def test_contexts_are_bounded(light_lm: dspy.LM) -> None:
    engine = LlamaEngine(light_lm.engine.path, n_ctx=512, max_contexts=2)
    for system in SYSTEMS:
        ask(engine, "Say hi.", system, max_tokens=2)
    assert engine.contexts == 2
    assert ask(engine, "Say ho.", SYSTEMS[2], max_tokens=2).usage.cache_read_tokens  # the latest stayed
    assert ask(engine, "Say ho.", SYSTEMS[0], max_tokens=2).usage.cache_read_tokens == 0  # the oldest went
    engine.close()


def test_a_copy_is_the_engine_itself(engine: LlamaEngine) -> None:
    lm = lm_of(engine)
    assert copy.deepcopy(lm).engine is engine and copy.copy(engine) is engine
    assert copy.deepcopy(AsyncLlamaEngine(engine)).engine is engine


def test_nothing_is_printed(light_lm: dspy.LM) -> None:
    code = (
        "from turnkeeper.lms.engine import LlamaEngine; from dspy.lm15 import *;"
        f"e = LlamaEngine({str(light_lm.engine.path)!r}, n_ctx=512);"
        "e.complete(Request(model='m', messages=(Message.user('hi'),), config=Config(max_tokens=2)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=dict(os.environ), check=True)
    assert done.stdout == b"" and done.stderr == b""


def test_tools_are_refused(engine: LlamaEngine) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    with pytest.raises(LMError, match="takes no tools"):
        lm_of(engine)("x", tools=[tool])


def test_banned_words_do_not_occur(engine: LlamaEngine) -> None:
    whole = ask(engine, QUESTIONS[5], max_tokens=24).text or ""
    word = max(whole.split()[:6], key=len).strip(".,!?")
    banned = ask(engine, QUESTIONS[5], max_tokens=24, extensions={"banned_words": ["the", "a", word]}).text or ""
    assert not {"the", "a"} & set(banned.lower().split())
