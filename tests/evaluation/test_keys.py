"""Keys of a journal: what a scored row depends on, and nothing else."""

from __future__ import annotations

from typing import Any

from turnkeeper.adapters import get_adapter
from turnkeeper.data.reformulate import GoldenRow
from turnkeeper.evaluation.keys import Keys
from turnkeeper.metrics.reformulate import metric
from turnkeeper.modules.reformulate import Reformulate

from .conftest import ROWS


def key(program: Any, of: GoldenRow = ROWS[0], **options: Any) -> str:
    return Keys(program, metric, **{"lm": None, "adapter": None, "bare": True, **options}).of(of)


def test_a_key_depends_on_demos_row_repetition_and_adapter() -> None:
    with_demo = Reformulate("rewrite")
    with_demo.rewrite.demos = [{"query": "a", "standalone_query": "b"}]
    plain = Reformulate("rewrite")
    keys = [
        key(plain), key(with_demo), key(plain, ROWS[1]), key(plain, rollout=1), key(plain, adapter=get_adapter("json")),
        key(Reformulate("referents")),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)


def test_a_key_is_the_same_for_the_same_program() -> None:
    assert key(Reformulate("rewrite")) == key(Reformulate("rewrite"))


def test_a_key_depends_on_the_gold() -> None:
    other = ROWS[0].gold.model_copy(update={"standalone_query": "Will the Orvane kettle leak?"})
    plain = Reformulate("rewrite")
    assert key(plain) != key(plain, ROWS[0].model_copy(update={"gold": other}))


def test_a_key_holds_no_secret_of_the_lm() -> None:
    class LM:
        model = "openai/x"

        def __init__(self, api_key: str) -> None:
            self.kwargs = {"temperature": 0.0, "api_key": api_key}

    assert key(Reformulate("rewrite"), lm=LM("sk-1")) == key(Reformulate("rewrite"), lm=LM("sk-2"))


def test_a_bare_program_is_keyed_by_the_predictor_that_the_row_asks() -> None:
    plain, other = Reformulate("referents"), Reformulate("referents")
    other.rewrite.demos = [{"query": "a", "standalone_query": "b"}]
    mention, fragment = ROWS[0], ROWS[0].model_copy(update={"query": "and the price?"})
    assert plain.asks(history=mention.history, query=mention.query) == ("referents",)
    assert plain.asks(history=fragment.history, query=fragment.query) == ("rewrite",)
    assert key(plain, mention) == key(other, mention) and key(plain, fragment) != key(other, fragment)
