"""check of reformulate: every rule of the rewrite, good and bad variants side by side."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.metrics.reformulate import check
from turnkeeper.signatures.types import AccessScope, Turn


def talk(*messages: str) -> list[Turn]:
    return [Turn(role="assistant" if n % 2 else "user", content=text) for n, text in enumerate(messages)]


def codes(history: list[Turn], query: str, result: Any, scope: AccessScope | None = None) -> set[str]:
    prediction = {"standalone_query": result} if isinstance(result, str) else result
    return {v.code for v in check(history=history, query=query, prediction=prediction, access_scope=scope)}


BIKES = talk("Which bikes can I rent in Tolvik?", "The Gull 7, the Otter and the Finch.")
OFFER = talk("Which bikes can I rent in Tolvik?", "The Gull 7, the Otter and the Finch. Shall I list the prices?")
LIST = talk("List the tents", "1. Ridge 2. Hollow 3. Lee. Which one interests you?")
PLANS = talk("List three plans", "1. Basic 2. Plus 3. Max")
CLAUSE = talk("What does clause 4.2 say?", "It limits liability.")
ORDERS = talk("Show orders over 300", "Nine orders.")
LIFT = talk("Is the lift in Falk Hall working?", "No.")
SOLD = talk("What was sold on 3 March 2024?", "Nine boats.")
GOOD = [
    ("ellipsis", BIKES, "and in winter?", "Which bikes can I rent in Tolvik in winter?"),
    ("number word for digit", BIKES, "how much is the Otter for three days?", "How much is the Otter bike for 3 days?"),
    ("added context", BIKES, "how much is the Otter per day?", "How much is the Otter bike in Tolvik per day?"),
    ("wish stays a wish", BIKES, "I'd like an Otter tomorrow", "I'd like to rent an Otter bike in Tolvik tomorrow"),
    ("possessive kept", BIKES, "can I take my dog?", "Can I take my dog on a bike in Tolvik?"),
    ("both questions", BIKES, "when and where do I return the Finch?", "When and where do I return the Finch bike?"),
    ("new topic as asked", BIKES, "Which planets have rings?", "Which planets have rings?"),
    ("comparative", BIKES, "the cheaper one", "Which of Gull 7, Otter and Finch is the cheaper bike?"),
    ("correction", LIFT, "No, I meant Dorn Hall", "Is the lift in Dorn Hall working?"),
    ("correction by not", LIFT, "sorry, not the lift, the boiler", "Is the boiler in Falk Hall working?"),
    ("correction of a one", LIFT, "I mean the one in Dorn Hall", "Is the lift in Dorn Hall working?"),
    ("value taken back", talk("Book the tour", "Done."), "for 3, no, 5 people", "Book the tour for 5 people"),
    ("quoted span", LIFT, 'and "New Quay Lane"?', 'Is the lift in "New Quay Lane" working?'),
    ("date asked for", SOLD, "and the day after that?", "What was sold on 4 March 2024?"),
    ("date kept in words", SOLD, "and one week later?", "What was sold one week later than 3 March 2024?"),
    ("politeness", LIFT, "Could you please tell me who built it?", "Who built the lift in Falk Hall?"),
    ("praise before", LIFT, "Great, thanks! And who built it?", "Who built the lift in Falk Hall?"),
    ("back to a topic", LIFT, "Back to the lift: who built it?", "Who built the lift in Falk Hall?"),
    ("negation kept", LIFT, "which lifts don't work?", "Which lifts in Falk Hall don't work?"),
    ("definite noun replaced", talk("Who sings in Low Fen?", "Till."), "did the band tour?", "Did Low Fen tour?"),
    ("typo put right", LIFT, "was the repair sucessful?", "Was the lift repair in Falk Hall successful?"),
    ("another format", LIFT, "in a table", "The lift in Falk Hall in a table"),
    ("wrong as a correction", LIFT, "wrong, I meant Dorn Hall", "Is the lift in Dorn Hall working?"),
    (
        "correction in Spanish",
        talk("¿Cuánto cuesta alquilar una canoa en Tolvik?", "Diez euros."),
        "perdón, quería decir un kayak",
        "¿Cuánto cuesta alquilar un kayak en Tolvik?",
    ),
    (
        "a version is of something",
        talk("Which guide covers the Otter?", "Guide 12."),
        "Is a Latin version planned?",
        "Is a Latin version of guide 12 planned?",
    ),
    ("abbreviation", talk("Is Dorn Ltd. hiring?", "Yes."), "who can apply?", "Who can apply at Dorn Ltd. now?"),
    ("tell me more", LIFT, "tell me more", "Tell me more about the lift in Falk Hall"),
    (
        "fragment about IT",
        talk("Who orders laptops?", "Your manager."),
        "who in IT ships them?",
        "Who in IT ships laptops?",
    ),
]
BAD = [
    ("empty", BIKES, "how much is the Otter?", "  ", "empty_query"),
    ("punctuation only", BIKES, "how much is the Otter?", "...", "empty_query"),
    ("word lost", BIKES, "and in winter?", "Which bikes can I rent in Tolvik?", "dropped_term"),
    ("number lost", BIKES, "how much is the Otter for 3 days?", "How much is the Otter for days?", "dropped_term"),
    (
        "one of two equal numbers lost",
        BIKES,
        "the Otter for 3 days and the Finch for 3 hours?",
        "The Otter for 3 days and the Finch for hours?",
        "dropped_term",
    ),
    (
        "identifier cut",
        talk("Login fails", "Which error?"),
        "error TUN-3F on 8443",
        "Login fails error TUN on 8443",
        "dropped_term",
    ),
    (
        "url lost",
        talk("How do I use https://a.kelp.example/v2?", "Sign in."),
        "and https://a.kelp.example/v3?",
        "How do I use Kelp?",
        "dropped_term",
    ),
    ("quoted span changed", LIFT, 'and "New Quay Lane"?', "Is the lift in New Quay Road working?", "dropped_term"),
    ("negation lost", BIKES, "Which planets don't have rings?", "Which planets have rings?", "dropped_term"),
    ("negation added", BIKES, "Which planets have rings?", "Which planets don't have rings?", "unsupported_term"),
    ("my lost", BIKES, "can I take my dog?", "Can I take a dog on a bike?", "dropped_term"),
    (
        "second question word lost",
        BIKES,
        "when and where do I return the Finch?",
        "When do I return the Finch?",
        "dropped_term",
    ),
    ("other item of the list", LIST, "is the second one light?", "Is the Ridge tent light?", "unsupported_reference"),
    ("bare number, other item", LIST, "2", "Tell me about the Lee tent", "unsupported_reference"),
    ("exclusion lost", ORDERS, "from Norway except Orrin", "Show orders over 300 from Norway", "dropped_term"),
    ("version lost", CLAUSE, "and 4.3 in version 2?", "What does clause 4.3 say in version?", "dropped_term"),
    ("imperative answer", LIFT, "how long?", "Hold the button for ten seconds", "unsupported_term"),
    ("additive lost", BIKES, "what else is in Tolvik?", "What is in Tolvik?", "dropped_term"),
    ("invented product", BIKES, "how much is the Otter?", "How much is the Otter by Zarqun?", "unsupported_term"),
    ("invented year", BIKES, "and the prices this year?", "What are the prices this year 2023?", "unsupported_term"),
    (
        "date not asked for",
        SOLD,
        "and how many crates?",
        "How many crates were sold on 4 March 2024?",
        "unsupported_term",
    ),
    (
        "old topic in a new one",
        talk("How do I prune a Corvane pear tree?", "In spring."),
        "Which ports does Postgres listen on?",
        "Which ports does Postgres listen on for a pear tree?",
        "unsupported_term",
    ),
    ("lead-in", BIKES, "how much is the Otter?", "Here's the rewritten question: How much is the Otter?", "answered"),
    ("label", BIKES, "how much is the Otter?", "Rewritten query - how much is the Otter?", "answered"),
    ("not applicable", BIKES, "how much is the Otter?", "N/A", "answered"),
    ("comment on the context", BIKES, "how much is the Otter?", "There is no information in the context.", "answered"),
    ("apology", BIKES, "how much is the Otter?", "I'm sorry, I cannot price the Otter.", "answered"),
    ("answer with yes", BIKES, "can I rent the Otter?", "Yes, the Otter can be rented.", "answered"),
    ("statement for a question", BIKES, "and in winter?", "The Otter can be rented in Tolvik in winter.", "answered"),
    ("perspective flipped", BIKES, "I want to rent something", "What kind of bikes are you looking for?", "answered"),
    ("first person turned", BIKES, "can I take my dog?", "Can you take your dog?", "dropped_term"),
    (
        "question for a statement",
        talk("Hi", "I find farm work."),
        "olives would suit me best",
        "Would olives suit me best?",
        "answered",
    ),
    ("transcript", BIKES, "how much is the Otter?", "User: how much is the Otter?", "not_single_utterance"),
    ("two lines", BIKES, "how much is the Otter?", "How much is the Otter?\nOtter price", "not_single_utterance"),
    (
        "numbered queries",
        BIKES,
        "how much is the Otter?",
        "1. How much is the Otter? 2. Otter rent",
        "not_single_utterance",
    ),
    ("json list", BIKES, "how much is the Otter?", '["how much is the Otter"]', "not_single_utterance"),
    (
        "second sentence",
        BIKES,
        "how much is the Otter?",
        "How much is the Otter? The Finch can rent.",
        "not_single_utterance",
    ),
    ("too long", BIKES, "how much?", "How much " + "is the Otter " * 5 + "?", "too_long"),
]


@pytest.mark.parametrize(("history", "query", "result"), [case[1:] for case in GOOD], ids=[case[0] for case in GOOD])
def test_faithful_rewrite_passes(history: list[Turn], query: str, result: str) -> None:  # REF-02 REF-03 REF-06 REF-07
    assert check(history=history, query=query, prediction={"standalone_query": result}) == []


@pytest.mark.parametrize(
    ("history", "query", "result", "code"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_broken_rewrite_is_named(history: list[Turn], query: str, result: str, code: str) -> None:  # REF-04 REF-09
    assert code in codes(history, query, result)


@pytest.mark.parametrize(
    "message", ["hi!", "thanks a lot", "cool, thanks", "bye", "👍", "merci", "vielen Dank", "谢谢"]
)
def test_small_talk_stays_as_it_is(message: str) -> None:
    assert codes(BIKES, message, message) == set()
    assert codes(BIKES, message, "Which bikes can I rent in Tolvik?") == {"dropped_term"}


@pytest.mark.parametrize("message", ["ok", "yes please", "sure, go ahead", "ja gerne", "why not"])
def test_acknowledgement_becomes_the_offer(message: str) -> None:
    assert codes(OFFER, message, "List the prices of the Gull 7, the Otter and the Finch") == set()
    assert codes(OFFER, message, message) == {"residual_reference"}


@pytest.mark.parametrize(
    "message",
    ["No, I meant the Finch", "oops i mean kayaks", "actually boats, not bikes", "no, not the Otter, the Finch",
     "non, je voulais dire la barque"],
)  # fmt: skip
def test_correction_left_as_it_is_is_flagged(message: str) -> None:
    assert "residual_reference" in codes(BIKES, message, message)


@pytest.mark.parametrize(
    "message", ["I meant well", "no, not yet", "What is quartz, not granite?", "The boats are full, not the bikes"]
)
def test_look_alike_of_a_correction_passes(message: str) -> None:
    assert codes(BIKES, message, message) == set()


def test_acknowledgement_without_an_offer_is_unchanged() -> None:
    assert codes(BIKES, "ok", "ok") == set()
    assert codes(BIKES, "ok", "Which bikes can I rent in Tolvik?") == {"dropped_term"}


@pytest.mark.parametrize("message", ["2", "the second one", "number 2", "the second tent, please", "option 2 please"])
def test_pick_gives_way_to_the_item(message: str) -> None:
    assert codes(LIST, message, "Tell me about the Hollow tent") == set()


def test_unresolved_reference_is_flagged() -> None:  # REF-09
    assert "residual_reference" in codes(BIKES, "how much does it cost?", "how much does it cost?")


def test_clarify_may_leave_the_reference() -> None:  # REF-14
    asked = {"standalone_query": "how much does it cost?", "action": "clarify"}
    assert codes(BIKES, "how much does it cost?", asked) == set()


def test_first_turn_is_fine_unchanged_and_gets_nothing_added() -> None:
    assert codes([], "how do I cancel it?", "how do I cancel it?") == set()
    assert codes([], "change my seat", "Change my airline seat") == {"unsupported_term"}


@pytest.mark.parametrize(
    ("prediction", "place"),
    [
        (None, "the prediction"),
        ("text", "the prediction"),
        ({}, "standalone_query"),
        ({"standalone_query": None}, "standalone_query"),
        ({"standalone_query": "x", "action": "guess"}, "action"),
        ({"standalone_query": "x", "resolved_references": [{"mention": "it"}]}, "resolved_references.0.referent"),
    ],
)
def test_unreadable_prediction_is_one_violation_that_names_the_field(prediction: Any, place: str) -> None:  # REF-10
    (violation,) = check(history=BIKES, query="how much?", prediction=prediction)
    assert violation.code == "unparsable"
    assert place in violation.message


def test_object_with_fields_is_read_like_a_mapping() -> None:
    class Prediction:
        standalone_query = "How much is the Finch?"

    assert codes(BIKES, "how much is the Finch?", Prediction()) == set()
