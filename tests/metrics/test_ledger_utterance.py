"""Which messages ask something that could stay open."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._ledger_utterance import asking
from turnkeeper.signatures.types import OpenQuestion

PENDING = tuple(
    OpenQuestion(question=question)
    for question in ("How many barrels left cellar 3?", "Who repairs the mill wheel?", "Wann öffnet die Käserei?")
)

NOTHING = [
    "Thanks.", "thank you so much!", "Thanks for looking.", "Cheers", "ok", "Okay, great.", "Hm.", "Hmm...",
    "Mhm", "Aha.",
    "I see.", "Got it.", "Hello.", "Hi there!", "Good morning", "Bye", "Perfect, thanks!", "go on", "Continue, please.",
    "Carry on.", "Next.", "And?", "So?", "Anything else?", "Anything new?", "Any news?", "Any update on that?",
    "What else?",
    "Still nothing?", "try again", "Please keep looking.", "2031.", "In May.", "Only in the morning.", "Cellar 3.",
    "I mean the red ones.", "The one in Orvik.", "For members.", "No, the other cellar.",
    "I am asking for my brother, he is 40.",
    "We sold it last year.", "Danke!", "Danke dir.", "Vielen Dank", "Guten Tag", "Weiter bitte.", "Nur im Mai.",
    "Und sonst noch was?", "Alles klar", "Merci beaucoup", "Bonjour", "D'accord", "Continuez", "En mai.", "Gracias",
    "Hola", "Sigue", "En mayo.", "...", "👍", "What is still open?", "Which questions are unanswered?",
    "What did I ask?",
    "Where did you get that?", "Put that in a table.", "Summarize that", "What are your sources?",
    "Was ist noch offen?",
]  # fmt: skip
ASKS = [
    "Who pays the miller?", "who pays the miller", "How many barrels left cellar 4?", "Is the press heated?",
    "Does it freeze",
    "Tell me about the press.", "List the cellars.", "Can you show the price list?", "And who owns the press?",
    "And its price?", "What about the press?", "Thanks. Who owns the press?", "Hello, when does the press run?",
    "I'd like to know when the press runs.", "I wonder who owns the press.", "I don't know how the press works.",
    "Which is cheaper, oak or beech?", "Why?", "How so?", "Ok, and how deep is the well?", "Any discount for members?",
    "Wem gehört die Presse?", "Wie tief ist der Brunnen", "Und der Preis?", "Können Sie mir die Preise zeigen?",
    "Combien coûte le fût ?", "Quand ouvre la cave", "Et le prix ?", "¿Cuánto cuesta el barril?", "¿Y el precio?",
    "井戸の深さは？",
]  # fmt: skip
UNCLEAR = ["The mill wheel?", "Cellar 3?", "What about the barrels?", "Any news on the mill wheel?", "And the barrels?"]


@pytest.mark.parametrize("message", NOTHING)
def test_asks_nothing(message: str) -> None:
    assert asking(message, PENDING) == "nothing"


@pytest.mark.parametrize("message", ASKS)
def test_asks(message: str) -> None:
    assert asking(message, PENDING) == "asks"


@pytest.mark.parametrize(
    "message",
    [
        "Which permits are pending at the county office?", "What is the outstanding balance on invoice 4711?",
        "What invoices are still outstanding from last year?", "Which parts of the road are still open in winter?",
        "Which complaints remain unresolved at the mill?", "What is your question desk's number?",
    ],
)  # fmt: skip
def test_words_of_the_ledger_in_a_question_about_something_else_ask(message: str) -> None:
    assert asking(message, PENDING) == asking(message) == "asks"


@pytest.mark.parametrize("message", ["Parking", "Parking fees 2024", "opening hours Sunday", "Wheelchair access."])
def test_keywords_may_ask_where_nothing_is_being_clarified(message: str) -> None:
    assert asking(message, PENDING, clarifying=False) == "unclear"
    assert asking(message, PENDING) == "nothing"


@pytest.mark.parametrize("message", ["Thanks.", "go on", "Hm, okay.", "We sold it last year.", "Danke, das hilft mir."])
def test_what_asks_nothing_asks_nothing_either_where_nothing_is_being_clarified(message: str) -> None:
    assert asking(message, PENDING, clarifying=False, searched=True) == "nothing"


def test_what_is_still_open_asks_where_it_is_known_not_to_mean_the_conversation() -> None:
    assert asking("What is still open?", PENDING, searched=True) == "asks"


@pytest.mark.parametrize("message", UNCLEAR)
def test_a_reminder_of_a_pending_question_may_be_either(message: str) -> None:
    assert asking(message, PENDING) == "unclear"


def test_without_pending_questions_a_noun_with_a_question_mark_asks() -> None:
    assert asking("The mill wheel?") == "asks"


@pytest.mark.parametrize("message", ["barrel prices", "cellar opening hours", "mill wheel repair cost"])
def test_keywords_are_a_question_at_first_and_may_be_one_later(message: str) -> None:
    assert asking(message, first=True) == "asks"
    assert asking(message, PENDING) != "nothing"


def test_an_endless_message_asks() -> None:
    assert asking("thanks " * 500) == "asks"
