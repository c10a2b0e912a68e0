"""What a mention could stand for, by rule: agreement, order, bounds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.metrics._references import Mention, find_mentions
from turnkeeper.modules._candidates import MOST, candidates
from turnkeeper.modules._reformulate_doubts import fits
from turnkeeper.signatures.types import Turn

from ..timing import assert_within


def talk(*texts: str) -> list[Turn]:
    return [Turn(role="user" if n % 2 == 0 else "assistant", content=text) for n, text in enumerate(texts)]


def mention_of(query: str) -> Mention:
    return next(mention for mention in find_mentions(query) if mention.kind != "ellipsis")


def found(query: str, *texts: str) -> list[str]:
    """The candidates of the first mention of a query after a conversation that the user begins."""
    return candidates(mention_of(query), query, talk(*texts))


CHOIR = ("Who leads the choir?", "Maria Kolbe leads the choir, and John Lund plays the organ.")


def test_she_is_a_woman() -> None:
    assert found("when was she born?", *CHOIR) == ["Maria Kolbe"]


def test_he_is_no_woman_and_no_thing() -> None:
    assert found("when was he born?", *CHOIR) == ["John Lund"]


def test_it_is_no_person_and_not_several() -> None:
    assert found("how big is it?", *CHOIR) == ["the choir", "the organ"]


def test_they_are_several() -> None:
    several = found("are they safe?", "Which toys are there?", "The wooden blocks are beside a lamp.")
    assert several == ["The wooden blocks"]


def test_a_museum_may_be_they() -> None:
    assert found("when did they open?", "What is the Brod museum?", "A house of boats.")[0] == "the Brod museum"


LEVELS = ("Which levels are there?", "1. bright 2. dimmed")


@pytest.mark.parametrize("query", ["are they safe?", "is the cheaper one safe?", "is the second one safe?"])
def test_items_of_a_list_are_candidates_of_several_and_of_one_of_them(query: str) -> None:
    assert found(query, *LEVELS) == ["bright", "dimmed"]


def test_items_of_a_list_are_no_candidates_of_it() -> None:
    assert not {"bright", "dimmed"} & set(found("is it safe?", *LEVELS))


def test_a_name_stands_before_a_nameless_noun() -> None:
    first, second = found("is it deep?", "Where is the basin?", "Behind Kellmoor.")
    assert (first, second) == ("Kellmoor", "the basin")


def test_what_was_said_last_stands_first() -> None:
    assert found("is it old?", "Vassund is old.", "Yes.", "We saw Kellmoor.", "Good.")[:2] == ["Kellmoor", "Vassund"]


def test_what_is_spoken_of_again_stands_first() -> None:
    again = "Vassund is near Kellmoor. Kellmoor is small. Kellmoor has a pier."
    assert found("is it old?", "What is north of here?", again)[0] == "Kellmoor"


def test_a_subject_stands_before_an_object() -> None:
    assert found("is it old?", "They built Vassund. Kellmoor is new.") == ["Kellmoor", "Vassund"]


def test_a_name_does_not_take_in_the_subject_behind_it() -> None:
    assert found("is it old?", "From Vassund we saw Kellmoor.") == ["Kellmoor", "Vassund"]


def test_an_object_stands_before_what_follows_a_preposition() -> None:
    assert found("is it old?", "At Vassund, meet Kellmoor.")[0] == "Kellmoor"


def test_a_known_first_name_stands_before_an_unknown_name_for_she() -> None:
    assert found("when was she born?", "We saw Ulmby with Maria.") == ["Maria", "Ulmby"]


def test_the_users_words_weigh_more_than_the_assistants() -> None:
    assert found("is it far?", "We saw Kellmoor.", "We saw Vassund.")[:2] == ["Kellmoor", "Vassund"]


def test_several_stand_before_a_team_for_they() -> None:
    assert found("are they kind?", "We saw the crew near the rowers.") == ["the rowers", "the crew"]


def test_words_that_are_no_antecedent_stand_last() -> None:
    assert found("are they dear?", "We spent the evenings in the huts.") == ["the huts", "the evenings"]


def test_a_short_name_speaks_for_the_whole_one_and_gives_it_its_weight() -> None:
    told = found("where did he work?", "We met Abel Quist.", "John Lund is tall. Quist is small. Quist is old.")
    assert told == ["Abel Quist", "John Lund"]


@pytest.mark.parametrize(
    "said", ["Maria Kolbe and John Quist sing.", "Maria Kolbe sings the hymn, and John Quist plays."]
)
def test_the_second_of_a_pair_is_a_candidate_of_its_own(said: str) -> None:
    assert found("when was he born?", "Who sings?", said) == ["John Quist"]
    assert found("when was she born?", "Who sings?", said) == ["Maria Kolbe"]


def test_a_pair_is_a_candidate_of_they() -> None:
    assert found("are they here?", "Who sings?", "Maria Kolbe and John Quist sing.")[0] == "Maria Kolbe and John Quist"


def test_one_thing_with_and_without_its_article_is_one_candidate() -> None:
    told = found("is it deep?", "We saw the basin.", "A basin by the shed.")
    assert sum("basin" in text for text in told) == 1


def test_the_longest_noun_phrase_is_taken() -> None:
    told = found("how heavy is it?", "Is there a dust counter?", "Yes, there is.")
    assert "a dust counter" in told and "a dust" not in told


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("How long does the Tarn ferry take?", "the Tarn ferry"),
        ("The Brod museum keeps boats.", "The Brod museum"),
        ("How heavy is the Lyra 3?", "the Lyra 3"),
    ],
)
def test_a_noun_that_is_rather_the_verb_swallows_no_phrase(told: str, wanted: str) -> None:
    assert wanted in found("is it old?", told)


def test_the_querys_own_words_are_no_candidate() -> None:
    told = found("does the Kellmoor pump fit it?", "What is the Vassund basin?", "The basin takes the Kellmoor pump.")
    assert told and not any("Kellmoor" in text for text in told)


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        ("His boathouse is red.", "boathouse"),
        ('They sing "Take it home".', "home"),
        ("Some boathouse is red.", "boathouse"),
        ("Seven of 12 were there.", "12"),
        ("Which boathouse is red?", "boathouse"),
        ("The [restricted] is red.", "restricted"),
        ("[restricted]'s boathouse is red.", "boathouse"),
        ("A " + "X" * 300 + " is red.", "XXX"),
    ],
)
def test_what_cannot_be_read_alone_is_no_candidate(said: str, left_out: str) -> None:
    told = found("is it old?", "What is at Kellmoor?", said)
    assert "Kellmoor" in told and not any(left_out in text for text in told)


def test_a_quoted_title_is_a_candidate_without_its_quotes() -> None:
    assert found("is it loud?", "What do they sing?", '"Salt Road" at the end.')[0] == "Salt Road"


def test_the_opening_message_of_a_long_talk_is_read_and_its_middle_is_not() -> None:
    filler = ["Is a lamp near?", "No."] * 6
    assert "the Kellmoor hut" in found("is it open?", "Tell me of the Kellmoor hut.", "Fine.", *filler)
    later = ("Hi.", "Hi.", "Tell me of the Kellmoor hut.", "Fine.", *filler)
    assert "the Kellmoor hut" not in found("is it open?", *later)


def test_an_opening_message_is_not_counted_twice() -> None:
    twice = found("is it deep?", "I like Kellmoor.", "Good.", "We saw Vassund.", "Good.")
    assert twice[:2] == ["Vassund", "Kellmoor"]


def test_nothing_is_found_where_nothing_agrees() -> None:
    assert found("when was she born?", "How deep is the basin?", "Nine metres.") == []
    assert candidates(mention_of("is it old?"), "is it old?", []) == []


NAMES = ["Kellmoor", "Vassund", "Maria Kolbe", "Abel Quist", "the Orn raft", "a dust counter", "two lamps", "her skiff"]
SAID = st.sampled_from(["{} lies by {}.", "What is {}?", "- {}\n- {}\n- dry twine", '"{}" and {}', "{}'s pier, {}; 🚢"])


@settings(deadline=None)
@given(
    st.lists(st.tuples(SAID, st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=12),
    st.sampled_from(["is it old?", "are they old?", "is she old?", "is the sixth one from Vassund?", "and his lamp?"]),
)
def test_candidates_are_few_fit_and_come_from_the_history(said: list[tuple[str, str, str]], query: str) -> None:
    history, mention = talk(*(form.format(one, two) for form, one, two in said)), mention_of(query)
    told = candidates(mention, query, history)
    assert len(told) <= MOST and len({text.lower() for text in told}) == len(told)
    assert all(fits(mention, text, query) for text in told)
    assert all(any(text in turn.content for turn in history) for text in told)
    assert told == candidates(mention, query, history)


@settings(deadline=None)
@given(st.lists(st.text(max_size=120), max_size=8))
def test_any_history_gives_phrases_that_it_holds(texts: list[str]) -> None:
    told = candidates(mention_of("are they old?"), "are they old?", talk(*texts))
    held = [" ".join(text.split()) for text in texts]
    assert len(told) <= MOST and all(text and any(" ".join(text.split()) in said for said in held) for text in told)


def test_no_more_than_the_most_are_offered() -> None:
    huts = " and ".join(f"the {place} hut" for place in "Kell Vass Orn Brod Tarn Holm Ulm Lumo Vik Brook Aria".split())
    assert len(found("is it open?", f"Compare {huts}.", "They are red.")) == MOST


@pytest.mark.parametrize(
    "said",
    [
        "\n".join(f"- k{n:x}z" for n in range(13_000)),
        "The Kellmoor mill and the Brack lamp. " * 2_700,
        "Kell, Vass, " * 8_500,
        '"a" ' * 25_000,
        "Kellmoor " * 11_000,
        "x" * 100_000,
    ],
    ids=["bullets", "sentences", "commas", "quotes", "capitals", "one word"],
)
def test_a_hundred_kilobytes_cost_less_than_three_seconds_of_cpu(said: str) -> None:
    """The bullets, all different, once cost forty."""

    def work(number: int) -> Callable[[], None]:
        history = [Turn(role="assistant", content=said.replace("k", f"k{number}{n}")) for n in range(7)]

        def ask() -> None:
            for query in ("are they old?", "is it old?", "is she old?"):
                candidates(mention_of(query), query, history)

        return ask

    found("is it old?", "What is the basin?", "Red.")  # reads the lexicons
    assert_within(3.0, work)
