"""`gepa`: instructions by reflection on feedback, with the engine of https://arxiv.org/abs/2507.19457 (package `gepa`).

The engine is the one DSPy's GEPA wraps; its adapter is ours, so that every row goes through journal and budget.
A large reflection LM is needed: what a 1.5B model makes of feedback is noise.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from typing import Any

from ..behaviours import GoldenRow
from ..errors import InputError
from ..evaluation import Scored
from ._metered import BudgetSpentError, ask_text
from .demos import by_predictor, choose, gold_pool, ids, with_demos
from .parameters import GepaOptions, options_of
from .task import Candidate, CompileTask, Proposals


class Gepa:
    """Evolves the instructions of a program with a few labelled demos; proposes the pareto of what it found."""

    options = GepaOptions

    def propose(self, task: CompileTask) -> Proposals:
        if task.reflection_lm is None:
            raise InputError("optimizer `gepa` needs --reflection-lm: a large LM that reflects on the feedback")
        import gepa

        given = options_of(self.options, task.options)
        rng = task.rng("gepa")
        demos = {name: choose(pool, given.demos, rng) for name, pool in sorted(by_predictor(gold_pool(task)).items())}
        adapter = _Adapter(task, demos)
        start = {name: predictor.signature.instructions for name, predictor in task.program().named_predictors()}
        with contextlib.redirect_stdout(io.StringIO()):  # the engine prints
            result = gepa.optimize(
                seed_candidate=start,
                trainset=list(task.train),
                valset=list(task.dev),
                adapter=adapter,
                reflection_lm=adapter.reflect,
                reflection_minibatch_size=given.minibatch,
                max_metric_calls=given.max_metric_calls or len(task.dev) * (task.candidates + 1),
                stop_callbacks=[lambda state: adapter.over or task.stopped() is not None],
                logger=_Silent(),
                seed=rng.randrange(2**31),
                raise_on_exception=True,
            )
        order = sorted(range(len(result.candidates)), key=lambda n: (-result.val_aggregate_scores[n], n))
        for place, number in enumerate(order[: task.candidates]):
            texts = result.candidates[number]
            said = {"demos": ids(demos), "parents": [p for p in result.parents[number] if p is not None]}
            yield Candidate(f"gepa-{place}", with_demos(task, demos, texts), said)


class _Adapter:
    """What the engine asks of a system: scores for a batch, and what went wrong in words."""

    propose_new_texts = None  # the engine's own proposer, over `reflect`

    def __init__(self, task: CompileTask, demos: dict[str, Any]) -> None:
        self.task, self.demos = task, demos
        self.over = False

    def evaluate(self, batch: list[GoldenRow], candidate: dict[str, str], capture_traces: bool = False) -> Any:
        from gepa.core.adapter import EvaluationBatch

        program = self.task.program(with_demos(self.task, self.demos, candidate))
        done = {scored.id: scored for scored in self.task.score(program, batch).rows}
        rows = [done.get(row.id) for row in batch]
        self.over = self.over or None in rows  # the budget ended: what is missing counts as 0 and nothing follows
        return EvaluationBatch(
            outputs=[scored.prediction if scored else {} for scored in rows],
            scores=[(scored.score or 0.0) if scored else 0.0 for scored in rows],
            trajectories=list(zip(batch, rows, strict=True)) if capture_traces else None,
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        trajectories = eval_batch.trajectories or []
        return {name: self._seen(trajectories, name) for name in components_to_update}

    def _seen(self, trajectories: Sequence[tuple[GoldenRow, Scored | None]], name: str) -> list[dict[str, Any]]:
        """Show the rows that this predictor is asked in; all of them when it is asked in none."""
        asked = [
            (row, scored)
            for row, scored in trajectories
            if any(demo.predictor == name for demo in self.task.behaviour.demos(row, self.task.form))
        ]
        return [
            {
                "Inputs": self.task.behaviour.reflected(row),
                "Generated Outputs": scored.prediction if scored else {},
                "Feedback": scored.feedback if scored else "",
            }
            for row, scored in asked or trajectories
        ]

    def reflect(self, prompt: Any) -> str:
        try:
            return ask_text(self.task.reflection_lm, prompt)
        except BudgetSpentError:
            self.over = True
            return ""


class _Silent:
    """The engine's logger; library code prints nothing."""

    def log(self, message: str) -> None:
        pass
