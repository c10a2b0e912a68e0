"""The bounds on time of the tests: code that is too slow is refused, and a busy machine is not."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable

import pytest

from . import timing
from .timing import ROUNDS, Work, assert_linear, assert_ratio, assert_within, patiently, queued, undisturbed


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "PAUSE_SECONDS", 0.0)


def steps(count: int) -> None:
    """Keep the processor busy; time grows with the count."""
    for _ in range(count):
        pass


def linear(size: int) -> Work:
    return lambda: steps(10 * size)


def quadratic(size: int) -> Work:
    return lambda: steps(size * size // 500)


def delayed(share: float, seed: int) -> Callable[[int], Work]:
    """Linear work that now and then takes up to ten times as long, by chance."""
    chance = random.Random(seed)

    def prepare(size: int) -> Work:
        return lambda: steps(10 * size * (1 if chance.random() > share else chance.randint(2, 10)))

    return prepare


def test_linear_work_passes() -> None:
    assert_linear(linear, 5_000, 20_000, factor=8)


def test_quadratic_work_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"for a size of 20,000, .* the bound is 8 times, or 0 s"):
        assert_linear(quadratic, 5_000, 20_000, factor=8)


def test_quadratic_work_is_refused_whatever_the_machine_adds() -> None:
    chance = random.Random(3)
    with pytest.raises(AssertionError, match="times as much"):
        assert_linear(
            lambda size: lambda: steps(size * size // 500 * chance.choice((1, 1, 1, 2))), 5_000, 20_000, factor=8
        )


@pytest.mark.parametrize("seed", range(5))
def test_linear_work_with_delays_by_chance_passes(seed: int) -> None:
    assert_linear(delayed(0.5, seed), 5_000, 20_000, factor=6)


def test_linear_work_passes_after_rounds_that_were_all_too_slow() -> None:
    late = iter([30] * 4 + [1] * ROUNDS)

    def prepare(size: int) -> Work:
        return lambda: steps(10 * size * (next(late) if size >= 20_000 else 1))

    assert_linear(prepare, 5_000, 20_000, factor=6)
    assert len(list(late)) == ROUNDS - 1  # five rounds: the first that holds is the last


def test_waiting_is_not_counted() -> None:
    def prepare(size: int) -> Work:
        def work() -> None:
            steps(10 * size)
            time.sleep(0.1 if size >= 20_000 else 0)

        return work

    assert_linear(prepare, 5_000, 20_000, factor=8)


def test_the_undisturbed_clock_counts_waiting_for_anything_but_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    start = undisturbed()
    time.sleep(0.2)
    assert undisturbed() - start >= 0.19
    now = [100.0, 100.0]
    monkeypatch.setattr(timing, "queued", lambda: now[1])
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    start = undisturbed()
    now[:] = [110.0, 107.0]
    assert undisturbed() - start == 3.0


def test_nobody_has_waited_in_a_process_that_is_gone() -> None:
    assert queued("0") == 0.0


def test_quadratic_work_below_the_floor_passes() -> None:
    assert_linear(quadratic, 500, 2_000, factor=2, floor=0.5)
    with pytest.raises(AssertionError, match=r"or 1e-06 s"):
        assert_linear(quadratic, 500, 2_000, factor=2, floor=1e-6)


def test_no_size_comes_twice() -> None:
    sizes: list[int] = []

    def prepare(size: int) -> Work:
        sizes.append(size)
        return quadratic(size)

    with pytest.raises(AssertionError):
        assert_linear(prepare, 1_000, 4_000, factor=2)
    assert len(sizes) == 1 + 3 * ROUNDS and len(set(sizes[1:])) == 3 * ROUNDS


def test_a_ratio_that_is_too_large_is_refused() -> None:
    assert_ratio(lambda: steps(200_000), lambda: steps(100_000), factor=4)
    with pytest.raises(AssertionError, match="the bound is 4 times"):
        assert_ratio(lambda: steps(800_000), lambda: steps(100_000), factor=4)


def test_the_median_of_a_round_counts() -> None:
    clock = Runs(dict.fromkeys(range(9), 0.002) | {4: 0.5})
    assert_within(0.003, clock.prepare, runs=9, rounds=1, clock=clock)
    clock = Runs(dict.fromkeys(range(9), 0.004) | {4: 0.0})
    with pytest.raises(AssertionError, match=r"0\.0040 s; the bound is 0\.003 s"):
        assert_within(0.003, clock.prepare, runs=9, rounds=1, clock=clock)


def test_a_budget_that_is_broken_in_each_round_is_refused() -> None:
    clock = Runs(dict.fromkeys(range(100), 0.004))
    with pytest.raises(AssertionError):
        assert_within(0.003, clock.prepare, runs=2, clock=clock)
    assert clock.runs == 2 * ROUNDS


def test_a_budget_that_one_round_keeps_is_kept() -> None:
    clock = Runs(dict.fromkeys(range(100), 0.004) | {6: 0.002, 7: 0.002})
    assert_within(0.003, clock.prepare, runs=2, clock=clock)
    assert clock.runs == 8


def test_real_work_over_its_budget_is_refused() -> None:
    with pytest.raises(AssertionError):
        assert_within(0.002, lambda _: lambda: steps(1_000_000), rounds=3)


def test_a_measurement_is_tried_again_and_its_last_word_counts() -> None:
    told = iter(["first", "second", "", "fourth", "fifth", "sixth"])
    patiently(lambda: next(told))
    with pytest.raises(AssertionError, match="missed in 2 rounds: fifth"):
        patiently(lambda: next(told), rounds=2)
    assert list(told) == ["sixth"]


@pytest.mark.parametrize("error", [ValueError, AssertionError])
def test_what_fails_in_the_work_is_not_tried_again(error: type[Exception]) -> None:
    tried: list[int] = []

    def broken(number: int) -> Work:
        tried.append(number)
        raise error("no")

    with pytest.raises(error, match="no"):
        assert_within(1.0, broken)
    assert tried == [0] and gc.get_freeze_count() == 0


class Runs:
    """A clock that only the runs move, each by the seconds of its number."""

    def __init__(self, seconds: dict[int, float]) -> None:
        self.now, self.runs, self._seconds = 0.0, 0, seconds

    def __call__(self) -> float:
        return self.now

    def prepare(self, number: int) -> Work:
        def work() -> None:
            self.runs += 1
            self.now += self._seconds[number]

        return work
