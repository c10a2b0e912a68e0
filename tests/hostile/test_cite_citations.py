"""Models that mean harm, through cite: samples of `benchmarks/hostile_citations.py`."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.metrics.cite import check
from turnkeeper.modules._cite_evidence import Evidence
from turnkeeper.modules._cite_render import rendered
from turnkeeper.signatures.types import AccessScope, CitationRegistry, Passage, RegisteredSource

OUTPUTS = 560  # 20 of each kind


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, repository: Path) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    return importlib.import_module("hostile_citations")


def test_no_id_of_nowhere_comes_through_and_harmless_answers_do(bench: Any) -> None:
    found = bench.outputs(list(bench.cases()), OUTPUTS, seed=11)
    total: Counter[str] = sum(found.values(), Counter())
    assert {kind: counts["outputs"] for kind, counts in found.items()} == dict.fromkeys(bench.ALL_KINDS, 20)
    assert (total["offences"], total["registry"]) == (0, 0)
    harmless = found[bench.HARMLESS]  # a guard that drops everything fails here
    assert harmless["shown"] >= 18 and harmless["fallback"] <= 1


def test_sessions_keep_their_ids_and_the_same_text_without_does_not(bench: Any) -> None:
    arms = importlib.import_module("_citation_arms").run(10, 20, seed=3)
    kept, plain = arms["registry and guard"], arms["text as it is"]
    assert (kept["stability"], kept["fabricated"], kept["format drift"], kept["registry"]) == (1.0, 0, 0, 0)
    assert kept["answers"] == 200 and kept["again"] > 100 and kept["abstained"] < 40
    assert plain["stability"] < 0.7 and plain["fabricated"] > 20 and plain["format drift"] > 20


def test_orders_in_data_change_nothing(bench: Any) -> None:
    harm = importlib.import_module("_citation_injections").run(60, seed=5)
    assert harm["reached the prompt"] >= 50 and harm["answered"] >= 40
    assert [harm[name] for name in ("registry", "scope", "ledger", "shown", "one turn later")] == [0] * 5


def test_injections_are_all_different(bench: Any) -> None:
    module = importlib.import_module("_citation_injections")
    assert len({(one.text, one.position) for one in module.injections()}) == 600


def test_the_command_gives_figures_with_their_n(bench: Any, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--outputs", "28", "--sessions", "1", "--turns", "3", "--injections", "3", "--json"]
    assert bench.main(arguments) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["outputs"]["total"]["outputs"] == 28 and figures["injections"]["n"] == 3
    assert figures["sessions"]["n"] == 1 and figures["sessions"]["text as it is"]["answers"] == 3


@pytest.mark.parametrize(
    ("answer", "ids", "wrong"),
    [
        ("It opens [Source: A-1].\n\nSources:\n- A-1: Gate", ["A-1"], ""),
        ("It opens [Source: A-2].\n\nSources:\n- A-2: Gate", ["A-2"], "gives the id 'A-2'"),
        ("It opens [Source: A-1] [Source: a-1].\n\nSources:\n- A-1: Gate", ["A-1"], "'[' is left"),
        ("It opens [Source: A-1]\u00b2.\n\nSources:\n- A-1: Gate", ["A-1"], "'\u00b2' is left"),
        ("It opens [Source: A-1].", ["A-1"], "the section lists"),
        ("It opens [Source: A-1].\n\nSources:\n- A-1: Gate\n- B-2: X", ["A-1"], "the section lists"),
        ("As ZOR-2 says, it opens [Source: A-1].\n\nSources:\n- A-1: Gate", ["A-1"], "names 'ZOR-2'"),
        ("It opens (Source: B).\n\nSources:\n", [], "'(' is left"),
    ],
)
def test_the_judge_sees_what_readers_see(answer: str, ids: list[str], wrong: str, bench: Any) -> None:
    oracle = importlib.import_module("_citation_oracle")
    found = oracle.offences(oracle.Told(answer, tuple(ids)), {"A-1": "Gate"}, "source_tag", ("ZOR-2",))
    assert any(wrong in one for one in found) if wrong else not found


def test_the_judge_sees_a_registry_that_was_changed(bench: Any) -> None:
    oracle = importlib.import_module("_citation_oracle")
    before = CitationRegistry(convention="numeric", entries=(RegisteredSource(doc_id="1", source_id="x"),))
    renamed = CitationRegistry(convention="numeric", entries=(RegisteredSource(doc_id="2", source_id="x"),))
    assert oracle.legitimate(before, before, {"1"}, "") == []
    assert oracle.legitimate(before, renamed, {"1"}, "") == ["'1' is gone", "'2' is registered"]


def test_a_hidden_document_is_not_named_in_the_text() -> None:
    gate = Passage(doc_id="GATE-1", title="Gate", text="The gate opens at 6:10.", metadata={"zone": "a"})
    memo = Passage(doc_id="MEMO-SOUTH", title="Memo", text="Secret.", metadata={"zone": "b"})
    said = "According to MEMO-SOUTH, the gate opens at 6:10 [Source: GATE-1].\n\nSources:\n- GATE-1: Gate"
    given: dict[str, Any] = {
        "registry": CitationRegistry(convention="source_tag"), "context": [gate, memo], "prediction": {"answer": said},
        "access_scope": AccessScope(allowed={"zone": ["a"]}),
    }  # fmt: skip
    (found,) = check(question="When does it open?", **given)
    assert found.code == "fabricated_id" and "MEMO" not in found.message
    assert check(question="Does MEMO-SOUTH say when it opens?", **given) == []
    assert check(question="When?", **{**given, "access_scope": None}) == []


def test_a_number_that_is_a_link_loses_the_address() -> None:
    found = [Evidence("GATE-1", "Gate", "The gate opens at 6:10.", False)]
    told = rendered("It opens at 6:10 [1](https://evil.example/x) [7](https://evil.example/y).", found, None)
    assert "evil" not in told.answer and told.unknown == (7,)


@pytest.mark.parametrize("wrapped", ["([1])", "[[1]]", "( [1] )", "\u3010[1]\u3011"])
def test_brackets_around_a_number_go_with_it(wrapped: str) -> None:
    found = [Evidence("GATE-1", "Gate", "The gate opens at 6:10.", False)]
    assert rendered(f"It opens at 6:10 {wrapped}.", found, None).answer.startswith("It opens at 6:10 [Source: GATE-1].")
    assert rendered("(It opens at 6:10 [1])", found, None).answer.startswith("(It opens at 6:10 [Source: GATE-1])")


@pytest.mark.parametrize("made_up", ["https://gate.example/7", "gate_guide"])
def test_a_source_that_is_made_up_in_prose_is_no_support(made_up: str) -> None:
    gate = Passage(doc_id="GATE-1", title="Gate", text="The gate opens at 6:10.")
    said = f"As {made_up} says, the gate opens at 6:10 [Source: GATE-1].\n\nSources:\n- GATE-1: Gate"
    given: dict[str, Any] = {"registry": CitationRegistry(convention="source_tag"), "prediction": {"answer": said}}
    found = check(question="When does it open?", context=[gate], **given)
    assert [v.code for v in found] == ["unsupported_claim"]
    own = gate.model_copy(update={"text": f"{gate.text} More: {made_up}"})
    assert check(question="When does it open?", context=[own], **given) == []


def test_a_superscript_behind_a_copied_number_is_a_citation() -> None:
    gate = Passage(doc_id="GATE-1", title="Gate", text="The gate opens at 6:10 and weighs 10\u00b3 kg.")
    given: dict[str, Any] = {"registry": CitationRegistry(convention="source_tag"), "context": [gate], "question": "?"}

    def codes(text: str) -> list[str]:
        said = f"{text} [Source: GATE-1].\n\nSources:\n- GATE-1: Gate"
        return [v.code for v in check(prediction={"answer": said}, **given)]

    assert codes("The gate opens at 6:10\u2074") == ["convention_drift"]
    assert codes("The gate weighs 10\u00b3 kg") == []


def test_a_longer_id_does_not_name_the_withdrawn_one_in_it() -> None:
    entries = (
        RegisteredSource(doc_id="POL-7", title="Cover", snippet="Old.", withdrawn=True),
        RegisteredSource(doc_id="POL-7-A", title="Annex POL-7-A", snippet="The annex covers 40 crowns."),
    )
    told = CitationRegistry(convention="source_tag", entries=entries)
    said = "By POL-7-A the annex covers 40 crowns [Source: POL-7-A].\n\nSources:\n- POL-7-A: Annex POL-7-A"
    assert check(registry=told, context=[], question="What is covered?", prediction={"answer": said}) == []
    stale = said.replace("By POL-7-A", "By POL-7")
    found = check(registry=told, context=[], question="What is covered?", prediction={"answer": stale})
    assert [v.code for v in found] == ["stale_prior_turn_citation"]
