"""Objects of a file, and the place that an error names."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from turnkeeper.data.public._files import objects, table
from turnkeeper.errors import InputError, RowError


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "set.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_and_arrays_give_the_same_objects(tmp_path: Path) -> None:
    rows = [{"a": 1}, {"a": "[,]"}, {"a": [{}]}]
    lines = [found.raw for found in objects(write(tmp_path, "\n".join(map(json.dumps, rows))))]
    assert lines == [found.raw for found in objects(write(tmp_path, json.dumps(rows)))] == rows


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab[]{},"\\\n', max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(
    rows=st.lists(st.dictionaries(st.text(max_size=3), ANYTHING, max_size=3), min_size=1, max_size=5),
    indent=st.sampled_from([None, 0, 2]),
)
def test_an_array_is_read_as_json_reads_it(rows: list[dict[str, Any]], indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_bytes(json.dumps(rows, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    expected = json.loads(json.dumps(rows))
    assert [found.raw for found in objects(path)] == expected
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for found in objects(path):  # the line that is named is the one where the object begins
        assert "{" in lines[found.place.line - 1]


def test_gzip_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n{"a": 2}\n'))
    assert [found.raw["a"] for found in objects(path)] == [1, 2]


def test_a_cut_gzip_is_no_end_of_the_set(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n' * 10_000)[:-12])
    with pytest.raises(InputError, match="cannot be read"):
        list(objects(path))


def test_nan_is_null(tmp_path: Path) -> None:
    (found,) = objects(write(tmp_path, '{"a": NaN, "b": Infinity}'))
    assert found.raw == {"a": None, "b": None}


def test_an_object_of_an_array_knows_its_line_and_its_number(tmp_path: Path) -> None:
    first, second = objects(write(tmp_path, '[\n {"a":\n 1},\n\n {"a": 2}]'))
    assert (first.place.line, first.place.item) == (2, "[0]")
    assert (second.place.line, second.place.item) == (5, "[1]")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{"a": 1}\n{"a": \n', 2, "not JSON"),
        ('{"a": 1}\n\n["a"]\n', 3, "a JSON object is expected, not an array"),
        ('{"a": 1} {"a": 2}\n', 1, "something stands after"),
        ('[{"a": 1},\n{"a": }]', 2, "not JSON"),
        ('[{"a": 1}\n{"a": 2}]', 2, "a comma"),
        ('[{"a": 1}', 1, "a comma or the end"),
        ('[{"a": 1}] 7', 1, "after the array"),
        ('[1]', 1, "not a number"),
        ('[{"a": ' + "[" * 200_000, 1, "nested more than|not JSON"),
    ],
)  # fmt: skip
def test_what_is_no_set_of_objects_is_named_by_line(text: str, line: int, said: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(RowError, match=said) as caught:
        list(objects(path))
    assert (caught.value.file, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", " [ ] \n"])
def test_a_file_of_nothing_is_named(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no row"):
        list(objects(write(tmp_path, text)))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.json: cannot be read"):
        list(objects(tmp_path / "gone.json"))


def test_bytes_that_are_no_utf_8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": "\xff"}\n')
    with pytest.raises(RowError, match=r"set\.jsonl:2: not UTF-8 at byte 8"):
        list(objects(path))


def test_a_table_says_how_many_columns_it_wants(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("one\ttwo \r\nthree\n", encoding="utf-8")
    with pytest.raises(RowError, match=r"rows\.tsv:2: 2 columns between tabs are expected, not 1"):
        list(table(path, 2))
    path.write_text('one\ttwo "quoted \r\n', encoding="utf-8")
    assert [cells for _, cells in table(path, 2)] == [["one", 'two "quoted']]
