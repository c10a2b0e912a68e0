"""The journal: what was acknowledged is there again, whatever happened to the last line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from turnkeeper.compiling import JsonlJournal
from turnkeeper.errors import InputError, SetupError
from turnkeeper.evaluation import Scored

from ..full_disk import room_for


def scored(id: str = "a", **fields: object) -> Scored:
    return Scored.model_validate({"id": id, "kind": "k", "family": "f", "score": 0.5, **fields})


def test_a_row_comes_back_marked_as_reused(tmp_path: Path) -> None:
    with JsonlJournal(tmp_path / "j.jsonl") as journal:
        journal.put("k1", scored(prediction={"standalone_query": "größer\u2028?"}))
    with JsonlJournal(tmp_path / "j.jsonl") as journal:
        found = journal.get("k1")
        assert found is not None and found.reused
        assert found.model_copy(update={"reused": False}) == scored(prediction={"standalone_query": "größer\u2028?"})
        assert journal.get("k2") is None and journal.reused == 1


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_torn_last_line_is_cut_off_and_written_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "j.jsonl"
    with JsonlJournal(path) as journal:
        journal.put("k1", scored("a"))
        journal.put("k2", scored("b"))
    path.write_bytes(path.read_bytes()[:-cut])
    with JsonlJournal(path) as journal:
        assert journal.get("k1") is not None and journal.get("k2") is None
        journal.put("k2", scored("b"))
    with JsonlJournal(path) as journal:
        assert journal.get("k2") is not None


def test_a_damaged_line_costs_its_row_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with JsonlJournal(path) as journal:
        journal.put("k1", scored("a"))
        journal.put("k2", scored("b"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{broken\n" + lines[2])
    with JsonlJournal(path) as journal:
        assert journal.get("k1") is None and journal.get("k2") is not None


def test_an_error_row_is_asked_for_again(tmp_path: Path) -> None:
    with JsonlJournal(tmp_path / "j.jsonl") as journal:
        journal.put("k1", scored(score=None, error="TimeoutError"))
        assert journal.get("k1") is None


def test_a_row_of_another_version_is_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    JsonlJournal(path).close()
    with path.open("ab") as file:
        file.write(b'{"key": "k1", "scored": {"id": "a", "grade": 3}}\n')
    with JsonlJournal(path) as journal:
        assert journal.get("k1") is None


@pytest.mark.parametrize(
    "text",
    [
        b"dear diary\n",
        b"dear diary",
        b'{"a": 1}\n{"b": 2',
        b"\x00\xff\xfe",
        b'{"journal": "turnkeeper", "format": 2}\n',
    ],
)
def test_another_file_is_refused_and_left_alone(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(text)
    with pytest.raises(InputError, match=r"notes\.txt: is no journal"):
        JsonlJournal(path)
    assert path.read_bytes() == text


def test_a_torn_first_line_is_a_new_journal(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    JsonlJournal(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:11])
    with JsonlJournal(path) as journal:
        assert len(journal) == 0
    assert path.read_bytes() == whole


def test_what_is_no_file_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a reader
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="is no regular file"):
            JsonlJournal(path)


def test_a_full_disk_is_named_and_leaves_no_half_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with JsonlJournal(path) as journal:
        journal.put("k1", scored("a"))
        before = path.read_bytes()
        with (
            room_for(len(before) + 40),
            pytest.raises(SetupError, match=r"j\.jsonl: cannot be written \(File"),
        ):
            journal.put("k2", scored("b"))
        assert path.read_bytes() == before and journal.get("k2") is None
        journal.put("k3", scored("c"))
    with JsonlJournal(path) as journal:
        assert journal.get("k1") is not None and journal.get("k3") is not None


def test_ctrl_c_while_a_row_is_written_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(number: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "j.jsonl"
    with JsonlJournal(path) as journal:
        before = path.read_bytes()
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(os, "fsync", interrupt)
            journal.put("k1", scored("a"))
        assert path.read_bytes() == before


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"key": "k1", "reply": 5}', b'{"key": ["k1"]}', b"\xff"])
def test_a_line_of_no_sense_costs_nothing(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "j.jsonl"
    with JsonlJournal(path) as journal:
        journal.put("k2", scored("b"))
    path.write_bytes(path.read_bytes() + line + b"\n")
    with JsonlJournal(path) as journal:
        assert journal.get("k1") is None and journal.get_reply("k1") is None and journal.get("k2") is not None


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with JsonlJournal(tmp_path / "j.jsonl"), pytest.raises(InputError, match="another compile"):
        JsonlJournal(tmp_path / "j.jsonl")


def test_replies_of_proposers_are_kept(tmp_path: Path) -> None:
    with JsonlJournal(tmp_path / "j.jsonl") as journal:
        journal.put_reply("p", ["an instruction"])
    with JsonlJournal(tmp_path / "j.jsonl") as journal:
        assert journal.get_reply("p") == ["an instruction"] and journal.get_reply("q") is None
