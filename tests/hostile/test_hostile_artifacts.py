"""Attacks by artifacts and options, and secrets on their way into events."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import dspy
import pytest

import turnkeeper
from turnkeeper.errors import InputError, TurnkeeperError
from turnkeeper.modules.reformulate import Reformulate
from turnkeeper.optimized import fingerprint

from ..scripted import prompt_of, scripted
from .hostile import QUERY, guard, referent, said

# Artifacts in ./optimized of the working folder


_GOOD: Any = object()


def artifact(manifest: dict[str, Any] | None = None, *, state: Any = _GOOD, **predictor: Any) -> dspy.LM:
    lm, bare = scripted(*[referent("the Tarn ferry")] * 2, cache=False), Reformulate()
    good = {n: {**p.dump_state(), "lm": None} for n, p in bare.named_predictors()}
    good["referents"].update(predictor)
    raw = json.dumps(good if state is _GOOD else state).encode()
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


@pytest.mark.parametrize(
    ("manifest", "predictor"),
    [
        ({"form": "nope"}, {}),
        ({"behaviour": "expand"}, {}),
        ({"state_sha256": "0"}, {}),
        ({"fingerprint": {}}, {}),
        ({"evil": 1}, {}),
        ({}, {"lm": {"model": "openai/x", "api_key": "sk-x"}}),
        ({}, {"config": {"api_base": "http://x"}}),
        ({"adapter": "nope"}, {}),
        ({"format": 99}, {}),
        ({"temperature": -5.0}, {}),
        ({"slug": "../x\x1b[31m\n"}, {}),
        ({"temperature": 1e308}, {}),
        ({"dev_score": float("nan")}, {}),
        ({"behaviour": "../reformulate"}, {}),
        ({}, {"__class__": "x"}),
        ({}, {"callbacks": []}),
        ({}, {"fields": {"referents": {"criteria": "x"}}}),
        ({}, {"traces": [1]}),
        ({}, {"demos": [{"query": "it?"}]}),
        ({}, {"demos": [{**DEMO, "api_base": "http://x"}]}),
        ({}, {"demos": [{**DEMO, "referents": "none"}]}),
        ({}, {"demos": [{**DEMO, "query": 5}]}),
        ({}, {"demos": [{**DEMO, "query": "x" * 60_000}]}),
        ({}, {"demos": [{**DEMO, "query": "\ud800"}]}),
        ({}, {"demos": ["x"]}),
        ({}, {"demos": None}),
        ({}, {"demos": [DEMO] * 10_000}),
        ({}, {"signature": {"instructions": "Answer.", "fields": []}}),
        ({}, {"signature": {"instructions": 5, "fields": []}}),
        ({}, {"signature": None}),
    ],
)  # fmt: skip
def test_hostile_artifact_is_a_clear_error_and_spares_zero_shot(manifest: dict[str, Any], predictor: Any) -> None:
    lm = artifact(manifest, **predictor)
    assert turnkeeper.load("reformulate", lm=lm, program="zero-shot")(history=said("Tarn"), query=QUERY).ok
    with pytest.raises(TurnkeeperError):
        turnkeeper.load("reformulate", lm=lm)


@pytest.mark.parametrize(
    ("state", "named"),
    [
        ([], "not list"),
        (None, "not null"),
        ({"referents": {}, "rewrite": {}}, "`demos`"),
        ({"referents": {"demos": []}, "rewrite": {"demos": []}}, "`signature` is missing"),
        ({"rewrite": {"demos": []}}, "`referents` is missing"),
        ({"referents": {"demos": []}, "rewrite": {"demos": []}, "more": {"demos": []}}, "`more`"),
        ({str(number): {} for number in range(1_000)}, "1000 predictors"),
    ],
)
def test_hostile_state_is_named(state: Any, named: str) -> None:
    lm = artifact(state=state)
    with pytest.raises(InputError, match=named):
        turnkeeper.load("reformulate", lm=lm)


def test_demos_and_instructions_of_an_artifact_reach_the_prompt() -> None:
    fields = Reformulate().referents.signature.dump_state()["fields"]
    lm = artifact(demos=[{**DEMO, "history": "Orrin"}], signature={"instructions": "Say it.", "fields": fields})
    turnkeeper.load("reformulate", lm=lm)(history=said("Tarn"), query=QUERY)
    prompt = prompt_of(lm.engine.requests[0])
    assert "Say it." in prompt and "Orrin" in prompt


@pytest.mark.parametrize(
    "options", [{"form": "x"}, {"adapter": "x"}, {"program": ""}, {"program": "x" * 5_000}, {"program": "\0"}]
)
def test_option_that_names_nothing_is_an_input_error(options: dict[str, str]) -> None:
    with pytest.raises(InputError):
        guard(**options)


# Secrets in events


@pytest.mark.parametrize(
    "secret",
    [
        "Authorization: Basic Q0FOQVJZQ0FOQVJZ",
        "https://joe:CANARYpw@host/x",
        '{"api_key": "CANARYabcdef"}',
        "AWS_SECRET_ACCESS_KEY=CANARYabcdefghijkl",
        "PGPASSWORD=CANARYabcdef",
        "sk_live_CANARY0123456789abcd",
        "https://CANARYtoken0123456789@host/x",
        "API key: CANARYabcdefgh",
    ],
)
def test_secret_in_the_history_reaches_no_event(secret: str, seen: list[Any]) -> None:
    guard("junk " + secret, "junk")(history=said("Tarn", f" {secret}"), query=QUERY)
    assert seen and "CANARY" not in json.dumps(seen) and "Q0FO" not in json.dumps(seen)
