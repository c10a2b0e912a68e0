"""expand with a scripted engine: what is asked, how the answer is composed, and what no answer can change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import dspy
import pytest
from dspy.lm15 import ServerError

import turnkeeper
from turnkeeper.errors import InputError
from turnkeeper.modules._guard import Guard
from turnkeeper.signatures.types import Exclusion, Turn

from ..scripted import ScriptedEngine, prompt_of

Make = Callable[..., Guard[Any, Any]]
QUERY = "storage benches without drawers for a hallway"
EARLIER = [
    Turn(role="user", content="I need a storage bench without drawers."),
    Turn(role="assistant", content="The Alder bench has a lid; the Birk bench has baskets."),
]


def terms(*proposed: str) -> str:
    return json.dumps({"terms": list(proposed)})


@pytest.fixture
def keeper(scripted_lm: Callable[..., dspy.LM]) -> Make:
    def make(*replies: Any, **options: Any) -> Guard[Any, Any]:
        return turnkeeper.load("expand", lm=scripted_lm(*replies), program="zero-shot", **options)

    return make


def engine_of(guard: Guard[Any, Any]) -> ScriptedEngine:
    engine: ScriptedEngine = guard.lm.engine
    return engine


def test_terms_are_added_and_the_exclusion_leaves_the_query(keeper: Make) -> None:
    result = keeper(terms("entryway seat", "shoe bench"))(history=[], query=QUERY)
    assert result.expanded_query == "storage benches for a hallway entryway seat shoe bench"
    assert result.negation_constraints == ("drawers",)
    assert result.expansion_terms_added == ("entryway seat", "shoe bench")
    assert [c.phrase for c in result.boolean.must_not] == ["drawers"]
    assert [c.weight for c in result.boolean.should] == [1.0, 0.3, 0.3]
    assert result.ok and not result.fallback and result.lm_attempts == 1


def test_the_model_sees_the_query_without_what_is_ruled_out_and_is_told_what_it_is(keeper: Make) -> None:
    guard = keeper(terms())
    guard(history=[], query=QUERY)
    prompt = prompt_of(engine_of(guard).requests[0])
    assert "storage benches for a hallway" in prompt and "drawers" in prompt and "without drawers" not in prompt


@pytest.mark.parametrize("leak", ["drawer chest", "DRAWERS", "drawer-free bench", "dräwers", "chest of drawers"])
def test_a_proposed_leak_is_left_out_and_said(keeper: Make, leak: str) -> None:
    result = keeper(terms(leak, "hall seat"))(history=[], query=QUERY)
    assert result.expansion_terms_added == ("hall seat",) and result.ok
    assert "term_left_out" in {w.code for w in result.warnings}


@pytest.mark.parametrize("invented", ["Hallinder 3000", "IKEXA bench", "120 cm bench"])
def test_invented_names_and_numbers_are_left_out(keeper: Make, invented: str) -> None:
    result = keeper(terms(invented, "hall seat"))(history=[], query=QUERY)
    assert result.expansion_terms_added == ("hall seat",)


def test_a_number_word_within_a_compound_is_no_number(keeper: Make) -> None:
    result = keeper(terms("second-hand", "two-seater", "2-seater"))(history=[], query=QUERY)
    assert result.expansion_terms_added == ("second-hand", "two-seater")


def test_a_name_that_the_domain_context_knows_is_kept_as_written(keeper: Make) -> None:
    context = {"entities": ["Birk"]}
    result = keeper(terms("Birk bench"))(history=[], query=QUERY, domain_context=context)
    assert result.expansion_terms_added == ("Birk bench",)


def test_what_says_nothing_new_is_dropped_and_a_list_is_cut_at_eight(keeper: Make) -> None:
    many = ["seat", "ottoman", "chest", "trunk", "settle", "pew", "stool", "locker", "cabinet", "console"]
    result = keeper(terms("bench", "hallways", *many))(history=[], query=QUERY)
    assert result.expansion_terms_added == tuple(many[:6])  # of the first eight, two said nothing new


def test_an_exclusion_of_an_earlier_turn_holds(keeper: Make) -> None:
    result = keeper(terms("affordable", "chest of drawers"))(history=EARLIER, query="Which benches are cheapest?")
    assert result.negation_constraints == ("drawers",) and result.expansion_terms_added == ("affordable",)
    assert [(e.phrase, e.turn) for e in result.exclusions] == [("drawers", 0)]


def test_carried_state_needs_no_history(keeper: Make) -> None:
    carried = [Exclusion(phrase="drawers", cue="without", turn=0)]
    result = keeper(terms("drawers"))(history=[], query="Which benches are cheapest?", exclusions=carried)
    assert result.negation_constraints == ("drawers",) and result.expansion_terms_added == ()


def test_the_user_takes_an_exclusion_back(keeper: Make) -> None:
    result = keeper(terms("chest of drawers"))(history=EARLIER, query="Drawers are fine after all, which are cheapest?")
    assert result.negation_constraints == () and result.boolean.must_not == ()
    assert [e.status for e in result.exclusions] == ["revoked"]


def test_composition_starts_from_the_standalone_query(keeper: Make) -> None:
    result = keeper(terms("price"))(
        history=EARLIER, query="Which of them is cheapest?", standalone_query="Which storage bench is cheapest?"
    )
    assert result.expanded_query == "Which storage bench is cheapest? price"


def test_glossary_terms_need_no_model_and_are_not_asked_for_again(keeper: Make) -> None:
    context = {"glossary": {"storage bench": ["settle", "drawer bench"]}, "aliases": {"drawers": ["pull-outs"]}}
    guard = keeper(terms("seat", "pull-outs"))
    result = guard(history=[], query="storage bench without drawers", domain_context=context)
    assert result.expansion_terms_added == ("settle", "seat")
    assert [c.phrase for c in result.boolean.must_not] == ["drawers", "pull-outs"]


def test_glossary_terms_are_found_in_any_inflection_and_never_restricted(keeper: Make) -> None:
    context = {"glossary": {"storage bench": ["settle", "Larkspur chest"]}}
    scope = {"restricted_terms": ["Larkspur"]}
    result = keeper(terms())(history=[], query="cheap Storage Benches", domain_context=context, access_scope=scope)
    assert result.expansion_terms_added == ("settle",)


@pytest.mark.parametrize("query", ["thanks, that's all", "hello!"])
def test_small_talk_asks_nobody(keeper: Make, query: str) -> None:
    result = keeper()(history=EARLIER, query=query)
    assert result.lm_attempts == 0 and result.expanded_query == query and result.ok


def test_a_query_that_only_rules_out_is_searched_as_it_is_with_a_notice(keeper: Make) -> None:
    result = keeper()(history=[], query="without drawers")
    assert result.lm_attempts == 0 and result.negation_constraints == ("drawers",)
    assert "fallback_raw_query" in {w.code for w in result.warnings}


@pytest.mark.parametrize(
    "replies", [(ServerError("500"),), ("{", "}"), ("", "[]"), ('{"terms": 3}', '{"terms": null}')]
)
def test_a_failing_model_leaves_the_raw_query_and_the_exclusions(keeper: Make, replies: tuple[Any, ...]) -> None:
    result = keeper(*replies)(history=[], query=QUERY)
    assert result.fallback and not result.ok and result.expanded_query == QUERY
    assert result.negation_constraints == ("drawers",)
    assert [c.phrase for c in result.boolean.must_not] == ["drawers"]
    assert "drawers" not in result.boolean.should[0].phrase
    assert "fallback_raw_query" in {w.code for w in result.warnings}


def test_the_same_turn_again_costs_no_call(keeper: Make) -> None:
    guard = keeper(terms("hall seat"))
    first, again = guard(history=[], query=QUERY), guard(history=[], query=QUERY)
    assert engine_of(guard).calls == 1 and again.lm_attempts == 0
    assert again.expanded_query == first.expanded_query and again.boolean == first.boolean


def test_another_state_filter_or_context_is_another_turn(keeper: Make) -> None:
    guard = keeper(*[terms("seat")] * 4)
    for given in (
        {},
        {"exclusions": []},
        {"metadata_filters": [{"field": "year", "op": "ge", "value": 2020}]},
        {"domain_context": {"entities": ["Birk"]}},
    ):
        assert guard(history=[], query=QUERY, **given).lm_attempts == 1


def test_filters_travel_untouched(keeper: Make) -> None:
    given = {"field": "valid_from", "op": "ge", "value": "2024-01-01"}
    result = keeper(terms())(history=[], query=QUERY, metadata_filters=[given])
    assert [f.model_dump() for f in result.boolean.filters] == [given]


def test_quoted_words_must_be_there(keeper: Make) -> None:
    result = keeper(terms())(history=[], query='"slow close" benches without drawers')
    assert [c.phrase for c in result.boolean.must] == ["slow close"]


def test_restricted_terms_are_neither_shown_nor_added(keeper: Make) -> None:
    scope = {"allowed": {}, "restricted_terms": ["Larkspur"]}
    history = [Turn(role="user", content="Is the Larkspur bench out?"), Turn(role="assistant", content="Not yet.")]
    guard = keeper(json.dumps({"exclusions": [], "terms": ["larkspur bench", "hall seat"]}), form="exclusions")
    result = guard(history=history, query=QUERY, access_scope=scope)
    assert result.expansion_terms_added == ("hall seat",)
    assert "Larkspur" not in prompt_of(engine_of(guard).requests[0])
    assert "arkspur" not in str([w.message for w in result.warnings])


def test_a_query_that_names_a_restricted_term_is_not_expanded(keeper: Make) -> None:
    result = keeper()(history=[], query="larkspur bench price", access_scope={"restricted_terms": ["Larkspur"]})
    assert result.lm_attempts == 0 and "permission_boundary" in {w.code for w in result.warnings}


def test_vague_negation_constrains_nothing_and_is_said(keeper: Make) -> None:
    result = keeper(terms("hall seat"))(history=[], query="a storage bench, nothing boring")
    assert result.negation_constraints == () and "vague_exclusion" in {w.code for w in result.warnings}


@pytest.mark.parametrize(
    ("named", "constraints"),
    [
        (["laatikoita"], ("laatikoita",)),  # Finnish: the user wrote it right behind "without", which no rule reads
        (["eteiseen"], ()),  # it stands before it
        (["penkit"], ()),  # it stands in another place
        (["castors"], ()),  # nobody wrote it
    ],
)
def test_an_exclusion_that_only_the_model_found_needs_the_users_words(
    keeper: Make, named: list[str], constraints: tuple[str, ...]
) -> None:
    guard = keeper(json.dumps({"exclusions": named, "terms": ["seat"]}), form="exclusions")
    result = guard(history=[], query="penkit eteiseen ilman laatikoita")
    assert result.negation_constraints == constraints and result.ok


@pytest.mark.parametrize(
    "query",
    ["which plans do not include glass", "frames with or without glass", "no more than glass", "why not glass?"],
)
def test_a_phrase_behind_a_negation_that_rules_nothing_out_is_no_exclusion(keeper: Make, query: str) -> None:
    guard = keeper(json.dumps({"exclusions": ["glass"], "terms": ["pane"]}), form="exclusions")
    assert guard(history=[], query=query).negation_constraints == ()


def test_a_model_cannot_drop_a_detected_exclusion(keeper: Make) -> None:
    guard = keeper(json.dumps({"exclusions": [], "terms": ["seat"]}), form="exclusions")
    assert guard(history=[], query=QUERY).negation_constraints == ("drawers",)


def test_async_does_the_same(keeper: Make) -> None:
    said = terms("hall seat")
    one, other = keeper(said), keeper(said)
    assert (
        asyncio.run(one.acall(history=[], query=QUERY)).expanded_query == other(history=[], query=QUERY).expanded_query
    )


@pytest.mark.parametrize(
    ("inputs", "field"),
    [
        ({"history": [], "query": 3}, "query"),
        ({"history": [], "query": "x", "standalone_query": 3}, "standalone_query"),
        ({"history": [], "query": "x", "exclusions": [{"phrase": 3}]}, "exclusions.0.phrase"),
        ({"history": [], "query": "x", "domain_context": {"glossary": ["a"]}}, "domain_context.glossary"),
        ({"history": [], "query": "x", "mood": "glad"}, "mood"),
        ({"history": [], "query": "x \ud800"}, "query"),
        ({"history": [], "query": "x", "domain_context": {"glossary": {"a": ["\udfff"]}}}, "domain_context"),
        ({"history": [{"role": "user", "content": "\ud801"}], "query": "x"}, "history"),
    ],
)
def test_bad_input_names_the_field(keeper: Make, inputs: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError, match=field):
        keeper()(**inputs)


def test_an_unknown_form_is_an_error(keeper: Make) -> None:
    with pytest.raises(InputError, match="terms, exclusions"):
        keeper(form="sonnet")
