"""What the events of the guards hold of a turn's inputs: enough to ask it again, and nothing that is restricted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dspy
import pytest

from turnkeeper import events
from turnkeeper.adapters import get_adapter
from turnkeeper.behaviours import find
from turnkeeper.modules._guard import Guard

PASSAGE = {"doc_id": "KB-7", "title": "Ferry rules", "text": "Cars of the Osmund line wait in lane two."}
SCOPE = {"allowed": {}, "restricted_terms": ["Osmund"]}


@pytest.fixture
def seen() -> Iterator[list[Mapping[str, Any]]]:
    got: list[Mapping[str, Any]] = []
    events.set_sink(got.append)
    yield got
    events.set_sink(None)


def event_of(behaviour: str, lm: dspy.LM, seen: list[Mapping[str, Any]], **inputs: Any) -> Mapping[str, Any]:
    entry = find(behaviour)
    Guard(entry.rules(), entry.program(entry.forms[0]), lm=lm, adapter=get_adapter("compact"))(**inputs)
    return next(event for event in seen if event["event"] == behaviour)


def test_expand_records_what_it_was_handed(seen: list[Mapping[str, Any]], scripted_lm: Callable[..., dspy.LM]) -> None:
    context = {"glossary": {"lamp": ["luminaire"]}}
    lm = scripted_lm(*['{"terms": ["light"]}'] * 2)
    inputs = event_of(
        "expand", lm, seen, history=[], query="one without a cord", standalone_query="lamp without a cord",
        domain_context=context,
    )["inputs"]  # fmt: skip
    assert inputs["standalone_query"] == "lamp without a cord" and inputs["exclusions"] is None
    assert inputs["domain_context"]["glossary"] == {"lamp": ["luminaire"]}


def test_cite_records_passages_and_registry_without_what_is_restricted(
    seen: list[Mapping[str, Any]], scripted_lm: Callable[..., dspy.LM]
) -> None:
    lm = scripted_lm(*['{"answer": "Cars wait in lane two [1]."}'] * 3)
    event = event_of("cite", lm, seen, query="Where do cars wait?", context=[PASSAGE], turn=3, access_scope=SCOPE)
    assert event["inputs"]["turn"] == 3 and event["inputs"]["registry"]["entries"] == []
    assert "Osmund" not in json.dumps(event["inputs"])
    assert [set(PASSAGE) <= set(passage) for passage in event["inputs"]["context"]] in ([], [True])


def test_carry_forward_records_the_ledger_before_the_turn(
    seen: list[Mapping[str, Any]], scripted_lm: Callable[..., dspy.LM]
) -> None:
    pending = {"question_id": "q1", "question": "May dogs travel?", "missing_evidence": "dogs", "first_asked_turn": 1}
    event = event_of(
        "carry_forward", scripted_lm(), seen, turn=2, query="thanks!", ledger=[{**pending, "attempts": 1}], context=None
    )
    inputs = event["inputs"]
    assert (inputs["turn"], inputs["context"]) == (2, None) and inputs["ledger"][0]["question"] == "May dogs travel?"


def test_without_text_nothing_of_the_inputs_is_kept(
    seen: list[Mapping[str, Any]], scripted_lm: Callable[..., dspy.LM], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNKEEPER_LOG_TEXT", "0")
    lm = scripted_lm(*['{"answer": "Cars wait in lane two [1]."}'] * 3)
    event = event_of("cite", lm, seen, query="Where do cars wait?", context=[PASSAGE], turn=1)
    assert "inputs" not in event and "lane" not in json.dumps(dict(event))
