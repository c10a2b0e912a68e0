"""The checks of carry_forward on hostile input: nothing raises, what passes keeps every question, time is linear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics.carry_forward import check, outcome

from ..timing import assert_linear, assert_within
from .carry_forward_turns import KILN, RENT, entry, passage, resolved, still, turn

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from((KILN, RENT, "K-4")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ROW = st.dictionaries(
    st.sampled_from(("question", "answer", "citations", "missing_evidence", "attempts", "question_id")),
    JSON,
    max_size=5,
)
FIELDS = st.sampled_from(("current_answer", "resolved_questions", "updated_unresolved_questions"))


@settings(max_examples=150, deadline=None)
@given(JSON | st.dictionaries(FIELDS, JSON | st.lists(ROW, max_size=4), max_size=3), st.booleans())
def test_any_prediction_is_judged_and_keeps_every_question(prediction: Any, failed: bool) -> None:
    ledger = [entry(KILN, question_id="a"), entry(RENT, question_id="b")]
    context = None if failed else [passage("K-4", "Kiln 4 is fired on 12 October.")]
    given_ = {**turn(ledger, "Who owns the pit?", context=context), "prediction": prediction}
    found = check(**given_)
    assert found == check(**given_) and all(v.message for v in found)
    after = outcome(**given_)
    if found:
        assert after.ledger == tuple(ledger)
    left = {e.question_id for e in after.ledger} | set(after.resolved)
    assert {"a", "b"} <= left


class _Raising:
    @property
    def current_answer(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize("prediction", [_Raising(), object(), float("nan"), b"x", "\ud800"])
def test_a_foreign_object_never_raises(prediction: Any) -> None:
    assert check(**{**turn([KILN]), "prediction": prediction})


HOSTILE = {
    "words": "kiln 4 fired and when ", "questions": "when? what? who? ", "brackets": "[Source: K",
    "newlines": "\n- a\n",
    "stops": "a. b. c. ", "digits": "1 2.3 4:5 ", "denials": "i cannot find any documents ", "no spaces": "窯窯。",
    "ands": "and what ",
    "marks": "\u0301?", "prompts": "and so ok well ", "what": "what is ",
}  # fmt: skip


def _checked(text: str) -> Callable[[], object]:
    ledger = [entry(KILN), entry(text)]
    given_ = turn(
        ledger, text, context=[passage("K-4", text, text[:200])],
        current={"text": text, "citations": ["K-4"], "status": "ANSWERED"},
        done=[resolved(KILN, text, "K-4")], open_=[still(text, text)],
    )  # fmt: skip
    return lambda: check(**given_)


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    unit = HOSTILE[name]
    assert_linear(lambda size: _checked(unit * (size // len(unit)) + str(size)), 25_000, 100_000, factor=8, floor=0.15)


def test_an_ordinary_turn_takes_about_a_millisecond() -> None:
    def work(n: int) -> Callable[[], object]:
        given_ = turn(
            [KILN, f"Who pays the rent of shed {n}?", "How deep is the clay pit?"], f"Who owns pit {n}?",
            context=[passage("K-4", f"Kiln 4 is fired on 12 October {n}."),
            passage("P-1", f"Pit {n} is owned by Ada Lind.")],
            current={"text": "Ada Lind owns it [Source: P-1].", "citations": ["P-1"], "status": "ANSWERED"},
            done=[resolved(KILN, "On 12 October.", "K-4")],
            open_=[still(f"Who pays the rent of shed {n}?"), still("How deep is the clay pit?")],
        )  # fmt: skip

        def checked() -> None:
            assert check(**given_) == []

        return checked

    assert_within(0.01, work, runs=60)  # ten times the budget, which the benchmark holds on a quiet machine
