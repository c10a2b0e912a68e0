"""No text in any place of a turn makes the guard of expand raise anything but `InputError`, and no leak passes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnkeeper
from turnkeeper.errors import InputError
from turnkeeper.metrics._leaks import leaks
from turnkeeper.modules._guard import Guard
from turnkeeper.signatures.types import Turn

from ..scripted import scripted

PIECES = st.sampled_from(
    "without no not except gas boiler boilers gas-boiler ga\u200bs g\u0430s &nbsp; &#103;as %20 <b> </b> ilman - . "
    ", ? ! ; \" ' ( ) { } [ ] heat pump never mind is fine \u0301 \u0336 \ud800 \x00 "
    "\n ``` \u0939\u093f\u0928\u094d\u0926\u0940 "
    "\u5317\u4eac 12 XII ] }".split(" ")
)
TEXT = st.lists(PIECES, max_size=8).map(" ".join) | st.lists(PIECES, max_size=4).map("".join) | st.text(max_size=30)
ANSWER = st.fixed_dictionaries(
    {
        "terms": st.lists(TEXT | st.none() | st.integers(), max_size=10) | TEXT,
        "exclusions": st.lists(TEXT, max_size=8) | TEXT,
    }
).map(lambda answer: json.dumps(answer)) | TEXT  # fmt: skip
TABLE = st.dictionaries(TEXT, st.lists(TEXT, max_size=2), max_size=2)
TURN = st.fixed_dictionaries(
    {
        "query": TEXT,
        "standalone_query": st.none() | TEXT,
        "history": st.lists(st.builds(Turn, role=st.sampled_from(["user", "assistant"]), content=TEXT), max_size=3),
        "domain_context": st.none()
        | st.fixed_dictionaries({"glossary": TABLE, "aliases": TABLE, "entities": st.lists(TEXT, max_size=2)}),
        "exclusions": st.none()
        | st.lists(st.fixed_dictionaries({"phrase": TEXT, "aliases": st.lists(TEXT, max_size=2)}), max_size=2),
        "access_scope": st.none() | st.fixed_dictionaries({"restricted_terms": st.lists(TEXT, max_size=2)}),
    }
)


def keeper(form: str, *replies: str) -> Guard[Any, Any]:
    return turnkeeper.load("expand", lm=scripted(*replies, cache=False), program="zero-shot", form=form, cache_size=0)


@settings(max_examples=150, deadline=None)
@given(TURN, ANSWER, st.sampled_from(["terms", "exclusions"]))
def test_nothing_raises_and_nothing_leaks(turn: dict[str, Any], answer: str, form: str) -> None:
    try:
        result = keeper(form, answer, answer)(**turn)
    except InputError:
        return
    added = " ".join(result.expansion_terms_added)
    assert leaks(added, result.exclusions) == ()
    if not any(w.code in ("fallback_raw_query", "permission_boundary", "query_too_long") for w in result.warnings):
        assert leaks(result.expanded_query, result.exclusions) == ()
    result.model_dump_json()


QUERY = "flats in Skarn without a gas boiler"


def added(*terms: str, **more: Any) -> tuple[str, ...]:
    reply = json.dumps({"terms": list(terms)})
    result = keeper("terms", reply, reply)(**{"history": [], "query": QUERY, **more})
    assert result.ok and result.negation_constraints == ("gas boiler",)
    return tuple(result.expansion_terms_added)


@pytest.mark.parametrize(
    "spelling",
    [
        "ga-s boiler", "gas boi.lers", "gasboilers", "gas. boiler", "gas&nbsp;boiler", "&#103;as boiler",
        "&amp;#103;as boiler", "gas%20boiler", "g<b></b>as boiler", "ga\u200bs boiler", "ga\u0336s boiler",
        "g\u0430s boiler", "gas (boiler)", "\uff47\uff41\uff53 boiler", "gas\u2010boiler",
    ],
)  # fmt: skip
def test_a_hidden_phrase_is_left_out_and_its_neighbour_stays(spelling: str) -> None:
    assert added("apartment", spelling, "rental") == ("apartment", "rental")


@pytest.mark.parametrize(
    ("terms", "kept"),
    [
        (["gas", "boiler", "rental"], ("gas", "rental")),
        (["modern gas", "boiler guide"], ("modern gas",)),
        (["boiler", "gas"], ("boiler", "gas")),  # in this order they name nothing
        (["gas", "heat pump", "boiler"], ("gas", "heat pump", "boiler")),
    ],
)
def test_terms_are_read_over_their_seams(terms: list[str], kept: tuple[str, ...]) -> None:
    assert added(*terms) == kept


def test_the_seam_to_the_query_counts_over_its_end() -> None:
    assert added("boiler", "rental", standalone_query="Which flats in Skarn run on gas?") == ("rental",)


def test_the_seams_of_the_glossary_count() -> None:
    context = {"glossary": {"flats": ["gas", "boiler", "apartments"]}}
    assert added("rental", domain_context=context) == ("gas", "apartments", "rental")


def test_a_restricted_name_over_two_terms_is_left_out() -> None:
    assert added("Project", "Tansy", "rental", access_scope={"restricted_terms": ["Project Tansy"]}) == (
        "project",
        "rental",
    )


def test_a_phrase_that_the_model_found_rules_its_aliases_out_at_once() -> None:
    reply = json.dumps({"exclusions": ["kaasua"], "terms": ["metaani", "vuokra"]})
    context = {"aliases": {"kaasua": ["metaani"]}}
    result = keeper("exclusions", reply, reply)(history=[], query="asunnot ilman kaasua", domain_context=context)
    assert result.negation_constraints == ("kaasua",) and result.expansion_terms_added == ("vuokra",)


def test_words_of_scripts_with_vowel_signs_stay_whole() -> None:
    assert added("\u0939\u093f\u0928\u094d\u0926\u0940") == ("\u0939\u093f\u0928\u094d\u0926\u0940",)
