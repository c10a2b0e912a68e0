"""Two evaluations of the same rows: flips, tests, cost, and what cannot be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from turnkeeper.errors import InputError
from turnkeeper.evaluation import Scored
from turnkeeper.evaluation.compare import compare
from turnkeeper.evaluation.files import Saved, line, read

GOOD, BAD = 1.0, 0.4


def scored(number: int, score: float | None, **fields: Any) -> Scored:
    said = {"kind": "pronoun" if number % 2 else "ellipsis", "family": f"f{number}", "row_digest": "d"}
    parts = {} if score is None else {"agreement": score}
    error = "ConnectionError" if score is None else None
    return Scored(**{"id": f"r{number}", "score": score, "components": parts, "error": error, **said, **fields})


def saved(name: str, scores: list[float | None], **fields: Any) -> Saved:
    return Saved(Path(f"{name}.jsonl"), [scored(n, s, **fields) for n, s in enumerate(scores)], {})


def test_flips_are_listed_both_ways() -> None:
    found = compare(saved("a", [GOOD, BAD, GOOD, BAD]), saved("b", [BAD, GOOD, GOOD, BAD]))
    assert [p.after.id for p in found.worse] == ["r0"] and [p.after.id for p in found.better] == ["r1"]
    assert found.p == 1.0


def test_six_flips_to_none_are_better() -> None:
    found = compare(saved("a", [BAD] * 6 + [GOOD] * 6), saved("b", [GOOD] * 12))
    assert found.p == pytest.approx(0.031, abs=1e-3) and found.deltas[0].verdict == "better"


def test_five_changed_rows_allow_no_claim() -> None:
    found = compare(saved("a", [BAD] * 5 + [GOOD] * 7), saved("b", [GOOD] * 12))
    assert found.deltas[0].verdict == "no claim: 5 changed rows"


def test_a_kind_that_collapses_is_seen_though_the_mean_is_flat() -> None:
    kinds = [BAD, GOOD] * 10
    found = compare(saved("a", kinds), saved("b", kinds[::-1]))
    said = {(d.metric, d.kind): d.verdict for d in found.deltas}
    assert said["score", None] == "not distinguishable"
    assert (said["score", "pronoun"], said["score", "ellipsis"]) == ("worse", "better")


def test_every_metric_has_its_delta() -> None:
    found = compare(saved("a", [GOOD] * 3), saved("b", [GOOD] * 3))
    assert {d.metric for d in found.deltas} == {"score", "agreement"}


def test_equal_runs_are_equivalent_within_a_margin() -> None:
    found = compare(saved("a", [GOOD] * 100), saved("b", [GOOD] * 100), margin=0.05)
    assert found.deltas[0].verdict == "equivalent within 0.05"


def test_error_rows_are_left_out_and_counted() -> None:
    found = compare(saved("a", [GOOD, None, GOOD]), saved("b", [GOOD, GOOD, GOOD]))
    assert len(found.pairs) == 2 and (found.before.errors, found.after.errors) == (1, 0)


def test_cost_and_fallbacks_stand_side_by_side() -> None:
    found = compare(saved("a", [GOOD] * 4, lm_calls=1), saved("b", [GOOD] * 4, lm_calls=2, fallback=True))
    assert (found.before.lm_calls, found.after.lm_calls) == (4, 8) and found.after.fallback_rate == 1.0


def test_different_rows_are_refused_and_named() -> None:
    with pytest.raises(InputError, match=r"b\.jsonl: lacks 1 of the 3 rows of a\.jsonl \(r2\)"):
        compare(saved("a", [GOOD] * 3), saved("b", [GOOD] * 2))


def test_rows_whose_content_changed_are_refused() -> None:
    with pytest.raises(InputError, match="r0 for one, had another content"):
        compare(saved("a", [GOOD]), saved("b", [GOOD], row_digest="other"))


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1])
def test_margin_outside_its_range(margin: float) -> None:
    with pytest.raises(InputError, match="margin"):
        compare(saved("a", [GOOD]), saved("b", [GOOD]), margin=margin)


def test_json_has_no_nan() -> None:
    found = compare(saved("a", [None]), saved("b", [None])).as_json()
    assert found["rows"] == 0 and found["fallback_rate"]["before"] is None


def test_a_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line(scored(0, GOOD)) + "\n", encoding="utf-8")
    assert read(path).rows == [scored(0, GOOD)]


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "holds no row"), ("{}\n", r":1: field `id`"), ("x\n", r":1: Invalid JSON"), ("[1]\n", ":1")],
)
def test_a_file_that_is_no_evaluation(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read(path)


def test_a_row_that_stands_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text((line(scored(0, GOOD)) + "\n") * 2, encoding="utf-8")
    with pytest.raises(InputError, match="twice"):
        read(path)
