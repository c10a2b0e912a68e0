"""From the winner of a search to an artifact: its manifest says how it was made and how well it does."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..evaluation import Evaluation
from ..evaluation.statistics import bootstrap_difference, bootstrap_mean, changed_families, changed_rows, verdict
from ..evaluation.summary import ends_json
from ..lms._digest import sha256_of
from ..optimized import Artifact, find_artifacts, fingerprint, read_artifact, write_artifact
from .options import CompileOptions
from .search import Trial

_DIGITS = 6


def require_place(out: Path, behaviour: str) -> None:
    """Raise `InputError` when no file can be made where an artifact would go: better now than after the search.

    Args:
        out: The programs folder; it is not made.
        behaviour: The folder inside it.
    """
    place = Path(out, behaviour)
    try:
        while not place.exists():
            place = place.parent
        with tempfile.TemporaryFile(dir=place):
            return
    except OSError as error:
        raise InputError(f"--out {out}: nothing can be written there: {error.strerror}") from None


def summary(evaluation: Evaluation) -> dict[str, Any]:
    """Return mean with its 95 % interval, components, calls and tokens of an evaluation; nothing that a clock says.

    The ends of the interval are null where the conversations are too few for one.
    """
    rows = [row for row in evaluation.rows if row.score is not None]
    interval = bootstrap_mean([row.score or 0.0 for row in rows], [row.family for row in rows])
    names = sorted({name for row in rows for name in row.components})
    return {
        "rows": len(evaluation.rows),
        "errors": evaluation.errors,
        "mean": round(interval.mean, _DIGITS),
        **ends_json(interval, _DIGITS),
        "components": {
            name: round(sum(row.components.get(name, 0.0) for row in rows) / len(rows), _DIGITS) for name in names
        },
        "kinds": kinds(evaluation),
        "lm_calls": sum(row.lm_calls for row in evaluation.rows),
        "prompt_tokens": sum(row.prompt_tokens for row in evaluation.rows),
        "completion_tokens": sum(row.completion_tokens for row in evaluation.rows),
    }


def kinds(evaluation: Evaluation) -> dict[str, float]:
    """Return the mean score by kind."""
    found: dict[str, list[float]] = {}
    for row in evaluation.rows:
        if row.score is not None:
            found.setdefault(row.kind, []).append(row.score)
    return {kind: round(sum(scores) / len(scores), _DIGITS) for kind, scores in sorted(found.items())}


def difference(before: Evaluation, after: Evaluation) -> dict[str, Any]:
    """Return the paired difference of two evaluations of the same rows, and what may be said of it."""
    told = {row.id: row.score for row in before.rows if row.score is not None}
    pairs = [(told[row.id], row.score, row.family) for row in after.rows if row.id in told and row.score is not None]
    old, new, families = [p[0] for p in pairs], [p[1] for p in pairs], [p[2] for p in pairs]
    interval, changed = bootstrap_difference(old, new, families), changed_rows(old, new)
    return {
        "rows": len(pairs),
        "mean": round(interval.mean, _DIGITS),
        **ends_json(interval, _DIGITS),
        "changed": changed,
        "verdict": verdict(interval, changed, changed_families=changed_families(old, new, families)),
    }


def write(
    options: CompileOptions,
    lm: Any,
    winner: Trial,
    *,
    slug: str,
    metrics: Mapping[str, Any],
    golden: Mapping[str, str],
    demos: Mapping[str, int],
) -> Artifact:
    """Write the artifact of a winner.

    Args:
        lm: The LM it was compiled for.
        slug: Its name.
        metrics: What the manifest says of its quality; nothing in it may come from a clock.
        golden: Digest of each split.
        demos: Demos in the rendered messages, by predictor.

    Raises:
        InputError: A demo is lost on the way to the messages.
    """
    task, state = winner.task, winner.candidate.state
    for name, count in demos.items():
        held = len(state.get(name, {}).get("demos", []))
        if count != held:
            raise InputError(f"predictor `{name}` holds {held} demos, but {count} stand in its messages")
    code = {name: predictor.signature for name, predictor in task.program().named_predictors()}
    return write_artifact(
        options.out,
        state,
        behaviour=task.behaviour.name,
        slug=slug,
        lm={"model": lm.model, "sha256": _weights_digest(lm)},
        adapter=task.adapter_name,
        form=task.form,
        temperature=float(lm.kwargs.get("temperature") or 0.0),
        optimizer={
            "name": options.optimizer,
            "parameters": {
                **dict(options.parameters),
                "budget": options.budget,
                **({} if options.candidates is None else {"candidates": options.candidates}),
                **({} if options.train_rows is None else {"train_rows": options.train_rows}),
                "candidate": winner.candidate.name,
                **winner.candidate.parameters,
            },
            "seed": options.seed,
        },
        golden_sha256=dict(golden),
        # What the code says: an instruction that an optimizer wrote stands in the state alone.
        fingerprint=fingerprint(code),
        dev_score=round(winner.evaluation.mean(), _DIGITS),
        metrics=dict(metrics),
        versions={
            "dspy": version("dspy"),
            "turnkeeper": version("turnkeeper"),
            "python": ".".join(platform.python_version_tuple()[:2]),
        },
    )


def better_one(out: Path, behaviour: str, slug: str, dev_score: float, dev_digest: str) -> Artifact | None:
    """Return the artifact of this name when it did better on the same dev split, else None."""
    for path in find_artifacts(out, behaviour):
        if path.name != f"{slug}.json":
            continue
        there = read_artifact(path)
        score = there.manifest.dev_score
        same_split = there.manifest.golden_sha256.get("dev") == dev_digest
        if score is not None and same_split and score > round(dev_score, _DIGITS):  # as it is recorded
            return there
    return None


def predictions(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return recorded predictions, for replays without an LM."""
    return [{"id": row.id, "prediction": row.prediction} for row in evaluation.rows if row.error is None]


def rows_of(evaluation: Evaluation) -> Sequence[dict[str, Any]]:
    """Return an evaluation's rows as JSON values."""
    return [row.model_dump(mode="json") for row in evaluation.rows]


def _weights_digest(lm: Any) -> str | None:
    path = getattr(getattr(lm, "engine", None), "path", None)
    return sha256_of(Path(path)) if path is not None else None
