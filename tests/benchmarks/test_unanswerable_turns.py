"""`benchmarks/unanswerable_turns.py`: what is drawn, what a turn comes with, and figures worked out by hand."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from ..conversation.reading import Reader, lm_of

POOL = [
    {"_id": "mill-1", "title": "Hemmel mill", "text": "The Hemmel mill grinds 900 kg of rye a day."},
    {"_id": "mill-2", "title": "Hemmel mill, visits", "text": "Visits of the Hemmel mill begin at 14:00 on Sundays."},
    {"_id": "dyke-1", "title": "Orle dyke", "text": "The Orle dyke is 6 metres high."},
]
FACTS = {"rye": POOL[0]["text"], "dyke": POOL[2]["text"]}
ASKED = "How much rye does the Hemmel mill grind a day?"
BEFORE = (("When do visits of the mill begin?", "At 14:00 on Sundays."), ("Who owns it?", "I do not know."))


def row(name: str, label: str, query: str = ASKED, gold: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    history = [
        {"role": role, "content": text}
        for pair in BEFORE
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return {
        "task_id": name, "domain": "north", "history": history, "query": query, "gold_passages": list(gold),
        "answerability": [label], "question_type": ["Factoid"], **more,
    }  # fmt: skip


LABELS: dict[str, tuple[str, ...]] = {
    "ANSWERABLE": ("mill-1",), "UNANSWERABLE": (), "PARTIAL": ("mill-1",), "UNDERSPECIFIED": (),
}  # fmt: skip
ROWS = [
    row("a", "ANSWERABLE", gold=("mill-1",)),
    row("b", "ANSWERABLE", "How high is the Orle dyke?", gold=("mill-2",), history=[]),
    row("c", "UNANSWERABLE", "Who built the Hemmel mill?"),
    row("d", "UNANSWERABLE", "How high is the tower on the Orle dyke?"),
    row("e", "PARTIAL", "Thank you!", gold=("mill-1",)),
]


class Bench:
    """The benchmark over `ROWS`, or rows of its own, in a folder."""

    def __init__(self, module: Any, folder: Path) -> None:
        self.module, self.folder, self.reader = module, folder, Reader(FACTS)
        self.out = folder / "out.jsonl"
        self.write("tasks.jsonl", ROWS)
        self.write("passages_north.jsonl", POOL)
        (folder / "ids.txt").write_text("\n".join("abcde") + "\n", encoding="utf-8")

    def write(self, name: str, rows: list[dict[str, Any]]) -> Path:
        path = self.folder / name
        path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
        return path

    def run(self, *more: str, lm: Any = None) -> int:
        arguments = ["--tasks", str(self.folder / "tasks.jsonl"), "--ids", str(self.folder / "ids.txt")]
        arguments += ["--pool", str(self.folder), "--out", str(self.out), "--program", "zero-shot", *more]
        code: int = self.module.main(arguments, lm=lm or lm_of(self.reader))
        return code

    def rows(self) -> dict[str, dict[str, Any]]:
        return {one["id"]: one for one in map(json.loads, self.out.read_text(encoding="utf-8").splitlines())}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path, tmp_path: Path) -> Bench:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return Bench(importlib.import_module("unanswerable_turns"), tmp_path)


def test_figures_of_turns_that_are_known(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("--json", "--k", "2") == 0
    found = json.loads(capsys.readouterr().out)
    shares = {name: (one["hits"], one["n"]) for name, one in found["measures"].items()}
    assert (found["turns"], found["fallback"]["hits"], found["lm_failures"]) == (5, 0, 0)
    assert shares["UNANSWERABLE left open"] == (1, 2)  # "d" is answered: the reader is fooled by the dyke's height
    assert shares["PARTIAL left open"] == shares["PARTIAL answered"] == (0, 1)  # "e" is no question
    assert shares["ANSWERABLE, gold in context: answered"] == (1, 1)
    assert shares["ANSWERABLE, no gold in context: answered"] == (1, 1)
    assert shares["answered with gold in context: cites a gold passage"] == (1, 1)
    assert found["outcomes"]["PARTIAL"]["no question"] == 1
    assert found["searched_by"] == "the last message" and set(found["programs"].values()) == {"zero-shot"}


def test_table_tells_the_fallback_rate_first(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("fallback rate 0.0% [0.0%, 43.4%] (0 of 5)")
    assert any(line.startswith("UNANSWERABLE left open") and line.endswith("(1 of 2)") for line in lines)


def test_a_fallback_leaves_open_and_is_told(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.reader.trouble["cite"] = json.dumps({"answer": "It is the oldest mill of the country [9]."})
    assert bench.run("--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fallbacks_by_step"]["cite"] == found["fallback"]["hits"] == 4  # "e" asks no LM
    assert found["outcomes"]["UNANSWERABLE"]["left open by fallback"] == 2
    assert found["measures"]["UNANSWERABLE left open"]["share"] == 1.0
    assert found["measures"]["ANSWERABLE, gold in context: answered"]["share"] == 0.0


def test_what_was_said_before_is_replayed_without_an_lm(bench: Bench) -> None:
    bench.run()
    calls = len(bench.reader.asked)
    assert calls == sum(one["lm_calls"] for one in bench.rows().values())
    assert all(BEFORE[0][0] not in prompt.split("Question:")[-1] for _, prompt in bench.reader.asked)
    assert any(BEFORE[1][1] in prompt for _, prompt in bench.reader.asked)  # the history reaches the steps
    assert "carry_forward" not in bench.reader.steps()


def test_a_turn_comes_with_the_best_passages_of_its_domain(bench: Bench) -> None:
    bench.run("--k", "1")
    assert {name: one["context"] for name, one in bench.rows().items()} == {
        "a": ["mill-1"], "b": ["dyke-1"], "c": ["mill-1"], "d": ["dyke-1"], "e": [],
    }  # fmt: skip


def test_the_message_before_counts_at_its_weight(bench: Bench) -> None:
    said = [{"role": "user", "content": "Visits on Sundays?"}, {"role": "assistant", "content": "Yes."}]
    bench.write("tasks.jsonl", [row("a", "UNANSWERABLE", "And the Hemmel mill?", history=said)])
    (bench.folder / "ids.txt").write_text("a\n", encoding="utf-8")
    lm = lm_of(bench.reader)
    assert bench.run("--k", "1", "--context-weight", "0", lm=lm) == 0
    assert bench.rows()["a"]["context"] == ["mill-1"]
    assert bench.run("--k", "1", "--context-weight", "2", lm=lm) == 0
    assert bench.rows()["a"]["context"] == ["mill-2"]


def test_rewrites_are_searched_for(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    rewrites = bench.write(
        "rewrites.jsonl", [{"id": "c", "prediction": {"standalone_query": "Orle dyke"}}, {"id": "d", "error": "no"}]
    )
    assert bench.run("--k", "1", "--context-weight", "0", "--rewrites", str(rewrites), "--json") == 0
    assert (bench.rows()["c"]["context"], bench.rows()["d"]["context"]) == (["dyke-1"], ["dyke-1"])
    assert json.loads(capsys.readouterr().out)["without_rewrite"] == 4


def test_the_first_rows_are_of_both_kinds(bench: Bench) -> None:
    bench.run("--rows", "3")
    assert list(bench.rows()) == ["c", "a", "d"]


def test_a_run_goes_on_where_it_stopped(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    lm = lm_of(bench.reader)
    bench.run("--rows", "2", lm=lm)
    first = bench.rows()
    bench.reader.steps()
    bench.run("--json", lm=lm)
    told = capsys.readouterr()
    assert "reused 2 of 5 turns" in told.err and {name: bench.rows()[name] for name in first} == first
    assert all(ASKED not in prompt for _, prompt in bench.reader.asked)
    bench.reader.steps()
    bench.run("--json", lm=lm)
    assert bench.reader.steps() == [] and json.loads(capsys.readouterr().out) == json.loads(told.out.splitlines()[-1])


def test_a_changed_context_is_asked_again(bench: Bench) -> None:
    lm = lm_of(bench.reader)
    bench.run("--rows", "2", "--k", "1", lm=lm)
    bench.reader.steps()
    bench.run("--rows", "2", "--k", "2", lm=lm)
    assert bench.reader.steps().count("cite") == 2 and len(bench.rows()["a"]["context"]) == 2
    assert len(bench.out.read_text(encoding="utf-8").splitlines()) == 2


def test_rows_of_a_longer_run_are_kept(bench: Bench) -> None:
    lm = lm_of(bench.reader)
    bench.run(lm=lm)
    bench.run("--rows", "2", lm=lm)
    assert sorted(bench.rows()) == list("abcde")


def test_a_turn_whose_lm_failed_is_in_no_share_and_is_asked_again(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    lm = lm_of(bench.reader)
    bench.reader.trouble["cite"] = ConnectionError("the line is dead")
    assert bench.run("--rows", "1", "--json", lm=lm) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["turns"], found["lm_failures"], found["fallback"]["n"], found["fallbacks_by_step"]) == (1, 1, 0, {})
    assert found["measures"]["UNANSWERABLE left open"]["n"] == 0
    bench.reader.trouble.clear()
    assert bench.run("--rows", "1", "--json", lm=lm) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["lm_failures"], found["measures"]["UNANSWERABLE left open"]["n"]) == (0, 1)


def test_rows_of_another_lm_are_refused(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("--rows", "1") == 0
    assert bench.run("--rows", "1") == 2  # a scripted LM has a name of its own
    assert "holds rows of another run: model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"answerability": ["MAYBE"]}, "tasks.jsonl:1"),
        ({"answerability": ["PARTIAL", "ANSWERABLE"]}, "tasks.jsonl:1"),
        ({"history": [{"role": "user", "content": "Hello?"}]}, "must alternate"),
        ({"history": [{"role": "user", "content": " "}, {"role": "assistant", "content": "Yes."}]}, "history.0"),
        ({"gold_passages": []}, "a is ANSWERABLE and has 0 gold passages"),
        ({"answerability": ["UNDERSPECIFIED"]}, "a is UNDERSPECIFIED"),
        ({"domain": "south"}, "holds no passages of 'south'"),
        ({"task_id": "z"}, "no turn 'a' in --tasks"),
    ],
)
def test_bad_input_is_named(
    changed: dict[str, Any], message: str, bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.write("tasks.jsonl", [{**ROWS[0], **changed}, *ROWS[1:]])
    assert bench.run() == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"), [(0, 10, 0.0, 0.2775), (8, 10, 0.4902, 0.9433), (60, 60, 0.9398, 1.0)]
)
def test_wilson_interval(hits: int, n: int, low: float, high: float, bench: Bench) -> None:
    share = importlib.import_module("_unanswerable_figures").wilson(hits, n)
    assert (share.low, share.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))
    assert share.share == hits / n


def test_ids_are_drawn_once_and_by_seed(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    many = [row(f"{label}-{n}", label, gold=gold) for label, gold in LABELS.items() for n in range(70)]
    tasks, ids = bench.write("many.jsonl", many), bench.folder / "drawn.txt"
    arguments = ["--tasks", str(tasks), "--draw", "--ids", str(ids)]
    assert bench.module.main(arguments) == 0
    drawn = ids.read_text(encoding="utf-8").split()
    assert drawn == sorted(set(drawn)) and len(drawn) == 120
    kinds = [name.split("-")[0] for name in drawn]
    assert kinds.count("ANSWERABLE") == 60 and "UNDERSPECIFIED" not in kinds
    assert bench.module.main(arguments) == 2 and "drawn once" in capsys.readouterr().err
    ids.unlink()
    bench.write("many.jsonl", many[::-1])
    assert bench.module.main(arguments) == 0 and ids.read_text(encoding="utf-8").split() == drawn


def test_too_few_turns_are_not_drawn_from(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    ids = bench.folder / "drawn.txt"
    assert bench.module.main(["--tasks", str(bench.folder / "tasks.jsonl"), "--draw", "--ids", str(ids)]) == 2
    assert "3 turns are UNANSWERABLE or PARTIAL; 60 are drawn" in capsys.readouterr().err and not ids.exists()


def test_committed_ids_are_120_and_sorted(bench: Bench) -> None:
    ids = bench.module.IDS.read_text(encoding="utf-8").split()
    assert len(ids) == 120 and ids == sorted(set(ids))
