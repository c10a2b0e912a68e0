"""What a turn asks for: where a query that names nothing may go on, and what a second call keeps in front."""

from __future__ import annotations

import pytest

from turnkeeper.modules._reformulate_plan import Plan, led_on, plan
from turnkeeper.signatures.types import Turn

HISTORY = [
    Turn(role="user", content="How long does the Tarn ferry take?"),
    Turn(role="assistant", content="40 minutes from Holm pier."),
]


def planned(query: str) -> Plan:
    return plan(query, HISTORY, "referents")


@pytest.mark.parametrize(
    ("query", "kept", "link"),
    [
        ("What is the top speed?", "What is the top speed", " of"),
        ("What   is the top speed ?!", "What is the top speed", " on"),
        ("Qual è il prezzo?", "Qual è il prezzo", " della"),
        ("Combien coûte le billet ?", "Combien coûte le billet", " du"),
    ],
)
def test_a_query_that_names_nothing_may_go_on_by_a_word_of_its_language(query: str, kept: str, link: str) -> None:
    decided = planned(query)
    assert (decided.ask, decided.reason, decided.kept) == ("rewrite", "nameless", kept)
    assert link in decided.go_on and all(word.startswith(" ") for word in decided.go_on)


@pytest.mark.parametrize("query", ["The seal is dry.", "any other boats?", "and the fare?", "cheaper boats nearby"])
def test_only_a_query_that_names_nothing_goes_on_at_once(query: str) -> None:
    decided = planned(query)
    assert decided.ask == "rewrite" and decided.go_on == ()


@pytest.mark.parametrize("query", ["What happened in 1998?", "Which boats were built in 2024?"])
def test_a_year_is_no_name(query: str) -> None:
    assert planned(query).reason == "nameless"


@pytest.mark.parametrize(
    "query", ["Where does line 998 end?", "Where does bus 19985 go?", "Where is the 1998x sold?", "Who built Kellmoor?"]
)
def test_other_numbers_and_names_make_a_query_complete(query: str) -> None:
    assert (planned(query).ask, planned(query).reason) == ("nothing", "complete")


@pytest.mark.parametrize(
    ("query", "kept", "link"),
    [
        ("cheaper boats nearby", "cheaper boats nearby", " of"),
        ("any other boats?", "any other boats", " for"),
        ("The seal is dry.", "The seal is dry", " in"),
        ("Wie hoch ist der Turm?", "Wie hoch ist der Turm", " von"),
    ],
)
def test_lost_words_stand_in_front_the_second_time(query: str, kept: str, link: str) -> None:
    decided = planned(query)
    led = led_on(decided)
    assert led.kept == kept and link in led.go_on
    assert led._replace(kept="", go_on=()) == decided._replace(kept="", go_on=())


@pytest.mark.parametrize(
    "query",
    [
        "and the fare?",
        "what about boats?",
        "und der Preis?",
        "is it red?",
        "which lasts longer?",
        "So and another boat",
        "maar andere boten",
        "What is the top speed?",
        "船の料金を教えて",
        "thanks",
        "Who built Kellmoor?",
    ],
)
def test_what_opens_or_refers_cannot_stand_in_front(query: str) -> None:
    assert led_on(planned(query)) == planned(query)


def test_an_accepted_offer_keeps_its_words_in_front() -> None:
    offered = [*HISTORY, Turn(role="user", content="ok"), Turn(role="assistant", content="Shall I list the fees?")]
    decided = plan("yes please", offered, "referents")
    assert decided.kept == "List the fees" and led_on(decided) == decided


@pytest.mark.parametrize("query", ["does it run?", "and the fare?", "What is the top speed?", "The seal is dry."])
def test_without_a_history_nothing_is_asked(query: str) -> None:
    assert plan(query, [], "referents") == Plan("nothing", "no_history", query)
