"""Plots for MLflow and reports: figures without pyplot, which keeps global state and looks for a display."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import SetupError
from .evaluation.pareto import spent
from .evaluation.summary import summarize

if TYPE_CHECKING:
    from .evaluation.curve import Learned
    from .evaluation.files import Saved
    from .evaluation.statistics import Interval

_BAR = 0.8
_LONGEST = 80
_SERIES = ("#2a6f97", "#c8702a", "#5c8a5a", "#8a5a8a", "#a8321c", "#6b6f76")
_COLOURS = {"copied": "#b8bcc2", "zero-shot": "#e08a3c", "compiled": "#2a6f97"}
_OTHER = "#5c8a5a"
_SMALL = 8
_OPAQUE = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}


class Point(NamedTuple):
    """A candidate in a plot.

    Attributes:
        score: Mean dev score; None when it was dropped half way.
        best: Whether it was the best so far.
        why: Why there is no score, in words.
    """

    label: str
    score: float | None
    best: bool
    why: str = ""


def by_kind(series: Mapping[str, Mapping[str, float]], counts: Mapping[str, int]) -> Any:
    """Return a bar chart: the mean score of each kind, one bar a series.

    Args:
        series: Name of a program -> kind -> mean score.
        counts: Kind -> rows; a kind of one row says little, so the number stands beside its name.
    """
    kinds = sorted({kind for scores in series.values() for kind in scores})
    labels = [f"{kind.replace('_', ' ')} ({counts.get(kind, 0)})" for kind in kinds]
    bars = {name: [scores.get(kind, 0.0) for kind in kinds] for name, scores in series.items()}
    return _bars(labels, bars, "Score by kind (number of rows)")


def by_component(series: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return a bar chart: the score and each of its components, one bar a series; the score with its 95 % interval.

    Args:
        series: Name of a program -> {mean, low, high, components: {name: mean}}.
    """
    names = sorted({name for said in series.values() for name in said["components"]})
    bars = {name: [said["mean"], *(said["components"].get(n, 0.0) for n in names)] for name, said in series.items()}
    ends = {name: (said["low"], said["high"]) for name, said in series.items()}
    spans = {name: found for name, found in ends.items() if None not in found}
    return _bars(["score", *names], bars, "Score and its components (1 = no fault)", spans)


def _bars(
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    title: str,
    spans: Mapping[str, tuple[float, float]] | None = None,
) -> Any:
    """Return horizontal bars, one group a label; `spans` are intervals on the first group."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.6 + 0.16 * max(1, len(labels)) * (len(series) + 1)), layout="constrained")
    axes = figure.subplots()
    height = _BAR / max(1, len(series))
    for place, (name, values) in enumerate(series.items()):
        middles = [number + (place - (len(series) - 1) / 2) * height for number in range(len(labels))]
        axes.barh(middles, values, height=height, label=name, color=_COLOURS.get(name, _OTHER))
        ends = list(values)
        if spans and name in spans:
            low, ends[0] = spans[name]
            axes.plot([low, ends[0]], [middles[0]] * 2, color="black", linewidth=1.2, marker="|", markersize=5)
        for value, end, middle in zip(values, ends, middles, strict=True):
            axes.text(max(value, end) + 0.01, middle, f"{value:.2f}", va="center", fontsize=_SMALL)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlim(0, 1.08)
    axes.set_xlabel("mean on dev")
    axes.set_title(title)
    axes.spines[["top", "right"]].set_visible(False)
    if series:
        figure.legend(loc="outside lower center", ncols=len(series))
    return figure


def by_candidate(points: Sequence[Point]) -> Any:
    """Return a chart of the candidates in order, by name; those without a score say why."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.6 + 0.24 * max(1, len(points))), layout="constrained")
    axes = figure.subplots()
    for best, name, colour in ((False, "scored", "#9aa5b1"), (True, "best so far", _COLOURS["compiled"])):
        found = [(point.score, n) for n, point in enumerate(points) if point.score is not None and point.best == best]
        if found:
            axes.scatter([x for x, _ in found], [y for _, y in found], label=name, color=colour, zorder=3)
            for x, y in found:
                axes.annotate(
                    f"{x:.3f}", (x, y), xytext=(7, 0), textcoords="offset points", va="center", fontsize=_SMALL
                )
    for n, point in enumerate(points):
        if point.score is None:
            axes.text(0.01, n, point.why, va="center", fontsize=_SMALL, color="#5f656d", bbox=_OPAQUE)
    axes.set_yticks(range(len(points)), [point.label for point in points])
    axes.set_ylim(max(1, len(points)) - 0.4, -0.6)
    axes.set_xlim(0, 1.08)
    axes.grid(axis="y", color="#e6e8eb", zorder=0)
    axes.set_xlabel("mean score on dev")
    axes.set_title("Candidates in the order tried")
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def save_report(path: Path, files: Sequence[Saved], curve: Sequence[Learned]) -> None:
    """Write the figures of a report as one PNG: kinds, score against tokens and seconds, and the learning curve.

    Raises:
        SetupError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SetupError("--png needs matplotlib: pip install 'turnkeeper[compile]'") from None
    sums = [summarize(file.rows) for file in files]
    points = spent(files, sums)
    kinds = sorted({kind for found in sums for kind in found.kinds})
    figure = Figure(figsize=(12, 5 + 0.3 * max(8, len(kinds)) + 4 * bool(curve)), layout="constrained", dpi=110)
    rows = [["kinds", "kinds"], ["tokens", "seconds"], *([["curve", "curve"]] if curve else [])]
    axes: Any = figure.subplot_mosaic(rows, height_ratios=[0.3 * max(8, len(kinds)), 4, *([4] if curve else [])])
    _spans(axes["kinds"], kinds, {file.name: found.kinds for file, found in zip(files, sums, strict=True)})
    for name, label in (("tokens", "tokens a row"), ("seconds", "median seconds a row")):
        for number, point in enumerate(points):
            best = point.cheapest if name == "tokens" else point.fastest
            _point(axes[name], getattr(point, name), point.score, plain(point.name), number, filled=best)
        axes[name].set_xlabel(label)
        axes[name].set_ylabel("score, 95 % by family")
        axes[name].set_title("filled: nothing scores as high for less", fontsize=_SMALL + 1)
        axes[name].legend(fontsize=_SMALL)
    if curve:
        _learned(axes["curve"], curve)
    beside = path.with_name(f".{path.name}.part")
    try:
        figure.savefig(beside, format="png")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def plain(text: str) -> str:
    """Return text that a figure shows as it is: "$" would begin a formula, and no font has control characters."""
    line = "".join(char if char.isprintable() else " " for char in text)
    return (line if len(line) <= _LONGEST else line[:_LONGEST] + "…").replace("$", r"\$")


def _spans(axes: Any, kinds: Sequence[str], series: Mapping[str, Mapping[str, Interval]]) -> None:
    step = _BAR / max(1, len(series))
    for place, (name, found) in enumerate(series.items()):
        for number, kind in enumerate(kinds):
            if kind in found and not math.isnan(found[kind].mean):
                middle = number + (place - (len(series) - 1) / 2) * step
                said, colour = found[kind], _SERIES[place % len(_SERIES)]
                axes.plot([said.low, said.high], [middle] * 2, color=colour, linewidth=1.2)
                axes.plot(
                    [said.mean], [middle], "o", color=colour, markersize=4, label=plain(name) if not number else None
                )
    axes.set_yticks(range(len(kinds)), [plain(kind).replace("_", " ") for kind in kinds])
    axes.set_ylim(len(kinds) - 0.4, -0.6)
    axes.set_xlim(-0.02, 1.02)
    axes.set_title("Score by kind, 95 % interval by family")
    axes.legend(fontsize=_SMALL, loc="lower left")


def _point(axes: Any, x: float, score: Interval, name: str, number: int, *, filled: bool) -> None:
    if math.isnan(x) or math.isnan(score.mean):
        return
    colour = _SERIES[number % len(_SERIES)]
    axes.plot([x, x], [score.low, score.high], color=colour, linewidth=1.2)
    axes.plot([x], [score.mean], "o", color=colour, fillstyle="full" if filled else "none", label=name)


def _learned(axes: Any, curve: Sequence[Learned]) -> None:
    for number, series in enumerate(dict.fromkeys(point.series for point in curve)):
        some = [point for point in curve if point.series == series]
        for place, point in enumerate(some):
            name = plain(series) if not place else "_nolegend_"
            _point(axes, point.rows, point.score, name, number, filled=point.split == "test")
        sizes = sorted({point.rows for point in some})
        means = [[point.score.mean for point in some if point.rows == size] for size in sizes]
        axes.plot(sizes, [math.fsum(m) / len(m) for m in means], color=_SERIES[number % len(_SERIES)], linewidth=1)
    axes.set_xlabel("train rows")
    axes.set_ylabel("score, 95 % by family")
    axes.set_title("Learning curve; filled: on test")
    axes.legend(fontsize=_SMALL)
