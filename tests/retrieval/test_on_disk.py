"""Indexes that outlive a process, and folders that hold something else."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from turnkeeper.errors import InputError, IntegrityError, RowError, SetupError
from turnkeeper.retrieval import Fts5Retriever, TantivyRetriever, read_passages

from .conftest import PASSAGES, asked


def test_an_index_is_opened_again(engine: type[TantivyRetriever], tmp_path: Path) -> None:
    engine(tmp_path / "deep" / "index" if engine is TantivyRetriever else tmp_path / "index").add(PASSAGES)
    again = engine(tmp_path / "deep" / "index" if engine is TantivyRetriever else tmp_path / "index")
    assert len(again) == len(PASSAGES)
    assert [p.doc_id for p in again.search(asked("trestles"))] == ["desk-2"]


def test_what_another_opening_adds_is_found(engine: type[TantivyRetriever], tmp_path: Path) -> None:
    reader, writer = engine(tmp_path / "index"), engine(tmp_path / "index")
    writer.add(PASSAGES)
    assert [p.doc_id for p in reader.search(asked("trestles"))] == ["desk-2"]


def test_two_cannot_write_at_once(tmp_path: Path) -> None:
    one, other = TantivyRetriever(tmp_path / "index"), TantivyRetriever(tmp_path / "index")

    def adding() -> object:
        with pytest.raises(SetupError, match="cannot be written now"):
            other.add(PASSAGES)
        yield from PASSAGES

    assert one.add(adding()) == len(PASSAGES)  # type: ignore[arg-type]
    assert other.add(PASSAGES[:1]) == 1


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(IntegrityError, match="holds other files"):
        TantivyRetriever(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_index_of_another_version_is_named(tmp_path: Path) -> None:
    TantivyRetriever(tmp_path / "index")
    (tmp_path / "index" / "turnkeeper.json").write_text('{"version": 99}')
    with pytest.raises(IntegrityError, match="version 99, not 1"):
        TantivyRetriever(tmp_path / "index")
    Fts5Retriever(tmp_path / "file").close()
    with sqlite3.connect(tmp_path / "file") as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(IntegrityError, match="version 99"):
        Fts5Retriever(tmp_path / "file")


def test_a_damaged_index_is_an_integrity_error(tmp_path: Path) -> None:
    TantivyRetriever(tmp_path / "index").add(PASSAGES)
    (tmp_path / "index" / "meta.json").write_text("{")
    with pytest.raises(IntegrityError, match="cannot be read"):
        TantivyRetriever(tmp_path / "index")


def test_a_file_that_is_no_index_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(b"not a database at all" * 100)
    with pytest.raises(IntegrityError):
        Fts5Retriever(tmp_path / "notes")
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE theirs (a)")
    with pytest.raises(IntegrityError, match="something else"):
        Fts5Retriever(tmp_path / "other")


def test_a_place_that_cannot_be_used_is_a_setup_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError):
        TantivyRetriever(tmp_path / "file" / "index")
    with pytest.raises(SetupError):
        Fts5Retriever(tmp_path / "missing" / "file")


def test_without_tantivy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(SetupError, match=r"turnkeeper\[retrieval\]"):
        TantivyRetriever()


def test_passages_are_read_from_a_file(engine: type[TantivyRetriever], tmp_path: Path) -> None:
    file = tmp_path / "passages.jsonl"
    file.write_text("".join(p.model_dump_json() + "\n\n" for p in PASSAGES), encoding="utf-8")
    assert tuple(read_passages(file)) == PASSAGES
    made = engine()
    assert made.add_jsonl(file) == len(PASSAGES) == len(made)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", r"2: not JSON"),
        ('{"doc_id": 3}', r"2: field `doc_id`"),
        ('{"doc_id": "a", "body": ""}', r"2: field `body`"),
        ("[]", "2: a JSON object is expected"),
    ],
)
def test_a_line_that_is_no_passage_is_named_and_nothing_is_added(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "passages.jsonl"
    file.write_text('{"doc_id": "good"}\n' + line + "\n", encoding="utf-8")
    made = TantivyRetriever()
    with pytest.raises(RowError, match=said):
        made.add_jsonl(file)
    assert len(made) == 0


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read"):
        list(read_passages(tmp_path / "none.jsonl"))
