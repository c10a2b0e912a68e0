"""Experiment files: what a grid says, and results that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnkeeper.behaviours import names
from turnkeeper.compiling import _cell_key
from turnkeeper.compiling.budget import Limits
from turnkeeper.compiling.experiment import read_experiment
from turnkeeper.compiling.options import CompileOptions, train_rows
from turnkeeper.compiling.results import Results
from turnkeeper.data.reformulate import load
from turnkeeper.errors import InputError, SetupError

from ..full_disk import room_for
from .reading import small_golden


def grid(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "grid.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_grid_is_the_product_of_its_axes(tmp_path: Path) -> None:
    path = grid(tmp_path, '[grid]\noptimizer = ["labeled", "bootstrap"]\nseed = [0, 1, 2]\n[limits]\ncalls = 9\n')
    cells = read_experiment(path, tmp_path).cells
    assert [(c.options.optimizer, c.options.seed) for c in cells][:4] == [
        ("labeled", 0), ("labeled", 1), ("labeled", 2), ("bootstrap", 0),
    ]  # fmt: skip
    assert len({c.key for c in cells}) == len({c.options.out for c in cells}) == 6
    assert {c.options.limits for c in cells} == {Limits(calls=9)}
    assert {c.options.journal for c in cells} == {tmp_path / "journal.jsonl"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("optimiser = 1", "field `optimiser`"),
        ('[grid]\nmodel = ["x"]', r"field `grid\.model`"),
        ('[grid]\nseed = ["one"]', r"field `grid\.seed`"),
        ("[grid]\nseed = 3", r"field `grid\.seed`"),
        ("[limits]\npages = 3", r"field `limits\.pages`"),
        ('[grid]\noptimizer = ["magic"]', "labeled"),
        ("test = 1", "field `test`"),
        ("= 1", "not TOML"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        read_experiment(grid(tmp_path, text), tmp_path)


def test_a_guarded_grid_leaves_the_test_split_to_its_own_step(tmp_path: Path) -> None:
    plain = read_experiment(grid(tmp_path, "test = true"), tmp_path)
    found = read_experiment(grid(tmp_path, 'guarded = true\ncandidates = 3\n[forms]\ncite = "claims"'), tmp_path)
    assert found.guarded and not found.cells[0].options.test and found.cells[0].options.candidates == 3
    assert not plain.guarded and plain.cells[0].options.test and plain.cells[0].key != found.cells[0].key


def test_the_committed_experiment_asks_each_behaviour_three_ways(tmp_path: Path) -> None:
    found = read_experiment(Path(__file__).parents[2] / "experiments" / "results.yaml", tmp_path)
    assert found.guarded and len(found.cells) == 12
    assert {(c.options.behaviour, c.options.optimizer) for c in found.cells} == {
        (behaviour, optimizer) for behaviour in names() for optimizer in ("zero-shot", "labeled", "bootstrap-rs")
    }
    assert {c.options.form for c in found.cells} == {"referents", "terms", "claims", "table"}
    assert not any(c.remote for c in found.cells) and {c.options.budget for c in found.cells} == {"light"}


def test_another_budget_is_another_result(tmp_path: Path) -> None:
    one = read_experiment(grid(tmp_path, 'budget = "light"'), tmp_path).cells[0]
    other = read_experiment(grid(tmp_path, 'budget = "medium"'), tmp_path).cells[0]
    assert one.key != other.key


@pytest.mark.parametrize("text", ["test = true", "guarded = true"])
def test_another_test_split_is_another_result_where_it_is_asked(tmp_path: Path, text: str) -> None:
    golden = small_golden(tmp_path / "golden", test=8)

    def key(text: str) -> str:
        return read_experiment(grid(tmp_path, f'golden = "golden"\n{text}'), tmp_path).cells[0].key

    before, unasked = key(text), key("test = false")
    small_golden(golden, test=4)
    assert key(text) != before and key("test = false") == unasked


def test_an_own_golden_set_without_a_test_split_can_be_compiled_and_not_guarded(tmp_path: Path) -> None:
    (small_golden(tmp_path / "golden") / "test.jsonl").unlink()
    assert read_experiment(grid(tmp_path, 'golden = "golden"'), tmp_path).cells
    with pytest.raises(InputError, match=r"test\.jsonl"):
        read_experiment(grid(tmp_path, 'golden = "golden"\nguarded = true'), tmp_path)


def test_other_code_is_another_result_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [one] = read_experiment(grid(tmp_path, ""), tmp_path).cells
    monkeypatch.setattr(_cell_key, "code_digest", lambda: "another")
    [other] = read_experiment(grid(tmp_path, ""), tmp_path).cells
    assert one.key != other.key and one.options.out != other.options.out


@pytest.mark.parametrize("text", ['[grid]\nlm = ["gguf:{}"]', 'teacher = "gguf:{}"', 'reflection_lm = "gguf:{}"'])
def test_other_weights_of_the_same_name_are_another_result(tmp_path: Path, text: str) -> None:
    weights, file = tmp_path / "x.gguf", grid(tmp_path, text.format(tmp_path / "x.gguf"))
    keys = set()
    for content in (b"GGUF one", b"GGUF other"):
        weights.write_bytes(content)
        keys |= {cell.key for cell in read_experiment(file, tmp_path).cells}
    assert len(keys) == 2


def test_results_survive_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    Results(path).add({"key": "a", "dev": 0.5})
    with path.open("ab") as file:
        file.write(b'{"key": "b", "de')
    results = Results(path)
    results.add({"key": "c", "dev": 0.7})
    assert Results(path).rows.keys() == {"a", "c"}


def test_a_full_disk_is_named_and_keeps_the_cells_before(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    results = Results(path)
    results.add({"key": "a", "dev": 0.5})
    with room_for(path.stat().st_size + 9), pytest.raises(SetupError, match=r"results\.jsonl: cannot be written"):
        results.add({"key": "b", "dev": 0.6})
    results.add({"key": "c", "dev": 0.7})
    assert results.rows.keys() == Results(path).rows.keys() == {"a", "c"}


def test_yaml_says_the_same_as_toml(tmp_path: Path) -> None:
    said = tmp_path / "grid.yaml"
    said.write_text("grid:\n  optimizer: [labeled, bootstrap]\n  seed: [0, 1, 2]\nlimits: {calls: 9}\n")
    toml = grid(tmp_path, '[grid]\noptimizer = ["labeled", "bootstrap"]\nseed = [0, 1, 2]\n[limits]\ncalls = 9\n')
    assert read_experiment(said, tmp_path).cells == read_experiment(toml, tmp_path).cells


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("grid: [", "not YAML"),
        ("- 1", "not YAML with fields: list"),
        ("grid: {demos: [0]}", "field `grid.demos`: 1 or more"),
        ("grid: {demos: [4], optimizer: [mipro]}", "field `grid.demos`: mipro cannot be told"),
        ("grid: {train_rows: [99999]}", "field `grid.train_rows`: .* has 306 rows"),
        ("grid: {behaviour: [magic]}", "no behaviour 'magic'"),
        ("forms: {magic: table}", "field `forms.magic`: unknown; there is: carry_forward"),
        ("forms: {reformulate: magic}", "must be auto or one of referents"),
        ("candidates: many", "field `candidates`: int is expected"),
        ("guarded: 1", "field `guarded`: bool is expected"),
        ("!!python/object/apply:os.system ['true']", "not YAML"),
    ],
)
def test_a_wrong_field_of_yaml_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "grid.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read_experiment(path, tmp_path)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("grid: {optimizer: [foo]}", "grid.optimizer"),
        ("grid: {adapter: [foo]}", "grid.adapter"),
        ("grid: {form: [foo]}", "grid.form"),
        ("forms: {reformulate: foo}", "forms.reformulate"),
        ("grid: {behaviour: [foo]}", "grid.behaviour"),
        ("behaviour: foo", "behaviour"),
        ("grid: {lm: ['']}", "grid.lm"),
        ("grid: {lm: [embedded, ' ']}", "grid.lm"),
        ("grid: {lm: ['embedded:foo']}", "grid.lm"),
        ("grid: {lm: ['gguf:']}", "grid.lm"),
        ("grid: {lm: [foo]}", "grid.lm"),
        ("teacher: ''", "teacher"),
        ("reflection_lm: foo", "reflection_lm"),
        ("budget: tiny", "budget"),
        ("candidates: 0", "candidates"),
        ("golden: nowhere", "golden"),
        ("threads: 0", "threads"),
        ("threads: 100000", "threads"),
        ("limits: {calls: -1}", "limits.calls"),
        ("limits: {calls: 1.5}", "limits.calls"),
        ("limits: {tokens: 0}", "limits.tokens"),
        ("limits: {seconds: .inf}", "limits.seconds"),
        ("limits: {usd: .nan}", "limits.usd"),
        ("options: {threshold: 2}", "options.threshold"),
        ("options: {sizes: [-1]}", "options.sizes.0"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_file_and_field_when_the_file_is_read(
    text: str, field: str, tmp_path: Path
) -> None:
    path = tmp_path / "grid.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_experiment(path, tmp_path)
    assert str(caught.value).startswith(f"{path}: field `{field}`: ") and "--" not in str(caught.value)


def test_behaviour_demos_and_train_size_are_axes(tmp_path: Path) -> None:
    path = tmp_path / "grid.yaml"
    path.write_text(
        "grid: {behaviour: [reformulate, expand], demos: [2, 4], train_rows: [20, 40], optimizer: [labeled]}"
    )
    cells = read_experiment(path, tmp_path).cells
    assert len({cell.key for cell in cells}) == len({cell.options.out for cell in cells}) == len(cells) == 8
    assert {cell.options.form for cell in cells} == {"referents", "terms"}
    assert cells[0].options.parameters == {"sizes": [2]} and cells[-1].axes["demos"] == 4
    assert [cell.axes["train_rows"] for cell in cells[:2]] == [20, 40]


def test_a_file_without_the_later_axes_names_none_of_them(tmp_path: Path) -> None:
    [cell] = read_experiment(grid(tmp_path, "[grid]\nseed = [3]"), tmp_path).cells
    assert cell.options.out.name == f"embedded-labeled-compact-referents-3-{cell.key[:8]}"
    assert cell.axes["train_rows"] == 306 and cell.axes["demos"] is None and not cell.remote


@pytest.mark.parametrize(("lm", "remote"), [("embedded", False), ("gguf:x.gguf", False), ("openai/gpt-4o-mini", True)])
def test_only_an_lm_elsewhere_may_be_asked_by_several_cells(lm: str, remote: bool, tmp_path: Path) -> None:
    assert read_experiment(grid(tmp_path, f'[grid]\nlm = ["{lm}"]'), tmp_path).cells[0].remote == remote


def test_a_smaller_train_set_is_a_part_of_a_larger_one_whatever_the_seed() -> None:
    rows = load("train")
    small, large = ({row.id for row in train_rows(rows, CompileOptions(train_rows=n, seed=n))} for n in (40, 120))
    assert len(small) == 40 and len(large) == 120 and small < large
    assert train_rows(rows, CompileOptions()) == rows
    families = {row.family for row in rows if row.id in large}
    whole = sum(row.family in families for row in rows)
    assert whole - 120 < 12, "all but the last family are whole"
    with pytest.raises(InputError, match="train_rows 0"):
        CompileOptions(train_rows=0).validated()
