"""Attacks by artifacts and options, and secrets on their way into events. One that works is a strict xfail."""

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

from ..scripted import scripted
from .hostile import QUERY, broken, guard, referent, said

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


# Secrets in events


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
