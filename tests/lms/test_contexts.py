"""Contexts that are taken over or cannot be cut: no answer depends on what was asked before. The light model."""

from __future__ import annotations

import random
from collections.abc import Iterator

import dspy
import numpy as np
import pytest

from turnkeeper.lms._context import BATCH, ContextPool, PromptContext

pytestmark = pytest.mark.light

REST = [300, 301, 302]


@pytest.fixture
def context(light_lm: dspy.LM) -> Iterator[PromptContext]:
    context = fresh(light_lm)
    yield context
    context.close()


def fresh(light_lm: dspy.LM) -> PromptContext:
    engine = light_lm.engine
    engine.load()
    return PromptContext(engine._loaded.model, 512, 1)


def prefix(length: int) -> list[int]:
    draw = random.Random(0)
    return [draw.randrange(200, 5000) for _ in range(length)]


def read(context: PromptContext, static: list[int]) -> int:
    return context.start([*static, *REST], len(static), "exact", lambda: None)


def test_a_prefix_that_begins_like_one_that_was_put_out_is_read_anew(
    light_lm: dspy.LM, context: PromptContext
) -> None:  # REF-11
    pool = ContextPool(lambda: fresh(light_lm), 1)
    longer = prefix(BATCH + 90)
    shorter = longer[: BATCH + 30]
    assert read(pool.get(longer), longer) == 0
    taken_over = pool.get(shorter)
    assert read(taken_over, shorter) == 0
    read(context, shorter)
    assert np.array_equal(taken_over.logits(), context.logits())
    pool.close()


def test_a_prefix_that_is_still_there_is_reused(light_lm: dspy.LM) -> None:
    pool = ContextPool(lambda: fresh(light_lm), 2)
    one, other = prefix(60), prefix(60)[::-1]
    assert [read(pool.get(static), static) for static in (one, other, one, other)] == [0, 0, 60, 60]
    pool.close()


def test_a_model_that_cannot_be_cut_reads_the_whole_prompt_again(
    context: PromptContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    static = prefix(60)
    read(context, static)
    monkeypatch.setattr(context._lib, "llama_memory_seq_rm", lambda *_: False)
    assert read(context, static) == 0
    assert context.tokens == [*static, *REST]
