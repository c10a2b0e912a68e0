"""A served model's own rules: configuration, rows at a time, and rows that cannot be used."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import pytest

from turnkeeper import loading
from turnkeeper.behaviours import find
from turnkeeper.errors import InputError, SetupError
from turnkeeper.optimized import find_artifacts, shipped_dir

from .oracle import oracle_lm

pytest.importorskip("mlflow", reason="needs pip install 'turnkeeper[compile]'")
ROWS = [row for row in find("reformulate").load("test", None) if find("reformulate").demos(row, "referents")][:6]
SENT = [{"query": row.query, "history": [turn.model_dump() for turn in row.history]} for row in ROWS]


@pytest.fixture
def lm(monkeypatch: pytest.MonkeyPatch) -> dspy.LM:
    made = oracle_lm("reformulate", ROWS)
    monkeypatch.setattr(loading, "resolve_lm", lambda spec, **_: made)
    return made


def served(**configured: Any) -> Any:
    from turnkeeper.compiling.served import ServedProgram

    (program,) = find_artifacts(shipped_dir(), "reformulate")
    folder = program.parent
    model = ServedProgram()
    model.load_context(SimpleNamespace(artifacts={"program": str(folder)}, model_config={"lm": "x/y", **configured}))
    return model


def test_rows_are_asked_as_many_at_a_time_as_is_configured_and_keep_their_order(lm: dspy.LM) -> None:
    together = threading.Barrier(3, timeout=60)
    lm.engine.before = lambda number: together.wait() if number <= 3 else None
    told = served(threads=3).predict(None, SENT)
    assert list(told["standalone_query"]) == [served()._answered(row)["standalone_query"] for row in SENT]
    assert list(told["error"]) == [""] * 6


@pytest.mark.parametrize(
    ("spoilt", "says"),
    [
        ({"query": None}, "field `query`: a text is expected, and there is none"),
        ({"query": ["it"]}, "field `query`: a text is expected, not list"),
        ({"history": "[1"}, "field `history`: is no JSON"),
        ({"history": "7"}, "field `history`: a list of turns, each with role and content, is expected"),
        ({"history": [{"role": "user"}]}, "field `history`: a list of turns, each with role and content, is expected"),
        ({"history": ["user: hello"]}, "field `history`: a list of turns, each with role and content, is expected"),
        ({"access_scope": "{no"}, "field `access_scope`: is no JSON"),
        ({"access_scope": '{"allowed": 3}'}, "allowed"),
    ],
)
def test_a_row_that_cannot_be_used_costs_no_other(spoilt: dict[str, Any], says: str, lm: dspy.LM) -> None:
    first, bad, last = served().predict(None, [SENT[0], {**SENT[1], **spoilt}, SENT[2]]).to_dict("records")
    assert says in bad["error"] and bad["fallback"] and not bad["ok"]
    assert bad["standalone_query"] == first["error"] == ""
    assert first["ok"] and last["ok"] and lm.engine.calls >= 2


def test_what_ails_every_row_is_an_error(lm: dspy.LM, monkeypatch: pytest.MonkeyPatch) -> None:
    model = served()
    monkeypatch.setattr(model, "_program", lambda **given: (_ for _ in ()).throw(SetupError("no server")))
    with pytest.raises(SetupError, match="no server"):
        model.predict(None, SENT[:1])


@pytest.mark.parametrize("threads", [0, 257, "four", True, 1.5])
def test_threads_that_are_no_number_of_threads(threads: Any, lm: dspy.LM) -> None:
    with pytest.raises(InputError, match="field `threads`: 1 to 256"):
        served(threads=threads)


def test_an_address_in_the_configuration_is_asked_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SetupError, match=r"nothing answers at 127\.0\.0\.1:9"):
        served(lm="openai/any", api_base="http://127.0.0.1:9/v1")


@pytest.mark.parametrize("address", ["http://me:hunter2@vllm:8000/v1", "http://vllm/v1?api_key=abcdefgh12345678"])
def test_an_address_with_a_secret_is_not_stored(address: str, tmp_path: Path) -> None:
    from turnkeeper.compiling.release import release

    (program,) = find_artifacts(shipped_dir(), "reformulate")
    with pytest.raises(InputError, match="api_base holds a secret") as refused:
        release(program, lm="openai/any", api_base=address, uri=f"sqlite:///{tmp_path / 'no.db'}")
    assert "hunter2" not in str(refused.value) and not (tmp_path / "no.db").exists()
