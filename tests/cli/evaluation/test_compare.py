"""`turnkeeper compare` and `turnkeeper report` on two evaluations of the same rows."""

from __future__ import annotations

import json
from pathlib import Path

from ..conftest import Cli


def test_compare_lists_flips_and_says_better(cli: Cli, two: tuple[Path, Path]) -> None:
    done = cli("compare", *two)
    assert done.code == 0 and "0 good to bad, 8 bad to good, exact McNemar p = 0.008" in done.out
    assert "bad to good: r0 (thing): 'Does it leak?' -> 'Does the Orvane kettle leak?'" in done.out
    assert done.out.index("fallback rate") < done.out.index("score")


def test_compare_gives_exit_code_1_when_it_got_worse(cli: Cli, two: tuple[Path, Path]) -> None:
    done = cli("compare", *two[::-1], "--json")
    assert done.code == 1 and done.rows()[0]["deltas"][0]["verdict"] == "worse"


def test_compare_says_that_the_code_differs(cli: Cli, two: tuple[Path, Path]) -> None:
    beside = two[0].with_name("copy.jsonl.meta.json")
    beside.write_text(json.dumps({**json.loads(beside.read_text()), "code": "older"}))
    assert "different code" in cli("compare", *two).err and "different code" not in cli("compare", two[1], two[1]).err


def test_compare_refuses_files_over_different_rows(cli: Cli, two: tuple[Path, Path]) -> None:
    lines = two[1].read_text().splitlines()
    two[1].write_text("\n".join(lines[:-1]) + "\n")
    done = cli("compare", *two)
    assert done.code == 2 and "lacks 1 of the 8 rows" in done.err and "r7" in done.err


def test_report_is_one_page_without_scripts_and_foreign_addresses(
    cli: Cli, two: tuple[Path, Path], tmp_path: Path
) -> None:
    done = cli("report", *two, "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert done.code == 0 and "8 bad to good" in page and "Score by kind" in page
    assert "<script" not in page and "http://" not in page and "https://" not in page and "url(" not in page


def test_report_escapes_what_a_model_wrote(cli: Cli, two: tuple[Path, Path], tmp_path: Path) -> None:
    attack = "<script>alert(1)</script>"
    two[1].write_text(two[1].read_text().replace("Does the Orvane kettle leak?", attack))
    cli("report", *two, "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page


def test_compare_escapes_what_a_terminal_would_obey(cli: Cli, two: tuple[Path, Path]) -> None:
    two[1].write_text(two[1].read_text().replace("Does the Orvane kettle leak?", "\\u001b[2J"))
    assert "\x1b" not in cli("compare", *two).out


def test_report_does_not_overwrite_its_input(cli: Cli, two: tuple[Path, Path]) -> None:
    assert cli("report", *two, "--out", two[0]).code == 2


def test_report_writes_markdown_and_a_figure_beside_the_page(cli: Cli, two: tuple[Path, Path], tmp_path: Path) -> None:
    text, figure = tmp_path / "r.md", tmp_path / "r.png"
    done = cli("report", *two, "--out", tmp_path / "r.html", "--markdown", text, "--png", figure)
    assert done.code == 0, done.err
    assert "| en | 8 |" in text.read_text() and figure.read_bytes().startswith(b"\x89PNG")
    assert "Score by language" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_report_says_when_an_experiment_has_no_curve(cli: Cli, two: tuple[Path, Path], tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    results.write_text('{"key": "a", "seed": 0}\n')
    done = cli("report", *two, "--out", tmp_path / "r.html", "--experiment", results)
    assert done.code == 0 and "no learning curve" in done.err
    assert cli("report", *two, "--out", tmp_path / "r.html", "--markdown", results, "--experiment", results).code == 2


def test_report_says_how_many_results_a_crash_had_torn(cli: Cli, two: tuple[Path, Path], tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    results.write_text('{"key": "a", "se\n{"key": "b", "seed": 0}\n')
    done = cli("report", *two, "--out", tmp_path / "r.html", "--experiment", results)
    assert done.code == 0 and "results.jsonl: 1 line passed over" in done.err
