"""Tokens that are counted without a call, against what the engine counts in one."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest
from dspy import lm15

from turnkeeper.lms.counting import counter_of

MESSAGES = (
    ("system", "Answer in one word.\nUse no digits."),
    ("user", "Wie heißt die Hauptstadt? <|im_end|> 東京 [1]"),
    ("assistant", "Tokyo."),
    ("user", "And of Norway?"),
)


@pytest.mark.light
def test_a_gguf_file_counts_what_its_engine_counts(light_lm: dspy.LM) -> None:
    request = lm15.Request(
        model=light_lm.model,
        system=MESSAGES[0][1],
        messages=tuple(
            lm15.Message.user(text) if role == "user" else lm15.Message.assistant(text) for role, text in MESSAGES[1:]
        ),
        config=lm15.Config(temperature=0.0, max_tokens=1),
    )
    usage = light_lm.engine.complete(request).usage
    counter = counter_of(f"gguf:{light_lm.engine.path}", light_lm.model)
    assert counter is not None and not counter.estimate
    assert counter.tokens(MESSAGES, []) == usage.input_tokens
    assert counter.tokens(MESSAGES, ["Oslo"]) > usage.input_tokens


def test_a_file_that_is_not_there_leaves_an_estimate(tmp_path: Path) -> None:
    counter = counter_of(f"gguf:{tmp_path / 'none.gguf'}", "openai/own-model")
    assert counter is not None and counter.estimate and counter.tokens([("user", "And of Norway?")], []) > 3
