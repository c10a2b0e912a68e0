"""One self-contained HTML page of one evaluation or several of the same rows. Text of models and users is escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from .compare import Comparison, compare
from .curve import Learned
from .files import Saved, about_lines
from .pareto import spent
from .scored import Scored
from .statistics import NO_INTERVAL, Interval
from .summary import Summary, summarize
from .svg import Mark, chart

_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c2127;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}h2,p.about{overflow-wrap:anywhere}p.about{color:#5a6572}
.wide,figure{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:.6rem 0}
th,td{padding:.3rem .6rem;border-bottom:1px solid #e1e5ea;text-align:right;vertical-align:top;white-space:nowrap}
th{font-weight:600;background:#f5f7f9;white-space:normal;overflow-wrap:anywhere;min-width:4.5rem}
td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:6rem;max-width:20rem}
td:first-child,th:first-child,td.text,th.text{text-align:start}
td.text{white-space:normal;overflow-wrap:anywhere;unicode-bidi:plaintext;min-width:10rem}td.text:last-child{min-width:16rem}
.bar{display:block;width:7rem;height:4px;background:#dfe5ec;margin:3px 0 0 auto}
.bar i{display:block;height:4px;background:#3b6ea8}figure{margin:1rem 0;max-width:38rem}
svg{width:100%;min-width:22rem;height:auto;font:11px system-ui,sans-serif;fill:currentColor}
svg .axis{fill:none;stroke:currentColor}
svg .grid{stroke:#8884;fill:none}figcaption{color:#5a6572;font-size:.85rem}.worse{color:#a8321c}.better{color:#1d6f42}
@media(prefers-color-scheme:dark){body{background:#15181c;color:#dde2e8}th{background:#1f242a}
th,td{border-color:#2c333b}.bar{background:#2c333b}.bar i{background:#6ea3dd}.worse{color:#f0907c}
.better{color:#7fd3a3}p.about,figcaption{color:#98a3af}svg g{filter:brightness(1.35)}}
"""
_WORST = 20
_MOST_TEXT = 400  # characters of a text that a table shows
_MOST_NAME = 60  # of a name in a heading
# Characters that would turn the text after them around, and those that no page shows.
_HIDDEN = (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_UNSEEN = dict.fromkeys(_HIDDEN, "\ufffd")


def report(files: Sequence[Saved], *, margin: float | None = None, curve: Sequence[Learned] = ()) -> str:
    """Return an HTML page: fallbacks first, components, kinds, languages, cost, flips against the first, worst rows.

    Args:
        files: Outputs of `turnkeeper evaluate` over the same rows; the first one is the reference.
        margin: Equivalence margin of the comparisons.
        curve: Cells of an experiment by their number of train rows.

    Raises:
        InputError: The files hold different rows.
    """
    against = [(file, compare(files[0], file, margin=margin)) for file in files[1:]]
    sums = [summarize(file.rows) for file in files]
    parts = [
        "<h1>turnkeeper evaluation</h1>",
        *(_about(file) for file in files),
        _overview(files, sums),
        _components(files, sums),
        *(_comparison(files[0], file, found) for file, found in against),
        _groups("kind", files, [found.kinds for found in sums]),
        _groups("language", files, [found.languages for found in sums]),
        _costs(files, sums),
        _curve(curve),
        *(_worst(file) for file in files),
    ]
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>turnkeeper evaluation</title><style>{_STYLE}</style></head><body>"
    )
    return head + "\n".join(parts) + "</body></html>\n"


def _about(file: Saved) -> str:
    said = ", ".join(about_lines(file.about))
    return f'<p class="about"><b>{_text(file.name)}</b> {_text(said)}</p>'


def _overview(files: Sequence[Saved], sums: Sequence[Summary]) -> str:
    rows: list[list[Any]] = [
        ["fallback rate", *(_share(s.fallback_rate) for s in sums)],
        ["rows", *(str(s.rows) for s in sums)],
        ["errors (no score)", *(str(s.errors) for s in sums)],
        ["LM calls", *(str(s.lm_calls) for s in sums)],
        ["tokens, prompt + completion", *(f"{s.prompt_tokens} + {s.completion_tokens}" for s in sums)],
        ["median ms a row", *("–" if math.isnan(s.latency_ms) else f"{s.latency_ms:.0f}" for s in sums)],
    ]
    return "<h2>Overview</h2>" + _table(["", *(file.name for file in files)], rows)


def _components(files: Sequence[Saved], sums: Sequence[Summary]) -> str:
    names = list(dict.fromkeys(name for s in sums for name in s.components))
    rows = [["good", *(_interval(s.good) for s in sums)]]
    rows += [[_text(name), *(_interval(s.components.get(name)) for s in sums)] for name in names]
    head = f"<h2>Components, mean with 95 % interval</h2><p>{NO_INTERVAL}</p>"
    return head + _table(["", *(file.name for file in files)], rows)


def _groups(title: str, files: Sequence[Saved], found: Sequence[dict[str, Interval]]) -> str:
    if not found[0]:
        return ""
    groups = sorted(found[0], key=lambda group: found[0][group].mean)
    rows = [
        [_text(group), str(found[0][group].rows), *(_interval(each.get(group)) for each in found)] for group in groups
    ]
    return f"<h2>Score by {title}</h2>" + _table([title, "rows", *(file.name for file in files)], rows)


def _costs(files: Sequence[Saved], sums: Sequence[Summary]) -> str:
    points = spent(files, sums)
    rows = [
        [
            _text(p.name), _interval(p.score), _number(p.tokens, 0), _number(p.seconds, 2),
            ", ".join(said for said, is_so in (("tokens", p.cheapest), ("seconds", p.fastest)) if is_so),
        ]
        for p in points
    ]  # fmt: skip
    by_tokens = [Mark(p.name, p.tokens, p.score.mean, p.score.low, p.score.high, p.cheapest) for p in points]
    by_seconds = [Mark(p.name, p.seconds, p.score.mean, p.score.low, p.score.high, p.fastest) for p in points]
    said = "Score with its 95 % interval by family; filled: nothing scores as high for less"
    return (
        "<h2>Quality against cost</h2>"
        + _table(["", "score", "tokens a row", "median s a row", "nothing beats it by score and"], rows)
        + chart(by_tokens, title=f"{said} tokens", x_label="tokens a row")
        + chart(by_seconds, title=f"{said} time", x_label="median seconds a row")
    )


def _curve(points: Sequence[Learned]) -> str:
    if not points:
        return ""
    marks = [Mark(p.series, p.rows, p.score.mean, p.score.low, p.score.high, p.split == "test") for p in points]
    rows = [[_text(p.series), str(p.rows), str(p.seed), p.split, _interval(p.score)] for p in points]
    title = "Score by train rows, one point a cell; filled: on test, hollow: on dev, where the program was chosen"
    return (
        "<h2>Learning curve</h2>"
        + chart(marks, title=title, x_label="train rows", joined=True)
        + _table(["", "train rows", "seed", "split", "score"], rows)
    )


def _comparison(before: Saved, after: Saved, found: Comparison) -> str:
    overall = [
        [
            _text(d.metric),
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
        [
            f'<span class="{name}">{said}</span> {_text(pair.after.id)}<br>{_text(pair.after.kind)}',
            _said(before, pair.before),
            _said(after, pair.after),
            _text(pair.after.feedback),
        ]
        for name, said, pairs in (("worse", "good to bad", found.worse), ("better", "bad to good", found.better))
        for pair in pairs
    ]
    return (
        f"<h2>{_name(after.name)} against {_name(before.name)}</h2>"
        f"<p>{len(found.pairs)} rows, paired. Flips: {len(found.worse)} good to bad, {len(found.better)} bad to good; "
        f"exact McNemar p = {found.p:.3f}.</p>"
        + _table(["", "changed", before.name, after.name, "difference", "verdict"], overall)
        + _table(["row", before.name, after.name, "feedback"], flips, text=True)
    )


def _worst(file: Saved) -> str:
    failed = [row for row in file.rows if row.score is None]
    bad = sorted((row for row in file.rows if row.score is not None and not row.good), key=lambda row: row.score or 0)
    rows = [
        [
            f"{_text(row.id)}<br>{_text(row.kind)}",
            _number(row.score),
            _said(file, row),
            _text(row.error or row.feedback),
        ]
        for row in (*failed, *bad)[:_WORST]
    ]
    return f"<h2>Worst rows of {_name(file.name)}</h2>" + _table(["row", "score", "said", "why"], rows, text=True)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, text: bool = False) -> str:
    if not rows:
        return "<p>none</p>"
    kind = ' class="text"' if text else ""
    top = "".join(f"<th{kind}>{_name(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'


def _said(file: Saved, row: Scored) -> str:
    # Isolated: else the direction of a text carries what stands behind it along.
    return f"<bdi>{_text(file.said(row))}</bdi>" + (" <b>(fallback)</b>" if row.fallback else "")


def _text(value: str, most: int = _MOST_TEXT) -> str:
    return escape((value if len(value) <= most else value[:most] + "…").translate(_UNSEEN))


def _name(value: str) -> str:
    return _text(value, _MOST_NAME)


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1%}"


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _interval(found: Interval | None, *, sign: bool = False) -> str:
    if found is None or math.isnan(found.mean):
        return "–"
    form = "+.3f" if sign else ".3f"
    said = f"{found.mean:{form}}" + (f" [{found.low:{form}}, {found.high:{form}}]" if found.known else "")
    return (
        said
        if sign
        else f'{said}<span class="bar"><i style="width:{100 * min(1, max(0, found.mean)):.0f}%"></i></span>'
    )
