"""Bounds on time that hold on a machine busy with other things, and that code which is too slow cannot meet.

Other work on the machine only ever adds time. So a call is timed by the processor time of its thread, which does not
count waiting for the processor; two calls that are compared are timed in turn; and where a bound is missed, all is
timed again after a pause, with the least of all rounds held against the same bound. Code that is too slow misses it in
every round.
"""

from __future__ import annotations

import gc
import itertools
import math
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ROUNDS = 8
PAUSE_SECONDS = 0.1
"""The pause after the first round that missed its bound; each pause is longer by as much."""

Work = Callable[[], object]
Clock = Callable[[], float]


def assert_linear(
    prepare: Callable[[int], Work],
    small: int,
    large: int,
    *,
    factor: float,
    floor: float = 0.0,
    clock: Clock = time.thread_time,
) -> None:
    """Assert that large work takes less than `factor` times what small work takes.

    Args:
        prepare: gives the work of a size; only the work is timed. It is called anew for each time, each time with a
            size greater by one, so that no cache knows the text.
        small: the smaller size.
        large: the larger size.
        factor: what the time may grow by, with room above `large / small`.
        floor: seconds that the large work may always take; times so small say nothing.
        clock: seconds; `time.process_time` where the work is done by other threads.
    """
    more = itertools.count()
    prepare(small)()  # reads what is read once
    _assert_ratio(
        lambda: prepare(large + next(more)),
        lambda: prepare(small + next(more)),
        names=(f"a size of {large:,}", f"a size of {small:,}"),
        factor=factor,
        floor=floor,
        clock=clock,
    )


def assert_ratio(
    work: Work, reference: Work, *, factor: float, floor: float = 0.0, clock: Clock = time.thread_time
) -> None:
    """Assert that some work takes less than `factor` times what other work takes, or less than `floor` seconds."""
    work()
    reference()
    names = ("the work", "the reference")
    _assert_ratio(lambda: work, lambda: reference, names=names, factor=factor, floor=floor, clock=clock)


def assert_within(
    seconds: float,
    prepare: Callable[[int], Work],
    *,
    runs: int = 1,
    rounds: int = ROUNDS,
    clock: Clock = time.thread_time,
) -> None:
    """Assert that some work takes less than some seconds: the median of the runs of a round.

    Args:
        seconds: the bound.
        prepare: gives the work of a run, by the number of the run: 0, 1, 2, ...; only the work is timed. What depends
            on the number is in no cache.
        runs: how many runs one round has.
        rounds: how many rounds may be tried.
        clock: seconds; `time.process_time` where the work is done by other threads.
    """
    numbers, least = itertools.count(), math.inf

    def measure() -> str:
        nonlocal least
        least = min(least, statistics.median(_spent(prepare(next(numbers)), clock) for _ in range(runs)))
        return "" if least < seconds else f"{least:.4f} s; the bound is {seconds} s"

    with _own_garbage_alone():
        patiently(measure, rounds=rounds)


def patiently(measure: Callable[[], str], *, rounds: int = ROUNDS) -> None:
    """Measure until a bound holds.

    Args:
        measure: tells how the bound was missed, or nothing where it holds. What else it asserts is not tried again.
        rounds: how many times it may be missed.

    Raises:
        AssertionError: it was missed in each round; the message is the last one.
    """
    missed = ""
    for number in range(rounds):
        if number:
            time.sleep(PAUSE_SECONDS * number)
        missed = measure()
        if not missed:
            return
    raise AssertionError(f"missed in {rounds} rounds: {missed}")


def undisturbed() -> float:
    """The clock, in seconds, less those in which this thread could have gone on and got no processor.

    For what may wait, which processor time does not count.
    """
    while True:
        waited, now = queued(), time.monotonic()
        if queued() == waited:  # else it had to wait between the two
            return now - waited


def queued(thread: str = "thread-self") -> float:
    """Seconds that a thread, or the first thread of a process by its id, has waited for a processor.

    Linux tells; elsewhere, and when the process is gone, it is 0.
    """
    try:
        with open(f"/proc/{thread}/schedstat", encoding="ascii") as told:
            return int(told.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def _assert_ratio(
    large: Callable[[], Work],
    small: Callable[[], Work],
    *,
    names: tuple[str, str],
    factor: float,
    floor: float,
    clock: Clock,
) -> None:
    many = few = math.inf

    def measure() -> str:
        nonlocal many, few
        few = min(few, _spent(small(), clock))
        many = min(many, _spent(large(), clock))
        few = min(few, _spent(small(), clock))  # twice: a small time that is too long would let anything pass
        if many < max(factor * few, floor):
            return ""
        return (
            f"{many:.4f} s for {names[0]}, {few:.4f} s for {names[1]}, {many / max(few, 1e-9):.1f} times as much; "
            f"the bound is {factor:g} times, or {floor:g} s"
        )

    with _own_garbage_alone():
        patiently(measure)


def _spent(work: Work, clock: Clock) -> float:
    start = clock()
    work()
    return clock() - start


@contextmanager
def _own_garbage_alone() -> Iterator[None]:
    """Let collections visit what the block makes, and not the million objects of the tests before."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
