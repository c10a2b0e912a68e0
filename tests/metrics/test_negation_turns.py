"""The exclusions of a conversation: carried, revoked in part or whole, set again, and by the user alone."""

from __future__ import annotations

import pytest

from turnkeeper.metrics.expand import detect
from turnkeeper.signatures.types import DomainContext, Exclusion, Turn


def talk(*messages: str) -> list[Turn]:
    """A conversation in which every other message is the assistant's."""
    return [Turn(role="assistant" if n % 2 else "user", content=text) for n, text in enumerate(messages)]


WOOD = talk("shelves without glass or steel", "Here are some shelves.")


def test_an_exclusion_is_carried_with_the_turn_that_set_it() -> None:
    found = detect([*WOOD, *talk("deeper ones?", "Yes, these.")], "and in white")
    assert found.active == ("glass", "steel")
    assert [(e.turn, e.cue, e.status) for e in found.exclusions] == [(0, "without", "active")] * 2


def test_the_query_has_no_turn() -> None:
    assert [e.turn for e in detect([], "shelves without glass").exclusions] == [None]


@pytest.mark.parametrize(
    "query",
    [
        "never mind the glass",
        "glass is fine after all",
        "actually glass would be ok",
        "show me glass ones too",
        "you can include glass again",
        "I don't mind glass any more",
        "stop excluding glass",
        "don't leave out glass",
        "forget what I said about glass",
        "drop the glass restriction",
        "how about glass doors",
        "find shelves with glass doors",
        "I changed my mind about glass",
    ],
)
def test_a_part_is_taken_back(query: str) -> None:
    found = detect(WOOD, query)
    assert (found.active, found.revoked) == (("steel",), ("glass",))
    assert {e.phrase: e.status for e in found.exclusions} == {"glass": "revoked", "steel": "active"}


@pytest.mark.parametrize("query", ["forget all my exclusions", "clear all filters", "reset all filters, please"])
def test_everything_is_taken_back(query: str) -> None:
    assert detect(WOOD, query).active == ()


@pytest.mark.parametrize(
    "query",
    [
        "how deep are they",
        "still no glass please",
        "why no glass?",
        "does it contain glass?",
        "glass is not fine",
        "who recorded 'Glass Again'?",
        "if glass is ok for you, say so",
    ],
)
def test_nothing_is_taken_back(query: str) -> None:
    assert detect(WOOD, query).active == ("glass", "steel")


def test_taken_back_and_set_again() -> None:
    history = [*WOOD, *talk("glass is fine after all", "Good.")]
    assert detect(history, "hm, no glass then").active == ("steel", "glass")


def test_a_wider_word_takes_a_phrase_back_and_a_narrower_one_does_not() -> None:
    history = talk("films but no war documentaries", "Here.")
    assert detect(history, "documentaries are fine after all").active == ()
    assert detect(history, "wildlife documentaries are fine").active == ("war documentaries",)


def test_an_allergy_needs_an_explicit_word() -> None:
    history = talk("I'm allergic to walnuts, find me a cake", "Try the plum cake.")
    assert detect(history, "find me a walnut cake").active == ("walnuts",)
    assert detect(history, "I'm not allergic to walnuts after all").active == ()


@pytest.mark.parametrize(
    "text",
    ["We do not sell glass.", "I left out glass.", "Never mind the glass."],
)
def test_the_assistant_sets_and_takes_back_nothing(text: str) -> None:
    assert detect([Turn(role="assistant", content=text)], "shelves").active == ()
    assert detect([*WOOD, Turn(role="assistant", content=text)], "deeper ones").active == ("glass", "steel")


def test_given_state_replaces_the_history() -> None:
    state = [Exclusion(phrase="cork", turn=3)]
    assert detect(WOOD, "deeper ones", None, state).active == ("cork",)
    assert detect(WOOD, "deeper ones", None, []).active == ()


def test_a_revoked_one_stays_revoked_in_given_state() -> None:
    state = [Exclusion(phrase="cork", status="revoked"), Exclusion(phrase="tin")]
    assert detect([], "deeper ones", None, state).active == ("tin",)


def test_aliases_come_from_the_domain_context_by_lemma() -> None:
    context = DomainContext(aliases={"The Bus": ["coach"], "tram": ["streetcar"]})
    (found,) = detect([], "trips without buses", context).exclusions
    assert found.aliases == ("coach",)


def test_what_was_shown_is_excluded_by_name() -> None:
    history = talk("a lamp for the desk", "Try the Fjell clip lamp or the Orla lamp.")
    assert detect(history, "not those").active == ("Fjell clip lamp", "Orla lamp")


def test_the_same_phrase_is_kept_once() -> None:
    assert detect(WOOD, "no steel, remember").active == ("glass", "steel")
