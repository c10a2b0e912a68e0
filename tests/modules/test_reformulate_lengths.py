"""Answers cut to the length that the check allows."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from turnkeeper.metrics._references import Mention
from turnkeeper.metrics.reformulate import check
from turnkeeper.modules._reformulate_lengths import longest, shortened, trimmed
from turnkeeper.modules._substitution import Resolved, substitute
from turnkeeper.signatures.types import Turn

from ..timing import assert_within

QUERY = "does it fit into it?"


def put(*referents: str, query: str = QUERY) -> list[Resolved]:
    """Referents for the pronouns "it" of a query, in order."""
    places = [match.span() for match in re.finditer(r"\bit\b", query)]
    mentions = [Mention("it", start, end, "pronoun") for start, end in places]
    return [Resolved(mention, referent) for mention, referent in zip(mentions, referents, strict=False)]


def cut(*referents: str, limit: int, query: str = QUERY) -> list[str]:
    return [r.referent for r in shortened(query, put(*referents, query=query), limit=limit)]


@pytest.mark.parametrize(("words", "most"), [(1, 12), (4, 12), (5, 15), (20, 60)])
def test_the_longest_form_is_what_the_check_allows(words: int, most: int) -> None:
    query, history = "lamp " * words, [Turn(role="user", content="lamp " * 90)]
    assert longest(query) == most
    for length, broken in ((most, False), (most + 1, True)):
        prediction = {"standalone_query": ("lamp " * length).strip()}
        assert ("too_long" in {v.code for v in check(history=history, query=query, prediction=prediction)}) is broken


@pytest.mark.parametrize(
    ("referent", "left"),
    [
        ("the Orn pump, which feeds the upper basin of the Kellmoor lock every night", "the Orn pump"),
        ("the Orn pump that feeds the upper basin of the Kellmoor lock every night", "the Orn pump"),
        ("the Orn pump (the red one in the cellar of the old Kellmoor lock house)", "the Orn pump"),
        ("the Orn pump because the upper basin of the Kellmoor lock runs dry again", "the Orn pump"),
        ("the valve of the pump in the cellar of the old Kellmoor lock house", "the valve of the pump in the cellar"),
    ],
)
def test_a_referent_loses_what_explains_it(referent: str, left: str) -> None:
    assert cut(referent, limit=12) == [left]


def test_only_as_much_is_cut_as_must_be() -> None:
    assert cut("the valve of the pump in the cellar", limit=10) == ["the valve of the pump"]
    assert cut("the valve of the pump in the cellar", limit=7) == ["the valve"]


def test_the_longest_referent_is_cut_first() -> None:
    assert cut("the lid of the tank", "the valve of the pump in the cellar", limit=13) == [
        "the lid of the tank",
        "the valve of the pump",
    ]


def test_a_shorter_referent_is_cut_where_the_longest_cannot_be() -> None:
    name = "Wimmersdorfer Landesversuchsanstalt Hohenbrunn Nordhof Lindenweg"
    assert cut("the seal of the pump in the shed", name, limit=10) == ["the seal", name]


def test_what_cannot_be_cut_stays_and_ends() -> None:
    name = "Wimmersdorfer Landesversuchsanstalt Hohenbrunn Nordhof Lindenweg"
    assert cut(name, limit=3) == [name]
    assert shortened("is the basin deep today?", [], limit=2) == []


def test_mentions_stay_with_their_referents() -> None:
    resolved = put("the valve of the pump in the cellar", "the tank")
    assert [r.mention for r in shortened(QUERY, resolved, limit=7)] == [r.mention for r in resolved]


NOUNS = st.lists(st.sampled_from("the red Kellmoor valve pump lock 3 house".split()), min_size=1, max_size=5)
LINKS = st.sampled_from([" of ", " in ", ", which ", " (", " that ", "; ", " near "])
REFERENTS = st.lists(st.tuples(NOUNS, LINKS), min_size=1, max_size=5).map(
    lambda parts: "".join(" ".join(nouns) + link for nouns, link in parts[:-1]) + " ".join(parts[-1][0])
)


@settings(deadline=None)
@given(REFERENTS, REFERENTS, st.integers(1, 20))
def test_cut_referents_keep_to_the_limit_or_cannot_be_cut(one: str, two: str, limit: int) -> None:
    resolved = put(one, two)
    kept = shortened(QUERY, resolved, limit=limit)
    for before, after in zip(resolved, kept, strict=True):
        assert after.referent and before.referent.startswith(after.referent)
    if len(substitute(QUERY, kept).split()) > limit:
        assert not any(re.search(r"[,;(]| (of|in|that|near|which) ", r.referent) for r in kept)


@settings(deadline=None)
@given(REFERENTS, REFERENTS)
def test_referents_within_the_limit_stay(one: str, two: str) -> None:
    resolved = put(one, two)
    assert shortened(QUERY, resolved, limit=len(substitute(QUERY, resolved).split())) == resolved


def test_a_phrase_that_the_model_added_gives_way() -> None:
    text = "What is the top speed of the Orn ferry on the way to the pier during the winter?"
    kept = "What is the top speed"
    assert trimmed(text, kept, kept + "?", limit=12) == "What is the top speed of the Orn ferry during the winter?"


def test_phrases_without_a_name_give_way_first() -> None:
    text = "What is the fare in the low season for the Orn ferry?"
    assert trimmed(text, "What is the fare", "What is the fare?", limit=9) == "What is the fare for the Orn ferry?"


def test_of_two_names_the_first_gives_way() -> None:
    text = "What is the fare at Kellmoor for the Orn ferry?"
    assert trimmed(text, "What is the fare", "What is the fare?", limit=8) == "What is the fare for the Orn ferry?"


def test_the_last_added_phrase_stays_since_it_alone_may_say_what_of() -> None:
    text = "What is the fare for the red old wooden ferry boat?"
    assert trimmed(text, "What is the fare", "What is the fare?", limit=5) == text


def test_phrases_that_the_user_wrote_stay() -> None:
    query = "how much is a lamp in the shop at night"
    text = "How much is a lamp in the shop at night near the pier by the Orn?"
    assert trimmed(text, "", query, limit=13) == "How much is a lamp in the shop at night by the Orn?"


def test_a_text_within_the_limit_stays() -> None:
    text = "What is the fare for the Orn ferry?"
    assert trimmed(text, "What is the fare", "What is the fare?", limit=8) == text


def test_a_text_that_does_not_begin_with_the_kept_words_stays() -> None:
    text = "Tell me of the fare in the winter for the Orn ferry to the far pier"
    assert trimmed(text, "What is the fare", "What is the fare?", limit=3) == text


WORDS = st.lists(
    st.sampled_from("the fare ferry Orn 7 winter pier of in at for to near on during".split()), min_size=1, max_size=24
)


@settings(deadline=None)
@given(WORDS, WORDS, st.integers(1, 15), st.sampled_from(["", "?", "?!"]))
def test_trimming_keeps_the_users_words_and_adds_none(query: list[str], added: list[str], limit: int, end: str) -> None:
    kept = " ".join(query)
    text = f"{kept} {' '.join(added)}{end}"
    short = trimmed(text, kept, kept + "?", limit=limit)
    assert short.startswith(kept) and short.endswith(end)
    left = iter(text.rstrip("?!").split())
    assert all(word in left for word in short.rstrip("?!").split())  # the same words in the same order
    links = set("of in at for to near on during the".split())
    counted = [[t.split().count(word) for word in set(query) - links] for t in (text.rstrip("?!"), short.rstrip("?!"))]
    assert counted[0] == counted[1]


@settings(deadline=None)
@given(st.integers(2, 30), st.integers(6, 40))
def test_trimmed_text_keeps_to_the_limit_while_two_added_phrases_are_left(phrases: int, limit: int) -> None:
    kept = "What is the fare"
    assume(4 + 2 * phrases > limit)
    short = trimmed(kept + " at night" * phrases + "?", kept, kept + "?", limit=limit)
    assert len(short.split()) == max(6, limit - limit % 2)


@pytest.mark.parametrize("added", [" at night" * 12_000, "?" * 100_000 + "x" + " a" * 20, " of a, b" * 12_000])
def test_a_hundred_kilobytes_of_answer_cost_less_than_two_seconds_of_cpu(added: str) -> None:
    assert_within(
        2.0,
        lambda n: (
            lambda: trimmed("What is the fare" + added + "x" * n, "What is the fare", "What is the fare?", limit=12)
        ),
    )
