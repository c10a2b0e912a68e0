"""Figures for a page that needs nothing from elsewhere: SVG made of numbers, and of text that is escaped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 160, 14, 40
_COLOURS = ("#2a6f97", "#c8702a", "#5c8a5a", "#8a5a8a", "#a8321c", "#6b6f76")
_LONGEST = 60
Place = Callable[[float, float], tuple[float, float]]


class Mark(NamedTuple):
    """A point with its interval.

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
    known = [mark for mark in marks if all(math.isfinite(value) for value in (mark.x, mark.y, mark.low, mark.high))]
    if not known:
        return ""
    most = max(mark.x for mark in known) or 1.0
    least_y, most_y = _span([value for mark in known for value in (mark.low, mark.high, mark.y)])
    colours = {name: _COLOURS[n % len(_COLOURS)] for n, name in enumerate(dict.fromkeys(mark.series for mark in marks))}

    def place(x: float, y: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / (1.05 * most)
        return across, _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - (y - least_y) / (most_y - least_y))

    parts = [_axes(most, least_y, most_y, x_label, y_label)]
    if joined:
        parts += [_line(place, [mark for mark in known if mark.series == name], colours[name]) for name in colours]
    parts += [_mark(place, mark, colours[mark.series]) for mark in known]
    parts += [_legend(number, name, colour) for number, (name, colour) in enumerate(colours.items())]
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_said(title)}">{"".join(parts)}</svg>'
        f"<figcaption>{_said(title)}</figcaption></figure>"
    )


def _span(values: Sequence[float]) -> tuple[float, float]:
    least, most = min(values), max(values)
    room = 0.08 * (most - least) or 0.05
    return least - room, most + room


def _axes(most: float, least_y: float, most_y: float, x_label: str, y_label: str) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>']
    for step in range(5):
        y, x = least_y + step * (most_y - least_y) / 4, step * 1.05 * most / 4
        across, up = _LEFT + (right - _LEFT) * step / 4, bottom - (bottom - _TOP) * step / 4
        parts.append(f'<path class="grid" d="M{_LEFT} {up:.1f}H{right}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{up + 4:.1f}" text-anchor="end">{y:.2f}</text>')
        parts.append(f'<text x="{across:.1f}" y="{bottom + 16}" text-anchor="middle">{_short(x)}</text>')
    parts.append(f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">{_said(x_label)}</text>')
    parts.append(f'<text x="{_LEFT + 4}" y="{_TOP + 4}">{_said(y_label)}</text>')
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
    _, low = place(mark.x, mark.low)
    _, high = place(mark.x, mark.high)
    said = f"{mark.series}: {mark.y:.3f} [{mark.low:.3f}, {mark.high:.3f}]"
    fill = colour if mark.filled else "none"
    return (
        f'<g stroke="{colour}"><title>{_said(said)}</title><path d="M{x:.1f} {low:.1f}V{high:.1f}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}"/></g>'
    )


def _legend(number: int, name: str, colour: str) -> str:
    x, y = _WIDTH - _RIGHT + 14, _TOP + 10 + 18 * number
    short = name if len(name) <= 22 else name[:21] + "…"
    return (
        f'<g><title>{_said(name)}</title><circle cx="{x}" cy="{y - 4}" r="4.5" fill="{colour}"/>'
        f'<text x="{x + 10}" y="{y}">{_said(short)}</text></g>'
    )


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 20 or value == 0 else f"{value:.2g}"


def _said(text: str) -> str:
    """Return text that neither ends an attribute nor begins an element; control characters are none of XML's."""
    plain = "".join(char if char.isprintable() else " " for char in text[: 4 * _LONGEST])
    return escape(plain, quote=True)
