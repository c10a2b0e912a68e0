"""Plots for MLflow: figures without pyplot, which keeps global state and looks for a display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def by_kind(series: Mapping[str, Mapping[str, float]]) -> Any:
    """Return a bar chart: the mean score of each kind, one bar a series.

    Args:
        series: Name of a program -> kind -> mean score.
    """
    from matplotlib.figure import Figure

    kinds = sorted({kind for scores in series.values() for kind in scores})
    figure = Figure(figsize=(8, 1.2 + 0.38 * max(1, len(kinds))), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / max(1, len(series))
    for place, (name, scores) in enumerate(series.items()):
        middles = [number + (place - (len(series) - 1) / 2) * height for number in range(len(kinds))]
        axes.barh(middles, [scores.get(kind, 0.0) for kind in kinds], height=height, label=name)
    axes.set_yticks(range(len(kinds)), kinds)
    axes.set_ylim(len(kinds) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xlabel("mean score on dev")
    axes.set_title("Score by kind")
    if series:
        figure.legend(loc="outside lower center", ncols=len(series))
    return figure


def by_candidate(scores: Sequence[tuple[str, float | None, bool]]) -> Any:
    """Return a chart of the candidates in order; those dropped half way have no score and no point.

    Args:
        scores: Label, mean dev score, and whether it was the best so far.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for best, label in ((False, "scored"), (True, "best so far")):
        points = [(n, score) for n, (_, score, accepted) in enumerate(scores) if score is not None and accepted == best]
        axes.scatter([n for n, _ in points], [score for _, score in points], label=label)
    axes.set_xlabel("candidate, the zero-shot programs first")
    axes.set_ylabel("mean score on dev")
    axes.set_title("Candidates")
    axes.legend()
    return figure
