"""Drafts: what an event says of a turn becomes a row that the golden reader takes, and nothing else of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnkeeper import events
from turnkeeper.behaviours import find
from turnkeeper.errors import InputError
from turnkeeper.harvest import Keeper, drafts_of, read_events
from turnkeeper.harvest.reading import NO_TURN
from turnkeeper.signatures.cite import CitedAnswer

from .recording import lamp, record


def drafts(path: Path, **options: Any) -> list[Any]:
    _, turns, _ = read_events(path)
    return drafts_of(turns, domain="lamps", **options)


def recorded(path: Path, behaviour: str, rows: list[Any]) -> Path:
    """Events of golden rows that were answered as their gold says."""
    entry = find(behaviour)
    asks = {"carry_forward": ("turn", "history", "ledger", "context"), "expand": ("domain_context", "exclusions")}
    if behaviour in asks:  # the prediction of its program holds more than its gold
        seen: list[Any] = []
        events.set_sink(seen.append)
        for row in rows:
            said = row.model_dump(mode="json")
            inputs = {name: said[name] for name in asks[behaviour]}
            inputs["standalone_query"] = said.get("standalone_query") or said.get("query")
            asked = said.get("question") or said["query"]
            events.emit(behaviour, original=asked, window=said["history"], inputs=inputs, result=entry.gold(row))
        events.set_sink(None)
        path.write_text("".join(json.dumps(event) + "\n" for event in seen), encoding="utf-8")
        return path
    typed: Any = (lambda gold: dict(CitedAnswer.model_validate(gold))) if behaviour == "cite" else dict
    return record(path, behaviour, [(entry.asked(row), typed(entry.gold(row))) for row in rows])


@pytest.mark.parametrize("behaviour", ["reformulate", "expand", "cite", "carry_forward"])
def test_a_turn_that_was_answered_well_is_a_row_as_it_stands(behaviour: str, tmp_path: Path) -> None:
    rows = [row for row in find(behaviour).load("dev", None) if getattr(row, "access_scope", None) is None][:12]
    found = drafts(recorded(tmp_path / "events.jsonl", behaviour, rows))
    with Keeper(behaviour, tmp_path, "train", shipped=False) as keeper:
        problems = {draft.row["id"]: keeper.problem(draft.row) for draft in found}
    assert len(found) == 12
    assert sum(not problem for problem in problems.values()) >= 11, problems
    asked = [draft.row.get("query") or draft.row.get("question") for draft in found]
    assert asked == [getattr(row, "query", None) or row.question for row in rows]


def test_a_row_says_where_a_referent_stands_in_the_window(tmp_path: Path) -> None:
    inputs, prediction = lamp(1)
    long = [{"role": "user", "content": "Good morning, I have a question."}, {"role": "assistant", "content": "Ask!"}]
    moved = {**inputs, "history": long * 6 + inputs["history"]}
    reference = {**prediction["resolved_references"][0], "turn": 13}
    [draft] = drafts(
        record(tmp_path / "e", "reformulate", [(moved, {**prediction, "resolved_references": [reference]})])
    )
    gold = draft.row["gold"]
    place = gold["resolved_references"][0]["turn"]
    assert len(draft.row["history"]) < 14 and "Birla" in draft.row["history"][place]["content"]
    assert gold["must_contain"] == ["Birla lamp"] and gold["must_not_contain"] == ["it"]


def test_secrets_are_masked_before_the_redactor_sees_a_text(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    line = {"event": "reformulate", "original": "my password is hunter27, is it safe?", "window": [], "result": {}}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    seen: list[str] = []
    [draft] = drafts(path, redactor=lambda text: seen.append(text) or text.replace("safe", "[word]"))
    assert "hunter27" not in json.dumps(draft.row) and not any("hunter27" in text for text in seen)
    assert draft.row["query"].endswith("is it [word]?")


@pytest.mark.parametrize("answer", [None, 7, ValueError("secret")])
def test_a_redactor_that_fails_stops_the_harvest(answer: Any, tmp_path: Path) -> None:
    def redactor(text: str) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    path = record(tmp_path / "events.jsonl", "reformulate", [lamp(1)])
    with pytest.raises(InputError, match=r"the redactor (gave|raised) \w+") as caught:
        drafts(path, redactor=redactor)
    assert "secret" not in str(caught.value)


def test_the_same_turn_is_one_draft_with_the_same_id_in_every_file(tmp_path: Path) -> None:
    one = drafts(record(tmp_path / "one", "reformulate", [lamp(1), lamp(2), lamp(1)]))
    other = drafts(record(tmp_path / "other", "reformulate", [lamp(3), lamp(1)]))
    assert one[0].id == other[1].id and len(one) == 2


def test_a_turn_that_needed_no_words_of_a_program_is_no_draft(tmp_path: Path) -> None:
    rows = list(find("expand").load("dev", None))[:2]
    path = recorded(tmp_path / "events.jsonl", "expand", rows)
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    first["inputs"]["rules_only"] = True
    path.write_text("".join(json.dumps(event) + "\n" for event in (first, second)), encoding="utf-8")
    assert [draft.row["query"] for draft in drafts(path)] == [rows[1].query]
    first["calls"] = 1  # a program that is also asked what is ruled out
    path.write_text("".join(json.dumps(event) + "\n" for event in (first, second)), encoding="utf-8")
    assert [draft.row["query"] for draft in drafts(path)] == [row.query for row in rows]


def test_turns_of_one_conversation_are_one_family(tmp_path: Path) -> None:
    first, said = lamp(1)
    reply = {"role": "assistant", "content": "Yes, by remote control."}
    later = {
        "history": [*first["history"], {"role": "user", "content": first["query"]}, reply],
        "query": "is it heavy?",
    }
    then = {**said, "standalone_query": "is the Birla lamp heavy?"}
    found = drafts(record(tmp_path / "e", "reformulate", [(first, said), lamp(2), (later, then)]))
    families = [draft.row["family"] for draft in found]
    assert families[0] == families[2] != families[1]


def test_a_session_that_the_application_names_is_a_family_without_its_name(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    turn = {"event": "reformulate", "window": [], "result": {}, "session_id": "nora@example.org"}
    texts = ("where is the pump room?", "what do ferries cost?")
    path.write_text("".join(json.dumps({**turn, "original": text}) + "\n" for text in texts), encoding="utf-8")
    one, other = drafts(path)
    assert one.row["family"] == other.row["family"] and "nora" not in json.dumps([one.row, other.row])


def test_lines_that_are_no_turns_are_counted_by_reason(tmp_path: Path) -> None:
    path = record(tmp_path / "events.jsonl", "reformulate", [lamp(1)])
    textless = {"event": "reformulate", "result": {"action": "rewrite"}}
    with path.open("a") as file:
        file.write("INFO started\n" + json.dumps({"event": "cite_alert"}) + "\n" + json.dumps(textless) + "\n")
    behaviour, turns, skipped = read_events(path)
    assert (behaviour, len(turns)) == ("reformulate", 1)
    assert sorted(skipped.reasons.values()) == [1, 1, 1] and len(skipped.reasons) == 3


@pytest.mark.parametrize("event", [{"kind": "event", "category": ["web"]}, ["cite"], 7, None, True])
def test_the_lines_of_other_loggers_may_say_anything_of_their_event(event: Any, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(json.dumps({"event": event, "message": "GET /"}) + "\n", encoding="utf-8")
    behaviour, turns, skipped = read_events(record(path, "reformulate", [lamp(1)]))
    assert (behaviour, len(turns)) == ("reformulate", 1) and dict(skipped.reasons) == {NO_TURN: 1}


@pytest.mark.parametrize(
    ("behaviour", "field", "value"),
    [
        ("carry_forward", "ledger", ["Who?"]),
        ("carry_forward", "ledger", 7),
        ("carry_forward", "ledger", [{"question": ["Who?"], "question_id": ["q"]}]),
        ("carry_forward", "current_answer", "yes"),
        ("carry_forward", "resolved_questions", [{"question": ["Who?"], "citations": 1}]),
        ("cite", "context", ["a passage"]),
        ("cite", "new_citations", 7),
        ("expand", "negation_constraints", True),
    ],
)
def test_a_turn_of_another_shape_is_a_draft_that_the_reader_refuses(
    behaviour: str, field: str, value: Any, tmp_path: Path
) -> None:
    path = recorded(tmp_path / "events.jsonl", behaviour, find(behaviour).load("dev", None)[:1])
    event = json.loads(path.read_text(encoding="utf-8"))
    event["inputs" if field in event["inputs"] else "result"][field] = value
    path.write_text(json.dumps(event) + "\n", encoding="utf-8")
    with Keeper(behaviour, tmp_path, "train", shipped=False) as keeper:
        [draft], _ = keeper.open(drafts(path))
        assert keeper.problem(draft.row)


def test_a_file_of_two_behaviours_asks_which(tmp_path: Path) -> None:
    path = record(tmp_path / "events.jsonl", "reformulate", [lamp(1)])
    with path.open("a") as file:
        file.write(
            json.dumps({"event": "expand", "original": "lamps without a cord", "window": [], "result": {}}) + "\n"
        )
    with pytest.raises(InputError, match="holds turns of expand, reformulate; say which"):
        read_events(path)
    assert len(read_events(path, "expand")[1]) == 1
    with pytest.raises(InputError, match="holds no turn of cite"):
        read_events(path, "cite")
