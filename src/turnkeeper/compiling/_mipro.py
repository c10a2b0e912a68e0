"""`mipro`: instructions proposed by DSPy's grounded proposer, combined with sets of demos by a Bayesian search.

The proposer and the search space are MIPROv2's (https://arxiv.org/abs/2406.11695); the trials are scored by our own
search, which can be stopped and resumed. The proposer needs a large LM: what a 1.5B model proposes is noise.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator
from typing import Any

import dspy

from ..errors import InputError, SetupError
from ._bootstrap import bootstrap_pool
from .demos import by_predictor, choose, gold_pool, ids, with_demos
from .parameters import MiproOptions, options_of
from .task import Candidate, CompileTask, Proposals
from .teleprompter import example

_SIZES = (0, 3, 4, 6, 8)


class Mipro:
    """Instructions x demo sets, chosen by a seeded TPE sampler that is told each candidate's dev score."""

    options = MiproOptions

    def propose(self, task: CompileTask) -> Proposals:
        try:
            import optuna
        except ImportError:
            raise SetupError("optimizer `mipro` needs optuna: pip install 'turnkeeper[compile]'") from None
        if task.reflection_lm is None:
            raise InputError("optimizer `mipro` needs --reflection-lm: a large LM that proposes instructions")
        given = options_of(self.options, task.options)
        sets = _demo_sets(task, given)
        instructions = _instructions(task, sets, given)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=task.rng("mipro").randrange(2**31), multivariate=True)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        seen: dict[tuple[int, ...], float | None] = {}
        for _ in range(4 * task.candidates):  # the sampler repeats itself; a repetition costs nothing
            if len(seen) == task.candidates:
                return
            trial = study.ask()
            picked = {
                name: trial.suggest_int(f"instruction.{name}", 0, len(texts) - 1)
                for name, texts in sorted(instructions.items())
            }
            place = trial.suggest_int("demos", 0, len(sets) - 1)
            key = (*picked.values(), place)
            if key not in seen:
                chosen = {name: instructions[name][number] for name, number in picked.items()}
                said = {"demos": ids(sets[place]), "instructions": picked}
                seen[key] = yield Candidate(f"mipro-{len(seen)}", with_demos(task, sets[place], chosen), said)
            score = seen[key]
            if score is None:  # dropped half way: worse than the best, no more is known
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            else:
                study.tell(trial, score)


def _demo_sets(task: CompileTask, given: MiproOptions) -> list[dict[str, Any]]:
    pools = {"gold": by_predictor(gold_pool(task, given.threshold))}
    if given.bootstrap:
        pools["teacher"] = by_predictor(bootstrap_pool(task, max(_SIZES), given))
    sets = []
    for number in range(given.demo_sets):
        rng = task.rng("mipro-demos", number)
        size = _SIZES[number % len(_SIZES)]
        source = rng.choice(sorted(name for name, pool in pools.items() if pool))
        sets.append({name: choose(pool, size, rng) for name, pool in sorted(pools[source].items())})
    return sets


def _instructions(task: CompileTask, sets: list[dict[str, Any]], given: MiproOptions) -> dict[str, list[str]]:
    """Return what each predictor may be told: its own instruction first, then the proposals."""
    from dspy.propose import GroundedProposer

    program = task.program()
    names = [name for name, _ in program.named_predictors()]
    examples = [example(task.behaviour, row) for row in task.train]
    shown = {
        number: [[dspy.Example(**demo.fields, augmented=True) for demo in chosen.get(name, [])] for chosen in sets]
        for number, name in enumerate(names)
    }
    with (
        _quiet(),
        dspy.context(lm=task.reflection_lm, adapter=dspy.ChatAdapter(), disable_history=True, trace=None),
    ):
        proposer = GroundedProposer(
            program=program,
            trainset=examples,
            prompt_model=task.reflection_lm,
            program_aware=False,  # it would send our source code, which says less than the signatures
            use_dataset_summary=given.summary,
            set_tip_randomly=True,
            rng=task.rng("mipro-proposer"),
        )
        proposed = proposer.propose_instructions_for_program(
            trainset=examples,
            program=program,
            demo_candidates=shown,
            trial_logs={},
            N=given.instructions,
        )
    found = {}
    for number, (name, predictor) in enumerate(program.named_predictors()):
        texts = [predictor.signature.instructions, *(str(text).strip() for text in proposed.get(number, []))]
        found[name] = list(dict.fromkeys(text for text in texts if text))
    return found


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The proposer prints, and passes its own modules inputs that they warn about."""
    logger = logging.getLogger("dspy.predict.predict")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logger.setLevel(level)
