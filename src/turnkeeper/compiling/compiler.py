"""`compile_program`: from a golden set to a released artifact, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ..adapters import get_adapter
from ..behaviours import Behaviour
from ..errors import SetupError
from ..evaluation import Evaluation, Scored, evaluate
from ..evaluation.baselines import CopyQuery
from ..optimized import Artifact
from . import artifact as artifacts
from .budget import Budget
from .journal import JsonlJournal
from .options import CompileOptions
from .outcome import Observer, Outcome
from .plan import plan_of
from .prompts import rendered_demos
from .registry import get_optimizer
from .search import ZERO_SHOT, Dev, SearchResult, Trial, search
from .task import CompileTask


def compile_program(
    options: CompileOptions,
    lm: Any,
    *,
    teacher: Any = None,
    reflection_lm: Any = None,
    budget: Budget | None = None,
    observers: tuple[Observer, ...] = (),
    metric: Callable[..., Any] | None = None,
    journal: JsonlJournal | None = None,
) -> Outcome:
    """Search for a better program on train and dev, and write the winner.

    The same options and seed give the same bytes; run again after an interruption, scored rows come from the journal.
    Nothing is written when no candidate beats the best zero-shot program on dev, when the winner shows no demos and no
    new instruction, or when the artifact of that name did better on the same dev split (unless `options.replace`).

    Args:
        options: What to do.
        lm: The LM to compile for; caching off, so that calls are counted.
        teacher: The LM that bootstraps demos; `lm` by default.
        reflection_lm: The LM that proposes instructions, for mipro and gepa.
        budget: Limits; made from the options by default. `budget.halt(reason)` stops it from another thread.
        observers: Told of every row and candidate, in this thread.
        metric: Another metric than the behaviour's own.
        journal: An open journal that several compiles share; that of the options by default.

    Raises:
        InputError: An option, the golden set or the journal cannot be used, or nothing can be written to `out`.
        SetupError: Something must be installed, started or freed first; the same command then goes on.
    """
    behaviour = options.validated()
    artifacts.require_place(options.out, behaviour.name)
    budget = budget or Budget(options.limits)
    with nullcontext(journal) if journal is not None else JsonlJournal(options.journal_for(lm.model)) as kept:
        run = _Compile(options, behaviour, lm, teacher, reflection_lm, budget, kept, observers, metric)
        return run.go()


class _Compile:
    """One compile: what its steps share."""

    def __init__(
        self,
        options: CompileOptions,
        behaviour: Behaviour,
        lm: Any,
        teacher: Any,
        reflection_lm: Any,
        budget: Budget,
        journal: JsonlJournal,
        observers: tuple[Observer, ...],
        metric: Callable[..., Any] | None,
    ) -> None:
        self.options, self.lm, self.budget, self.journal, self.observers = options, lm, budget, journal, observers
        self.metric = metric or behaviour.metric
        self.behaviour = behaviour
        self.rows = self.reused = 0
        self.plan = plan_of(
            options, lm, budget, teacher=teacher, reflection_lm=reflection_lm, metric=self.metric, score=self._score,
            journal=journal,
        )  # fmt: skip

    def _score(
        self,
        adapter: str,
        program: Any,
        rows: Any,
        *,
        lm: Any = None,
        must_exceed: float | None = None,
        label: str = "",
    ) -> Evaluation:
        def on_row(scored: Scored, done: int, total: int) -> None:
            self.rows += 1
            self.reused += scored.reused
            for observer in self.observers:
                observer.row(label, scored, done, total)

        done = evaluate(
            program, rows, self.metric, lm=lm or self.lm, adapter=get_adapter(adapter), bare=True, journal=self.journal,
            budget=self.budget, threads=self.options.threads, must_exceed=must_exceed, on_row=on_row,
            behaviour=self.behaviour,
        )  # fmt: skip
        self.budget.fail(*done.failures())
        if done.stopped == "interrupted":
            self.budget.halt("interrupted")
        return done

    def go(self) -> Outcome:
        for observer in self.observers:
            observer.started(self.options, self.plan)
        found = search(
            self.plan.tasks,
            lambda: get_optimizer(self.options.optimizer),
            self.plan.candidates,
            Dev(self._dev, self._tell),
            lambda: self.budget.stopped,
        )
        if found.stopped == "interrupted":
            self._interrupted(found)
        try:
            outcome = self._conclude(found)
        except KeyboardInterrupt:  # what is known is kept; only the test split is not asked any more
            self._interrupted(found)
            outcome = self._conclude(found)
        try:
            for observer in self.observers:
                observer.finished(outcome)
        except KeyboardInterrupt:  # the artifact is there, whatever an observer could not finish
            self._interrupted(found)
        return outcome

    def _interrupted(self, found: SearchResult) -> None:
        found.stopped = "interrupted"
        self.budget.halt("interrupted")

    def _dev(self, task: CompileTask, state: dict[str, Any], must_exceed: float | None) -> Evaluation:
        label = f"{task.form}/{task.adapter_name}"
        return self._score(task.adapter_name, task.program(state), task.dev, must_exceed=must_exceed, label=label)

    def _tell(self, trial: Trial) -> None:
        for observer in self.observers:
            observer.trial(trial)

    def _conclude(self, found: SearchResult) -> Outcome:
        metrics, test, untested = self._metrics(found), None, None
        slug = self.options.slug_for(self.lm.model)
        reason, written = self._refusal(found, slug), None
        if reason is None and found.best is not None:
            demos = rendered_demos(found.best.task, found.best.candidate.state)
            if not any(demos.values()) and not _new_instruction(found.best):
                reason = "the best candidate shows the model no demos and no new instruction"
            else:
                test, untested = self._test(found)
                if test is not None:
                    metrics["test"] = artifacts.summary(test)
                    metrics["test_predictions"] = artifacts.predictions(test)
                metrics["demos"] = demos
                written = self._write(found.best, slug, metrics, demos)
        return Outcome(written, reason, found, metrics, test, self.reused, self.rows, self.budget, untested)

    def _write(self, winner: Trial, slug: str, metrics: dict[str, Any], demos: dict[str, int]) -> Artifact:
        try:
            return artifacts.write(
                self.options, self.lm, winner, slug=slug, metrics=metrics, golden=self.plan.golden, demos=demos
            )
        except OSError as error:
            place = Path(self.options.out, self.behaviour.name, f"{slug}.json")
            raise SetupError(
                f"{place}: cannot be written ({error.strerror or type(error).__name__}); the scored rows are in "
                f"{self.journal.path}, so the same command goes on from there"
            ) from None

    def _refusal(self, found: SearchResult, slug: str) -> str | None:
        if found.zero_shot is None:
            return f"no zero-shot program could be scored on {self.plan.dev} dev rows ({found.stopped})"
        if found.best is None:
            if self.options.optimizer == ZERO_SHOT:
                return "zero-shot proposes nothing: the program as it is was scored"
            proposed = [trial for trial in found.trials if trial.candidate.name != ZERO_SHOT]
            if not proposed and found.stopped is None:
                return f"optimizer `{self.options.optimizer}` ended with no demos: no answer or gold passed the metric"
            why = f", and the search ended early ({found.stopped})" if found.stopped else ""
            return f"none of {len(proposed)} candidates is better than zero-shot on dev{_failures(proposed)}{why}"
        if self.options.replace:
            return None
        there = artifacts.better_one(
            Path(self.options.out), self.behaviour.name, slug, found.best.evaluation.mean(), self.plan.golden["dev"]
        )
        if there is not None:
            return f"{there.path} did better on this dev split ({there.manifest.dev_score:.4f}); it stays"
        return None

    def _metrics(self, found: SearchResult) -> dict[str, Any]:
        metrics: dict[str, Any] = {}
        copied = evaluate(
            CopyQuery(self.behaviour), self.plan.tasks[0].dev, self.metric, bare=True, behaviour=self.behaviour
        )
        if copied.stopped == "interrupted":
            raise KeyboardInterrupt
        metrics["copy"] = artifacts.summary(copied)
        if found.zero_shot is not None:
            zero = found.zero_shot
            metrics["zero_shot"] = {
                **artifacts.summary(zero.evaluation),
                "form": zero.task.form,
                "adapter": zero.task.adapter_name,
            }
        if found.best is not None and found.zero_shot is not None:
            metrics["dev"] = artifacts.summary(found.best.evaluation)
            metrics["improvement"] = artifacts.difference(found.zero_shot.evaluation, found.best.evaluation)
        return metrics

    def _test(self, found: SearchResult) -> tuple[Evaluation | None, str | None]:
        """Answer the test split once; an incomplete answer is no record, and then the second value says why."""
        if not self.options.test:
            return None, "--no-test"
        if not self.plan.test or found.best is None:
            return None, "the golden set has no test rows"
        task, state = found.best.task, found.best.candidate.state
        done = self._score(task.adapter_name, task.program(state), self.plan.test, label="test")
        if done.stopped is not None and self.budget.stopped == "interrupted":  # by Ctrl-C here, or in another thread
            found.stopped = "interrupted"
        failed = done.failures()
        if failed:
            return None, f"{len(failed)} of {len(self.plan.test)} test rows failed ({failed[0]})"
        if not done.complete:
            return None, f"stopped after {len(done.rows)} of {len(self.plan.test)} test rows ({self.budget.stopped})"
        return done, None


def _failures(trials: Sequence[Trial]) -> str:
    """Say which candidates could not be compared: a failed row is no low score, and is asked again next time."""
    failed = [trial for trial in trials if trial.evaluation.errors]
    if not failed:
        return ""
    error = failed[0].evaluation.failures()[0]
    return f", {len(failed)} not compared since rows failed ({error}): the same command asks these rows again"


def _new_instruction(trial: Trial) -> bool:
    state = trial.candidate.state
    code = {name: predictor.signature.instructions for name, predictor in trial.task.program().named_predictors()}
    return any(state[name]["signature"]["instructions"] != text for name, text in code.items() if name in state)
