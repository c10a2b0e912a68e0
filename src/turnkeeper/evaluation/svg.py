"""Figures for a page that needs nothing from elsewhere: SVG made of numbers, and of text that is escaped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _HEIGHT = 480, 300  # without the legend, which stands below
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 14, 40
_LINE, _NAME = 18, 34  # height of a line of the legend; characters of a name in it
_APART = 5  # between series at the same place, which would hide each other
_COLOURS = ("#2a6f97", "#c8702a", "#5c8a5a", "#8a5a8a", "#a8321c", "#6b6f76")
_LONGEST = 60
Place = Callable[[float, float], tuple[float, float]]


class Mark(NamedTuple):
    """A point with its interval; `low` and `high` are NaN where it has none.

    Attributes:
        series: Points of one series have one colour, and are joined where `joined` is asked for.
        filled: Whether nothing beats it.
    """

    series: str
    x: float
    y: float
    low: float
    high: float
    filled: bool = True


def chart(marks: Sequence[Mark], *, title: str, x_label: str, y_label: str = "score", joined: bool = False) -> str:
    """Return a figure: the mean of each point with its 95 % interval as a bar; points that are not known are left out.

    Args:
        marks: In any order.
        title: For readers that see no figure, too.
        joined: Whether the means at each x of a series are joined by a line.
    """
    known = [mark for mark in marks if math.isfinite(mark.x) and math.isfinite(mark.y)]
    if not known:
        return ""
    across, up = _ticks(0.0, 1.03 * max(mark.x for mark in known) or 1.0), _ticks(*_span(known))
    least_y, most_y = up[0], up[-1]
    colours = {name: _COLOURS[n % len(_COLOURS)] for n, name in enumerate(dict.fromkeys(mark.series for mark in marks))}

    def place(x: float, y: float) -> tuple[float, float]:
        right = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / across[-1]
        return right, _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - (y - least_y) / (most_y - least_y))

    def beside(name: str) -> Place:
        aside = _APART * (list(colours).index(name) - (len(colours) - 1) / 2) if joined else 0.0
        return lambda x, y: (place(x, y)[0] + aside, place(x, y)[1])

    parts = [_axes(place, across, up, x_label, y_label)]
    if joined:
        for name in colours:
            parts.append(_line(beside(name), [mark for mark in known if mark.series == name], colours[name]))
    parts += [_mark(beside(mark.series), mark, colours[mark.series]) for mark in known]
    parts += [_legend(number, name, colour) for number, (name, colour) in enumerate(colours.items())]
    height = _HEIGHT + _LINE * ((len(colours) + 1) // 2) + 4
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{_said(title)}">{"".join(parts)}</svg>'
        f"<figcaption>{_said(title)}</figcaption></figure>"
    )


def _span(marks: Sequence[Mark]) -> tuple[float, float]:
    values = [value for mark in marks for value in (mark.low, mark.high, mark.y) if math.isfinite(value)]
    least, most = min(values), max(values)
    return (least, most) if least < most else (least - 0.05, most + 0.05)


def _ticks(least: float, most: float) -> list[float]:
    """Return round numbers, evenly apart, of which the first and the last hold the range between them."""
    rough = (most - least) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= rough * (1 - 1e-9))
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def _axes(place: Place, across: Sequence[float], up: Sequence[float], x_label: str, y_label: str) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>']
    for value in up:
        _, y = place(0, value)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(value)}</text>')
    for value in across:
        x, _ = place(value, up[0])
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{_short(value)}</text>')
    parts.append(f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">{_said(x_label)}</text>')
    parts.append(f'<text x="{_LEFT + 6}" y="{_TOP + 13}">{_said(y_label)}</text>')
    return "".join(parts)


def _line(place: Place, marks: Sequence[Mark], colour: str) -> str:
    by_x: dict[float, list[float]] = {}
    for mark in marks:
        by_x.setdefault(mark.x, []).append(mark.y)
    points = [place(x, math.fsum(ys) / len(ys)) for x, ys in sorted(by_x.items())]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}"/>'


def _mark(place: Place, mark: Mark, colour: str) -> str:
    x, y = place(mark.x, mark.y)
    said, bar = f"{mark.series}: {mark.y:.3f}", ""
    if math.isfinite(mark.low) and math.isfinite(mark.high):
        low, high = (place(mark.x, end)[1] for end in (mark.low, mark.high))
        said += f" [{mark.low:.3f}, {mark.high:.3f}]"
        bar = f'<path d="M{x:.1f} {low:.1f}V{high:.1f}"/>'
    fill = colour if mark.filled else "none"
    return (
        f'<g stroke="{colour}"><title>{_said(said)}</title>{bar}'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}"/></g>'
    )


def _legend(number: int, name: str, colour: str) -> str:
    x, y = _LEFT + (number % 2) * (_WIDTH - _LEFT) // 2, _HEIGHT + 12 + _LINE * (number // 2)
    short = name if len(name) <= _NAME else name[: _NAME - 1] + "…"
    return (
        f'<g><title>{_said(name)}</title><circle cx="{x}" cy="{y - 4}" r="4.5" fill="{colour}"/>'
        f'<text x="{x + 10}" y="{y}">{_said(short)}</text></g>'
    )


def _short(value: float) -> str:
    return f"{round(value, 12):.6g}"


def _said(text: str) -> str:
    """Return text that neither ends an attribute nor begins an element; control characters are none of XML's."""
    plain = "".join(char if char.isprintable() else " " for char in text[: 4 * _LONGEST])
    return escape(plain, quote=True)
