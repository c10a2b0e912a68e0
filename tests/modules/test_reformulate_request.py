"""What one call asks for: the inputs, the prefilled JSON, and the choices of a second call."""

from __future__ import annotations

import json
from typing import Any

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.adapters import get_adapter
from turnkeeper.lms._skeleton import Hole, Text, parse
from turnkeeper.metrics._references import Mention
from turnkeeper.modules._reformulate_plan import Plan, plan
from turnkeeper.modules._reformulate_request import LEAN, Request, asked_of
from turnkeeper.signatures.types import Turn

HISTORY = [
    Turn(role="user", content="Who leads the choir?"),
    Turn(role="assistant", content="Maria Kolbe leads the choir, and John Quist plays the organ."),
]
BOTH = "when was she born and when did he die?"


def request(query: str, feedback: str = "", history: list[Turn] = HISTORY) -> Request:
    return Request(plan(query, history, "referents"), query, history, feedback)


def asked(query: str, feedback: str = "", *, adapter: str = "compact", history: list[Turn] = HISTORY) -> dict[str, Any]:
    with dspy.context(adapter=get_adapter(adapter)):
        return asked_of(request(query, feedback, history))


def skeleton(query: str, feedback: str = "", **options: Any) -> list[Text | Hole]:
    """The skeleton of a call, as the engine reads it."""
    return parse(asked(query, feedback, **options)["config"]["skeleton"])


def holes(query: str, feedback: str = "", **options: Any) -> list[Hole]:
    return [element for element in skeleton(query, feedback, **options) if isinstance(element, Hole)]


def filled(elements: list[Text | Hole], *texts: str) -> Any:
    """The JSON that an engine answers with these texts in the holes."""
    left = iter(texts)
    return json.loads("".join(e.text if isinstance(e, Text) else next(left) for e in elements))


def test_a_first_call_leaves_the_model_free() -> None:
    assert [hole.choices for hole in holes(BOTH)] == [(), ()]
    assert asked(BOTH)["correction_feedback"] == ""
    assert request(BOTH).guess(0) == ""


@pytest.mark.parametrize("said", ["residual_reference: 'she' is left", "unsupported_reference: `she` is wrong"])
def test_a_second_call_chooses_for_the_mention_that_was_wrong(said: str) -> None:
    she, he = holes(BOTH, said.replace("unsupported_reference", "residual_reference"))
    assert she.choices == ("Maria Kolbe",) and he.choices == ()


@pytest.mark.parametrize("code", ["too_long", "unsupported_term", "unsupported_reference"])
def test_a_wrong_referent_that_is_not_named_may_be_any_of_them(code: str) -> None:
    she, he = holes(BOTH, f"{code}: something is wrong")
    assert "Maria Kolbe" in she.choices and "John Quist" in he.choices


def test_after_an_unparsable_answer_every_mention_is_chosen() -> None:
    she, he = holes(BOTH, "unparsable: JSON only.")
    assert "Maria Kolbe" in she.choices and "John Quist" in he.choices


def test_the_guess_is_the_first_candidate_of_a_mention_that_was_named_or_not() -> None:
    second = request(BOTH, "residual_reference: 'she' is left")
    assert second.guess(0) == second.choices(0)[0] == "Maria Kolbe"
    assert second.guess(1) == "John Quist" and second.choices(1) == []


def test_words_of_nowhere_are_refused_once_they_were_blamed() -> None:
    first, second = request(BOTH), request(BOTH, "unsupported_reference: something is wrong")
    assert not first.invented("Ida Zorn") and second.invented("Ida Zorn") and not second.invented("John Quist")


def test_there_is_no_guess_where_nothing_agrees() -> None:
    history = [Turn(role="user", content="How deep is the basin?"), Turn(role="assistant", content="Nine metres.")]
    second = request("when was she born?", "residual_reference: 'she' is left", history)
    assert second.guess(0) == "" and second.choices(0) == []


@pytest.mark.parametrize("adapter", ["compact", "chat", "json"])
def test_the_choices_stand_in_the_feedback_for_every_lm(adapter: str) -> None:
    said = "residual_reference: 'she' is left"
    inputs = asked(BOTH, said, adapter=adapter)
    assert inputs["correction_feedback"] == f"{said} `she` may stand for Maria Kolbe."


@pytest.mark.parametrize("adapter", ["chat", "json", "xml"])
def test_an_adapter_that_knows_no_skeleton_gets_no_config(adapter: str) -> None:
    for query in (BOTH, "What is the fee?", "and the fee?"):
        assert "config" not in asked(query, "residual_reference: 'she' is left", adapter=adapter)


def test_a_mention_that_a_rule_resolves_is_not_asked_for() -> None:
    history = [Turn(role="user", content="Which?"), Turn(role="assistant", content="1. Passkeys 2. Magic links")]
    both = request("is the second one safe and does she like beer?", history=history)
    assert both.open == (1,) and asked(both.query, history=history)["mentions"] == ["she"]


def test_a_rewrite_is_always_open() -> None:
    assert request("and the fee?").open == (0,)


def test_the_referents_are_json_with_each_mention_and_its_choice() -> None:
    elements = skeleton(BOTH, "too_long: shorten it.")
    answer = filled(elements, *(e.choices[0] for e in elements if isinstance(e, Hole)))
    assert answer == {
        "referents": [{"mention": "she", "referent": "Maria Kolbe"}, {"mention": "he", "referent": "John Quist"}]
    }


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from('ab"\\\n\t{}é🚢'), min_size=1, max_size=12))
def test_any_mention_and_any_query_give_valid_json(text: str) -> None:
    mentions = (Mention(text, 0, len(text), "pronoun"),)
    with dspy.context(adapter=get_adapter("compact")):
        one = asked_of(Request(Plan("referents", "mentions", text, mentions), text, HISTORY, "too_long: x"))
        kept = asked_of(Request(Plan("rewrite", "nameless", text, kept=text, go_on=(" of",)), text, HISTORY, "x: y"))
    referents = parse(one["config"]["skeleton"])
    choices = next(e for e in referents if isinstance(e, Hole)).choices
    assert filled(referents, *choices[:1] or ("",))["referents"][0]["mention"] == text
    rewrite = parse(kept["config"]["skeleton"])
    topic = [e.choices[0] for e in rewrite if isinstance(e, Hole)]
    assert filled(rewrite, *topic)["standalone_query"].startswith(f"{text} of ")


def test_quotes_and_backslashes_of_a_candidate_are_escaped() -> None:
    history = [Turn(role="user", content='- the 5" C:\\Vax kit\n- the 3" floppy kit')]
    (hole,) = holes("are they old?", "residual_reference: 'they' is left", history=history)
    assert 'the 5" C:\\Vax kit' in [json.loads(f'"{choice}"') for choice in hole.choices]


def test_a_query_that_names_nothing_is_led_on_at_first() -> None:
    start, hole, end = skeleton("What is the fee?")
    assert (start, end) == (Text('{"standalone_query": "What is the fee'), Text('"}'))
    assert isinstance(hole, Hole) and hole.open and hole.lean == LEAN and " of" in hole.choices


def test_the_second_time_it_is_about_a_phrase_of_the_conversation() -> None:
    elements = skeleton("What is the fee?", "unsupported_term: 'Zorn' stands nowhere.")
    link, topic = [e for e in elements if isinstance(e, Hole)]
    assert " of" in link.choices and not link.open and link.lean is None and topic.lean is None
    assert "the choir" in topic.choices and "the fee" not in topic.choices
    assert filled(elements, " of", "the choir") == {"standalone_query": "What is the fee of the choir"}


def test_without_a_phrase_to_be_about_the_second_call_is_as_the_first() -> None:
    history = [Turn(role="user", content="Hi there."), Turn(role="assistant", content="Hi.")]
    first, second = (holes("What is the fee?", said, history=history) for said in ("", "dropped_term: 'fee'"))
    assert first == second and first[0].open


@pytest.mark.parametrize("code", ["dropped_term", "not_single_utterance", "answered", "too_long", "unsupported_term"])
def test_lost_words_stand_in_front_the_second_time(code: str) -> None:
    assert request("cheaper seats nearby").led.kept == ""
    assert request("cheaper seats nearby", f"{code}: x").led.kept == "cheaper seats nearby"


def test_words_in_front_stand_in_the_prefilled_json() -> None:
    assert skeleton("cheaper seats nearby", "dropped_term: x")[0] == Text('{"standalone_query": "cheaper seats nearby')


@pytest.mark.parametrize("code", ["residual_reference", "language_changed", "unparsable"])
def test_another_fault_leaves_the_plan(code: str) -> None:
    second = request("cheaper seats nearby", f"{code}: x")
    assert second.led == second.decided


def test_pronouns_are_banned_once_a_rewrite_has_kept_one() -> None:
    again = asked("and the fee?", "residual_reference: 'it' is left")["config"]
    assert {"it", "they", "her"} <= set(again["banned_words"])
    assert "banned_words" not in asked("and the fee?", "dropped_term: 'fee'")["config"]
    assert "banned_words" not in asked(BOTH, "residual_reference: 'she' is left")["config"]


def test_a_free_rewrite_gets_no_skeleton() -> None:
    assert "config" not in asked("any other choirs nearby?")


def test_line_breaks_of_a_query_become_blanks() -> None:
    assert asked("when was\n\n she  born?")["query"] == "when was she born?"
