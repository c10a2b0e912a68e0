"""Text measures of a rewrite, each on a case that is counted by hand."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeeper.data.public import PublicTurn
from turnkeeper.evaluation.public_rewrites import rouge_l, score_rewrite
from turnkeeper.signatures.types import Turn

TURN = PublicTurn(
    id="1",
    conversation="c",
    history=(
        Turn(role="user", content="Who owns the Tarn ferry?"),
        Turn(role="assistant", content="The island council."),
    ),
    query="Does it carry 40 bikes?",
    rewrite="Does the Tarn ferry carry 40 bikes?",
)


@pytest.mark.parametrize(
    ("said", "reference", "score"),
    [
        ("a b c", "a b c", 1.0),
        ("a c", "a b c", 2 * 2 / 5),
        ("c b a", "a b c", 2 * 1 / 6),
        ("a b a b", "b a", 2 * 2 / 6),
        ("x", "a b c", 0.0),
        ("", "a", 0.0),
        ("a", "", 0.0),
    ],
)
def test_rouge_l_is_the_f1_of_the_longest_common_subsequence(said: str, reference: str, score: float) -> None:
    assert rouge_l(said.split(), reference.split()) == pytest.approx(score)


WORDS = st.lists(st.sampled_from("abc"), max_size=6)


@given(said=WORDS, reference=WORDS)
def test_rouge_l_is_that_of_every_subsequence_tried(said: list[str], reference: list[str]) -> None:
    def parts(words: list[str]) -> set[tuple[str, ...]]:
        return {some for size in range(len(words) + 1) for some in itertools.combinations(words, size)}

    longest = max(map(len, parts(said) & parts(reference)))
    wanted = 2 * longest / (len(said) + len(reference)) if said and reference else 0.0
    assert rouge_l(said, reference) == pytest.approx(wanted) == rouge_l(reference, said)


def test_the_reference_itself_is_perfect() -> None:
    assert score_rewrite(TURN, "does the TARN ferry carry 40 bikes") == (1.0, 1.0, 0.0, 0.0, 0.0, 0.0)


def test_the_query_itself_leaves_its_reference() -> None:
    found = score_rewrite(TURN, TURN.query)
    assert (found.exact, found.residual, found.invented) == (0.0, 1.0, 0.0)
    assert found.rouge_l == pytest.approx(2 * 4 / (5 + 7))


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("Does the Tarn ferry carry 40 lorries?", 1.0),
        ("Does the Tarn ferries' council carry 40 bikes?", 1.0),  # a plural is more than an s here
        ("Would the Tarn ferry have carry 40 bike?", 0.0),
        ("Does the Tarn ferry fly 40 bikes?", 0.0),  # three letters may be a particle
    ],
)
def test_a_word_of_no_source_is_invented(text: str, invented: float) -> None:
    assert score_rewrite(TURN, text).invented == invented


def test_a_lost_number_and_a_long_rewrite_are_counted() -> None:
    assert score_rewrite(TURN, "Does the Tarn ferry carry 4 bikes?").number_lost == 1.0
    assert score_rewrite(TURN, "bikes " * 15).too_long == 0.0
    assert score_rewrite(TURN, "bikes " * 16).too_long == 1.0


def test_an_empty_answer_is_a_bad_one() -> None:
    found = score_rewrite(TURN, "")
    assert (found.rouge_l, found.exact, found.number_lost) == (0.0, 0.0, 1.0)
