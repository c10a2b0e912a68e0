"""Accepted rows: where they may go, what they may not repeat, and that nothing is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnkeeper.data.leaks import require_apart
from turnkeeper.data.reformulate import load
from turnkeeper.errors import InputError
from turnkeeper.harvest import Decision, Draft, Keeper, drafts_of, keeping, read_events

from .recording import lamp, record

YES, NO = Decision("yes", by="nora"), Decision("no")


@pytest.fixture
def drafts(tmp_path: Path) -> list[Draft]:
    events = record(tmp_path / "events.jsonl", "reformulate", [lamp(number) for number in range(4)])
    return drafts_of(read_events(events)[1], domain="lamps")


def keeper(folder: Path, split: str = "train") -> Keeper:
    return Keeper("reformulate", folder, split, shipped=False)


def put(folder: Path, split: str, *drafts: Draft) -> None:
    rows = (json.dumps({**draft.row, "id": f"{split}-{n}"}) + "\n" for n, draft in enumerate(drafts))
    (folder / f"{split}.jsonl").write_text("".join(rows), encoding="utf-8")


def test_a_row_is_written_after_a_yes_alone(drafts: list[Draft], tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        assert kept.decide(drafts[0], YES) == "" and kept.decide(drafts[1], NO) == ""
    [row] = load("train", tmp_path)
    assert row.id == drafts[0].id and row.gold.standalone_query == "is the Aldra lamp dimmable?"
    noted = [json.loads(line) for line in (tmp_path / keeping.JOURNAL).read_text().splitlines()]
    assert [(n["decision"], n["by"], n["row"]) for n in noted] == [("yes", "nora", drafts[0].id), ("no", "", None)]


def test_what_is_decided_is_not_asked_again(drafts: list[Draft], tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        kept.decide(drafts[0], YES)
        kept.decide(drafts[1], NO)
    with keeper(tmp_path) as kept:
        asked, passed = kept.open(drafts)
    assert [d.id for d in asked] == [d.id for d in drafts[2:]]
    assert [reason for _, reason in passed] == ["decided already: yes", "decided already: no"]


@pytest.mark.parametrize("split", ["test", "trian", ""])
def test_no_row_goes_to_the_test_split(split: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="harvested rows go to train or dev"):
        keeper(tmp_path, split)


def test_an_edit_is_validated_and_written_as_edited(drafts: list[Draft], tmp_path: Path) -> None:
    row = {**drafts[0].row, "kind": "pronoun_thing"}
    broken = {**row, "gold": {**row["gold"], "must_contain": ["pump"]}}
    with keeper(tmp_path) as kept:
        assert "'pump' is missing" in kept.decide(drafts[0], Decision("edit", broken))
        assert not kept.path.exists() and not kept.journal.exists()
        assert kept.decide(drafts[0], Decision("edit", row)) == ""
    assert load("train", tmp_path)[0].kind == "pronoun_thing"


def test_a_gold_that_breaks_a_rule_is_refused(tmp_path: Path) -> None:
    bad = lamp(1, standalone_query="is it dimmable?", action="rewrite", resolved_references=[])
    [draft] = drafts_of(read_events(record(tmp_path / "e", "reformulate", [bad]))[1], domain="lamps")
    with keeper(tmp_path) as kept:
        assert "residual_reference" in kept.decide(draft, YES)
    assert not (tmp_path / "train.jsonl").exists()


@pytest.mark.parametrize("rows", [{"family": 7}, {"history": "none"}, {"gold": None}, {"unheard_of": 1}])
def test_a_row_of_the_wrong_shape_is_refused_by_field(
    rows: dict[str, Any], drafts: list[Draft], tmp_path: Path
) -> None:
    with keeper(tmp_path) as kept:
        assert f"field `{next(iter(rows))}" in kept.decide(drafts[0], Decision("edit", {**drafts[0].row, **rows}))


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_turn_that_a_set_holds_is_no_draft(split: str, drafts: list[Draft], tmp_path: Path) -> None:
    put(tmp_path, split, drafts[0])
    with keeper(tmp_path) as kept:
        asked, passed = kept.open(drafts)
    assert passed[0] == (drafts[0], f"the same turn is in {tmp_path} {split} already ({split}-0)")
    assert len(asked) == (3 if split == "train" else 0)  # in another split, one pattern with another name is a leak


def test_the_conversation_of_a_test_row_stays_out_of_train(drafts: list[Draft], tmp_path: Path) -> None:
    put(tmp_path, "test", drafts[0])
    inputs, said = lamp(0, "is it heavy?")
    reply = [{"role": "user", "content": "is it dimmable?"}, {"role": "assistant", "content": "Yes."}]
    later = ({"history": [*inputs["history"], *reply], "query": "is it heavy?"}, said)
    [draft] = drafts_of(read_events(record(tmp_path / "e", "reformulate", [later]))[1], domain="lamps")
    with keeper(tmp_path) as kept:
        refused = kept.open([draft])[1][0][1]
        named = {**draft.row, "history": [], "query": "pumps?", "family": drafts[0].row["family"]}
        by_name = kept.known.verdict(named, "train").refused
    assert "its conversation is in" in refused and "test" in refused
    assert "its conversation is in" in by_name


def test_a_row_joins_the_family_of_its_conversation(drafts: list[Draft], tmp_path: Path) -> None:
    put(tmp_path, "train", drafts[0])
    inputs, said = lamp(0, "is it heavy and made of glass?")
    [draft] = drafts_of(read_events(record(tmp_path / "e", "reformulate", [(inputs, said)]))[1], domain="lamps")
    there = drafts[0].row["family"]
    draft = draft._replace(row={**draft.row, "family": "another"})
    shared = {**draft.row, "history": [*inputs["history"][:1], {"role": "assistant", "content": LONG}]}
    with keeper(tmp_path) as kept:
        kept.known.add({**shared, "id": "x", "query": "and it is how tall?", "family": there}, "train", "here")
        assert kept.known.verdict(shared, "train").family == there


LONG = "The Aldra lamp hangs in many a hallway since it needs no wall and no second cord."


def test_nearly_the_same_turn_is_no_draft_and_the_same_words_about_another_thing_are_one(
    drafts: list[Draft], tmp_path: Path
) -> None:
    put(tmp_path, "train", drafts[0])
    near = drafts[0].row | {"id": "n", "query": "Is it dimmable??", "history": drafts[0].row["history"][::1]}
    near["history"] = [dict(turn, content=turn["content"] + " Please!") for turn in near["history"]]
    with keeper(tmp_path) as kept:
        assert "nearly the same turn" in kept.known.verdict({**near, "family": "f"}, "train").refused
        assert kept.known.verdict(drafts[1].row, "train").refused == ""
        assert "too near to a row of" in kept.known.verdict({**near, "family": "f"}, "dev").refused


def test_shipped_test_rows_are_known_too(tmp_path: Path) -> None:
    row = load("test")[0]
    with Keeper("reformulate", tmp_path, "train") as kept:
        verdict = kept.known.verdict({**row.model_dump(mode="json"), "id": "mine", "family": "mine"}, "train")
    assert verdict.refused == f"the same turn is in the shipped test already ({row.id})"


def test_a_crash_between_row_and_note_asks_nothing_twice(
    drafts: list[Draft], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with keeper(tmp_path) as kept:
        monkeypatch.setattr(kept, "_note", die)
        with pytest.raises(KeyboardInterrupt):
            kept.decide(drafts[0], YES)
    with keeper(tmp_path) as kept:
        asked, passed = kept.open(drafts)
    assert len(load("train", tmp_path)) == 1 and len(asked) == 3 and "already" in passed[0][1]


def test_a_note_torn_by_a_crash_costs_that_note_alone(drafts: list[Draft], tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        kept.decide(drafts[0], NO)
        with kept.journal.open("ab") as file:
            file.write(b'{"draft": "hv-')
        kept.decide(drafts[1], NO)
    with keeper(tmp_path) as kept:
        assert list(kept.decided) == [drafts[0].id, drafts[1].id]


def test_rows_that_are_there_keep_their_bytes(drafts: list[Draft], tmp_path: Path) -> None:
    put(tmp_path, "train", drafts[0])
    before = (tmp_path / "train.jsonl").read_bytes().rstrip(b"\n")  # an editor that ends no last line
    (tmp_path / "train.jsonl").write_bytes(before)
    with keeper(tmp_path) as kept:
        assert kept.decide(drafts[1], YES) == ""
    after = (tmp_path / "train.jsonl").read_bytes()
    assert after.startswith(before + b"\n") and len(load("train", tmp_path)) == 2
    put(tmp_path, "dev", drafts[2])
    require_apart(tmp_path)


def test_two_cannot_harvest_into_one_folder(tmp_path: Path) -> None:
    with keeper(tmp_path), pytest.raises(InputError, match="another harvest is writing there"):
        keeper(tmp_path)
