"""Skeletons: forced text with holes."""

from __future__ import annotations

import json
from typing import Any

import dspy
import pytest
from dspy.lm15 import Config, Message, Request, Response
from dspy.utils.exceptions import LMInvalidRequestError
from hypothesis import given
from hypothesis import strategies as st

from turnkeeper.lms._skeleton import Hole, Text, find_stop, parse, string_content

TWO_HOLES = [
    {"text": '{"first": "'},
    {"hole": {"max_tokens": 6, "stop": '"'}},
    {"text": '", "second": "'},
    {"hole": {"max_tokens": 6, "stop": '"'}},
    {"text": '"}'},
]


def fill(lm: dspy.LM, skeleton: list[dict[str, Any]], user: str = "Two animals.", **config: Any) -> Response:
    request = Request(
        model=lm.model,
        messages=(Message.user(user),),
        config=Config(temperature=config.pop("temperature", 0.0), extensions={"skeleton": skeleton}, **config),
    )
    response = lm(request)
    assert isinstance(response, Response)
    return response


@pytest.mark.light
def test_the_answer_is_the_whole_text(light_lm: dspy.LM) -> None:
    found = json.loads(fill(light_lm, TWO_HOLES).text or "")
    assert list(found) == ["first", "second"] and all(found.values())


@pytest.mark.light
def test_a_hole_is_bounded(light_lm: dspy.LM) -> None:
    skeleton = [{"text": '{"story": "'}, {"hole": {"max_tokens": 3, "stop": '"'}}, {"text": '"}'}]
    response = fill(light_lm, skeleton)
    assert response.usage.output_tokens == 3 and response.finish_reason == "length"


@pytest.mark.light
@pytest.mark.parametrize("seed", range(6))
def test_wild_samples_are_still_json(light_lm: dspy.LM, seed: int) -> None:
    response = fill(light_lm, TWO_HOLES, "Write quotes, \\ backslashes\nand \t tabs.", temperature=2.0, seed=seed)
    assert set(json.loads(response.text or "")) == {"first", "second"}


@pytest.mark.light
def test_another_stop_string_ends_a_hole(light_lm: dspy.LM) -> None:
    skeleton = [{"text": "1, 2, 3,"}, {"hole": {"max_tokens": 12, "stop": ","}}, {"text": ";"}]
    text = fill(light_lm, skeleton).text or ""
    assert text.startswith("1, 2, 3,") and text.endswith(";") and text.count(",") == 3


@pytest.mark.light
def test_a_space_in_front_of_a_hole_is_not_doubled(light_lm: dspy.LM) -> None:
    skeleton = [{"text": '{"rest": "The capital of Norway '}, {"hole": {"max_tokens": 6, "stop": '"'}}, {"text": '"}'}]
    rest = json.loads(fill(light_lm, skeleton).text or "")["rest"]
    assert rest.startswith("The capital of Norway ") and "Norway  " not in rest and rest != "The capital of Norway "


@pytest.mark.light
def test_the_skeleton_is_part_of_the_cache_key(light_lm: dspy.LM) -> None:
    cached = light_lm.copy(cache=True)
    short = [*TWO_HOLES[:2], {"text": '"}'}]
    assert fill(cached, TWO_HOLES).text != fill(cached, short).text


@pytest.mark.light
@pytest.mark.parametrize("raw", [[], "text", [{"txt": "a"}], [{"hole": {"max_tokens": 0}}], [{"hole": 3}]])
def test_a_malformed_skeleton_is_an_invalid_request(light_lm: dspy.LM, raw: Any) -> None:
    with pytest.raises(LMInvalidRequestError, match="skeleton"):
        fill(light_lm, raw)


def test_defaults_of_a_hole() -> None:
    assert parse([{"text": "a"}, {"hole": {}}]) == [Text("a"), Hole(32, '"')]


@pytest.mark.parametrize(
    ("text", "place"),
    [(b'abc"', 3), (rb"a\"b", -1), (rb'a\\"b', 3), (b"abc", -1), (b"a\\", -1), (rb'\"\"x"', 5)],
)
def test_only_an_unescaped_quote_stops(text: bytes, place: int) -> None:
    assert find_stop(text, '"') == place


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("plain", "plain"),
        ("caf\u00e9", "caf\u00e9"),
        (r"a\"b", 'a"b'),
        ("two\nlines", "two\nlines"),
        ("cut off\\", "cut off"),
        (r"even \\", "even \\"),
        (r"C:\path", r"C:\path"),
        (r"half \u00", "half "),
        (r"\ud83d alone", "\ufffd alone"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\x and \\" + "\\", "\\x and \\"),
    ],
)
def test_what_a_model_writes_becomes_string_content(written: str, value: str) -> None:
    assert json.loads(f'"{string_content(written)}"') == value


@given(st.text(alphabet=st.sampled_from('ab\\"/unx0d8 \n\t\x00\u00e9\U0001f600'), max_size=30))
def test_any_text_up_to_its_stop_becomes_valid_json(text: str) -> None:
    data = text.encode()
    end = find_stop(data, '"')
    content = string_content((data if end < 0 else data[:end]).decode())
    assert isinstance(json.loads(f'"{content}"'), str)
    json.loads(f'"{content}"').encode("utf-8")
