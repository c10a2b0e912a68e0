"""`labeled`: demos straight from the golds of the train rows."""

from __future__ import annotations

from .demos import by_predictor, choose, gold_pool, ids, with_demos
from .task import Candidate, CompileTask, Proposals

SIZES = (3, 4, 6, 8)


class Labeled:
    """Seeded choices of demos a predictor, stratified by kind. Costs no call but those that score a candidate."""

    def propose(self, task: CompileTask) -> Proposals:
        pools = by_predictor(gold_pool(task, float(task.options.get("threshold", 0.9))))
        if not pools:
            return
        sizes = tuple(task.options.get("sizes", SIZES))
        for number in range(task.candidates):
            rng = task.rng("labeled", number)
            chosen = {name: choose(pool, rng.choice(sizes), rng) for name, pool in sorted(pools.items())}
            yield Candidate(f"labeled-{number}", with_demos(task, chosen), {"demos": ids(chosen)})
