"""`labeled`: demos straight from the golds of the train rows."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from ..errors import InputError
from .demos import PooledDemo, by_predictor, choose, gold_pool, ids, with_demos
from .parameters import LabeledOptions, options_of
from .task import Candidate, CompileTask, Proposals

Chosen = dict[str, list[PooledDemo]]


class Labeled:
    """Demos a predictor from the train rows. Costs no call but those that score a candidate.

    Without options: seeded choices, stratified by kind. With `start`, a list of train row ids, the search climbs from
    these: each further candidate is the best so far with one predictor's demos changed, `swaps` of them (2 by
    default) exchanged for others, or one added, or one left out. Since a row is scored anew only when the predictor
    that it asks has changed, such a step costs about half an evaluation.
    """

    options = LabeledOptions

    def propose(self, task: CompileTask) -> Proposals:
        given = options_of(self.options, task.options)
        pools = by_predictor(gold_pool(task, given.threshold))
        if not pools:
            return
        if given.start:
            yield from _climb(task, pools, given)
            return
        for number in range(task.candidates):
            rng = task.rng("labeled", number)
            chosen = {name: choose(pool, rng.choice(given.sizes), rng) for name, pool in sorted(pools.items())}
            yield Candidate(f"labeled-{number}", with_demos(task, chosen), {"demos": ids(chosen)})


def _climb(task: CompileTask, pools: Mapping[str, list[PooledDemo]], options: LabeledOptions) -> Proposals:
    best = _started(options.start, pools)
    seen = [ids(best)]
    top = yield Candidate("labeled-0", with_demos(task, best), {"demos": ids(best), "step": "start"})
    for number in range(1, task.candidates):
        rng = task.rng("labeled", "climb", number)
        tried, step = _changed(best, pools, options.swaps, rng)
        if ids(tried) in seen:
            continue
        seen.append(ids(tried))
        said = {"demos": ids(tried), "step": step}
        score = yield Candidate(f"labeled-{number}", with_demos(task, tried), said)
        # A candidate that was dropped half way has no score: it could not have become the best.
        if score is not None and (top is None or score > top):
            best, top = tried, score


def _started(wanted: Sequence[str], pools: Mapping[str, list[PooledDemo]]) -> Chosen:
    places = {row: place for place, row in enumerate(wanted)}
    known = {demo.row_id for pool in pools.values() for demo in pool}
    missing = [row for row in wanted if row not in known]
    if missing:
        raise InputError(f"option `start`: no demo can be made of train row {missing[0]}")
    return {
        name: sorted((demo for demo in pool if demo.row_id in places), key=lambda demo: places[demo.row_id])
        for name, pool in sorted(pools.items())
    }


def _changed(best: Chosen, pools: Mapping[str, list[PooledDemo]], swaps: int, rng: random.Random) -> tuple[Chosen, str]:
    name = rng.choice(sorted(best))
    demos = list(best[name])
    used = {demo.family for demo in demos}
    fresh = [demo for demo in pools[name] if demo.family not in used]
    rng.shuffle(fresh)
    step = rng.choice(("swap", "swap", "add", "leave out"))
    if step == "leave out" and len(demos) > 2:
        demos.pop(rng.randrange(len(demos)))
    elif step == "add" and fresh:
        demos.insert(rng.randrange(len(demos) + 1), fresh[0])
    else:
        step = "swap"
        for place, demo in zip(rng.sample(range(len(demos)), min(swaps, len(demos))), fresh, strict=False):
            demos[place] = demo
    return {**best, name: demos}, f"{step} in {name}"
