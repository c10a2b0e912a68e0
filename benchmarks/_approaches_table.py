"""The table of `side_by_side.py`: what the answers of each approach are worth, and what they cost."""

from __future__ import annotations

import math
import re
import statistics
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from _approaches_tasks import Task

from turnkeeper.evaluation.statistics import bootstrap_difference
from turnkeeper.metrics._faithful import Comparison, unsupported_terms
from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.types import Frozen

REFERENCE = "reference rewrite (for the scale)"
HEADER = (
    "approach",
    "fallback %",
    "ROUGE-L",
    "exact %",
    "residual %",
    "invented %",
    "answered or several utterances %",
    "calls a turn",
    "prompt tokens a turn",
    "answer tokens a turn",
    "median s a turn",
    "ROUGE-L minus copy [95 %]",
)
_NOT_APPLICABLE = "–"
# Letters and digits; of scripts without spaces each character is a token.
_TOKEN = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")


class Row(Frozen):
    """What one approach made of one turn; a line of the output file.

    Attributes:
        input_digest: Digest of all that the answer depends on; rows with another digest are asked again.
        error: Class of the LM error that led to the fallback, None for any other reason.
        load: Load average of the last minute when the turn was asked.
    """

    approach: str
    id: str
    input_digest: str
    prediction: str
    fallback: bool
    error: str | None
    calls: int
    prompt_tokens: int
    answer_tokens: int
    seconds: float
    load: float


class Quality(NamedTuple):
    """What one text is worth. ROUGE-L in [0, 1], against the closest reference."""

    rouge_l: float
    exact: bool
    residual: bool
    invented: bool
    answered: bool


class Column(NamedTuple):
    """The answers of one approach to all turns, in the order of the turns."""

    title: str
    asks: bool
    rows: Sequence[Row]


def tokens(text: str) -> list[str]:
    """Return the words of a text for comparison with a reference: case and punctuation do not count."""
    return _TOKEN.findall(unicodedata.normalize("NFC", text).lower())


def rouge_l(text: str, reference: str) -> float:
    """Return the F1 of the longest common subsequence of words, without stemming; 0 when either has none."""
    said, wanted = tokens(text), tokens(reference)
    common = _longest_common(said, wanted)
    return 2 * common / (len(said) + len(wanted)) if common else 0.0


def quality(task: Task, text: str) -> Quality:
    """Judge a text by the references and by turnkeeper's checks on the history that was shown."""
    codes = {
        violation.code
        for violation in check(history=task.history, query=task.query, prediction={"standalone_query": text})
    }
    return Quality(
        max(rouge_l(text, reference) for reference in task.references),
        any(tokens(text) == tokens(reference) for reference in task.references),
        "residual_reference" in codes,
        bool(unsupported_terms(Comparison.of(text, task.query, task.history))),
        not codes.isdisjoint({"answered", "not_single_utterance"}),
    )


def table(tasks: Sequence[Task], columns: Sequence[Column]) -> str:
    """Return the Markdown table: a line an approach, then the first reference of each turn.

    Args:
        tasks: The turns.
        columns: One an approach, each with the rows of all turns in their order.

    Raises:
        ValueError: A column's rows are not those of the turns.
    """
    families = [task.family for task in tasks]
    copied = [quality(task, task.query).rouge_l for task in tasks]
    lines = [list(HEADER), ["---"] + ["---:"] * (len(HEADER) - 1)]
    for column in columns:
        if [row.id for row in column.rows] != [task.id for task in tasks]:
            raise ValueError(f"{column.title}: its rows are not those of the turns")
        judged = [quality(task, row.prediction) for task, row in zip(tasks, column.rows, strict=True)]
        fallback = _percent([row.fallback for row in column.rows]) if column.asks else _NOT_APPLICABLE
        difference = _difference(copied, judged, families)
        lines.append([column.title, fallback, *_worth(judged), *_cost(column.rows), difference])
    human = [quality(task, task.references[0]) for task in tasks]
    cost = [_NOT_APPLICABLE] * 4
    lines.append([REFERENCE, _NOT_APPLICABLE, *_worth(human), *cost, _difference(copied, human, families)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def load_line(columns: Sequence[Column]) -> str:
    """Return the median load average of each approach: seconds of two compare only where these are alike."""
    loads = [f"{column.title} {statistics.median([row.load for row in column.rows]):.2f}" for column in columns]
    return f"Load average (1 min, median): {'; '.join(loads)}."


def error_lines(columns: Sequence[Column]) -> list[str]:
    """Return one sentence for each approach whose LM failed: its fallbacks then are no doing of the approach."""
    counts = [(column.title, sum(row.error is not None for row in column.rows)) for column in columns]
    return [f"{title}: the LM failed on {n} turns; the same command asks them again." for title, n in counts if n]


def _worth(judged: Sequence[Quality]) -> list[str]:
    return [
        f"{100 * math.fsum(q.rouge_l for q in judged) / len(judged):.1f}",
        _percent([q.exact for q in judged]),
        _percent([q.residual for q in judged]),
        _percent([q.invented for q in judged]),
        _percent([q.answered for q in judged]),
    ]


def _cost(rows: Sequence[Row]) -> list[str]:
    return [
        f"{statistics.fmean(row.calls for row in rows):.2f}",
        f"{statistics.fmean(row.prompt_tokens for row in rows):.0f}",
        f"{statistics.fmean(row.answer_tokens for row in rows):.1f}",
        f"{statistics.median([row.seconds for row in rows]):.2f}",
    ]


def _difference(copied: Sequence[float], judged: Sequence[Quality], families: Sequence[str]) -> str:
    """Return the paired difference; few conversations have no interval, and one alone would resample into itself."""
    found = bootstrap_difference(copied, [q.rouge_l for q in judged], families)
    if not found.known:
        return f"{100 * found.mean:+.1f} [n/a]"
    return f"{100 * found.mean:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"


def _percent(flags: Sequence[bool]) -> str:
    return f"{100 * sum(flags) / len(flags):.1f}"


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    best = [0] * (len(other) + 1)
    for word in one:
        before = 0  # the length up to the word before, in the line before
        for place, candidate in enumerate(other, start=1):
            above = best[place]
            best[place] = before + 1 if word == candidate else max(above, best[place - 1])
            before = above
    return best[-1]
