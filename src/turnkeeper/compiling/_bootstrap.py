"""`bootstrap`: demos from what a teacher answered well on train rows."""

from __future__ import annotations

from collections.abc import Sequence

from ..behaviours import GoldenRow
from .demos import PooledDemo, by_predictor, choose, gold_pool, ids, proven, with_demos
from .parameters import BootstrapOptions, TeacherOptions, options_of
from .task import Candidate, CompileTask, Proposals

_CHUNK = 4
_TEACHER_DEMOS = 4


def bootstrap_pool(task: CompileTask, wanted: int, options: TeacherOptions) -> list[PooledDemo]:
    """Run the teacher on train rows in a seeded order until each predictor has enough demos, rows or budget end.

    The teacher is the program itself with a few labelled demos, on `task.teacher`. A row's answer becomes a demo when
    the metric gives it the threshold, and again when the demo made of it passes; that a filter takes low scores for
    passes is an old trap (https://github.com/stanfordnlp/dspy/issues/10473).
    """
    rng = task.rng("bootstrap")
    shown = {name: choose(pool, _TEACHER_DEMOS, rng) for name, pool in sorted(by_predictor(gold_pool(task)).items())}
    taught = {demo.family for demos in shown.values() for demo in demos}
    # A row whose conversation the teacher was shown would only be repeated.
    rows = [row for row in task.train if row.family not in taught and task.behaviour.demos(row, task.form)]
    rng.shuffle(rows)
    rows = rows[: options.max_rows or 12 * wanted]
    teacher = task.program(with_demos(task, shown))
    names = {name for name, _ in teacher.named_predictors()}
    pool: list[PooledDemo] = []
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        done = task.score(teacher, chunk, lm=task.teacher)
        given = {scored.id: scored.prediction for scored in done.rows if (scored.score or 0.0) >= options.threshold}
        pool += _demos(task, chunk, given, options.threshold)
        counts = {name: len(demos) for name, demos in by_predictor(pool).items()}
        if not done.complete or all(counts.get(name, 0) >= wanted for name in names):
            break
    return pool


def _demos(
    task: CompileTask, rows: Sequence[GoldenRow], given: dict[str, dict[str, object]], threshold: float
) -> list[PooledDemo]:
    found = []
    for row in rows:
        answered = task.behaviour.answered(row, given[row.id]) if row.id in given else None
        made = task.behaviour.demos(answered, task.form) if answered else []
        for demo in made:
            if proven(task, row, demo, made) >= threshold:
                found.append(PooledDemo(row.id, row.kind, row.family, demo.predictor, demo.fields))
    return found


class Bootstrap:
    """Growing sets of bootstrapped demos, in the order in which the teacher gave them."""

    options = BootstrapOptions

    def propose(self, task: CompileTask) -> Proposals:
        given = options_of(self.options, task.options)
        pools = by_predictor(bootstrap_pool(task, max(given.sizes), given))
        seen: list[dict[str, list[str]]] = []
        for number, size in enumerate(given.sizes[: task.candidates]):
            chosen = {name: pool[:size] for name, pool in sorted(pools.items())}
            if ids(chosen) in seen or not pools:
                continue
            seen.append(ids(chosen))
            yield Candidate(f"bootstrap-{number}", with_demos(task, chosen), {"demos": ids(chosen), "size": size})


class BootstrapRandomSearch:
    """Random search over seeds, numbers of demos, and where they come from: golds, the teacher, or both."""

    options = BootstrapOptions

    def propose(self, task: CompileTask) -> Proposals:
        given = options_of(self.options, task.options)
        golds = gold_pool(task, given.threshold)
        taught = bootstrap_pool(task, max(given.sizes), given)
        sources = {"gold": golds, "teacher": taught, "both": [*golds, *taught]}
        for number in range(task.candidates):
            rng = task.rng("bootstrap-rs", number)
            source = rng.choice(sorted(name for name, pool in sources.items() if pool) or ["gold"])
            pools = sorted(by_predictor(sources[source]).items())
            chosen = {name: choose(pool, rng.choice(given.sizes), rng) for name, pool in pools}
            if not any(chosen.values()):
                return
            said = {"demos": ids(chosen), "source": source}
            yield Candidate(f"bootstrap-rs-{number}", with_demos(task, chosen), said)
