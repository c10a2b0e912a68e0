"""Whether a search may stop a candidate early: recorded score matrices of real searches, played again.

usage: python benchmarks/racing_replay.py JOURNAL... [--orders 1000] [--json]

A journal of `turnkeeper compile` holds scored rows in the order in which they were asked, and no name of a candidate
(its keys are digests). Candidates are read off the order of rows: each begins where the ids begin anew. A candidate
counts as evidence when every row of its split is there. Where rows are missing at its end, the exact early stop has cut
it, and its score is not known; where they are missing in between, the journal had them already under another candidate.
Such candidates are counted and left out: they are mostly the poor ones, so the matrices that are left hold closer races
than the searches were, and what a race saves there is less than what it would have saved.

Three policies are played, over random orders of the rows (the search's own order of candidates):

- exact: a candidate is dropped once its sum so far plus one for each row left cannot exceed the best; as `search` does.
- halving: all candidates on a share of the rows, the better half on twice as many, and so on (Jamieson and Talwalkar,
  "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS 2016, arXiv:1502.07943).
- paired: all candidates row by row; every few rows, one is dropped whose paired difference to the leader is below zero
  by a one-sided t test at 5 %, divided by the number of looks and of rivals (Moore and Lee, "Efficient Algorithms for
  Minimizing Cross Validation Error", ICML 1994; Maron and Moore, "Hoeffding Races", NIPS 1993).

The winner then answers the rows left, since an artifact records its figures on all of them. What races leave out: both
need all candidates at once, while optimizers that climb propose the next from the score of the last; and an artifact
needs zero-shot on all rows too.

A winner is the same, or not distinguishable from that of the full search by the paired bootstrap by family that
`turnkeeper compare` uses, or worse. A statistical race is worth offering when it is worse in no more than 5 % of the
orders at no more than half of the calls.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

from turnkeeper.evaluation.scored import Scored
from turnkeeper.evaluation.statistics import bootstrap_difference, changed_families, changed_rows, verdict

LOOK_EVERY = 4
FIRST_LOOK = 8
LEVEL = 0.05
MOST_WORSE = 0.05
MOST_CALLS = 0.5
_SMALLEST = 6  # rows of a matrix below which nothing is said


class Matrix(NamedTuple):
    """Candidates of one search that answered the same rows, in the order in which they were tried.

    Attributes:
        scores: A candidate a line, a row a column.
        calls: LM calls of the same cells.
        families: Of the rows.
        cut: Candidates that the early stop cut, with the rows that they had answered.
        shared: Candidates with rows that the journal knew from another one.
    """

    name: str
    scores: list[list[float]]
    calls: list[list[int]]
    families: list[str]
    cut: list[int]
    shared: int

    @property
    def rows(self) -> int:
        """Rows of the split."""
        return len(self.families)


class Race(NamedTuple):
    """One race: the candidate that won, and the calls that it took."""

    winner: int
    calls: int


Policy = Callable[[Matrix, Sequence[int]], Race]


def candidates_of(path: Path) -> list[list[Scored]]:
    """Return the candidates of a journal, each as its rows in the order in which they were asked."""
    found: list[list[Scored]] = []
    with path.open(encoding="utf-8") as file:
        if json.loads(file.readline() or "{}").get("journal") != "turnkeeper":
            raise SystemExit(f"{path}: is no journal of a compile")
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:  # torn by a crash
                continue
            if "scored" not in row:
                continue
            scored = Scored.model_validate(row["scored"])
            if "-test-" in scored.id:  # asked once of a winner, and of no candidate
                continue
            last = found[-1][-1] if found else None
            if last is None or scored.id <= last.id or _split(scored) != _split(last):
                found.append([])
            found[-1].append(scored)
    return found


def _split(row: Scored) -> str:
    """Return what the ids of one split share: all but the digits at their end."""
    return row.id.rstrip("0123456789")


def matrices_of(path: Path) -> list[Matrix]:
    """Return the matrices of a journal: one for each set of rows that two candidates or more have answered whole."""
    candidates = candidates_of(path)
    by_rows: dict[tuple[tuple[str, str], ...], list[list[Scored]]] = {}
    for rows in candidates:
        by_rows.setdefault(tuple((row.id, row.row_digest) for row in rows), []).append(rows)
    made = []
    for ids, whole in by_rows.items():
        if len(whole) < 2 or len(ids) < _SMALLEST or any(set(ids) < set(other) for other in by_rows):
            continue
        part = [tuple((row.id, row.row_digest) for row in rows) for rows in candidates]
        inside = [some for some in part if set(some) < set(ids)]
        cut = [len(some) for some in inside if some == ids[: len(some)]]
        made.append(
            Matrix(
                f"{path.name}, {len(ids)} rows",
                [[float(row.score or 0.0) for row in rows] for rows in whole],
                [[row.lm_calls for row in rows] for rows in whole],
                [row.family for row in whole[0]],
                cut,
                len(inside) - len(cut),
            )
        )
    return made


def best_of(matrix: Matrix) -> int:
    """Return the winner of the full search: the earliest of the best."""
    sums = [math.fsum(scores) for scores in matrix.scores]
    return sums.index(max(sums))


def exact(matrix: Matrix, order: Sequence[int]) -> Race:
    """Play the exact early stop."""
    best, winner, calls = -math.inf, 0, 0
    for number, scores in enumerate(matrix.scores):
        done: list[float] = []
        for place, row in enumerate(order, start=1):
            done.append(scores[row])
            calls += matrix.calls[number][row]
            if place < len(order) and math.fsum(done) + len(order) - place <= best:
                break
        total = math.fsum(done)
        if len(done) == len(order) and total > best:
            best, winner = total, number
    return Race(winner, calls)


def halving(matrix: Matrix, order: Sequence[int]) -> Race:
    """Play successive halving: as many rungs as halvings leave one candidate, the last of them over all rows."""
    left = list(range(len(matrix.scores)))
    rungs = max(1, math.ceil(math.log2(len(left))))
    calls, seen = 0, 0
    for rung in range(rungs, -1, -1):
        until = max(seen, math.ceil(len(order) / 2**rung))
        calls += sum(matrix.calls[n][row] for n in left for row in order[seen:until])
        seen = until
        left.sort(key=lambda n: (-math.fsum(matrix.scores[n][row] for row in order[:until]), n))
        if rung:
            left = left[: max(1, math.ceil(len(left) / 2))]
        if len(left) == 1:
            break
    return Race(left[0], calls + _rest(matrix, left[0], order[seen:]))


def paired(matrix: Matrix, order: Sequence[int]) -> Race:
    """Play the sequential paired test."""
    left = list(range(len(matrix.scores)))
    looks = max(1, (len(order) - FIRST_LOOK) // LOOK_EVERY + 1)
    limit = NormalDist().inv_cdf(1 - LEVEL / looks / max(1, len(left) - 1))
    calls = 0
    for place, row in enumerate(order, start=1):
        calls += sum(matrix.calls[number][row] for number in left)
        if len(left) > 1 and place >= FIRST_LOOK and (place - FIRST_LOOK) % LOOK_EVERY == 0 and place < len(order):
            leader = _leader(matrix, left, order[:place])
            left = [n for n in left if n == leader or not _behind(matrix, n, leader, order[:place], limit)]
        if len(left) == 1:
            return Race(left[0], calls + _rest(matrix, left[0], order[place:]))
    return Race(_leader(matrix, left, order), calls)


def _rest(matrix: Matrix, winner: int, rows: Sequence[int]) -> int:
    """Return the calls of the rows that a winner has not answered: its figures are those of all rows."""
    return sum(matrix.calls[winner][row] for row in rows)


def _leader(matrix: Matrix, left: Sequence[int], rows: Sequence[int]) -> int:
    return min(left, key=lambda number: (-math.fsum(matrix.scores[number][row] for row in rows), number))


def _behind(matrix: Matrix, number: int, leader: int, rows: Sequence[int], limit: float) -> bool:
    differences = [matrix.scores[leader][row] - matrix.scores[number][row] for row in rows]
    mean = math.fsum(differences) / len(differences)
    spread = math.sqrt(math.fsum((d - mean) ** 2 for d in differences) / (len(differences) - 1))
    # Fisher's expansion of Student's quantile, which has heavier tails than the normal one at eight rows.
    student = limit + (limit**3 + limit) / (4 * (len(differences) - 1))
    return spread > 0 and mean / (spread / math.sqrt(len(differences))) > student


POLICIES: dict[str, Policy] = {"exact": exact, "halving": halving, "paired": paired}


def replay(matrix: Matrix, policy: Policy, orders: int, seed: int = 0) -> dict[str, Any]:
    """Play a policy over random orders of the rows.

    Returns:
        Shares of the orders whose winner is the same, is not distinguishable from it, or is worse; the mean share of
        the calls of a full search; the largest loss in mean score.
    """
    random_rows = random.Random(seed)
    wanted, whole = best_of(matrix), sum(map(sum, matrix.calls))
    told = {number: _told(matrix, wanted, number) for number in range(len(matrix.scores))}
    counts = dict.fromkeys(("same", "not distinguishable", "worse"), 0)
    calls, loss = 0, 0.0
    for _ in range(orders):
        order = random_rows.sample(range(matrix.rows), matrix.rows)
        race = policy(matrix, order)
        counts[told[race.winner]] += 1
        calls += race.calls
        lost = math.fsum(matrix.scores[wanted]) - math.fsum(matrix.scores[race.winner])
        loss = max(loss, lost / matrix.rows)
    return {**{name: count / orders for name, count in counts.items()}, "calls": calls / orders / whole, "loss": loss}


def _told(matrix: Matrix, wanted: int, winner: int) -> str:
    if winner == wanted:
        return "same"
    one, other = matrix.scores[wanted], matrix.scores[winner]
    difference = bootstrap_difference(one, other, matrix.families)
    moved = changed_families(one, other, matrix.families)
    said = verdict(difference, changed_rows(one, other), changed_families=moved)
    return "worse" if said == "worse" else "not distinguishable"


def supported(results: Sequence[dict[str, Any]]) -> bool:
    """Whether a policy may be offered: good enough on every matrix, at no more than half of the calls on average."""
    good = all(result["worse"] <= MOST_WORSE for result in results)
    return bool(results) and good and sum(result["calls"] for result in results) / len(results) <= MOST_CALLS


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table a matrix, and what the replay supports."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("journals", nargs="+", type=Path)
    parser.add_argument("--orders", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    found = [matrix for path in asked.journals for matrix in matrices_of(path)]
    if not found:
        sys.exit("no journal holds two candidates that answered the same rows to the end")
    results = {
        matrix.name: {name: replay(matrix, policy, asked.orders) for name, policy in POLICIES.items()}
        for matrix in found
    }
    offered = {name: supported([each[name] for each in results.values()]) for name in POLICIES}
    if asked.json:
        about = {m.name: {"complete": len(m.scores), "cut": m.cut, "shared": m.shared, "rows": m.rows} for m in found}
        print(json.dumps({"matrices": about, "results": results, "supported": offered}))
        return
    for matrix in found:
        saved = sum(matrix.rows - rows for rows in matrix.cut)
        print(f"{matrix.name}: {len(matrix.scores)} complete candidates; {len(matrix.cut)} cut by the exact early stop")
        print(f"  ({saved} rows not asked; left out here), {matrix.shared} with rows of another candidate (left out)")
        print("  policy    same   n.d.   worse  calls   largest loss")
        for name, result in results[matrix.name].items():
            shares = "  ".join(f"{result[key]:5.1%}" for key in ("same", "not distinguishable", "worse", "calls"))
            print(f"  {name:<8} {shares}   {result['loss']:.3f}")
    for name, is_so in offered.items():
        print(f"{name}: {'supported' if is_so else 'not supported'} by {len(found)} matrices")


if __name__ == "__main__":
    main()
