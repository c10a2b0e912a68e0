"""The registry: names, what a program is of, and that every entry keeps the seams' promises."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

from turnkeeper.behaviours import GOOD, behaviour_of, find, names, register
from turnkeeper.errors import InputError
from turnkeeper.evaluation.baselines import CopyQuery
from turnkeeper.modules._guard import Guard

from .shelving import ENTRY, Shelve, ShelveRules, rows_of


def first_row(name: str) -> Any:
    return rows_of("dev")[0] if name == "shelve" else find(name).load("dev", None)[0]


def test_names_are_those_of_the_package_and_the_registered() -> None:
    assert {"reformulate", "shelve"} <= set(names()) and names() == sorted(names())


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(InputError, match=r"no behaviour 'frobnicate'; there is: .*reformulate.*shelve"):
        find("frobnicate")


@pytest.mark.parametrize("name", ["reformulate", "shelve"])
def test_a_name_is_taken_once(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        register(name, lambda: ENTRY)


def test_a_guard_and_a_copy_know_what_they_are_of() -> None:
    guard: Guard[Any, Any] = Guard(ShelveRules(), Shelve(), lm=None, adapter=None)
    assert behaviour_of(guard) is ENTRY and behaviour_of(CopyQuery("shelve")) is ENTRY


def test_a_bare_program_is_taken_at_its_word() -> None:
    assert behaviour_of(Shelve()).name == "reformulate"
    assert behaviour_of(Shelve(), "shelve") is ENTRY and behaviour_of(Shelve(), ENTRY) is ENTRY


def test_names_cost_no_dspy() -> None:
    code = (
        "import sys; from turnkeeper.behaviours import names; print(names(), {'dspy', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "'reformulate'" in done.stdout and done.stdout.endswith("] set()\n"), done.stderr


@pytest.mark.parametrize("name", [*names(), "shelve"])
def test_an_entry_and_its_rules_have_one_name(name: str) -> None:
    assert find(name).name == find(name).rules().name == name


@pytest.mark.parametrize("name", [*names(), "shelve"])
def test_the_program_of_each_form_takes_the_inputs_of_a_row(name: str) -> None:
    entry = find(name)
    for form in entry.forms:
        taken = inspect.signature(entry.program(form).forward)
        assert taken.bind(**entry.inputs(first_row(name)), correction_feedback="").arguments


@pytest.mark.parametrize("name", [*names(), "shelve"])
def test_the_metric_names_the_components_and_gives_a_gold_all(name: str) -> None:
    entry, row = find(name), first_row(name)
    found = entry.metric(row, entry.gold(row))
    assert (found.score, list(found.violations)) == (1.0, [])
    assert set(found.components) == set(entry.components) and entry.gated == {"score", "good", *found.components}


@pytest.mark.parametrize("name", names())
def test_good_means_the_same_to_every_metric(name: str) -> None:
    assert import_module(find(name).metric.__module__).GOOD == GOOD


@pytest.mark.parametrize("name", [*names(), "shelve"])
def test_recorded_fields_are_those_of_golds_and_copies_and_said_reads_them(name: str) -> None:
    entry, row = find(name), first_row(name)
    assert set(entry.gold(row)) <= set(entry.fields) >= set(entry.copied(entry.inputs(row)))
    assert entry.said(entry.gold(row)) == entry.shown(row).gold != "" == entry.said({})


@pytest.mark.parametrize("name", [*names(), "shelve"])
def test_a_served_model_takes_what_the_guard_does_and_gives_fields_of_its_result(name: str) -> None:
    entry = find(name)
    result = entry.rules().result_type
    asked = entry.asked(first_row(name))
    columns = dict.fromkeys(column.name for column in entry.takes)
    assert set(asked) <= set(columns)
    entry.rules().prepare({**columns, **asked}, scrub=None, risk_level="normal")
    assert {column.name for column in entry.gives} <= set(result.model_fields)
