"""What counts as a reference, what its mention covers, and what a standalone query may keep."""

from __future__ import annotations

import pytest

from turnkeeper.metrics._references import Mention, antecedent_agrees, find_mentions, residual_references
from turnkeeper.signatures.types import Turn

HISTORY = [
    Turn(role="user", content="Who sang on the album Salt Road?"),
    Turn(role="assistant", content="Mara Lind and Ole Vik."),
]


def only(text: str) -> Mention:
    (found,) = find_mentions(text)
    return found


@pytest.mark.parametrize(
    ("query", "text", "kind", "head"),
    [
        ("What does it cost?", "it", "pronoun", ""),
        ("What is their second album called?", "their", "possessive", ""),
        ("Did he play on that cheap guitar?", "he", "pronoun", ""),
        ("When did that long strike end?", "that long strike", "demonstrative", "strike"),
        ("Who paid for these repairs?", "these repairs", "demonstrative", "repairs"),
        ("How do I undo that?", "that", "demonstrative", ""),
        ("Which one weighs less?", "Which one", "one", "one"),
        ("Do you have the cheaper one in blue?", "the cheaper one", "comparative", "one"),
        ("drop the ones without a date", "the ones", "one", "ones"),
        ("Can I park there?", "there", "locative", ""),
        ("What does the latter cost?", "the latter", "former_latter", "latter"),
        ("What does the second one cost?", "the second one", "ordinal", "one"),
        ("is number two cheaper on weekdays?", "number two", "ordinal", "two"),
        ("what else did the middle singer record?", "the middle singer", "ordinal", "singer"),
        ("the second colour, please", "the second colour", "ordinal", "colour"),
        ("2", "2", "ordinal", "2"),
        ("What about ropes?", "What about", "ellipsis", ""),
        ("And the colour?", "And", "ellipsis", ""),
        ("how about Tuesday", "how about", "ellipsis", ""),
        ("which lasts longer in the rain?", "which", "comparative", ""),
        ("which is cheaper", "which", "comparative", ""),
        ("the 3rd one", "the 3rd one", "ordinal", "one"),
        ("On which pier does the 3rd one land?", "the 3rd one", "ordinal", "one"),
        ("How many leaves of the 1911 one are torn?", "the 1911 one", "one", "one"),
        ("Which yard builds the red one?", "the red one", "one", "one"),
        ("paint one in green", "one", "one", "one"),
        ("the sturdiest please", "the sturdiest", "comparative", "sturdiest"),
        ("is the first lighter?", "the first", "ordinal", "first"),
        ("what does the second weigh?", "the second", "ordinal", "second"),
        ("how is the first kind fed?", "the first kind", "ordinal", "kind"),
        ("How long in advance must I order the second kind?", "the second kind", "ordinal", "kind"),
        ("which of the two huts is warmer", "the two huts", "former_latter", "huts"),
        ("compare the two", "the two", "former_latter", "two"),
        ("what if these 30 days pass?", "these 30 days", "demonstrative", "days"),
        ("what happens in these cases?", "these cases", "demonstrative", "cases"),
        ("how many boats came three weeks later?", "three weeks later", "demonstrative", ""),
        ("who won the year before?", "the year before", "demonstrative", ""),
        ("does the third one float?", "the third one", "ordinal", "one"),
        ("can the sixth one swim?", "the sixth one", "ordinal", "one"),
        ("show me the smallest please", "the smallest", "comparative", "smallest"),
        ("what would that cost framed?", "that", "demonstrative", ""),
        ("what would that cost framed in oak?", "that", "demonstrative", ""),
        ("how does that taste fried?", "that", "demonstrative", ""),
        ("or in red?", "or", "ellipsis", ""),
        ("and over forty?", "and", "ellipsis", ""),
        ("same for the other sheds", "same for", "ellipsis", ""),
        ("the same question about Bergen", "same question about", "ellipsis", ""),
    ],
)
def test_mention(query: str, text: str, kind: str, head: str) -> None:  # REF-02
    found = find_mentions(query)[0]
    assert (found.text, found.kind, found.head) == (text, kind, head)
    assert query[found.start : found.end] == text


def test_mentions_come_in_order() -> None:
    assert [m.text for m in find_mentions("Did she like it when they played there?")] == ["she", "it", "they", "there"]


def test_first_and_second_person_stay() -> None:
    assert find_mentions("Can you tell me how I renew my permit with your help?") == []


def test_features_of_he() -> None:
    found = only("How old is he?")
    assert (found.number, found.animacy, found.gender) == ("sg", "person", "m")


def test_features_of_they() -> None:
    assert only("Where did they move?").number == "pl"


@pytest.mark.parametrize(
    "query",
    [
        "What is the capital of it?",  # the noun phrase around a pronoun is not its antecedent
        "What is the name of their album?",
        "What were the songs they wrote?",  # nor is the head of the relative clause
        "Which songs did they record?",  # nor the questioned phrase
        "Did Ole Vik like him?",  # nor the subject of the same clause
        "Did Mara Lind leave his band?",  # nor a name of another gender
        "Did the critics praise it?",  # nor a plural for "it"
        "How did Bergen treat her?",
    ],
)
def test_phrase_that_is_no_antecedent(query: str) -> None:
    assert len(find_mentions(query)) == 1


@pytest.mark.parametrize(
    "query",
    [
        "How did Tornby get its name?",
        "Do villagers sell their honey?",
        "When the dam broke, what happened to it?",
        "Who is Mara Lind and what does she sing?",
        "After he left the Kinks, what did Ole Vik do?",
        "My aunt lost her job. Where can she get help?",
        "Was the album a success when it came out?",
        "I like the red coat. Do you have that coat in blue?",
    ],
)
def test_antecedent_in_the_query(query: str) -> None:  # REF-09
    assert find_mentions(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "Who in IT repairs laptops?",
        "Does the team that won get a prize?",
        "I think that taxes are too high. What is the rate?",
        "Is there a night bus?",
        "What does 'they' mean in 'they say'?".replace("'", '"'),
        "What is planned for this year?",
        "What is one of the rules of chess?",
        "Is this article about trams?",
        "Which is older, tea or coffee?",
        "Which album is the best one?",
        "We keep three goats. Is the 3rd one a billy?",
        "Did the first strike fail?",
        "What is the second kind of error?",
        "Which of the two rivers in Oslo is longer?",
        "What sets the two, tea and coffee, apart?",
        "What happened in 1911 and two years later?",
        "In any case, does the lift run?",
        "When can you deliver the tiles, at the earliest?",
        "At the cheapest, what would a ride to Kellmoor cost?",
        "Is tea or coffee stronger, or are both mild?",
        "Do the twins look the same in Bergen?",
    ],
)
def test_look_alike(query: str) -> None:
    assert find_mentions(query) == []


def test_a_name_brought_in_resolves_the_pronoun() -> None:
    assert residual_references("Where did Mara Lind get her voice trained?", "Where did she train?", HISTORY) == []


def test_a_pronoun_left_over_is_flagged() -> None:
    text = "What did she sing on the album Salt Road?"
    assert [m.text for m in residual_references(text, "What did she sing on it?", HISTORY)] == ["she"]


def test_the_raw_query_is_flagged() -> None:
    assert residual_references("What did she sing?", "What did she sing?", HISTORY)


def test_an_opener_left_as_asked_is_flagged() -> None:
    assert residual_references("What about Ole Vik?", "what about Ole Vik", HISTORY)


@pytest.mark.parametrize(
    "text", ["and the next smaller tent?", "or a whole week in winter?", "same for the other huts"]
)
def test_a_fragment_after_an_opener_is_flagged_as_asked(text: str) -> None:
    assert [m.kind for m in residual_references(text, text, HISTORY)] == ["ellipsis"]


def test_an_opener_with_a_full_topic_passes() -> None:
    text = "What about the songs that Ole Vik wrote for the album Salt Road?"
    assert residual_references(text, "What about Ole Vik?", HISTORY) == []


def test_a_statement_about_the_answer_passes() -> None:
    assert residual_references("That's not what I asked.", "That's not what I asked.", HISTORY) == []


@pytest.mark.parametrize(
    ("pronoun", "phrase", "agrees"),
    [
        ("he", "Ole Vik", True),
        ("he", "James Harper", True),
        ("she", "James Harper", False),
        ("he", "the waitress", False),
        ("he", "the router", False),
        ("it", "the router", True),
        ("it", "James Harper", False),
        ("it", "the routers", False),
        ("they", "the routers", True),
        ("they", "the router", False),
        ("they", "the band", True),
        ("they", "Mara Lind and Ole Vik", True),
        ("it", "", True),
        ("she", "zzyzx", True),
    ],
)
def test_antecedent_agrees(pronoun: str, phrase: str, agrees: bool) -> None:
    assert antecedent_agrees(only(f"What did {pronoun} do?"), phrase) is agrees


@pytest.mark.parametrize(
    "text",
    [
        "What is it that hums at night?",
        "what is it called when two ferries meet?",
        "can you describe this Corvo Two probe?",
    ],
)
def test_cleft_definition_and_demonstrative_with_a_name_are_no_references(text: str) -> None:
    assert find_mentions(text) == []


@pytest.mark.parametrize("text", ["can you describe this probe?", "does that hum?", "what is it called?"])
def test_demonstrative_without_a_name_still_is_one(text: str) -> None:
    assert find_mentions(text)
