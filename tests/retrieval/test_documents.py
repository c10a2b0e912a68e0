"""A folder as passages: stable ids, bounded pieces, errors that name the place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.errors import InputError, RowError
from turnkeeper.retrieval import Fts5Retriever, SearchRequest
from turnkeeper.retrieval._chunks import MOST, chunks
from turnkeeper.retrieval.documents import Documents
from turnkeeper.signatures.expand import BooleanQuery, Clause

from ..timing import assert_linear

GUIDE = """# Harbour guide

Welcome to the harbour of Brekka.

## Fees

A berth costs 24 euros a night.

Showers cost 2 euros.

## Tides
High water is at 05:20.

```
# no heading
tides --all
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Markdown, text and JSONL, and what is passed over."""
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "night_ferry.txt").write_text("The night ferry sails at 23:00.\r\n", encoding="utf-8")
    row = {"doc_id": "FEE-1", "title": "Fees", "text": "A crane costs 80 euros.", "metadata": {"desk": "public"}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.md").write_text("secret", encoding="utf-8")
    return tmp_path


def test_ids_are_relative_paths_and_titles_are_headings(folder: Path) -> None:
    found = {p.doc_id: p for p in Documents(folder).passages()}
    assert list(found) == ["guide.md#1", "guide.md#2", "guide.md#3", "FEE-1", "notes/night_ferry.txt"]
    fees = found["guide.md#2"]
    assert fees.title == "Harbour guide - Fees" and fees.metadata == {"path": "guide.md", "line": 7}
    assert fees.text == "A berth costs 24 euros a night.\n\nShowers cost 2 euros."
    assert "# no heading" in found["guide.md#3"].text and found["guide.md#3"].title == "Harbour guide - Tides"
    assert found["notes/night_ferry.txt"].title == "night ferry"
    assert found["FEE-1"].metadata == {"desk": "public"}


def test_the_same_folder_gives_the_same_ids_from_anywhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [p.doc_id for p in Documents(folder).passages()]
    monkeypatch.chdir(folder)
    assert [p.doc_id for p in Documents(".").passages()] == before


def test_other_files_are_passed_over_and_said_so(folder: Path) -> None:
    assert [one.path for one in Documents(folder).skipped] == ["photo.png"]


def test_one_file_is_a_folder_of_one(folder: Path) -> None:
    assert [p.doc_id for p in Documents(folder / "notes" / "night_ferry.txt").passages()] == ["night_ferry.txt"]


def test_progress_is_told_file_by_file(folder: Path) -> None:
    told: list[tuple[int, int, str]] = []
    list(Documents(folder).passages(lambda *report: told.append(report)))
    assert told == [(1, 3, "guide.md"), (2, 3, "rows.jsonl"), (3, 3, "notes/night_ferry.txt")]


def test_what_was_read_can_be_searched(folder: Path) -> None:
    index = Fts5Retriever()
    assert index.add(Documents(folder).passages()) == 5
    request = SearchRequest(query=BooleanQuery(should=(Clause(phrase="berth"),)))
    assert [p.doc_id for p in index.search(request)] == ["guide.md#2"]


def test_errors_name_file_and_line(folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(InputError, match=r"bad\.txt:2: is no UTF-8"):
        list(Documents(folder).passages())
    (folder / "bad.txt").write_bytes(b"one\n\0\n")
    with pytest.raises(InputError, match=r"bad\.txt:2: holds a NUL"):
        list(Documents(folder).passages())
    (folder / "bad.txt").unlink()
    with (folder / "rows.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"title": "no id"}\n')
    with pytest.raises(RowError, match=r"rows\.jsonl:2: field `doc_id`"):
        list(Documents(folder).passages())


def test_an_id_belongs_to_one_document(folder: Path) -> None:
    row = json.dumps({"doc_id": "FEE-1", "text": "again"})
    (folder / "more.jsonl").write_text(row + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'FEE-1' is one of more\.jsonl already"):
        list(Documents(folder).passages())
    (folder / "rows.jsonl").unlink()
    (folder / "more.jsonl").write_text(f"{row}\n{row}\n", encoding="utf-8")
    assert [p.doc_id for p in Documents(folder).passages()].count("FEE-1") == 2  # two passages of one document


def test_a_place_without_documents_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent"):
        with pytest.raises(InputError, match=str(place)):
            Documents(place)


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.txt"
    outside.write_text("secret", encoding="utf-8")
    os.symlink(outside, folder / "link.txt")
    os.symlink(outside.parent, folder / "linked")
    found = Documents(folder)
    assert not any("secret" in p.text for p in found.passages())
    assert "link.txt" in [one.path for one in found.skipped]


def test_underlined_headings_and_a_text_without_any() -> None:
    found = list(chunks("Guide\n=====\n\nHello.\n\nFees\n----\nTen euros.\n", markdown=True))
    assert [(c.text, c.headings) for c in found] == [("Hello.", ("Guide",)), ("Ten euros.", ("Guide", "Fees"))]
    assert [c.text for c in chunks("# one\ntwo", markdown=False)] == ["# one\ntwo"]
    assert list(chunks(" \n\n---\n", markdown=False)) == []


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    text = " ".join(f"Sentence number {n} says something." for n in range(100))
    found = list(chunks(text, markdown=False))
    assert len(found) > 3 and all(len(c.text) <= MOST and c.text.endswith(".") for c in found)
    assert " ".join(c.text for c in found) == text


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab .#\n`=-\u00e9", max_size=3000), st.booleans())
def test_no_word_is_lost_and_no_piece_is_too_long(text: str, markdown: bool) -> None:
    found = list(chunks(text, markdown=markdown))
    assert all(0 < len(c.text) <= MOST for c in found)
    assert [c.line for c in found] == sorted(c.line for c in found)
    if not markdown:
        kept = "".join("".join(c.text for c in found).split())
        assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


def test_a_large_text_is_read_in_linear_time() -> None:
    def work(size: int) -> Callable[[], None]:
        text = "word " * size

        def cut() -> None:
            assert list(chunks(text, markdown=True))

        return cut

    assert_linear(work, 8_000, 80_000, factor=40, floor=0.08)
