"""How a fragment begins: like the question that it continues, in its language."""

from __future__ import annotations

import pytest

from turnkeeper.modules._reformulate_frames import continued_start, owner_asked
from turnkeeper.modules._reformulate_plan import plan
from turnkeeper.signatures.types import Turn

from ..timing import assert_within


def talk(*texts: str) -> list[Turn]:
    return [Turn(role="user" if n % 2 == 0 else "assistant", content=text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("fragment", "asked", "start"),
    [
        ("And prams?", "Does that bus take bikes?", "Does"),
        ("and on Sundays?", "Is the Orn pool open on Saturdays?", "Is"),
        ("and for two?", "Has the tram room for one bike?", "Has"),
        ("how about the blue ones?", "Are the red tiles frost proof?", "Are"),
        ("And prams?", "Ok, does that bus take bikes?", "Does"),
        ("And prams?", "could you say which bus takes bikes?", "Could you"),
        ("And the next ferry?", "When does the ferry leave?", "When"),
        ("And the second pier?", "When does the ferry leave?", "When"),
    ],
)
def test_it_begins_like_the_question(fragment: str, asked: str, start: str) -> None:  # REF-03
    assert continued_start(fragment, talk(asked, "Yes.")) == start


def test_the_newest_question_counts() -> None:
    history = talk("Does that bus take bikes?", "Yes.", "How long is the ride?", "An hour.", "I see.", "Good.")
    assert continued_start("and to Kellmoor?", history) == "How long"


def test_what_the_assistant_asks_does_not_count() -> None:
    assert continued_start("And prams?", talk("Does that bus take bikes?", "Where do you go?")) == "Does"
    history = talk("Wann öffnet die Halle in Ulmby heute?", "Wo wohnen Sie denn heute so?")
    assert continued_start("und am Sonntag?", history) == "Wann"


@pytest.mark.parametrize("said", ["Does that bus take bikes. I hope so.", "The bus takes bikes.", "bikes on the bus?"])
def test_a_statement_gives_no_start(said: str) -> None:
    assert continued_start("And prams?", talk(said, "Yes.")) is None


def test_a_fragment_with_a_question_word_of_its_own_needs_no_start() -> None:
    assert continued_start("and who pays?", talk("Does that bus take bikes?", "Yes.")) is None


@pytest.mark.parametrize(
    ("fragment", "start"),
    [("and the price?", "What is the price"), ("and the opening hours in May?", "What are the opening hours in May")],
)
def test_another_attribute_is_asked_for_whatever_was_asked(fragment: str, start: str) -> None:
    assert continued_start(fragment, talk("Does that bus take bikes?", "Yes.")) == start


@pytest.mark.parametrize(
    ("fragment", "asked", "start"),
    [
        ("und am Sonntag?", "Wann öffnet die Halle in Ulmby heute?", "Wann"),
        ("und am Sonntag?", "Guten Tag. Wann öffnet die Halle in Ulmby heute?", "Wann"),
        ("und am Sonntag?", "Wann öffnet z.B. die Halle in Ulmby heute?", "Wann"),
        ("y los domingos?", "Hola. ¿Cuándo abre la piscina de Orn hoy?", "¿Cuándo"),
        ("und wann am Sonntag?", "Wo ist die Halle in Ulmby heute?", None),
        ("und am Sonntag?", "Die Halle ist in Ulmby.", None),
        ("und am Sonntag?", "When does the hall in Ulmby open today?", None),
    ],
)
def test_a_fragment_in_another_language_begins_like_a_question_of_it(
    fragment: str, asked: str, start: str | None
) -> None:
    assert continued_start(fragment, talk(asked, "Um neun.")) == start


def test_the_plan_keeps_the_start_of_a_fragment() -> None:
    decided = plan("And prams?", talk("Does that bus take bikes?", "Yes."), "referents")
    assert (decided.ask, decided.reason, decided.kept) == ("rewrite", "ellipsis", "Does")


@pytest.mark.parametrize(
    ("fragment", "asked"),
    [
        ("And her deputy?", "What is her deputy?"),
        ("and their opening hours?", "What are their opening hours?"),
        ("what about its colour in winter", "What is its colour in winter?"),
        ("Her deputy?", None),
        ("And her?", None),
        ("and the deputy?", None),
    ],
)
def test_what_somebody_owns_is_asked_for(fragment: str, asked: str | None) -> None:
    assert owner_asked(fragment) == asked


@pytest.mark.parametrize("said", ["a. b " * 25_000, "Wann " + "x " * 60_000, "¿Cuándo " + "." * 100_000, "x" * 100_000])
def test_a_hundred_kilobytes_of_history_cost_less_than_two_seconds_of_cpu(said: str) -> None:
    def start(number: int) -> None:
        for fragment in ("und am Sonntag?", "And prams?"):
            continued_start(fragment, talk(said + "x" * number, "Yes."))

    assert_within(2.0, lambda n: lambda: start(n))
