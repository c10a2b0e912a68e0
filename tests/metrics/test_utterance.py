"""Small talk, acknowledgements, picks and offers."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._utterance import is_acknowledgement, is_pick, is_small_talk, offer_of
from turnkeeper.signatures.types import Turn


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "Hi there!",
        "good morning :)",
        "thanks for your help",
        "you're the best",
        "great job, thanks",
        "bye bye",
        "haha",
        "got it",
        "no thanks",
        "hola",
        "bonjour",
        "danke schön",
        "grazie mille",
        "спасибо",
        "ありがとう",
        "🙏",
        "???",
        "Thank you, that helped a lot!",
        "ok, that clears things up",
        "super, this answers my question",
        "that's everything I needed",
        "hi, is anybody there?",
    ],
)
def test_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "thanks, and the price?",
        "hello world program in Go",
        "good pumps",
        "what is cool",
        "bye-laws",
        "Orla",
        "is that all I need?",
        "that helps, and in winter?",
        "Is anyone there on Sunday?",
        "it works on the Otter",
    ],
)
def test_not_small_talk(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "Yes please!",
        "sure, go ahead",
        "yes, I'd like that",
        "oui",
        "sí, por favor",
        "да",
        "はい",
        "yes that would help",
        "that'd be lovely",
        "sure, why not",
    ],
)
def test_acknowledgement(text: str) -> None:
    assert is_acknowledgement(text)


@pytest.mark.parametrize("text", ["thanks", "yes, B1", "ok but why?", "no", "great", "hello"])
def test_not_an_acknowledgement(text: str) -> None:
    assert not is_acknowledgement(text)


@pytest.mark.parametrize(
    "text", ["2", "b", "#3", "the last one", "number two please", "the second level", "both of them"]
)
def test_pick(text: str) -> None:
    assert is_pick(text)


@pytest.mark.parametrize("text", ["2024 sales", "the price", "second hand", "a pump"])
def test_not_a_pick(text: str) -> None:
    assert not is_pick(text)


@pytest.mark.parametrize(
    ("reply", "offer"),
    [
        ("It treats worms. Shall I list the dosage?", "Shall I list the dosage?"),
        ("Two classes run. Do you want A2 or B1? Just say which.", "Just say which."),
        ("It treats worms. Let me know if you want the dosage.", "Let me know if you want the dosage."),
        ("Sie kostet 40 Euro. Soll ich sie bestellen?", "Soll ich sie bestellen?"),
        ("它用于治疗。需要剂量吗？", "需要剂量吗？"),
        ("It treats worms.", None),
    ],
)
def test_offer_at_the_end_of_the_reply(reply: str, offer: str | None) -> None:
    assert offer_of([Turn(role="user", content="What is it?"), Turn(role="assistant", content=reply)]) == offer


def test_question_of_the_user_is_no_offer() -> None:
    assert offer_of([Turn(role="user", content="Shall we go?")]) is None
    assert offer_of([]) is None
