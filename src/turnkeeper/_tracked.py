"""What the runs of a compile are called and hold: parameters, metrics, tables and a note; nothing here calls MLflow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import settings
from .compiling.options import lm_label
from .evaluation.summary import told

if TYPE_CHECKING:
    from .behaviours import Behaviour, GoldenRow
    from .compiling.options import CompileOptions
    from .compiling.outcome import Outcome
    from .compiling.plan import Plan
    from .compiling.search import Trial
    from .evaluation import Evaluation

_HISTORY_SHOWN = 2
"""Messages before the query in a table."""


def run_name(options: CompileOptions, plan: Plan) -> str:
    """Return a name whose beginning tells runs apart, since lists of runs show no more of it."""
    return f"{options.optimizer} seed {options.seed}, {options.slug or lm_label(plan.model)}"


def parameters(options: CompileOptions, plan: Plan) -> dict[str, Any]:
    """Return what a compile was asked to do."""
    limits = {f"budget.max_{name}": value for name, value in options.limits._asdict().items() if value is not None}
    return {
        "lm.model": plan.model,
        "lm.temperature": plan.tasks[0].lm.kwargs.get("temperature"),
        "optimizer.name": options.optimizer,
        "optimizer.seed": options.seed,
        **_flat("optimizer", options.parameters),
        "search.form": options.form,
        "search.adapter": options.adapter,
        "search.candidates": plan.candidates,
        "search.threads": options.threads,
        "budget.name": options.budget,
        **limits,
        "data.train.rows": plan.train,
        "data.dev.rows": plan.dev,
        "data.dev.rows_in_split": plan.dev_all,
        **{f"data.{split}.digest": digest[:16] for split, digest in plan.golden.items()},
    }


def candidate_parameters(trial: Trial, prefix: str = "candidate") -> dict[str, Any]:
    """Return how a candidate was made; nested values become dotted names and lists words."""
    return {
        f"{prefix}.name": trial.candidate.name,
        f"{prefix}.form": trial.task.form,
        f"{prefix}.adapter": trial.task.adapter_name,
        **_flat(prefix, trial.candidate.parameters),
    }


def _flat(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found.update(_flat(f"{prefix}.{name}", value))
        else:
            found[f"{prefix}.{name}"] = " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
    return found


def candidate_metrics(trial: Trial) -> dict[str, float]:
    """Return a candidate's figures: `dev/…`; `partial/…` where rows are missing or failed, for those do not compare."""
    return {
        **means("partial" if trial.score is None else "dev", trial.evaluation),
        "search/number": float(trial.number),
        "search/best_so_far": float(trial.accepted),
    }


def parent_metrics(outcome: Outcome) -> dict[str, float]:
    """Return what a compile came to, and what it cost."""
    found, spent = outcome.search, outcome.budget.spent
    figures: dict[str, float] = {}
    for name, evaluation in evaluations(outcome).items():
        figures.update(means(name, evaluation))
    for name in ("dev", "zero_shot", "copy", "test"):
        said = outcome.metrics.get(name, {})
        figures.update({f"{name}/score_{end}": said[end] for end in ("low", "high") if said.get(end) is not None})
    figures.update({"copy/score": outcome.metrics["copy"]["mean"]} if "copy" in outcome.metrics else {})
    gain = outcome.metrics.get("improvement", {})
    known = [name for name in ("mean", "low", "high", "changed") if gain.get(name) is not None]
    figures.update({f"improvement/{name}": gain[name] for name in known})
    figures.update({"cost/calls": spent.calls, "cost/tokens": spent.tokens, "cost/seconds": spent.seconds})
    figures.update({"cost/usd": spent.usd} if spent.usd else {})
    tried = {"candidates": len(found.trials), "reused_rows": outcome.reused, "rows": outcome.rows}
    return {**figures, **{f"search/{name}": float(count) for name, count in tried.items()}}


def evaluations(outcome: Outcome) -> dict[str, Evaluation]:
    """Return the evaluations that a compile ends with: `dev` and `test` of the winner, `zero_shot` on dev."""
    found = outcome.search
    known = {
        "dev": found.best.evaluation if found.best else None,
        "zero_shot": found.zero_shot.evaluation if found.zero_shot else None,
        "test": outcome.test,
    }
    return {name: evaluation for name, evaluation in known.items() if evaluation is not None}


def means(prefix: str, evaluation: Evaluation) -> dict[str, float]:
    """Return `<prefix>/score`, each component, counts, cost and median latency of an evaluation."""
    rows = [row for row in evaluation.rows if row.score is not None]
    counts = {f"{prefix}/rows": float(len(evaluation.rows)), f"{prefix}/errors": float(evaluation.errors)}
    if not rows:
        return counts
    found = {f"{prefix}/score": math.fsum(row.score or 0.0 for row in rows) / len(rows)}
    for name in sorted({name for row in rows for name in row.components}):
        found[f"{prefix}/{name}"] = math.fsum(row.components.get(name, 0.0) for row in rows) / len(rows)
    found[f"{prefix}/with_violation"] = sum(bool(row.violations) for row in rows) / len(rows)
    found.update(counts)
    found[f"{prefix}/lm_calls"] = float(sum(row.lm_calls for row in rows))
    found[f"{prefix}/prompt_tokens"] = float(sum(row.prompt_tokens for row in rows))
    found[f"{prefix}/completion_tokens"] = float(sum(row.completion_tokens for row in rows))
    found[f"{prefix}/median_latency_ms"] = sorted(row.latency_ms for row in rows)[len(rows) // 2]
    return found


def columns(evaluation: Evaluation, golden: Mapping[str, GoldenRow], behaviour: Behaviour) -> dict[str, list[Any]]:
    """Return the per-example table as columns, what is read first to the left; no text without `TURNKEEPER_LOG_TEXT`.

    Args:
        evaluation: Its rows.
        golden: Golden rows by id.
        behaviour: Says what of a row and of a prediction is shown.
    """
    rows = evaluation.rows
    texts: dict[str, list[Any]] = {}
    after: dict[str, list[Any]] = {}
    if settings.log_text():
        known = [behaviour.shown(golden[row.id]) if row.id in golden else None for row in rows]
        texts["query"] = [row.query if row else "" for row in known]
        texts["prediction"] = [behaviour.said(row.prediction) for row in rows]
        texts["gold"] = [row.gold if row else "" for row in known]
        after["feedback"] = [row.feedback for row in rows]
        after["history"] = [" / ".join(row.context[-_HISTORY_SHOWN:]) if row else "" for row in known]
    return {
        **texts,
        "score": [row.score for row in rows],
        "violations": [" ".join(row.violations) for row in rows],
        "kind": [row.kind for row in rows],
        "id": [row.id for row in rows],
        **after,
        "error": [row.error or "" for row in rows],
        "lm_calls": [row.lm_calls for row in rows],
        "prompt_tokens": [row.prompt_tokens for row in rows],
        "latency_ms": [row.latency_ms for row in rows],
    }


def note(outcome: Outcome) -> str:
    """Return the description of a compile's run (Markdown): what came of it, in the few lines that the UI shows."""
    said, found, spent = outcome.metrics, outcome.search, outcome.budget.spent
    lines: list[str] = []
    if found.best is not None and "dev" in said:
        lines.append(f"**Best: `{found.best.label}`**")
    lines += [f"Nothing written: {outcome.reason}"] if outcome.artifact is None else []
    lines += [f"Stopped early: {found.stopped}"] if found.stopped else []
    if "improvement" in said:
        gain = said["improvement"]
        lines.append(f"Over zero-shot: {told(gain, '+.4f')} on {gain['rows']} dev rows: **{gain['verdict']}**")
    names = {"dev": "dev", "zero_shot": "zero-shot", "copy": "copying the query", "test": "test"}
    lines.append(", ".join(f"{title} {said[name]['mean']:.4f}" for name, title in names.items() if name in said))
    lines.append(f"{len(found.trials)} programs tried, {spent.calls} calls, {spent.tokens} tokens")
    return "  \n".join(line for line in lines if line)


def counted_kinds(rows: Sequence[GoldenRow]) -> dict[str, int]:
    """Return how many rows each kind has."""
    found: dict[str, int] = {}
    for row in rows:
        found[row.kind] = found.get(row.kind, 0) + 1
    return found
