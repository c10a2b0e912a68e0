"""The table of `benchmarks/side_by_side.py`: figures that were worked out by hand."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.signatures.types import Turn

HISTORY = (
    Turn(role="user", content="Tell me about the Orvane kettle."),
    Turn(role="assistant", content="It boils a litre in two minutes."),
)


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("_approaches_table")


@pytest.fixture
def task(tables: Any) -> Any:
    def make(name: str, *, family: str = "f", query: str = "Is it loud?", references: tuple[str, ...] = ()) -> Any:
        references = references or ("Is the Orvane kettle loud?",)
        return tables.Task(name, family, HISTORY, query, references)

    return make


@pytest.fixture
def row(tables: Any) -> Any:
    def make(name: str, prediction: str, **more: Any) -> Any:
        fields = {
            "approach": "x", "id": name, "input_digest": "d", "prediction": prediction, "fallback": False,
            "error": None, "calls": 1, "prompt_tokens": 100, "answer_tokens": 10, "seconds": 1.0, "load": 0.5,
        }  # fmt: skip
        return tables.Row(**{**fields, **more})

    return make


def cells(printed: str, title: str) -> list[str]:
    (line,) = [line for line in printed.splitlines() if line.startswith(f"| {title} |")]
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ("Is the kettle loud?", "is the KETTLE loud", 1.0),
        ("a b c d", "b d", 2 * 2 / 6),
        ("d c b a", "a b c d", 2 * 1 / 8),
        ("a a b", "a b b", 2 * 2 / 6),
        ("x", "a b", 0.0),
        ("", "a b", 0.0),
        ("?!", "?!", 0.0),
        ("那艘船多少钱", "那艘船 多快", 2 * 4 / 11),
    ],
)
def test_rouge_l_is_the_f1_of_the_longest_common_subsequence(
    text: str, reference: str, expected: float, tables: Any
) -> None:
    assert tables.rouge_l(text, reference) == pytest.approx(expected)
    assert tables.rouge_l(reference, text) == pytest.approx(expected)


def test_the_closest_reference_counts(tables: Any, task: Any) -> None:
    asked = task("a", references=("How noisy does the Orvane get?", "Is the Orvane kettle loud?"))
    found = tables.quality(asked, "is the Orvane kettle loud")
    assert (found.rouge_l, found.exact) == (1.0, True)
    assert not tables.quality(asked, "Is the Orvane loud?").exact


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("Is the Orvane kettle loud?", (False, False, False)),
        ("Is it loud?", (True, False, False)),
        ("Is the Orvane toaster loud?", (False, True, False)),
        ("The Orvane kettle is loud.", (False, False, True)),
        ("Is the Orvane kettle loud?\nIs the litre loud?", (False, False, True)),
    ],
)
def test_faults_are_found_each_in_its_column(text: str, flags: tuple[bool, ...], tables: Any, task: Any) -> None:
    found = tables.quality(task("a"), text)
    assert (found.residual, found.invented, found.answered) == flags


def test_a_word_beyond_the_shown_history_is_invented(tables: Any, task: Any) -> None:
    shown = task("a")
    assert not tables.quality(shown, "Is the Orvane kettle loud within minutes?").invented
    assert tables.quality(shown._replace(history=HISTORY[:1]), "Is the Orvane kettle loud within minutes?").invented


def test_a_line_adds_up(tables: Any, task: Any, row: Any) -> None:
    tasks = [task("a", family="f"), task("b", family="g"), task("c", family="g")]
    rows = [
        row("a", "Is the Orvane kettle loud?", seconds=3.0),  # ROUGE-L 1, copy 2 * 2 / 8
        row("b", "Is it loud?", fallback=True, calls=2, prompt_tokens=250, answer_tokens=31, seconds=9.0),
        row("c", "Is the Orvane toaster loud?", calls=0, prompt_tokens=0, answer_tokens=0, seconds=0.25),  # 2 * 4 / 10
    ]
    printed = tables.table(tasks, [tables.Column("X", True, rows)])
    fallback, rouge, exact, residual, invented, answered, calls, prompt, written, seconds, difference = cells(
        printed, "X"
    )
    assert (fallback, rouge, exact) == ("33.3", f"{100 * (1 + 0.5 + 0.8) / 3:.1f}", "33.3")
    assert (residual, invented, answered) == ("33.3", "33.3", "0.0")
    assert (calls, prompt, written, seconds) == ("1.00", "117", "13.7", "3.00")
    assert difference == "+26.7 [n/a]", "two conversations have no interval"


def test_the_difference_has_an_interval_by_conversation(tables: Any, task: Any, row: Any) -> None:
    said = ("Is the Orvane kettle loud?", "Is it loud?", "Is the Orvane toaster loud?")
    tasks = [task(f"{family}{n}", family=family) for family in "fghijk" for n in range(3)]
    printed = tables.table(tasks, [tables.Column("X", True, [row(one.id, said[n % 3]) for n, one in enumerate(tasks)])])
    assert cells(printed, "X")[-1] == "+26.7 [+26.7, +26.7]", "each conversation gains 0.5, 0.0 and 0.3"


def test_the_references_stand_in_the_last_line_without_costs(tables: Any, task: Any, row: Any) -> None:
    tasks = [task("a", family="f"), task("b", family="g")]
    printed = tables.table(tasks, [tables.Column("X", False, [row("a", "Is it loud?"), row("b", "Is it loud?")])])
    assert printed.splitlines()[-1].startswith(f"| {tables.REFERENCE} |")
    assert cells(printed, tables.REFERENCE)[:5] == ["–", "100.0", "100.0", "0.0", "0.0"]
    assert cells(printed, tables.REFERENCE)[6:] == ["–"] * 4 + ["+50.0 [n/a]"]
    assert cells(printed, "X")[0] == "–" and cells(printed, "X")[-1] == "+0.0 [n/a]"
    assert {line.count("|") for line in printed.splitlines()} == {len(tables.HEADER) + 1}


def test_one_conversation_has_no_interval(tables: Any, task: Any, row: Any) -> None:
    rows = [row("a", "Is the Orvane kettle loud?"), row("b", "Is it loud?")]
    printed = tables.table([task("a"), task("b")], [tables.Column("X", True, rows)])
    assert cells(printed, "X")[-1] == "+25.0 [n/a]"


def test_rows_of_other_turns_are_refused(tables: Any, task: Any, row: Any) -> None:
    with pytest.raises(ValueError, match="X: its rows are not those of the turns"):
        tables.table([task("a")], [tables.Column("X", True, [row("b", "Is it loud?")])])


def test_loads_and_outages_are_told(tables: Any, row: Any) -> None:
    rows = [row("a", "x", load=1.0), row("b", "x", load=3.0, error="LMTimeoutError", fallback=True)]
    columns = [tables.Column("X", True, rows), tables.Column("Y", True, rows[:1])]
    assert tables.load_line(columns) == "Load average (1 min, median): X 2.00; Y 1.00."
    assert tables.error_lines(columns) == ["X: the LM failed on 1 turns; the same command asks them again."]
