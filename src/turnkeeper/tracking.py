"""What a compile leaves in MLflow: a parent run, a child run a candidate, inputs, tables, plots, the artifact.

Everything is logged through a client with explicit run ids, so that compiles in other threads and processes keep
their runs apart; MLflow's autolog and its active run are not used (its compile callbacks share one numbering, and its
traces hold every prompt). No LM object and no prompt reaches MLflow; texts stand in the per-example tables and
in the demos of candidates' states, and not there either with `TURNKEEPER_LOG_TEXT=0`: then only the artifact, which is
the product, holds demos. `_tracked` says what the runs hold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _tracked, settings
from ._mlflow import client, dataset, experiment_id, log_inputs, log_metrics, log_parameters, told
from .optimized.artifact import manifest_path

if TYPE_CHECKING:
    from .behaviours import Behaviour, GoldenRow
    from .compiling.options import CompileOptions
    from .compiling.outcome import Outcome
    from .compiling.plan import Plan
    from .compiling.search import Trial
    from .evaluation import Evaluation, Scored


class MlflowObserver:
    """Logs one compile; use it as a context, which ends its run.

    A failure of MLflow ends the tracking, never the compile: `problem` says what it was. That holds for a store that
    is locked, unreachable or full, and for an MLflow that is not installed.

    Args:
        uri: The tracking store; `settings.tracking_uri()` by default.
        experiment: Name of the experiment; `turnkeeper/<behaviour>` by default.
        tags: Further tags of the parent run.
        on_problem: Told of the failure, in one line, when it happens.
    """

    def __init__(
        self,
        uri: str | None = None,
        experiment: str | None = None,
        *,
        tags: Mapping[str, str] | None = None,
        on_problem: Callable[[str], None] | None = None,
    ) -> None:
        self.uri = uri or settings.tracking_uri()
        self.experiment = experiment
        self.tags = dict(tags or {})
        self.run_id: str | None = None
        self.problem: str | None = None
        self._on_problem = on_problem
        self._client: Any = None
        self._experiment_id = ""
        self._behaviour: Behaviour | None = None
        self._golden: dict[str, GoldenRow] = {}
        self._status = "FAILED"
        self._since = 0

    def started(self, options: CompileOptions, plan: Plan) -> None:
        """Open the parent run with its parameters and data sets."""
        self._behaviour = plan.behaviour
        self._golden = {row.id: row for row in (*plan.tasks[0].dev, *plan.test)}
        self._safely(lambda: self._open(options, plan))
        self._since = _now()

    def row(self, label: str, scored: Scored, done: int, total: int) -> None:
        """Rows are logged with their candidate."""

    def trial(self, trial: Trial) -> None:
        """Log a candidate as a child run."""
        self._safely(lambda: self._child(trial))
        self._since = _now()

    def finished(self, outcome: Outcome) -> None:
        """Log what the compile came to."""
        self._status = "KILLED"  # what it is when Ctrl-C comes in the next line
        self._safely(lambda: self._conclude(outcome))
        self._status = "KILLED" if outcome.search.stopped == "interrupted" else "FINISHED"

    def figures(self, named: Mapping[str, float]) -> None:
        """Log figures that came after the compile had finished, by metric name."""
        self._safely(lambda: log_metrics(self._client, self.run_id or "", dict(named), 0))

    def __enter__(self) -> MlflowObserver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.run_id is None:
            return
        status = "KILLED" if kind is not None and issubclass(kind, KeyboardInterrupt) else self._status
        # What ended the tracking has been told, and nothing is left to interrupt; RUNNING would be a lie.
        with suppress(Exception, KeyboardInterrupt):
            if self.problem is not None:
                self._client.set_tag(self.run_id, "turnkeeper.tracking", f"incomplete: {self.problem}")
            self._client.set_terminated(self.run_id, status=status)

    def _safely(self, step: Callable[[], None]) -> None:
        if self.problem is not None:
            return
        try:
            step()
        except Exception as error:  # a full disk or a server that is gone must not cost a compile
            self.problem = told(error)
            if self._on_problem is not None:
                self._on_problem(self.problem)

    def _open(self, options: CompileOptions, plan: Plan) -> None:
        self._client = client(self.uri)
        name = self.experiment or f"turnkeeper/{plan.behaviour.name}"
        self._experiment_id = experiment_id(self._client, name, self.uri)
        run = self._client.create_run(
            self._experiment_id,
            run_name=_tracked.run_name(options, plan),
            tags={
                "turnkeeper.behaviour": plan.behaviour.name,
                "turnkeeper.kind": "compile",
                "mlflow.source.name": f"turnkeeper compile {plan.behaviour.name}",
                "mlflow.source.type": "LOCAL",
                **self.tags,
            },
        )
        self.run_id = run.info.run_id
        log_parameters(self._client, self.run_id, _tracked.parameters(options, plan))
        inputs = [dataset(f"{plan.behaviour.name}-{split}", digest, split) for split, digest in plan.golden.items()]
        log_inputs(self._client, self.run_id, inputs)

    def _child(self, trial: Trial) -> None:
        tags = {"mlflow.parentRunId": self.run_id or "", "turnkeeper.kind": "candidate"}
        if trial.unscored is not None:
            tags["turnkeeper.unscored"] = trial.unscored
        run = self._client.create_run(self._experiment_id, run_name=trial.label, tags=tags, start_time=self._since)
        run_id = run.info.run_id
        log_parameters(self._client, run_id, _tracked.candidate_parameters(trial))
        log_metrics(self._client, run_id, _tracked.candidate_metrics(trial), trial.number)
        self._client.log_table(run_id, self._columns(trial.evaluation), "dev_rows.json")
        if settings.log_text():  # a state holds demos
            self._client.log_dict(run_id, trial.candidate.state, "state.json")
        self._client.set_terminated(run_id)
        if trial.score is not None and self.run_id is not None:
            log_metrics(self._client, self.run_id, {"search/dev_score": trial.score}, trial.number)

    def _columns(self, evaluation: Evaluation) -> dict[str, list[Any]]:
        assert self._behaviour is not None  # `started` came first, or there is no run
        return _tracked.columns(evaluation, self._golden, self._behaviour)

    def _conclude(self, outcome: Outcome) -> None:
        run_id, found = self.run_id, outcome.search
        if run_id is None:
            return
        if found.best is not None:
            log_parameters(self._client, run_id, _tracked.candidate_parameters(found.best, "best"))
        log_metrics(self._client, run_id, _tracked.parent_metrics(outcome), 0)
        self._client.set_tag(run_id, "turnkeeper.outcome", outcome.reason or "written")
        self._client.set_tag(run_id, "mlflow.note.content", _tracked.note(outcome))
        for name, evaluation in _tracked.evaluations(outcome).items():
            self._client.log_table(run_id, self._columns(evaluation), f"{name}_rows.json")
        self._plots(run_id, outcome)
        if outcome.artifact is not None:
            for path in (outcome.artifact.path, manifest_path(outcome.artifact.path)):
                self._client.log_artifact(run_id, str(path), "artifact")

    def _plots(self, run_id: str, outcome: Outcome) -> None:
        from ._plots import Point, by_candidate, by_component, by_kind

        series = {name: outcome.metrics[key] for name, key in _SERIES.items() if key in outcome.metrics}
        trials = outcome.search.trials
        counts = _tracked.counted_kinds(trials[0].task.dev) if trials else {}
        points = [Point(trial.label, trial.score, trial.accepted, trial.unscored or "") for trial in trials]
        for name, figure in (
            ("score_by_kind", by_kind({name: said["kinds"] for name, said in series.items()}, counts)),
            ("score_by_component", by_component(series)),
            ("score_by_candidate", by_candidate(points)),
        ):
            self._client.log_figure(run_id, figure, f"plots/{name}.png")


def _now() -> int:
    return int(time.time() * 1000)


_SERIES = {"copied": "copy", "zero-shot": "zero_shot", "compiled": "dev"}
