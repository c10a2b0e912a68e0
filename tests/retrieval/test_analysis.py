"""How text becomes words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeeper.retrieval._analysis import words
from turnkeeper.retrieval._plan import MOST_WORDS, plan

from ..timing import assert_linear
from .conftest import asked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The user's 2nd ADR-016!", "the user 2nd adr 016"),
        ("C, C++ and C# or F#.", "c cplusplus and csharp or fsharp"),
        ("Straße, Łódź, Tromsø, Æther", "strasse lodz tromso aether"),
        ("e\u0301te\u0301 = été", "ete ete"),
        ("l\u2019eau", "l eau"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("ＡＢＣ ½", "abc 1 2"),
        ("zero\u200bwidth so\u00adft", "zerowidth soft"),
        ("snake_case a.b@c", "snake case a b c"),
        ("\0 \ud800 - 😀", ""),
    ],
)
def test_words_of_a_text(text: str, expected: str) -> None:
    assert words(text) == tuple(expected.split())


@pytest.mark.parametrize("text", ["한국어", "が", "ό", "हिन्दी", "Å"])
def test_composed_and_decomposed_text_has_the_same_words(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text)) != ()


@given(st.text())
def test_words_hold_letters_digits_and_vowel_signs_alone(text: str) -> None:
    assert all(
        unicodedata.category(c)[0] in "LN" or unicodedata.category(c) in ("Mn", "Mc") for w in words(text) for c in w
    )


@pytest.mark.parametrize(
    "unit", ["walnut desk ", "-\"'(", "東", "\u0301", "\u0e38\u3099", "a'", "++", "'s", "C# "], ids=ascii
)
def test_a_request_is_read_in_linear_time(unit: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = (unit * size)[:size]
        request = asked(text, must_not=[text[:200]], context=text)
        return lambda: plan(request)

    assert_linear(work, 10_000, 100_000, factor=30, floor=0.15)


def test_a_long_query_is_bounded() -> None:
    text = " ".join(f"w{n}" for n in range(20_000))
    assert len(plan(asked(text, context=text)).should) == 2 * MOST_WORDS
