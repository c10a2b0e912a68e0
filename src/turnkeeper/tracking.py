"""What a compile leaves in MLflow: a parent run, a child run a candidate, inputs, tables, plots, the artifact.

Everything is logged through a client with explicit run ids, so that compiles in other threads and processes keep
their runs apart; MLflow's autolog and its active run are not used (its compile callbacks share one numbering, and its
traces hold every prompt). No LM object and no prompt reaches MLflow; texts stand in the per-example tables alone, and
not there either with `TURNKEEPER_LOG_TEXT=0`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from . import settings
from ._mlflow import client, columns, dataset, experiment_id, log_metrics, log_parameters, means
from .optimized.artifact import manifest_path

if TYPE_CHECKING:
    from .compiling.options import CompileOptions
    from .compiling.outcome import Outcome
    from .compiling.plan import Plan
    from .compiling.search import Trial
    from .evaluation import Scored


class MlflowObserver:
    """Logs one compile; use it as a context, which ends its run.

    A failure of MLflow ends the tracking, never the compile: `problem` says what it was.

    Args:
        uri: The tracking store; `settings.tracking_uri()` by default.
        experiment: Name of the experiment; `turnkeeper/<behaviour>` by default.

    Raises:
        SetupError: MLflow is not installed.
    """

    def __init__(self, uri: str | None = None, experiment: str | None = None) -> None:
        self.uri = uri or settings.tracking_uri()
        self.experiment = experiment
        self.run_id: str | None = None
        self.problem: str | None = None
        self._client = client(self.uri)
        self._experiment_id = ""
        self._options: CompileOptions | None = None
        self._plan: Plan | None = None
        self._texts: dict[str, tuple[str, str]] = {}
        self._status = "FAILED"

    def started(self, options: CompileOptions, plan: Plan) -> None:
        """Open the parent run with its parameters and data sets."""
        self._options, self._plan = options, plan
        self._texts = {row.id: (row.query, row.gold.standalone_query) for task in plan.tasks[:1] for row in task.dev}
        self._safely(self._open)

    def row(self, label: str, scored: Scored, done: int, total: int) -> None:
        """Rows are logged with their candidate."""

    def trial(self, trial: Trial) -> None:
        """Log a candidate as a child run."""
        self._safely(lambda: self._child(trial))

    def finished(self, outcome: Outcome) -> None:
        """Log what the compile came to."""
        self._status = "KILLED" if outcome.search.stopped == "interrupted" else "FINISHED"
        self._safely(lambda: self._conclude(outcome))

    def __enter__(self) -> MlflowObserver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.run_id is not None:
            run_id = self.run_id
            self._safely(lambda: self._client.set_terminated(run_id, status=self._status))

    def _safely(self, step: Callable[[], None]) -> None:
        if self.problem is not None:
            return
        try:
            step()
        except Exception as error:  # a full disk or a server that is gone must not cost a compile
            said = str(error).splitlines()[0][:200] if str(error) else ""
            # The address of a store may hold a password.
            self.problem = f"{type(error).__name__}: {_CREDENTIALS.sub('//***@', said)}"

    def _open(self) -> None:
        options, plan = self._options, self._plan
        assert options is not None and plan is not None
        name = self.experiment or f"turnkeeper/{plan.behaviour.name}"
        self._experiment_id = experiment_id(self._client, name, self.uri)
        run = self._client.create_run(
            self._experiment_id,
            run_name=f"{options.slug_for(plan.model)} seed {options.seed}",
            tags={"turnkeeper.behaviour": plan.behaviour.name, "turnkeeper.kind": "compile"},
        )
        self.run_id = run.info.run_id
        log_parameters(
            self._client,
            self.run_id,
            {
                "optimizer.name": options.optimizer,
                "optimizer.seed": options.seed,
                **{f"optimizer.{name}": value for name, value in options.parameters.items()},
                "search.form": options.form,
                "search.adapter": options.adapter,
                "search.candidates": plan.candidates,
                "search.threads": options.threads,
                "budget.name": options.budget,
                **{
                    f"budget.max_{name}": value for name, value in options.limits._asdict().items() if value is not None
                },
                "lm.model": plan.model,
                "data.train.rows": plan.train,
                "data.dev.rows": plan.dev,
                "data.dev.rows_in_split": plan.dev_all,
                **{f"data.{split}.digest": digest[:16] for split, digest in plan.golden.items()},
            },
        )
        self._client.log_inputs(
            self.run_id,
            datasets=[
                dataset(f"{plan.behaviour.name}-{split}", digest, split) for split, digest in plan.golden.items()
            ],
        )

    def _child(self, trial: Trial) -> None:
        tags = {"mlflow.parentRunId": self.run_id or "", "turnkeeper.kind": "candidate"}
        run = self._client.create_run(self._experiment_id, run_name=trial.label, tags=tags)
        run_id = run.info.run_id
        log_parameters(
            self._client,
            run_id,
            {
                "candidate.name": trial.candidate.name,
                "candidate.form": trial.task.form,
                "candidate.adapter": trial.task.adapter_name,
                **{f"candidate.{name}": value for name, value in trial.candidate.parameters.items()},
            },
        )
        metrics = {**means("dev", trial.evaluation), "accepted": float(trial.accepted)}
        metrics["complete"] = float(trial.evaluation.complete)
        log_metrics(self._client, run_id, metrics, trial.number)
        self._client.log_table(run_id, columns(trial.evaluation, self._texts), "rows.json")
        self._client.log_dict(run_id, trial.candidate.state, "state.json")
        self._client.set_terminated(run_id)
        if trial.score is not None and self.run_id is not None:
            log_metrics(self._client, self.run_id, {"dev/score_by_candidate": trial.score}, trial.number)

    def _conclude(self, outcome: Outcome) -> None:
        from ._plots import by_candidate, by_kind

        if self.run_id is None:
            return
        run_id, found = self.run_id, outcome.search
        spent = outcome.budget.spent
        metrics = {"cost/calls": spent.calls, "cost/tokens": spent.tokens, "cost/seconds": spent.seconds,
                   "cost/usd": spent.usd, "reused_rows": outcome.reused, "candidates": len(found.trials)}  # fmt: skip
        for name, trial in (("dev", found.best), ("zero_shot", found.zero_shot)):
            if trial is not None:
                metrics.update(means(name, trial.evaluation))
        for name in ("copy", "improvement"):
            said = outcome.metrics.get(name, {})
            metrics.update({f"{name}/{key}": said[key] for key in ("mean", "low", "high") if key in said})
        if outcome.test is not None:
            metrics.update(means("test", outcome.test))
        log_metrics(self._client, run_id, metrics, 0)
        self._client.set_tag(run_id, "turnkeeper.outcome", outcome.reason or "written")
        if found.best is not None:
            self._client.log_table(run_id, columns(found.best.evaluation, self._texts), "rows.json")
        kinds = {name: outcome.metrics[key]["kinds"] for name, key in _SERIES.items() if key in outcome.metrics}
        self._client.log_figure(run_id, by_kind(kinds), "plots/score_by_kind.png")
        scores = [(trial.label, trial.score, trial.accepted) for trial in found.trials]
        self._client.log_figure(run_id, by_candidate(scores), "plots/score_by_candidate.png")
        if outcome.artifact is not None:
            for path in (outcome.artifact.path, manifest_path(outcome.artifact.path)):
                self._client.log_artifact(run_id, str(path), "artifact")


_CREDENTIALS = re.compile(r"//[^@/\s]{1,200}@")
_SERIES = {"copied": "copy", "zero-shot": "zero_shot", "compiled": "dev"}
