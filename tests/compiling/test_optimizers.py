"""The optimizers: what each proposes, that seeds decide, and that low scores never teach."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import pytest

from turnkeeper.compiling import (
    Budget,
    Candidate,
    CompileOptions,
    CompileTask,
    JsonlJournal,
    Teleprompter,
    compile_program,
    get_optimizer,
    optimizer_names,
    register_optimizer,
)
from turnkeeper.compiling import registry as registry_module
from turnkeeper.compiling.plan import plan_of
from turnkeeper.errors import InputError
from turnkeeper.evaluation import Evaluation, evaluate

from .reading import all_rows, proposing_lm, reading_lm

Options = Callable[..., CompileOptions]
TASKS = "labeled bootstrap bootstrap-rs mipro gepa".split()


def task_of(
    options: CompileOptions, lm: dspy.LM, journal: JsonlJournal | None = None, reflection: Any = None
) -> CompileTask:
    budget = Budget(options.limits)

    def score(adapter: str, program: Any, rows: Any, *, lm: Any = lm, **_: Any) -> Evaluation:
        task = plan.tasks[0]
        return evaluate(
            program, rows, task.metric, lm=lm, adapter=task.adapter, bare=True, journal=journal, budget=budget
        )

    plan = plan_of(options, lm, budget, reflection_lm=reflection, score=score, journal=journal)
    return plan.tasks[0]


def proposals(name: str, task: CompileTask, told: float | None = 0.5, most: int = 6) -> list[Candidate]:
    source = get_optimizer(name).propose(task)
    found: list[Candidate] = []
    try:
        found.append(next(source))
        while len(found) < most:
            found.append(source.send(told))
    except StopIteration:
        pass
    return found


def demos(candidate: Candidate) -> int:
    return sum(len(predictor["demos"]) for predictor in candidate.state.values())


@pytest.mark.parametrize("name", TASKS)
def test_the_same_seed_proposes_the_same_programs(name: str, options: Options, golden_dir: Path) -> None:
    def once() -> list[Candidate]:
        lm = reading_lm(all_rows(golden_dir), share=80)
        return proposals(name, task_of(options(), lm, reflection=proposing_lm("Be exact.", "Name things.")))

    first = once()
    assert first and first == once()


@pytest.mark.parametrize("name", ["labeled", "bootstrap-rs"])
def test_another_seed_proposes_other_programs(name: str, options: Options, lm: dspy.LM) -> None:
    one, other = (proposals(name, task_of(options(seed=seed), lm)) for seed in (0, 1))
    assert [c.state for c in one] != [c.state for c in other]


def test_names_are_unique_and_parameters_name_the_rows(options: Options, lm: dspy.LM) -> None:
    task = task_of(options(), lm)
    found = proposals("labeled", task)
    train = {row.id for row in task.train}
    assert len({candidate.name for candidate in found}) == len(found)
    assert all(set(itertools.chain(*c.parameters["demos"].values())) <= train for c in found)


def test_labeled_takes_the_sizes_it_is_given(options: Options, lm: dspy.LM) -> None:
    found = proposals("labeled", task_of(options(parameters={"sizes": [2]}), lm))
    assert {len(c.state["referents"]["demos"]) for c in found} == {2}


def test_bootstrap_keeps_what_the_teacher_answered_well(options: Options, golden_dir: Path) -> None:
    lm = reading_lm(all_rows(golden_dir), share=60)
    task = task_of(options(), lm)
    largest = max(proposals("bootstrap", task), key=demos)
    taught = {row.id: row for row in task.train}
    for name, ids in largest.parameters["demos"].items():
        for row_id, demo in zip(ids, largest.state[name]["demos"], strict=True):
            prediction = {r["mention"]: r["referent"] for r in demo.get("referents", [])}
            assert "x" not in prediction.values() and taught[row_id].query.split() == demo["query"].split()


def test_bootstrap_without_a_good_answer_proposes_nothing(options: Options, golden_dir: Path) -> None:
    lm = reading_lm(all_rows(golden_dir), share=0)  # every answer scores, none reaches the threshold
    assert proposals("bootstrap", task_of(options(), lm)) == []


def test_the_teacher_may_be_another_lm(options: Options, golden_dir: Path) -> None:
    poor, good = reading_lm([], share=0), reading_lm(all_rows(golden_dir))
    outcome = compile_program(options(optimizer="bootstrap"), poor, teacher=good)
    assert good.engine.calls > 0 and len(outcome.search.trials) > 1


@pytest.mark.parametrize("name", ["mipro", "gepa"])
def test_instructions_need_an_lm_that_proposes(name: str, options: Options, lm: dspy.LM) -> None:
    with pytest.raises(InputError, match="--reflection-lm"):
        proposals(name, task_of(options(), lm))


def test_mipro_tries_the_proposed_instructions(options: Options, lm: dspy.LM) -> None:
    found = proposals(
        "mipro", task_of(options(), lm, reflection=proposing_lm("Look twice.", "Name it in full.")), most=8
    )
    said = {c.state["referents"]["signature"]["instructions"] for c in found}
    assert said & {"Look twice.", "Name it in full."}


def test_gepa_proposes_what_reflection_wrote(options: Options, golden_dir: Path) -> None:
    rows = all_rows(golden_dir)
    lm = reading_lm(rows, share=0)
    engine = lm.engine
    answer = engine.reply

    def obedient(system: str, said: Any) -> str:
        engine.share = 100 if "Look twice." in system else 0
        return answer(system, said)  # type: ignore[no-any-return]

    engine.reply = obedient
    found = proposals("gepa", task_of(options(), lm, reflection=proposing_lm("Look twice.")))
    assert "Look twice." in {p["signature"]["instructions"] for p in found[0].state.values()}


def test_replies_of_the_proposer_come_from_the_journal(options: Options, lm: dspy.LM, tmp_path: Path) -> None:
    proposer = proposing_lm("Look twice.", "Name it.", "Be brief.")
    with JsonlJournal(tmp_path / "p.jsonl") as journal:
        first = proposals("mipro", task_of(options(), lm, journal, proposer))
    calls = proposer.engine.calls
    with JsonlJournal(tmp_path / "p.jsonl") as journal:
        assert proposals("mipro", task_of(options(), lm, journal, proposer)) == first
    assert calls > 0 and proposer.engine.calls == calls


def test_an_unknown_optimizer_lists_the_known() -> None:
    with pytest.raises(InputError, match="bootstrap, bootstrap-rs, gepa, labeled, mipro"):
        get_optimizer("magic")
    assert set(TASKS) <= set(optimizer_names())


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="labeled"):
        register_optimizer("labeled", lambda: Teleprompter(lambda task: None))


def test_a_teleprompter_takes_ten_lines(options: Options, golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "_OPTIMIZERS", dict(registry_module._OPTIMIZERS))

    class FirstRows:
        """A teleprompter that shows a demo that is complete, and one that lacks a field."""

        def compile(self, student: dspy.Module, *, trainset: list[dspy.Example], size: int) -> dspy.Module:
            task = student.deepcopy()
            whole = {"history": "user: a", "query": "b", "correction_feedback": "", "standalone_query": "b"}
            task.rewrite.demos = [whole, {**whole, "standalone_query": None}]
            assert len(trainset) > size and trainset[0].inputs().keys()
            return task

    register_optimizer("first-rows", lambda: Teleprompter(lambda task: FirstRows(), size=2))
    lm = reading_lm(all_rows(golden_dir))
    (found,) = proposals("first-rows", task_of(options(), lm))
    assert [demo["query"] for demo in found.state["rewrite"]["demos"]] == ["b"]


def test_copro_runs_as_a_teleprompter(options: Options, golden_dir: Path) -> None:
    from dspy.teleprompt import COPRO

    def copro(task: CompileTask) -> Any:
        return COPRO(prompt_model=task.reflection_lm, metric=task.metric, breadth=2, depth=1)

    settings = {"num_threads": 1, "display_progress": False, "display_table": 0}
    lm = reading_lm(all_rows(golden_dir))
    task = task_of(options(), lm, reflection=proposing_lm("Look twice."))
    found = list(itertools.islice(Teleprompter(copro, eval_kwargs=settings).propose(task), 3))
    assert found and found[0].state.keys() == {"referents", "rewrite"}


def climbing(options: Options, lm: dspy.LM, **given: Any) -> CompileTask:
    ids = [row for name in ("labeled",) for c in proposals(name, task_of(options(), lm)) for row in _rows(c)]
    return task_of(options(parameters={"start": sorted(set(ids))[:3], **given}), lm)


def _rows(candidate: Candidate) -> list[str]:
    return [row for rows in candidate.parameters["demos"].values() for row in rows]


def test_a_climb_begins_with_the_named_rows_and_changes_one_predictor_a_step(options: Options, lm: dspy.LM) -> None:
    task = climbing(options, lm)
    found = proposals("labeled", task, told=None)
    assert sorted(_rows(found[0])) == task.options["start"]
    for step in found[1:]:  # no score was better, so each step is taken from the start
        changed = [n for n, rows in step.parameters["demos"].items() if rows != found[0].parameters["demos"].get(n, [])]
        assert len(changed) == 1 and changed[0] in step.parameters["step"]


def test_a_climb_goes_on_from_the_better_candidate(options: Options, lm: dspy.LM) -> None:
    source = get_optimizer("labeled").propose(climbing(options, lm, swaps=1))
    first = next(source)
    second = source.send(0.4)
    third = source.send(0.9)
    before, after = (first.parameters["demos"], second.parameters["demos"])
    named = [name for name, rows in third.parameters["demos"].items() if rows != after.get(name, [])]
    assert before != after and len(named) == 1


def test_a_start_that_gives_no_demo_is_named(options: Options, lm: dspy.LM) -> None:
    task = task_of(options(parameters={"start": ["no-such-row"]}), lm)
    with pytest.raises(InputError, match="no-such-row"):
        next(get_optimizer("labeled").propose(task))


def test_candidates_bound_the_proposals(options: Options, lm: dspy.LM) -> None:
    assert len(proposals("labeled", task_of(options(candidates=2), lm))) == 2
