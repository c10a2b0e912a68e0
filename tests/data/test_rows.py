"""Reading rows: what is wrong is named by file, line and field; what is right survives untouched."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeeper.data import _jsonl
from turnkeeper.data.rows import BadRow, ReformulateRow, Row, dumps, read, read_strict, row_model
from turnkeeper.errors import InputError, RowError

GOOD = {"id": "a", "history": [{"role": "user", "content": "the Aldra lamp"}], "query": "its price?"}


def write(path: Path, *lines: bytes | dict[str, Any]) -> Path:
    file = path / "rows.jsonl"
    file.write_bytes(b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines))
    return file


def only(file: Path) -> Row[ReformulateRow] | BadRow:
    (row,) = read(file, ReformulateRow)
    return row


def test_a_row_with_only_the_required_fields_takes_defaults(tmp_path: Path) -> None:
    row = next(read_strict(write(tmp_path, GOOD), ReformulateRow))
    assert (row.line, row.id, row.data.access_scope, row.data.metadata_filters) == (1, "a", None, ())


def test_nulls_of_optional_fields_count_as_absent(tmp_path: Path) -> None:
    row = next(read_strict(write(tmp_path, {**GOOD, "metadata_filters": None, "access_scope": None}), ReformulateRow))
    assert row.data.metadata_filters == ()


def test_task_id_stands_in_for_id(tmp_path: Path) -> None:
    row = only(write(tmp_path, {"task_id": 7, "history": [], "query": "q"}))
    assert row.id == "7"


def test_extras_are_kept_and_known_fields_are_not_extras(tmp_path: Path) -> None:
    row = next(read_strict(write(tmp_path, {**GOOD, "kind": ["x"], "prediction": 3}), ReformulateRow))
    assert row.extras() == {"kind": ["x"]}


def test_the_digest_ignores_extras_and_prediction_and_minds_the_query(tmp_path: Path) -> None:
    rows = [{**GOOD, "id": "a"}, {**GOOD, "id": "b", "kind": 1, "prediction": 2}, {**GOOD, "id": "c", "query": "x"}]
    a, b, c = (row.digest() for row in read_strict(write(tmp_path, *rows), ReformulateRow))
    assert a == b != c


def test_a_mark_at_the_start_blank_lines_and_crlf_hold_no_data(tmp_path: Path) -> None:
    line = json.dumps(GOOD).encode()
    file = write(tmp_path, b"\xef\xbb\xbf" + line + b"\r", b"", b"  \r", line.replace(b'"a"', b'"b"'), b"")
    assert [(r.line, r.id) for r in read_strict(file, ReformulateRow)] == [(1, "a"), (4, "b")]


def test_lone_surrogates_are_replaced_for_the_model_and_kept_for_the_output(tmp_path: Path) -> None:
    line = b'{"id": "a", "history": [], "query": "odd \\ud800", "note": "\\udfff", "prediction": {"x": "\\ud800"}}'
    row = next(read_strict(write(tmp_path, line), ReformulateRow))
    assert row.data.query == "odd \ufffd" and row.data.prediction == {"x": "\ufffd"}
    assert json.loads(dumps(row.raw).encode("utf-8")) == json.loads(line)


BAD: list[tuple[str, bytes | dict[str, Any], str | None, str]] = [
    ("cut off", b'{"id": "a", "history"', None, "not JSON at column 22"),
    ("an array", b"[1]", None, "a JSON object is expected, not an array"),
    ("a mark inside the file", b"\xef\xbb\xbf{}", None, "byte order mark"),
    ("latin-1", b'{"id": "caf\xe9"}', None, "not UTF-8 at byte 12"),
    ("NUL", b'{"id": "a\0"}', None, "NUL byte at byte 10"),
    ("raw control character", b'{"id": "a\x01"}', None, "not JSON at column 10"),
    ("NaN", b'{"id": NaN}', None, "NaN is no number"),
    ("a float out of range", b'{"id": "a", "x": 1e999}', None, "out of range"),
    ("an endless integer", b'{"id": ' + b"9" * 5000 + b"}", None, "not JSON"),
    ("a field twice", b'{"id": "a", "id": "b"}', None, "'id' stands twice"),
    ("nested too deep for us", b'{"id": "a", "x": ' + b"[" * 200 + b"]" * 200 + b"}", None, "levels deep"),
    ("nested too deep for Python", b"[" * 200_000, None, "deep"),
    ("no id", {"history": [], "query": "q"}, "id", "is missing"),
    ("id of the wrong type", {**GOOD, "id": ["a"]}, "id", "not an array"),
    ("id empty", {**GOOD, "id": ""}, "id", "not an empty string"),
    ("id true", {**GOOD, "id": True}, "id", "not a boolean"),
    ("id endless", {**GOOD, "id": "a" * 1001}, "id", "longer than 1000"),
    ("no query", {"id": "a", "history": []}, "query", "is missing"),
    ("no history", {"id": "a", "query": "q"}, "history", "is missing"),
    ("query of the wrong type", {**GOOD, "query": 5}, "query", "valid string"),
    ("query null", {**GOOD, "query": None}, "query", "valid string"),
    ("a role that is none", {**GOOD, "history": [{"role": "system", "content": "x"}]}, "history.0.role", "'user'"),
    ("a turn without content", {**GOOD, "history": [{"role": "user"}]}, "history.0.content", "is missing"),
    ("scope of the wrong type", {**GOOD, "access_scope": 3}, "access_scope", "dictionary"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "field", "says"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_row_is_named(line: bytes | dict[str, Any], field: str | None, says: str, tmp_path: Path) -> None:
    file = write(tmp_path, {**GOOD, "id": "first"}, line)
    bad = list(read(file, ReformulateRow))[1]
    assert isinstance(bad, BadRow)
    assert (bad.error.line, bad.error.field) == (2, field)
    assert str(bad.error).startswith(f"{file}:2: " + (f"field `{field}`" if field else ""))
    assert says in str(bad.error)


def test_a_duplicate_id_names_the_first_line(tmp_path: Path) -> None:
    _, bad = read(write(tmp_path, GOOD, GOOD), ReformulateRow)
    assert isinstance(bad, BadRow) and bad.id == "a" and "'a' stands on line 1" in str(bad.error)


def test_strict_reading_stops_at_the_first_bad_row(tmp_path: Path) -> None:
    rows = read_strict(write(tmp_path, GOOD, b"{"), ReformulateRow)
    next(rows)
    with pytest.raises(RowError, match=":2: not JSON"):
        next(rows)


def test_a_required_optional_field_may_be_null_but_not_absent(tmp_path: Path) -> None:
    file = write(tmp_path, {**GOOD, "prediction": None}, {**GOOD, "id": "b"})
    first, second = read(file, ReformulateRow, require=("prediction",))
    assert isinstance(first, Row)
    assert isinstance(second, BadRow) and second.error.field == "prediction"


def test_a_line_over_the_bound_is_refused_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jsonl, "MAX_LINE_BYTES", 200)
    file = write(tmp_path, {**GOOD, "query": "x" * 5000}, {**GOOD, "id": "b"})
    long, good = read(file, ReformulateRow)
    assert isinstance(long, BadRow) and "longer than 200 bytes" in str(long.error)
    assert (good.line, good.id) == (2, "b")


def test_a_file_without_rows_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no row"):
        list(read(write(tmp_path, b"\n"), ReformulateRow))


@pytest.mark.parametrize("name", ["absent.jsonl", "."])
def test_a_file_that_cannot_be_read_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(read(tmp_path / name, ReformulateRow))


def test_an_unknown_behaviour_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="there is: carry_forward, cite, expand, reformulate"):
        row_model("frobnicate")


@given(st.text(), st.text())
def test_what_is_written_is_one_safe_line_and_reads_back(name: str, text: str) -> None:
    line = dumps({name: text + "\x9b\u2028\u202e\ud800\x7f"})
    assert len(line.splitlines()) == 1 and "\x9b" not in line and "\u202e" not in line
    assert json.loads(line.encode("utf-8")) == {name: text + "\x9b\u2028\u202e\ud800\x7f"}


@given(st.binary(max_size=300))
def test_any_bytes_give_rows_or_named_errors(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "x.jsonl"
    file.write_bytes(b"{}\n" + content)
    assert all(isinstance(row, BadRow) and row.error.line == row.line for row in read(file, ReformulateRow))
