"""An evaluation report as Markdown: the tables of the page, for a pull request or a README."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from .compare import Comparison, compare
from .curve import Learned
from .files import Saved, about_lines
from .pareto import spent
from .statistics import NO_INTERVAL, Interval
from .summary import Summary, summarize

_MOST_FLIPS = 40
_LONGEST = 200
# What Markdown or the HTML inside it would read as more than text.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()#!|~$@])|(?<=www)\.", re.IGNORECASE)


def markdown(files: Sequence[Saved], *, margin: float | None = None, curve: Sequence[Learned] = ()) -> str:
    """Return the report of evaluations over the same rows; the first one is the reference.

    Raises:
        InputError: The files hold different rows.
    """
    sums = [summarize(file.rows) for file in files]
    names = [text(file.name) for file in files]
    against = [(file, compare(files[0], file, margin=margin)) for file in files[1:]]
    parts = ["# turnkeeper evaluation"]
    parts += [f"**{text(file.name)}** {', '.join(map(text, about_lines(file.about)))}" for file in files]
    parts += [_overview(names, sums), _components(names, sums)]
    parts += [_groups("kind", names, [found.kinds for found in sums])]
    parts += [_groups("language", names, [found.languages for found in sums])]
    parts += [_costs(files, sums), *(_comparison(files[0], file, found) for file, found in against)]
    parts += [_curve(curve)] if curve else []
    return "\n\n".join(part for part in parts if part) + "\n"


def text(value: str) -> str:
    """Return text that Markdown shows as it is: on one line, without mark-up, links or HTML of its own."""
    short = value if len(value) <= _LONGEST else value[:_LONGEST] + "…"
    line = " ".join("".join(char if char.isprintable() else " " for char in short).split())
    entities = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # A colon is what makes an address a link of its own.
    return _ACTIVE.sub(lambda found: f"\\{found.group()}", entities).replace(":", "&#58;")


def _overview(names: Sequence[str], sums: Sequence[Summary]) -> str:
    rows = [
        ["fallback rate", *(_share(found.fallback_rate) for found in sums)],
        ["rows", *(str(found.rows) for found in sums)],
        ["errors (no score)", *(str(found.errors) for found in sums)],
        ["good", *(_interval(found.good) for found in sums)],
    ]
    return "## Overview\n\n" + _table(["", *names], rows)


def _components(names: Sequence[str], sums: Sequence[Summary]) -> str:
    known = dict.fromkeys(name for found in sums for name in found.components)
    rows = [[text(name), *(_interval(found.components.get(name)) for found in sums)] for name in known]
    return "## Components, mean \\[95 % interval by family\\]\n\n" + f"{NO_INTERVAL}\n\n" + _table(["", *names], rows)


def _groups(title: str, names: Sequence[str], found: Sequence[dict[str, Interval]]) -> str:
    if not found[0]:
        return ""
    order = sorted(found[0], key=lambda group: found[0][group].mean)
    rows = [
        [text(group), str(found[0][group].rows), *(_interval(each.get(group)) for each in found)] for group in order
    ]
    return f"## Score by {title}\n\n" + _table([title, "rows", *names], rows)


def _costs(files: Sequence[Saved], sums: Sequence[Summary]) -> str:
    rows = [
        [text(p.name), _interval(p.score), _number(p.tokens, 0), _number(p.seconds, 2), _front(p.cheapest, p.fastest)]
        for p in spent(files, sums)
    ]
    head = ["", "score", "tokens a row", "median s a row", "nothing beats it in"]
    return "## Quality against cost\n\n" + _table(head, rows)


def _front(cheapest: bool, fastest: bool) -> str:
    return ", ".join(name for name, is_so in (("score and tokens", cheapest), ("score and seconds", fastest)) if is_so)


def _comparison(before: Saved, after: Saved, found: Comparison) -> str:
    overall = [
        [
            text(d.metric),
            str(d.changed),
            _number(d.before),
            _number(d.after),
            _interval(d.difference, sign=True),
            d.verdict,
        ]
        for d in found.deltas
        if d.kind is None
    ]
    flips = [
        [said, text(pair.after.id), text(before.said(pair.before)), text(after.said(pair.after))]
        for said, pairs in (("good to bad", found.worse), ("bad to good", found.better))
        for pair in pairs
    ][:_MOST_FLIPS]
    one, other = text(before.name), text(after.name)
    return "\n\n".join(
        [
            f"## {other} against {one}",
            f"{len(found.pairs)} rows, paired. Flips: {len(found.worse)} good to bad, {len(found.better)} bad to good; "
            f"exact McNemar p = {found.p:.3f}.",
            _table(["", "changed", one, other, "difference", "verdict"], overall),
            *([_table(["flip", "row", one, other], flips)] if flips else []),
        ]
    )


def _curve(points: Sequence[Learned]) -> str:
    rows = [[text(p.series), str(p.rows), str(p.seed), p.split, _interval(p.score)] for p in points]
    return "## Learning curve\n\n" + _table(["", "train rows", "seed", "split", "score"], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    aligned = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, aligned, *rows))


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1%}"


def _number(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _interval(found: Interval | None, *, sign: bool = False) -> str:
    if found is None or math.isnan(found.mean):
        return "–"
    form = "+.3f" if sign else ".3f"
    spread = f" \\[{found.low:{form}}, {found.high:{form}}\\]" if found.known else ""
    return f"{found.mean:{form}}{spread}"
