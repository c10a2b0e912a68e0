"""Demos: only what the metric proves may teach, and choices are seeded and spread over kinds."""

from __future__ import annotations

import random
from collections.abc import Callable

import dspy
import pytest

from turnkeeper.compiling import Budget, CompileOptions, CompileTask
from turnkeeper.compiling.demos import PooledDemo, choose, gold_pool, proven, with_demos
from turnkeeper.compiling.plan import plan_of

Options = Callable[..., CompileOptions]


@pytest.fixture
def task(options: Options, lm: dspy.LM) -> CompileTask:
    return plan_of(options(), lm, Budget()).tasks[0]


def pool(kinds: str, families: str) -> list[PooledDemo]:
    pairs = enumerate(zip(kinds, families, strict=True))
    return [PooledDemo(f"r{n}", kind, family, "rewrite", {}) for n, (kind, family) in pairs]


def test_every_kind_comes_before_a_second_of_any() -> None:
    chosen = choose(pool("aaaaabc", "1234567"), 3, random.Random(0))
    assert sorted(demo.kind for demo in chosen) == ["a", "b", "c"]


def test_no_conversation_teaches_twice() -> None:
    assert len(choose(pool("abc", "111"), 3, random.Random(0))) == 1


def test_the_same_seed_gives_the_same_choice() -> None:
    there = pool("abcabcabc", "123456789")
    assert choose(there, 4, random.Random(7)) == choose(there, 4, random.Random(7))
    assert len({tuple(d.row_id for d in choose(there, 4, random.Random(seed))) for seed in range(5)}) > 1


def test_a_small_pool_gives_what_it_has() -> None:
    assert len(choose(pool("ab", "12"), 8, random.Random(0))) == 2
    assert choose([], 8, random.Random(0)) == []


def test_a_gold_demo_is_proven_and_a_wrong_one_is_not(task: CompileTask) -> None:
    row = next(row for row in task.train if task.behaviour.demos(row, "referents")[:1])
    (demo,) = task.behaviour.demos(row, "referents")
    wrong = {"referents": [{"mention": m, "referent": "the wrong thing"} for m in demo.fields.get("mentions", [])]}
    bad = demo._replace(fields={**demo.fields, **wrong, "standalone_query": "Is it?"})
    assert proven(task, row, demo) >= 0.9 > proven(task, row, bad)


def test_a_demo_that_cannot_be_read_is_not_proven(task: CompileTask) -> None:
    row = next(row for row in task.train if task.behaviour.demos(row, "rewrite"))
    (demo,) = task.behaviour.demos(row, "rewrite")
    assert proven(task, row, demo._replace(fields={**demo.fields, "standalone_query": None})) == 0.0


def test_pooled_demos_are_complete(task: CompileTask) -> None:
    demos = gold_pool(task)
    fields = {name: set(p.signature.fields) for name, p in task.program().named_predictors()}
    assert len(demos) > 10
    assert all(set(demo.fields) == fields[demo.predictor] for demo in demos)
    assert all(value is not None for demo in demos for value in demo.fields.values())


def test_a_demo_shows_the_history_as_the_guard_passes_it_on(task: CompileTask) -> None:
    from turnkeeper.data import reformulate as golden

    rows = [row for row in golden.load("train") if row.access_scope and row.access_scope.restricted_terms]
    shown = [demo.fields["history"] for row in rows for demo in task.behaviour.demos(row, "rewrite")]
    terms = [term for row in rows for term in row.access_scope.restricted_terms if row.access_scope]
    assert shown and not any(term in history for term in terms for history in shown)


def test_a_state_holds_the_demos_and_no_lm(task: CompileTask) -> None:
    demos = [demo for demo in gold_pool(task) if demo.predictor == "referents"][:2]
    state = with_demos(task, {"referents": demos}, {"rewrite": "Say it in full."})
    assert [demo["query"] for demo in state["referents"]["demos"]] == [demo.fields["query"] for demo in demos]
    assert state["rewrite"]["signature"]["instructions"] == "Say it in full."
    assert {predictor["lm"] for predictor in state.values()} == {None}
