"""What may take a mention's place, what it is anchored to, and what the application is told."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._references import Mention, find_mentions
from turnkeeper.modules._reformulate_doubts import (
    anchored,
    doubts_of_referent,
    doubts_of_result,
    doubts_of_rewrite,
    fits,
    turn_of,
)
from turnkeeper.modules._reformulate_plan import plan
from turnkeeper.modules._substitution import Resolved
from turnkeeper.signatures.types import Turn


def talk(*texts: str) -> list[Turn]:
    return [Turn(role="user" if n % 2 == 0 else "assistant", content=text) for n, text in enumerate(texts)]


def mention_of(query: str) -> Mention:
    return next(mention for mention in find_mentions(query) if mention.kind != "ellipsis")


@pytest.mark.parametrize(
    ("query", "referent", "fitting"),
    [
        ("when did they open?", "the Orlo Trust", True),
        ("what are their hours?", "Orlo Bakery", True),
        ("are they open?", "The Brod museum", True),
        ("when did they open?", "a lamp", False),
        ("how old are they?", "Maria Kolbe", False),
        ("is it open?", "Maria Kolbe", False),
        ("is it open?", "the Orlo Trust", True),
        ("is it open?", "the lamps", False),
        ("compare this", "the blue lamps", True),
        ("is this lamp old?", "the blue lamps", False),
        ("are these old?", "a lamp", False),
        ("are these lamps old?", "the Tillex lamp", False),
        ("is the second one old?", "the blue lamps", True),
        ("is it old?", "its", False),
        ("is it old?", "the", False),
        ("is it old?", "", False),
        ("is it old?", "the [restricted] hut", False),
        ("Why did Orlo buy it?", "Orlo", False),
        ("Why did Orlo buy it?", "the Orlo mill", True),
    ],
)
def test_a_referent_agrees_names_something_and_is_new(query: str, referent: str, fitting: bool) -> None:
    assert fits(mention_of(query), referent, query) is fitting


STOPS = "Why does the Brava router stop?"


def anchor(query: str, referent: str, *texts: str) -> str:
    (resolved,) = anchored(query, [Resolved(mention_of(query), referent)], talk(*texts))
    return resolved.referent


def test_a_nameless_part_gets_the_name_of_the_whole() -> None:
    assert anchor("how do I clean it?", "the seal", STOPS, "The seal is dry.") == "the seal of the Brava router"


@pytest.mark.parametrize(
    ("referent", "asked", "said"),
    [
        ("tillex", "What is Tillex?", "A glue: tillex is strong."),
        ("the router", STOPS, "The router is too hot."),
        ("the lamp", "What is the Tillex lamp?", "The lamp is bright."),
    ],
)
def test_a_thing_is_not_anchored_to_itself(referent: str, asked: str, said: str) -> None:
    assert anchor("is it dear?", referent, asked, said) == referent


@pytest.mark.parametrize(
    ("query", "asked", "said"),
    [
        ("does it fit the Orn pump?", STOPS, "The seal is dry."),
        ("is it dear?", "Why does the router stop?", "The seal is dry."),
        ("is it dear?", "The seal of the Brava router is dry.", "Oh."),
        ("where is its rim?", STOPS, "The seal is dry."),
        ("can I screw there?", STOPS, "The seal is dry."),
    ],
)
def test_nothing_is_added_where_a_name_stands_or_none_is_known(query: str, asked: str, said: str) -> None:
    assert anchor(query, "the seal", asked, said) == "the seal"


def codes(query: str, referent: str, **how: bool) -> list[str]:
    history = talk("What hangs there?", "The Orn lamp and the Kell lamp hang there.")
    return [notice.code for notice in doubts_of_referent(mention_of(query), referent, history, **how)]


def test_a_guess_is_told_with_the_mention_and_what_it_was_taken_for() -> None:
    (notice,) = doubts_of_referent(mention_of("is it old?"), "the hut", [], by_rule=False, guessed=True)
    assert notice.code == "guessed_reference" and "`it`" in notice.message and "`the hut`" in notice.message


def test_an_answer_of_the_model_is_no_guess() -> None:
    assert codes("is it old?", "the hut", by_rule=False) == []


def test_a_guess_between_two_is_told_twice() -> None:
    assert codes("is it old?", "the Orn lamp", by_rule=False, guessed=True) == [
        "guessed_reference",
        "ambiguous_reference",
    ]


def test_a_guessed_demonstrative_is_told_once() -> None:
    assert codes("is that old?", "the hut", by_rule=False, guessed=True) == ["guessed_reference"]


def test_a_bare_demonstrative_may_mean_a_whole_statement() -> None:
    assert codes("is that old?", "the hut", by_rule=False) == ["uncertain_reference"]
    assert codes("is that hut old?", "the hut", by_rule=False) == []
    assert codes("is that old?", "the hut", by_rule=True) == []


FERRY = talk("How long does the Tarn ferry take?", "40 minutes, since 1999.")


@pytest.mark.parametrize(
    ("query", "text", "told"),
    [
        ("What is the top speed?", "What is the top speed?", ["unresolved_context"]),
        ("What happened in 2024?", "What happened in 2024?", ["unresolved_context"]),
        ("What is the top speed of Orn?", "What is the top speed of Orn?", []),
        ("What is the top speed?", "What is the top speed of the Tarn ferry?", []),
        ("What is the top speed?", "What is the top speed since 1999?", []),
        ("What is the top speed?", "What is the top speed since 2009?", ["computed_value"]),
        ("thanks", "thanks", []),
    ],
)
def test_what_stays_doubtful_in_a_rewrite(query: str, text: str, told: list[str]) -> None:
    decided = plan(query, FERRY, "referents")
    assert [notice.code for notice in doubts_of_rewrite(decided, query, text, FERRY)] == told


@pytest.mark.parametrize(
    ("text", "told"), [("no, that can't be the lamp", ["uncertain_reference"]), ("is that lamp old?", [])]
)
def test_a_remark_that_is_left_is_told(text: str, told: list[str]) -> None:
    assert [notice.code for notice in doubts_of_result(text, text, [])] == told


def test_a_referent_is_found_in_the_newest_message_that_holds_it_whole() -> None:
    history = talk("Is the Tarn ferry late?", "No.", "And the Orn ferry?", "The ferry's late.")
    assert turn_of("the Orn ferry", history) == 2 and turn_of("ferry", history) == 3
    assert turn_of("the Tarn pier", history) is None


def test_a_weekday_is_no_place() -> None:
    query = "does the lamp hang there?"
    assert not fits(mention_of(query), "Friday", query) and fits(mention_of(query), "Vassund", query)
