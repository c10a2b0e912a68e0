"""What `unanswerable_turns.py` counts: shares with Wilson intervals, the fallback rate before all others."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from _unanswerable_tasks import Searched

from turnkeeper.signatures.types import Frozen

Z = 1.959964
"""Of a 95 % interval."""
ASKING = ("question", "clarification")
OUTCOMES = ("ANSWERED", "PARTIAL", "UNANSWERED", "no question")


class Taken(Frozen):
    """One turn as it was taken, a row of `--out`.

    Attributes:
        context: Ids of the passages that it came with, the best first.
        dropped: Those of them that assert what the user ruled out.
        fallbacks: Steps that gave their fallback.
        violations: Codes of what the last attempt of such a step had broken.
    """

    id: str
    input_digest: str
    status: str
    kind: str
    standalone_query: str
    answer: str
    cited: tuple[str, ...]
    context: tuple[str, ...]
    dropped: tuple[str, ...]
    fallbacks: tuple[str, ...]
    warnings: tuple[str, ...]
    violations: tuple[str, ...]
    lm_calls: int
    latency_ms: float

    @property
    def lm_failed(self) -> bool:
        """Whether a step fell back because the LM could not be asked: that says nothing of its answers."""
        return "lm_error" in self.warnings

    @property
    def outcome(self) -> str:
        """The status, or that the turn was taken for no question."""
        return self.status if self.kind in ASKING else "no question"


class Share(NamedTuple):
    """`hits` of `n`, and the 95 % interval of the share; all None where there is nothing to count."""

    share: float | None
    low: float | None
    high: float | None
    hits: int
    n: int


def wilson(hits: int, n: int) -> Share:
    """Return a share with its Wilson score interval (Wilson, 1927)."""
    if not n:
        return Share(None, None, None, hits, n)
    share, square = hits / n, Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return Share(share, max(0.0, middle - half), min(1.0, middle + half), hits, n)


class _Turn(NamedTuple):
    searched: Searched
    taken: Taken

    @property
    def cites_gold(self) -> bool:
        return not self.searched.task.gold.isdisjoint(self.taken.cited)


def figures(turns: Sequence[Searched], taken: Sequence[Taken]) -> dict[str, Any]:
    """Return the fallback rate, what was left open and what was answered, and what it cost.

    A turn where the LM failed is counted as that and nowhere else: it would look like one that was left open.

    Args:
        taken: One a turn, in the same order.
    """
    every = [_Turn(one, made) for one, made in zip(turns, taken, strict=True) if not made.lm_failed]
    groups = {
        "UNANSWERABLE": [t for t in every if t.searched.task.label == "UNANSWERABLE"],
        "PARTIAL": [t for t in every if t.searched.task.label == "PARTIAL"],
        "ANSWERABLE, gold in context": [t for t in every if _answerable(t) and t.searched.has_gold],
        "ANSWERABLE, no gold in context": [t for t in every if _answerable(t) and not t.searched.has_gold],
    }
    _, partial, gold, without = groups.values()
    measures = {
        "UNANSWERABLE left open": _share(groups["UNANSWERABLE"], _left_open),
        "PARTIAL left open": _share(partial, _left_open),
        "PARTIAL with a part left open": _share(partial, lambda t: t.taken.outcome == "PARTIAL"),
        "PARTIAL answered": _share(partial, _answered),
        "ANSWERABLE, gold in context: answered": _share(gold, _answered),
        "ANSWERABLE, gold in context: answered, a part left open": _share(
            gold, lambda t: t.taken.outcome == "PARTIAL"
        ),
        "ANSWERABLE, no gold in context: answered": _share(without, _answered),
        "ANSWERABLE, no gold in context: left open": _share(without, _left_open),
        "answered with gold in context: cites a gold passage": _share(
            [t for t in gold if _answered(t)], lambda t: t.cites_gold
        ),
        "gold in context of PARTIAL or ANSWERABLE": _share([*partial, *gold, *without], lambda t: t.searched.has_gold),
    }  # fmt: skip
    steps = Counter(name for turn in every for name in turn.taken.fallbacks)
    return {
        "turns": len(taken),
        "fallback": _share(every, lambda t: bool(t.taken.fallbacks))._asdict(),
        "fallbacks_by_step": dict(steps),
        "lm_failures": sum(made.lm_failed for made in taken),
        "measures": {name: share._asdict() for name, share in measures.items()},
        "outcomes": {
            name: {
                **{outcome: sum(t.taken.outcome == outcome for t in group) for outcome in OUTCOMES},
                "left open by fallback": sum(_left_open(t) and "cite" in t.taken.fallbacks for t in group),
                "context dropped": sum(bool(t.taken.dropped) for t in group),
            }
            for name, group in groups.items()
        },
        "lm_calls": sum(made.lm_calls for made in taken),
        "median_turn_ms": statistics.median(made.latency_ms for made in taken),
    }


def _answerable(turn: _Turn) -> bool:
    return turn.searched.task.label == "ANSWERABLE"


def _left_open(turn: _Turn) -> bool:
    return turn.taken.outcome == "UNANSWERED"


def _answered(turn: _Turn) -> bool:
    return turn.taken.outcome == "ANSWERED"


def _share(turns: Sequence[_Turn], holds: Callable[[_Turn], bool]) -> Share:
    return wilson(sum(map(holds, turns)), len(turns))


def table(found: Mapping[str, Any]) -> list[str]:
    """Return the report: fallbacks, the measures, and the outcomes of each kind of turn."""
    steps = ", ".join(f"{name} {count}" for name, count in found["fallbacks_by_step"].items()) or "none"
    programs = ", ".join(dict.fromkeys(found["programs"].values()))
    without = found["without_rewrite"]
    lines = [
        f"fallback rate {_shown(found['fallback'])}; by step: {steps}; the LM failed in {found['lm_failures']} turns",
        f"  {found['lm_calls']} LM calls, median turn {found['median_turn_ms']:.0f} ms; {found['model']}; {programs}",
        f"  the first {found['k']} passages, searched by {found['searched_by']}"
        f"{f' ({without} turns without one)' if without else ''}, the message before at {found['context_weight']}",
        "",
    ]
    lines += [f"{name:58} {_shown(share)}" for name, share in found["measures"].items()]
    for name, outcomes in found["outcomes"].items():
        lines += ["", name, "  " + ", ".join(f"{outcome} {count}" for outcome, count in outcomes.items())]
    return lines


def _shown(share: Mapping[str, Any]) -> str:
    if share["share"] is None:
        return "- (0 of 0)"
    return f"{share['share']:.1%} [{share['low']:.1%}, {share['high']:.1%}] ({share['hits']} of {share['n']})"
