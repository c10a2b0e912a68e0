"""The evaluation runner: order, errors, early stop, budget, journal, Ctrl-C."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import dspy
import pytest

from turnkeeper.adapters import get_adapter
from turnkeeper.data.reformulate import Gold, GoldenRow
from turnkeeper.errors import SetupError
from turnkeeper.evaluation import Evaluation, Scored, evaluate
from turnkeeper.evaluation.baselines import CopyQuery
from turnkeeper.metrics.reformulate import metric
from turnkeeper.modules._guard import Guard
from turnkeeper.modules._reformulate_rules import ReformulateBehaviour
from turnkeeper.modules.reformulate import Reformulate
from turnkeeper.signatures.types import AccessScope, Turn

HISTORY = (Turn(role="user", content="Tell me about the Orvane kettle."), Turn(role="assistant", content="It boils."))


def row(number: int, query: str = "Is it loud?", scope: AccessScope | None = None) -> GoldenRow:
    gold = Gold(
        standalone_query="Is the Orvane kettle loud?",
        action="rewrite",
        resolved_references=(),
        acceptable=(),
        must_contain=("Orvane kettle",),
        must_not_contain=(),
    )
    return GoldenRow(
        id=f"r{number}", kind="pronoun", domain="kitchen", language="en", family=f"f{number}",
        history=HISTORY, query=query, access_scope=scope, gold=gold,
    )  # fmt: skip


ROWS = [row(n) for n in range(8)]


class Canned(dspy.Module):  # type: ignore[misc]
    """Answers each call with what `answer` makes of its number."""

    def __init__(self, answer: Callable[[int], str]) -> None:
        super().__init__()
        self.answer = answer
        self.calls = 0
        self.seen: list[Any] = []
        self.lock = threading.Lock()

    def forward(self, *, history: Sequence[Turn], query: str, correction_feedback: str = "") -> dspy.Prediction:
        with self.lock:
            number, self.calls = self.calls, self.calls + 1
        self.seen.append((history, dspy.settings.lm))
        text = self.answer(number)
        return dspy.Prediction(standalone_query=text, action="rewrite", resolved_references=(), lm_calls=1)


def right(number: int) -> str:
    return "Is the Orvane kettle loud?"


def run(program: Any, rows: Sequence[GoldenRow] = ROWS, **options: Any) -> Evaluation:
    return evaluate(program, rows, metric, **{"lm": None, "adapter": None, "bare": True, **options})


class Memory(dict[str, Scored]):
    def put(self, key: str, scored: Scored) -> None:
        self[key] = scored


class Calls:
    """A budget of a number of rows."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.spent = 0

    def allow(self, calls: int = 1) -> bool:
        return self.left >= calls

    def spend(self, calls: int, prompt_tokens: int, completion_tokens: int, usd: float) -> None:
        self.left -= 1
        self.spent += 1

    @property
    def stopped(self) -> str | None:
        return None if self.left else "calls"


def test_right_answers_score_one() -> None:
    found = run(Canned(right))
    assert found.mean() == 1.0 and found.complete and found.stopped is None


def test_the_copy_baseline_scores_below_a_rewrite_and_asks_no_lm() -> None:
    found = run(CopyQuery())
    assert 0 < found.mean() < 0.6 and {r.lm_calls for r in found.rows} == {0}


def test_order_is_kept_in_threads() -> None:
    def slow_first(number: int) -> str:
        time.sleep(0.02 if number % 2 == 0 else 0)
        return right(number)

    found = run(Canned(slow_first), threads=4)
    assert [r.id for r in found.rows] == [r.id for r in ROWS]


def test_threads_see_the_settings_of_the_caller() -> None:
    program = Canned(right)
    with dspy.context(provide_traceback=True, lm="outer"):
        run(program, threads=2, lm="inner")
    assert {lm for _, lm in program.seen} == {"inner"}


def test_a_failed_row_has_no_score_and_does_not_lower_the_mean() -> None:
    def down(number: int) -> str:
        if number == 3:
            raise ConnectionError("key sk-123 refused")
        return right(number)

    found = run(Canned(down))
    assert found.errors == 1 and found.mean() == 1.0 and found.complete
    assert found.rows[3].score is None and found.rows[3].error == "ConnectionError"


def test_an_unreadable_answer_scores_zero_and_is_no_error(scripted_lm: Callable[..., dspy.LM]) -> None:
    found = run(Reformulate("rewrite"), ROWS[:1], lm=scripted_lm("{"), adapter=get_adapter("json"))
    assert found.rows[0].score == 0.0 and found.errors == 0 and found.rows[0].violations == ("unparsable",)


def test_tokens_and_calls_are_counted(scripted_lm: Callable[..., dspy.LM]) -> None:
    reply = '{"standalone_query": "Is the Orvane kettle loud?"}'
    found = run(Reformulate("rewrite"), ROWS[:1], lm=scripted_lm(reply), adapter=get_adapter("compact"))
    assert (found.rows[0].lm_calls, found.rows[0].completion_tokens) == (1, len(reply.split()))


def guard(lm: dspy.LM) -> Guard[Any, Any]:
    return Guard(ReformulateBehaviour(), Reformulate("rewrite"), lm=lm, adapter=get_adapter("compact"))


def test_a_fallback_of_the_guard_is_counted_with_its_violations(scripted_lm: Callable[..., dspy.LM]) -> None:
    bad = '{"standalone_query": "Is it loud?"}'
    found = run(guard(scripted_lm(bad, bad)), ROWS[:1], bare=False)
    assert found.fallback_rate == 1.0 and found.rows[0].violations == ("residual_reference",)


def test_an_lm_error_behind_the_guard_is_an_error_row(scripted_lm: Callable[..., dspy.LM]) -> None:
    found = run(guard(scripted_lm(ValueError("down"))), ROWS[:1], bare=False)
    assert found.errors == 1 and math.isnan(found.mean()) and found.rows[0].error


def test_restricted_terms_are_masked_for_the_bare_program() -> None:
    program = Canned(right)
    run(program, [row(0, scope=AccessScope(restricted_terms=["Orvane"]))])
    assert "Orvane" not in program.seen[0][0][0].content


def test_a_raising_metric_propagates() -> None:
    def broken(*arguments: Any) -> Any:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        evaluate(Canned(right), ROWS, broken, bare=True)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_missing_setup_ends_the_run(threads: int) -> None:
    def missing(number: int) -> str:
        raise SetupError("install something")

    with pytest.raises(SetupError):
        run(Canned(missing), threads=threads)


def test_early_stop_when_the_best_can_no_longer_be_exceeded() -> None:
    program = Canned(lambda number: "")
    found = run(program, must_exceed=6.0)
    assert program.calls == 2 and found.stopped == "early_stop" and not found.complete


def test_no_early_stop_while_the_best_can_still_be_exceeded() -> None:
    found = run(Canned(lambda number: right(number) if number else ""), must_exceed=6.5)
    assert found.complete and sum(r.score or 0 for r in found.rows) == 7.0


@pytest.mark.parametrize("seed", range(50))
def test_early_stop_never_changes_the_winner(seed: int) -> None:
    rng = random.Random(seed)
    tables = [[rng.random() ** rng.choice((0.3, 1, 3)) for _ in ROWS] for _ in range(6)]
    best, winner = -1.0, -1
    for number, table in enumerate(tables):
        scores = {row.id: score for row, score in zip(ROWS, table, strict=True)}
        found = evaluate(Canned(right), ROWS, lambda row, said, s=scores: s[row.id], bare=True, must_exceed=best)
        total = sum(r.score or 0.0 for r in found.rows)
        if found.complete and total > best:
            best, winner = total, number
    assert winner == max(range(6), key=lambda n: sum(tables[n]))


def test_error_rows_never_stop_a_candidate() -> None:
    def down(number: int) -> str:
        raise ConnectionError

    assert run(Canned(down), must_exceed=7.5).complete


@pytest.mark.parametrize("threads", [1, 2])
def test_the_budget_is_asked_before_each_row(threads: int) -> None:
    found = run(Canned(right), budget=Calls(3), threads=threads)
    assert found.stopped == "budget" and 3 <= len(found.rows) <= 3 + threads - 1


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_the_journal_are_not_asked_again(threads: int) -> None:
    journal, program = Memory(), Canned(right)
    run(program, ROWS[:5], journal=journal)
    found = run(program, journal=journal, threads=threads)
    assert program.calls == 8 and [r.reused for r in found.rows] == [True] * 5 + [False] * 3


def test_error_rows_stay_out_of_the_journal() -> None:
    def down(number: int) -> str:
        raise ConnectionError

    journal = Memory()
    run(Canned(down), journal=journal)
    assert journal == {}


def test_rows_of_the_journal_cost_no_budget() -> None:
    journal, budget = Memory(), Calls(8)
    run(Canned(right), journal=journal)
    run(Canned(right), journal=journal, budget=budget)
    assert budget.spent == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_what_is_done(threads: int) -> None:
    def stop(scored: Scored, done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    found = run(Canned(right), on_row=stop, threads=threads)
    assert found.stopped == "interrupted" and len(found.rows) >= 3


def test_the_callback_counts_the_rows() -> None:
    told: list[tuple[str, int, int]] = []
    run(Canned(right), on_row=lambda scored, done, total: told.append((scored.id, done, total)))
    assert told[0] == ("r0", 1, 8) and told[-1] == ("r7", 8, 8)
