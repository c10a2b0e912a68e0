"""`benchmarks/retrieval_exclusions.py`: the corpus is what its card says, and the figures are worked out by hand."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.metrics._contradictions import contradictions
from turnkeeper.signatures.types import Exclusion, Passage

pytest.importorskip("tantivy", reason="needs pip install 'turnkeeper[retrieval]'")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("retrieval_exclusions")


@pytest.fixture
def corpus(bench: Any) -> tuple[list[Any], list[Any]]:
    return (
        bench.read(bench.CORPUS / "passages.jsonl", bench.CorpusPassage),
        bench.read(bench.CORPUS / "queries.jsonl", bench.CorpusQuery),
    )


def query(**more: Any) -> dict[str, Any]:
    row = {
        "id": "q1", "domain": "home", "topic": "lamps", "history": [], "query": "lamps without glass",
        "standalone_query": "lamps without glass", "excluded": ["glass"], "wanted": ["a", "b"], "contradicting": ["c"],
    }  # fmt: skip
    return {**row, **more}


def passage(doc_id: str, text: str) -> dict[str, Any]:
    return {"doc_id": doc_id, "domain": "home", "topic": "lamps", "title": "Lamp", "text": text, "asserts": []}


def write(folder: Path, passages: Sequence[Any], queries: Sequence[Any]) -> Path:
    for name, rows in (("passages", passages), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def test_corpus_is_what_its_card_says(corpus: tuple[list[Any], list[Any]]) -> None:
    passages, queries = corpus
    assert (len(passages), len({p.topic for p in passages}), len({p.domain for p in passages})) == (328, 41, 18)
    assert (len(queries), sum(q.is_carried for q in queries)) == (111, 29)
    assert [passages[n].title for n in (0, 9, -1)] == ["Fenn bureau", "Brask three-seater in wool", "Reading circle"]
    assert len({p.doc_id for p in passages}) == 328 and len({p.text for p in passages}) == 328


def test_wanted_and_contradicting_follow_from_the_passages(corpus: tuple[list[Any], list[Any]]) -> None:
    passages, queries = corpus
    by_id = {p.doc_id: p for p in passages}
    for asked in queries:
        (own,) = {by_id[name].topic for name in (*asked.wanted, *asked.contradicting)}
        assert own == asked.topic
        assert (len(asked.wanted), len(asked.contradicting)) == (5, 3)
        shared = set.intersection(*(set(by_id[name].asserts) for name in asked.contradicting))
        assert any(shared.isdisjoint(by_id[name].asserts) for name in asked.wanted)
        assert len(shared - {label for name in asked.wanted for label in by_id[name].asserts}) == 1


def test_last_message_of_a_carried_exclusion_does_not_repeat_it(corpus: tuple[list[Any], list[Any]]) -> None:
    for asked in corpus[1]:
        if asked.is_carried:
            assert asked.history[-1].role == "assistant"
            assert asked.excluded[0] not in f"{asked.query} {asked.standalone_query}"


def test_contradictions_tell_the_twins_apart(corpus: tuple[list[Any], list[Any]]) -> None:
    by_id = {p.doc_id: Passage(doc_id=p.doc_id, title=p.title, text=p.text) for p in corpus[0]}
    pairs = {
        (name, asked.excluded[0], name in asked.contradicting)
        for asked in corpus[1]
        for name in (*asked.wanted, *asked.contradicting)
    }
    got = [(bool(contradictions([by_id[name]], [Exclusion(phrase=phrase)])), bad) for name, phrase, bad in pairs]
    hits = sum(found and bad for found, bad in got)
    assert hits / sum(found for found, _ in got) >= 0.97
    assert hits / sum(bad for _, bad in got) >= 0.99


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (["a", "c", "x", "y"], (0.25, 0.5)),
        (["c", "c", "c"], (1.0, 0.0)),
        (["x", "y", "z", "a", "b", "c"], (0.0, 1.0)),
        ([], (0.0, 0.0)),
    ],
)
def test_outcome_of_a_query(found: list[str], expected: tuple[float, float], bench: Any) -> None:
    assert bench.outcome(bench.CorpusQuery.model_validate(query()), found) == expected


PASSAGES = [
    passage("a", "A lamp that contains no glass, made for the lamp shelf."),
    passage("b", "A lamp of paper."),
    passage("c", "A lamp of glass, without a cord."),
    passage("x", "A chair of oak."),
]


def test_arms_from_the_bare_query_to_dropped_contradictions(
    tmp_path: Path, bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, PASSAGES, [query(), query(id="q2", topic="other")])
    assert bench.main(["--corpus", str(folder), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["passages"], figures["queries"], figures["recognised"]) == (4, 2, 2)
    lines = {line["title"]: line for line in figures["groups"]["all queries (2)"]}
    contradict = {arm.name: lines[arm.title]["contradict"]["mean"] for arm in bench.ARMS}
    recall = {arm.name: lines[arm.title]["recall"]["mean"] for arm in bench.ARMS}
    assert contradict["raw"] == contradict["words"] == contradict["stripped"] == 0.25  # all four are titled "Lamp"
    assert contradict["filtered"] == contradict["checked"] == 0.0
    assert (recall["filtered"], recall["checked"]) == (0.5, 1.0)  # the filter loses a denial
    assert lines["exclusions cut from the query"]["recall_difference"]["mean"] == 0.0


def test_table_has_a_line_for_each_arm(tmp_path: Path, bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    history = [{"role": "user", "content": "no glass please"}, {"role": "assistant", "content": "Noted."}]
    carried = query(id="q2", history=history, query="which lamps?", standalone_query="lamps")
    folder = write(tmp_path, PASSAGES, [query(), carried])
    assert bench.main(["--corpus", str(folder), "--exclusions", "given"]) == 0
    out = capsys.readouterr().out
    assert "exclusion of an earlier turn (1)" in out and "exactly right in 2 queries" in out
    assert sum(line.startswith("| …") for line in out.splitlines()) == 3 * 2


def test_terms_of_an_lm_make_two_more_arms(tmp_path: Path, bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, PASSAGES, [query()])
    for name, terms in (("naive", ["glass"]), ("ours", ["paper"])):
        row = {"id": "q1", "prediction": {"expansion_terms_added": terms, "expanded_query": "x"}, "ok": True}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    files = ["--naive", str(tmp_path / "naive.jsonl"), "--expansions", str(tmp_path / "ours.jsonl")]
    assert bench.main(["--corpus", str(folder), "--json", *files]) == 0
    lines = {line["title"]: line for line in json.loads(capsys.readouterr().out)["groups"]["all queries (1)"]}
    assert len(lines) == len(bench.ARMS) + 2
    assert lines["cut, our terms added, contradictions dropped, searched again"]["contradict"]["mean"] == 0.0
    assert lines["an LM's terms added, exclusions unheeded"]["contradict"]["mean"] > 0.0


def test_a_query_without_terms_is_named(tmp_path: Path, bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, PASSAGES, [query()])
    (tmp_path / "naive.jsonl").write_text("", encoding="utf-8")
    assert bench.main(["--corpus", str(folder), "--naive", str(tmp_path / "naive.jsonl")]) == 2
    assert "no row for the query 'q1'" in capsys.readouterr().err


def test_bad_row_is_named(tmp_path: Path, bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, PASSAGES, [query(wanted=7)])
    assert bench.main(["--corpus", str(folder)]) == 2
    assert "queries.jsonl" in (err := capsys.readouterr().err) and "wanted" in err


def test_missing_corpus_is_bad_input(tmp_path: Path, bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--corpus", str(tmp_path / "none")]) == 2
    assert "cannot be read" in capsys.readouterr().err
