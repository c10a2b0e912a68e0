"""Holes with choices: which text the engine takes where the test decides what the model finds likely."""

from __future__ import annotations

import json
from typing import Any

import dspy
import numpy as np
import pytest
from dspy.lm15 import Config, ContextLengthError, Message, Request
from dspy.utils.exceptions import LMInvalidRequestError
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.lms._skeleton import Hole, parse

from .toy_model import SIZE, Logits, Mind, answer, logits

LINKS = [" for", " of"]
QUESTION = "Who tends the Orn light"


def inside(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def hole(*choices: str, **options: Any) -> list[dict[str, Any]]:
    """A JSON object with one value, which is a hole."""
    written = {"max_tokens": 8, "stop": '"', "choices": [inside(text) for text in choices], **options}
    return [{"text": '{"value": "'}, {"hole": written}, {"text": '"}'}]


def led(lean: float | None, *, start: str = QUESTION, choices: list[str] = LINKS) -> list[dict[str, Any]]:
    """A query that a hole may go on with, by one of the choices."""
    written = {"max_tokens": 8, "stop": '"', "choices": choices, "open": True, "lean": lean}
    return [{"text": f'{{"value": "{start}'}, {"hole": written}, {"text": '"}'}]


def value(mind: Mind, skeleton: list[dict[str, Any]], **options: Any) -> str:
    text = answer(mind, skeleton, **options).text
    return str(json.loads(text)["value"])


def dreaming(seed: int) -> Mind:
    """A model that finds anything likely, another thing behind each text."""

    def mind(text: bytes) -> Logits:
        return np.random.default_rng([seed, *text]).normal(0, 5, SIZE).astype(np.float32)

    return mind


def saying(*steps: tuple[str, dict[bytes, float]]) -> Mind:
    """A model that finds the given tokens likely behind texts with the given ends; else it stops."""

    def mind(text: bytes) -> Logits:
        found = [likely for end, likely in steps if text.endswith(end.encode())]
        return logits(found[-1] if found else {b'"': 9.0})

    return mind


TEXTS = st.text(alphabet=st.sampled_from('abHeIt" \\/\n\t{}é🚢ß'), min_size=1, max_size=9)


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=6), st.integers(0, 2**20))
def test_the_answer_is_always_one_of_the_choices(choices: list[str], seed: int) -> None:
    assert value(dreaming(seed), hole(*choices)) in choices


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 2**20))
def test_the_answer_behind_a_space_is_always_one_of_the_choices(choices: list[str], seed: int) -> None:
    skeleton = hole(*choices)
    skeleton[0] = {"text": '{"value": "the '}
    assert value(dreaming(seed), skeleton).removeprefix("the ") in choices


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 2**20))
def test_a_choice_may_begin_another(start: str, rests: list[str], seed: int) -> None:
    choices = [start, *(start + rest for rest in rests)]
    assert value(dreaming(seed), hole(*choices)) in choices


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 2**20))
def test_an_open_answer_begins_with_one_of_the_choices(choices: list[str], seed: int) -> None:
    assert value(dreaming(seed), hole(*choices, open=True)).startswith(tuple(choices))


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 2**20))
def test_banned_words_forbid_no_choice(choices: list[str], seed: int) -> None:
    assert value(dreaming(seed), hole(*choices), banned=["he", "it", "a", "b"]) in choices


def test_a_choice_whose_first_token_is_banned_is_taken() -> None:
    assert value(saying(), hole("Itoline mill"), banned=["it"]) == "Itoline mill"


def test_the_likeliest_choice_is_taken() -> None:
    mind = saying(('"', {b"M": 1.0, b"K": 2.0, b"X": 9.0}))
    assert value(mind, hole("Morvik", "Kell")) == "Kell"


def test_likelihood_is_asked_again_where_choices_part() -> None:
    mind = saying(('"', {b"K": 1.0}), ("Kell", {b"d": 1.0, b"b": 3.0}))
    assert value(mind, hole("Morvik", "Kelld", "Kellb")) == "Kellb"


@pytest.mark.parametrize(("stop", "taken"), [(1.0, "Orn light"), (-1.0, "Orn light house")])
def test_stopping_decides_between_a_choice_and_a_longer_one(stop: float, taken: str) -> None:
    mind = saying(("light", {b'"': stop, b" ": 0.0}))
    assert value(mind, hole("Orn light", "Orn light house")) == taken


def test_two_holes_choose_apart() -> None:
    skeleton = [*hole("Kell", "Orn")[:2], {"text": '", "second": "'}, *hole("Brod", "Vask")[1:]]
    mind = saying(('"value": "', {b"O": 1.0}), ('"second": "', {b"V": 1.0}))
    assert json.loads(answer(mind, skeleton).text) == {"value": "Orn", "second": "Vask"}


def test_free_text_follows_an_open_choice_up_to_the_stop() -> None:
    mind = saying(("light", {b" of": 1.0}), (" of", {b" ": 1.0}), (" of ", {b"K": 1.0}))
    assert value(mind, led(None)) == f"{QUESTION} of K"


def test_a_choice_is_no_answer_cut_short() -> None:
    assert not answer(saying(), hole("Orn")).cut_short


STOPS = [{b'"': 5.0}, {b'"}': 5.0}, {b'?"': 5.0}, {b"?": 5.0}]


@pytest.mark.parametrize("stops", STOPS)
def test_a_huge_lean_goes_on_where_the_model_would_stop(stops: dict[bytes, float]) -> None:
    assert value(saying(("light", stops)), led(1e9)).startswith((QUESTION + " for", QUESTION + " of"))


@pytest.mark.parametrize("stops", [*STOPS, {b'"': 5.0, b" of": 4.99}])
def test_a_very_low_lean_never_goes_on(stops: dict[bytes, float]) -> None:
    assert value(saying(("light", stops)), led(-1e9)).rstrip("?") == QUESTION


@pytest.mark.parametrize("lean", [-1e9, 0.0, 1e9])
def test_lean_leaves_a_model_alone_that_goes_on_by_itself(lean: float) -> None:
    mind = saying(("light", {b"s": 6.0, b'"': 5.0, b" of": 4.0}))
    assert value(mind, led(lean)) == QUESTION + "s"


@pytest.mark.parametrize(("lean", "goes_on"), [(1.9, False), (2.1, True)])
def test_lean_is_the_log_odds_of_stopping(lean: float, goes_on: bool) -> None:
    mind = saying(("light", {b'"': 3.0, b" of": 1.0}))
    assert (value(mind, led(lean)) == QUESTION + " of") is goes_on


def test_all_choices_weigh_together_against_stopping() -> None:
    mind = saying(("light", {b'"': 3.0, b" of": 1.0, b" for": 1.0}))  # two choices: 1 + ln 2
    assert value(mind, led(1.4)) != QUESTION
    assert value(mind, led(1.4, choices=[" of"])) == QUESTION


def test_all_ways_to_stop_weigh_together_against_the_choices() -> None:
    mind = saying(("light", {b'"': 3.0, b"?": 2.9, b" of": 2.0}))
    assert value(mind, led(1.2)) == QUESTION


def test_behind_a_space_the_choices_weigh_as_words_with_their_space() -> None:
    mind = saying(("keeper", {b'"': 3.0, b" of": 2.0}))
    assert value(mind, led(1.5, start="keeper ", choices=["of"])) == "keeper of"


@pytest.mark.parametrize("choice", ['a "b" c', "half \\", "\\x41", "two\nlines"])
def test_a_choice_that_is_no_inside_of_a_json_string_is_refused(choice: str) -> None:
    with pytest.raises(ValueError, match=r"element 0: .*choices.*JSON string"):
        parse([{"hole": {"choices": ["Orn", choice]}}])


def test_a_choice_before_another_stop_is_taken_as_it_is() -> None:
    assert parse([{"hole": {"stop": " ", "choices": ['"Orn"', " of"]}}]) == [Hole(32, " ", ('"Orn"', " of"))]


@pytest.mark.parametrize("choices", ["Orn", {"Orn": 1}, [""], [3], None, ["x" * 401], ["Orn"] * 65])
def test_malformed_choices_are_refused(choices: Any) -> None:
    with pytest.raises(ValueError, match="element 0"):
        parse([{"hole": {"choices": choices}}])


@pytest.mark.parametrize("lean", ["1", True, [1.0]])
def test_a_lean_that_is_no_number_is_refused(lean: Any) -> None:
    with pytest.raises(ValueError, match="element 0"):
        parse([{"hole": {"choices": ["Orn"], "lean": lean}}])


def test_choices_that_cannot_fit_are_refused_before_anything_is_written() -> None:
    with pytest.raises(ContextLengthError, match="context of 100"):
        answer(saying(), hole("Orn", "x" * 200), n_ctx=100)
    assert value(saying(), hole("x" * 60), n_ctx=100) == "x" * 60


PLACES = ['the "Old" Crane', "C:\\Orn", "🚢🚢 line", "Itasca", "Itasca mill", "Ørje ß-train"]


def real(lm: dspy.LM, skeleton: list[dict[str, Any]], *, temperature: float = 0.0, seed: int = 0) -> str:
    extensions = {"skeleton": skeleton, "banned_words": ["it", "he", "her", "they"]}
    config = Config(temperature=temperature, seed=seed, extensions=extensions)
    return str(lm(Request(model=lm.model, messages=(Message.user("Name a place."),), config=config)).text)


@pytest.mark.light
@pytest.mark.parametrize("text", PLACES)
def test_real_tokens_spell_the_choice_as_it_is_given(light_lm: dspy.LM, text: str) -> None:
    assert json.loads(real(light_lm, hole(text)))["value"] == text


@pytest.mark.light
@pytest.mark.parametrize("seed", range(4))
def test_a_wild_sample_of_real_tokens_is_still_one_of_the_choices(light_lm: dspy.LM, seed: int) -> None:
    assert json.loads(real(light_lm, hole(*PLACES), temperature=2.0, seed=seed))["value"] in PLACES


@pytest.mark.light
def test_real_samples_reach_more_than_one_choice(light_lm: dspy.LM) -> None:
    found = {real(light_lm, hole("Orn", "Kell", "Brod"), temperature=2.0, seed=seed) for seed in range(8)}
    assert len(found) > 1


@pytest.mark.light
def test_a_real_model_that_would_stop_goes_on_by_its_lean_alone(light_lm: dspy.LM) -> None:
    start = "What is the capital of France?"  # behind which any model closes the string
    assert json.loads(real(light_lm, led(-1e9, start=start)))["value"] == start
    assert json.loads(real(light_lm, led(1e9, start=start)))["value"].startswith((start + " for", start + " of"))


@pytest.mark.light
def test_an_unescaped_choice_is_an_invalid_request(light_lm: dspy.LM) -> None:
    skeleton = hole("Orn")
    skeleton[1]["hole"]["choices"] = ['the "Old" Crane']
    with pytest.raises(LMInvalidRequestError, match="JSON string"):
        real(light_lm, skeleton)
