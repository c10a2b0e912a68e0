"""Attacks by texts, artifacts, callers and files. One that still works is a strict xfail with its cause."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import Request, ServerError

import turnkeeper
from turnkeeper import events
from turnkeeper.cli import _behaviours, app
from turnkeeper.cli._runfile import RunFile
from turnkeeper.errors import InputError, SetupError, TurnkeeperError
from turnkeeper.modules._guard import Guard
from turnkeeper.modules._masking import mask_restricted
from turnkeeper.modules.reformulate import Reformulate
from turnkeeper.optimized import fingerprint
from turnkeeper.signatures.types import AccessScope

from .scripted import prompt_of, scripted

TERM = "Larkspur"
SCOPE = {"allowed": {"regions": ["nord"]}, "restricted_terms": [TERM]}
QUERY = "does it run at night?"
BOATS = ["Tarn", "Arle", "Brava", "Lumen", "Holm", "Corvo", "Orrin", "Delta"]


def said(boat: str, more: str = "") -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"How long does the {boat} ferry take?"},
        {"role": "assistant", "content": f"The {boat} ferry takes 40 minutes.{more}"},
    ]


def referent(text: str) -> str:
    return json.dumps({"referents": [{"mention": "it", "referent": text}]}, ensure_ascii=False)


def guard(*replies: Any, **options: Any) -> Guard[Any, Any]:
    lm = scripted(*replies, cache=False)
    return turnkeeper.load("reformulate", lm=lm, **{"program": "zero-shot", **options})


def broken(reason: str, *values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.xfail(strict=True, reason=reason))


@pytest.fixture
def seen() -> Iterator[list[Any]]:
    caught: list[Any] = []
    events.set_sink(caught.append)
    yield caught
    events.set_sink(None)


# Restricted terms


_SPELLINGS = "restricted terms compare by whole tokens without folding invisible or compatibility characters"


@pytest.mark.parametrize(
    "spelling",
    [
        *("Larkspur", "LARKSPUR", "Larkspur's", "Larkspur\u2019s", "Larkspurs", "Larkspur-2"),
        *("/x/larkspur/y", "#Larkspur"),
        *(
            broken(_SPELLINGS, text)
            for text in [
                *("Lark\u200bspur", "Lark\u00adspur", "Lark\u2060spur", "\uff2carkspur", "LarkspurPayroll"),
                *("Larkspur_payroll", "larkspur.pdf", "joe@larkspur.com", "Larkspur&Co", "Larkspur2"),
            ]
        ),
    ],
)  # fmt: skip
def test_restricted_term_reaches_no_prompt_and_no_result(spelling: str) -> None:  # REF-15
    keeper = guard(*[referent(f"the {spelling} plan")] * 2)
    history = said("Tarn", f" The {spelling} plan is the fast one.")
    result = keeper(history=history, query="is it open at night?", access_scope=SCOPE)
    assert spelling not in prompt_of(keeper.lm.engine.requests[0])
    assert spelling not in result.standalone_query


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("Project Larkspur", "Project \n Larkspur's plan"),
        ("Stra\u00dfe", "die STRASSE"),
        broken("a hyphenated compound is one token to the mask", "Project Larkspur", "the project-larkspur plan"),
        broken("a script without spaces is one token", "\u7d2b\u71d5", "\u7d2b\u71d5\u306e\u7d66\u6599"),
        broken("a term of punctuation has no token", "!!!", "the !!! plan"),
    ],
)  # fmt: skip
def test_restricted_term_is_masked(term: str, text: str) -> None:
    assert "[restricted]" in mask_restricted(text, AccessScope(restricted_terms=[term]))


@pytest.mark.xfail(strict=True, reason="the scope_leak message quotes the term, and feedback and event carry it")
def test_guessed_restricted_term_is_repeated_to_nobody(seen: list[Any]) -> None:
    keeper = guard(referent("the Larkspur plan"), referent("the Tarn ferry"))
    keeper(history=said("Tarn"), query=QUERY, access_scope=SCOPE)
    assert TERM not in prompt_of(keeper.lm.engine.requests[1]) and TERM not in json.dumps(seen)


@pytest.mark.parametrize(
    "scope",
    [
        "Larkspur",
        ["Larkspur"],
        {"restricted_terms": "Larkspur"},
        {"restricted_terms": [1]},
        broken("a misspelt field counts as an attribute", {"allowed": {"a": ["x"]}, "restricted_term": [TERM]}),
        broken("`allowed` becomes text inside `allowed`", {"allowed": {"a": ["x"]}, "tenant": "nord"}),
        broken("null becomes the value 'None'", {"allowed": None}),
        broken("an object becomes its Python text", {"regions": {"nord": 1}}),
        broken("the cache key cannot be written", {"restricted_terms": ["\ud800"]}),
    ],
)
def test_scope_that_cannot_be_meant_is_refused(scope: Any) -> None:
    with pytest.raises(InputError):
        guard(referent("the Tarn ferry"))(history=said("Tarn"), query=QUERY, access_scope=scope)


@pytest.mark.parametrize(
    "reach",
    [
        *("in all regions", "in the Sud region", "in each and every region"),
        *(
            broken("only a quantifier right before the noun, and a name right beside it, are seen", reach)
            for reach in (
                "in all four regions",
                "in any region",
                "in regions nord and Sud",
                "in regions other than nord",
            )
        ),
    ],
)
def test_answer_of_the_assistant_cannot_widen_the_query(reach: str) -> None:  # REF-09
    keeper = guard(*[referent(f"the Tarn ferry {reach}")] * 2)
    result = keeper(history=said("Tarn", f" The Tarn ferry {reach} is the same."), query=QUERY, access_scope=SCOPE)
    assert result.fallback and "scope_leak" in {v.code for v in result.violations}


@pytest.mark.xfail(strict=True, reason="the mask passes as a referent: ok, no warning, '[restricted]' is searched")
def test_reference_to_something_restricted_is_a_boundary() -> None:
    keeper = guard(*[referent("the [restricted] plan")] * 2)
    result = keeper(history=said("Tarn", " The Larkspur plan is open."), query=QUERY, access_scope=SCOPE)
    assert "[restricted]" not in result.standalone_query and "permission_boundary" in {w.code for w in result.warnings}


# Callers and hooks


def test_threads_and_tasks_with_failures_never_mix_turns(seen: list[Any]) -> None:
    def reply(request: Request) -> str:
        time.sleep(random.random() * 0.002)
        if random.random() < 0.2:
            raise ServerError("500")
        (boat,) = [name for name in BOATS if name in request.messages[-1].text]
        return referent(f"the {boat} ferry")

    keeper, wrong = guard(*[reply] * 2_000, cache_size=4), []

    def ask(number: int) -> None:
        boats = random.Random(number).choices(BOATS, k=8)
        turns = [{"history": said(b), "query": QUERY, "access_scope": {"regions": [b.lower()]}} for b in boats]

        async def together() -> list[Any]:
            return list(await asyncio.gather(*(keeper.acall(**turn) for turn in turns)))

        results = asyncio.run(together()) if number % 2 else [keeper(**turn) for turn in turns]
        for boat, result in zip(boats, results):  # noqa: B905
            expected = QUERY if result.fallback else f"does the {boat} ferry run at night?"
            reported = (f"regions in [{boat.lower()}]",)
            if (result.standalone_query, result.access_constraints_applied) != (expected, reported):
                wrong.append((boat, result))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(seen) == 256


def test_turns_that_differ_in_scope_or_history_share_no_cache_entry() -> None:
    keeper = guard(*(referent(f"the {boat} ferry") for boat in ("Tarn", "Tarn", "Arle")))
    for boat, regions in [("Tarn", ["nord"]), ("Tarn", ["sud"]), ("Arle", ["sud"]), ("Arle", ["sud"])]:
        result = keeper(history=said(boat), query=QUERY, access_scope={"regions": regions})
        assert boat in result.standalone_query
        assert result.access_constraints_applied == (f"regions in [{regions[0]}]",)
    assert keeper.lm.engine.calls == 3


def test_inputs_changed_after_the_call_change_no_later_answer() -> None:
    keeper, history = guard(referent("the Tarn ferry"), referent("the Arle ferry")), said("Tarn")
    keeper(history=history, query=QUERY)
    history[:] = said("Arle")
    assert "Tarn" in keeper(history=said("Tarn"), query=QUERY).standalone_query
    assert "Arle" in keeper(history=history, query=QUERY).standalone_query


def test_cancelled_call_leaves_the_guard_usable() -> None:
    async def run() -> Any:
        keeper = guard(*[referent("the Tarn ferry")] * 2)
        task = asyncio.create_task(keeper.acall(history=said("Tarn"), query=QUERY))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await keeper.acall(history=said("Tarn"), query=QUERY)

    assert asyncio.run(run()).ok


@pytest.mark.parametrize("given", [tuple, iter, lambda turns: (turn for turn in turns)])
def test_history_may_be_any_iterable(given: Callable[[Any], Any]) -> None:
    assert guard(referent("the Tarn ferry"))(history=given(said("Tarn")), query=QUERY).ok


def test_scrub_that_fails_sends_nothing() -> None:
    keeper = guard(scrub=lambda text: str(1 // 0))
    with pytest.raises(ZeroDivisionError):
        keeper(history=said("Tarn"), query=QUERY)
    assert keeper.lm.engine.calls == 0


@pytest.mark.xfail(strict=True, reason="the InputError carries pydantic's input_value")
def test_refused_input_is_not_quoted() -> None:
    with pytest.raises(InputError) as refused:
        guard()(history=[{"role": "user", "content": "x", "api_key": "sk-canary-0123456789"}], query=QUERY)
    assert "canary" not in str(refused.value)


_NO_PATTERN = "no pattern knows this form of secret"


@pytest.mark.parametrize(
    "secret",
    [
        "Authorization: Basic Q0FOQVJZQ0FOQVJZ",
        "https://joe:CANARYpw@host/x",
        '{"api_key": "CANARYabcdef"}',
        broken(_NO_PATTERN, "AWS_SECRET_ACCESS_KEY=CANARYabcdefghijkl"),
        broken(_NO_PATTERN, "PGPASSWORD=CANARYabcdef"),
        broken(_NO_PATTERN, "sk_live_CANARY0123456789abcd"),
        broken(_NO_PATTERN, "https://CANARYtoken0123456789@host/x"),
        broken(_NO_PATTERN, "API key: CANARYabcdefgh"),
    ],
)
def test_secret_in_the_history_reaches_no_event(secret: str, seen: list[Any]) -> None:
    guard("junk " + secret, "junk")(history=said("Tarn", f" {secret}"), query=QUERY)
    assert seen and "CANARY" not in json.dumps(seen) and "Q0FO" not in json.dumps(seen)


def test_order_of_turns_changes_no_answer() -> None:  # REF-11
    alone, after = (guard(*[referent("the Tarn ferry")] * 4, cache_size=0) for _ in range(2))
    after(history=said("Arle"), query="is it open?")
    turn = {"history": said("Tarn"), "query": QUERY}
    assert alone(**turn).standalone_query == after(**turn).standalone_query
    assert prompt_of(alone.lm.engine.requests[0]) == prompt_of(after.lm.engine.requests[-1])


# Artifacts in ./optimized of the working folder


def artifact(manifest: dict[str, Any] | None = None, **predictor: Any) -> dspy.LM:
    lm, bare = scripted(*[referent("the Tarn ferry")] * 2, cache=False), Reformulate()
    state = {n: {**p.dump_state(), "lm": None} for n, p in bare.named_predictors()}
    state["referents"].update(predictor)
    raw = json.dumps(state).encode()
    made_for = fingerprint({name: predict.signature for name, predict in bare.named_predictors()})
    fields: dict[str, Any] = {"behaviour": "reformulate", "slug": "x", "lm": {"model": lm.model}, "adapter": "compact"}
    fields |= {"form": "referents", "optimizer": {"name": "h"}, "fingerprint": made_for}
    fields["state_sha256"] = hashlib.sha256(raw).hexdigest()
    folder = Path("optimized/reformulate")
    folder.mkdir(parents=True)
    (folder / "x.json").write_bytes(raw)
    (folder / "x.manifest.json").write_text(json.dumps(fields | (manifest or {})))
    return lm


DEMO = {"history": "x", "query": "x", "mentions": ["it"], "correction_feedback": "", "referents": []}
_LATE = "the state is not validated at load: every turn falls back"


@pytest.mark.parametrize(
    ("manifest", "predictor"),
    [
        ({"form": "nope"}, {}),
        ({"behaviour": "expand"}, {}),
        ({"state_sha256": "0"}, {}),
        ({"fingerprint": {}}, {}),
        ({"evil": 1}, {}),
        ({}, {"lm": {"model": "openai/x", "api_key": "sk-x"}}),
        broken("`config` sends history and API key to any server", {}, {"config": {"api_base": "http://x"}}),
        broken("`get_adapter` raises KeyError", {"adapter": "nope"}, {}),
        broken("the format number is not read", {"format": 99}, {}),
        broken("the temperature has no bounds", {"temperature": -5.0}, {}),
        broken("the slug is free text in results and events", {"slug": "../x\x1b[31m\n"}, {}),
        broken("load_state sets any attribute", {}, {"__class__": "x"}),
        broken(_LATE, {}, {"demos": [{"query": "it?"}]}),
        broken(_LATE, {}, {"demos": None}),
        broken("demos have no bound", {}, {"demos": [DEMO] * 10_000}),
    ],
)  # fmt: skip
def test_hostile_artifact_is_a_clear_error_and_spares_zero_shot(manifest: dict[str, Any], predictor: Any) -> None:
    lm = artifact(manifest, **predictor)
    assert turnkeeper.load("reformulate", lm=lm, program="zero-shot")(history=said("Tarn"), query=QUERY).ok
    with pytest.raises(TurnkeeperError):
        turnkeeper.load("reformulate", lm=lm)


@pytest.mark.parametrize(
    "options", [{"form": "x"}, broken("KeyError", {"adapter": "x"}), broken("ValueError", {"program": ""})]
)
def test_option_that_names_nothing_is_an_input_error(options: dict[str, str]) -> None:
    with pytest.raises(InputError):
        guard(**options)


# Files


def command(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        app([str(argument) for argument in arguments])
    return int(left.value.code or 0)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two rows, and a program over an LM that is always right."""
    keeper = guard(*[referent("the Tarn ferry")] * 9)
    monkeypatch.setattr(_behaviours, "load_program", lambda *_, **__: keeper)
    row: dict[str, Any] = {"history": said("Tarn"), "query": QUERY}
    row["prediction"] = {"standalone_query": "does the Tarn ferry run at night?"}
    row["metadata_filters"] = [{"field": "year", "op": "ge", "value": 2024}]
    Path("in.jsonl").write_text("".join(json.dumps({"id": f"{n}\n\x1b[31m", **row}) + "\n" for n in range(2)))
    return Path("in.jsonl")


def run(rows: Path, *more: str) -> int:
    return command("run", "reformulate", "--in", rows, "--out", "out.jsonl", *more)


def test_escapes_of_a_terminal_are_shown_and_not_sent(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows.write_text(rows.read_text().replace('"standalone_query"', '"\\u001b[31m"'))
    assert command("check", "reformulate", "--in", rows) == 1
    assert "\x1b" not in "".join(capsys.readouterr())


@pytest.mark.xfail(strict=True, reason="Path.resolve raises RuntimeError, which no handler knows")
def test_link_that_points_to_itself_is_bad_input(rows: Path) -> None:
    Path("loop").symlink_to("loop")
    assert command("check", "reformulate", "--in", rows, "--out", "loop") == 2


@pytest.mark.xfail(strict=True, reason="a Counter keeps the first count as the boolean it was given")
def test_summary_of_one_row_counts_in_numbers(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows.write_text(rows.read_text().splitlines()[0])
    command("check", "reformulate", "--in", rows, "--out", "out.jsonl", "--json")
    assert json.loads(capsys.readouterr().out)["ok"] is not True


def test_run_reports_the_metadata_filters(rows: Path) -> None:
    run(rows)
    first = json.loads(Path("out.jsonl").read_text().splitlines()[0])
    assert first["prediction"]["access_constraints_applied"] == ["year ge 2024"]


@pytest.mark.xfail(strict=True, reason="the guard turns a SetupError of the engine into a fallback row")
def test_run_without_a_usable_model_does_not_end_well(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_behaviours, "load_program", lambda *_, **__: guard(*[SetupError("no GGUF file")] * 9))
    assert run(rows) != 0


_TRUSTED = "rows of an earlier output file are trusted as they are"


@pytest.mark.parametrize(
    "damage",
    [
        {"id": None},
        broken(_TRUSTED, {"warnings": 5}),
        broken(_TRUSTED, {"violations": ["x"]}),
        broken(_TRUSTED, {"fallback": "no"}),
        broken(_TRUSTED, {"ok": None}),
        broken(_TRUSTED, {"prediction": 5}),
    ],
)
def test_damaged_row_of_an_earlier_run_is_computed_again(rows: Path, damage: dict[str, Any]) -> None:
    run(rows)
    good = Path("out.jsonl").read_text()
    first, second = map(json.loads, good.splitlines())
    Path("out.jsonl").write_text(json.dumps({**first, **damage}) + "\n" + json.dumps(second) + "\n")
    assert run(rows) == 0
    assert json.loads(Path("out.jsonl").read_text().splitlines()[0])["prediction"] == first["prediction"]


@pytest.mark.xfail(strict=True, reason="RecursionError is not caught")
def test_deep_nesting_in_an_earlier_output_is_a_torn_line(rows: Path) -> None:
    run(rows)
    Path("out.jsonl").write_text("[" * 200_000 + "\n" + Path("out.jsonl").read_text())
    assert run(rows) == 0


@pytest.mark.xfail(strict=True, reason="no lock: the rows of one run end under the sidecar of the other")
def test_second_run_into_the_same_file_is_refused() -> None:
    with RunFile(Path("o"), {"program": "a"}) as first:
        first.start()
        with pytest.raises(InputError), RunFile(Path("o"), {"program": "b"}) as second:
            second.start()


@pytest.mark.xfail(strict=True, reason="Progress asks a closed stderr whether it is a terminal")
def test_run_works_with_stderr_closed(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert run(rows) == 0
