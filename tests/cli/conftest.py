"""Running commands in this process, and a stand-in for a loaded program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from turnkeeper.cli import _behaviours, app
from turnkeeper.signatures.reformulate import ReformulateResult
from turnkeeper.signatures.types import Notice, ResolvedReference, Usage, Violation


class Done(NamedTuple):
    code: int
    out: str
    err: str

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Done]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """`cli("check", "reformulate", ...)` gives exit code, stdout and stderr."""

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            app([str(argument) for argument in arguments])
        return Done(int(left.value.code or 0), *capsys.readouterr())

    return call


class Keeper:
    """Upper-cases the query; `queries` is what it was asked, `trouble` maps a query to what to raise or return."""

    program_id = "stand-in"

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.histories: list[list[str]] = []
        self.loads = 0
        self.trouble: dict[str, BaseException | ReformulateResult] = {}

    def __call__(
        self, *, history: list[Any], query: str, access_scope: Any, metadata_filters: Any = ()
    ) -> ReformulateResult:
        self.queries.append(query)
        self.histories.append([turn.content for turn in history])
        trouble = self.trouble.get(query)
        if isinstance(trouble, BaseException):
            raise trouble
        return trouble or ReformulateResult(
            standalone_query=query.upper(),
            resolved_references=(ResolvedReference(mention="it", referent="the lamp", turn=0),),
            lm_attempts=1,
            program=self.program_id,
            usage=Usage(calls=1, prompt_tokens=9),
        )


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Keeper:
    stand_in = Keeper()

    def load(behaviour: str, **options: Any) -> Keeper:
        stand_in.loads += 1
        return stand_in

    monkeypatch.setattr(_behaviours, "load_program", load)
    return stand_in


@pytest.fixture
def fallen_back() -> ReformulateResult:
    return ReformulateResult(
        standalone_query="raw",
        action="unchanged",
        ok=False,
        fallback=True,
        lm_attempts=2,
        violations=(Violation(code="too_long", message="Say it in fewer words.", span="raw"),),
        warnings=(Notice(code="fallback_raw_query", message="The raw query is searched."),),
    )


def jsonl(path: Path, *rows: dict[str, Any] | str) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    return path


@pytest.fixture
def write_jsonl() -> Callable[..., Path]:
    return jsonl


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def rows_of() -> Callable[[Path], list[dict[str, Any]]]:
    return read_jsonl


@pytest.fixture
def bench(cli: Any) -> Callable[..., dict[str, Any]]:
    """`bench("rewrite", ...)` gives the figures of `--json`, with the exit code."""

    def call(*arguments: object) -> dict[str, Any]:
        done = cli("bench", *arguments, "--json")
        assert done.out, done.err
        (figures,) = done.rows()
        return {**figures, "code": done.code}

    return call
