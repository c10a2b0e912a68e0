"""Attacks by callers and their hooks: threads, tasks, caches, iterables, scrubbing, input that cannot be used."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from dspy.lm15 import Request, ServerError

from turnkeeper.errors import InputError

from ..scripted import prompt_of
from .hostile import BOATS, QUERY, guard, referent, said


def test_threads_and_tasks_with_failures_never_mix_turns(seen: list[Any]) -> None:
    def reply(request: Request) -> str:
        time.sleep(random.random() * 0.002)
        if random.random() < 0.2:
            raise ServerError("500")
        (boat,) = [name for name in BOATS if name in request.messages[-1].text]
        return referent(f"the {boat} ferry")

    keeper, wrong = guard(*[reply] * 2_000, cache_size=4), []

    def ask(number: int) -> None:
        boats = random.Random(number).choices(BOATS, k=8)
        turns = [{"history": said(b), "query": QUERY, "access_scope": {"regions": [b.lower()]}} for b in boats]

        async def together() -> list[Any]:
            return list(await asyncio.gather(*(keeper.acall(**turn) for turn in turns)))

        results = asyncio.run(together()) if number % 2 else [keeper(**turn) for turn in turns]
        for boat, result in zip(boats, results):  # noqa: B905
            expected = QUERY if result.fallback else f"does the {boat} ferry run at night?"
            reported = (f"regions in [{boat.lower()}]",)
            if (result.standalone_query, result.access_constraints_applied) != (expected, reported):
                wrong.append((boat, result))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(seen) == 256


def test_turns_that_differ_in_scope_or_history_share_no_cache_entry() -> None:
    keeper = guard(*(referent(f"the {boat} ferry") for boat in ("Tarn", "Tarn", "Arle")))
    for boat, regions in [("Tarn", ["nord"]), ("Tarn", ["sud"]), ("Arle", ["sud"]), ("Arle", ["sud"])]:
        result = keeper(history=said(boat), query=QUERY, access_scope={"regions": regions})
        assert boat in result.standalone_query
        assert result.access_constraints_applied == (f"regions in [{regions[0]}]",)
    assert keeper.lm.engine.calls == 3


def test_inputs_changed_after_the_call_change_no_later_answer() -> None:
    keeper, history = guard(referent("the Tarn ferry"), referent("the Arle ferry")), said("Tarn")
    keeper(history=history, query=QUERY)
    history[:] = said("Arle")
    assert "Tarn" in keeper(history=said("Tarn"), query=QUERY).standalone_query
    assert "Arle" in keeper(history=history, query=QUERY).standalone_query


def test_cancelled_call_leaves_the_guard_usable() -> None:
    async def run() -> Any:
        keeper = guard(*[referent("the Tarn ferry")] * 2)
        task = asyncio.create_task(keeper.acall(history=said("Tarn"), query=QUERY))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await keeper.acall(history=said("Tarn"), query=QUERY)

    assert asyncio.run(run()).ok


@pytest.mark.parametrize("given", [tuple, iter, lambda turns: (turn for turn in turns)])
def test_history_may_be_any_iterable(given: Callable[[Any], Any]) -> None:
    assert guard(referent("the Tarn ferry"))(history=given(said("Tarn")), query=QUERY).ok


def test_scrub_that_fails_sends_nothing() -> None:
    keeper = guard(scrub=lambda text: str(1 // 0))
    with pytest.raises(ZeroDivisionError):
        keeper(history=said("Tarn"), query=QUERY)
    assert keeper.lm.engine.calls == 0


def test_refused_input_is_not_quoted() -> None:
    with pytest.raises(InputError) as refused:
        guard()(history=[{"role": "user", "content": "x", "api_key": "sk-canary-0123456789"}], query=QUERY)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("scrub", [5, lambda text: None, lambda text: 7])
def test_scrub_that_gives_no_text_is_an_input_error(scrub: Any) -> None:
    with pytest.raises(InputError):
        guard(scrub=scrub)(history=said("Tarn"), query=QUERY)


class _Odd(list):  # type: ignore[type-arg]
    def __bool__(self) -> bool:
        raise ValueError("the truth value is ambiguous")


def test_history_without_a_truth_value_is_read() -> None:
    assert guard(referent("the Tarn ferry"))(history=_Odd(said("Tarn")), query=QUERY).ok


def test_history_that_cannot_be_read_is_an_input_error() -> None:
    with pytest.raises(InputError, match="ZeroDivisionError"):
        guard()(history=(1 // 0 for _ in "a"), query=QUERY)


def test_order_of_turns_changes_no_answer() -> None:  # REF-11
    alone, after = (guard(*[referent("the Tarn ferry")] * 4, cache_size=0) for _ in range(2))
    after(history=said("Arle"), query="is it open?")
    turn = {"history": said("Tarn"), "query": QUERY}
    assert alone(**turn).standalone_query == after(**turn).standalone_query
    assert prompt_of(alone.lm.engine.requests[0]) == prompt_of(after.lm.engine.requests[-1])
