"""check of expand: each code, and that a good expansion has none."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.metrics.expand import check
from turnkeeper.signatures.expand import Expansion
from turnkeeper.signatures.types import DomainContext, Exclusion, Turn

QUERY = "desk lamps without a clamp for a small office"


def codes(prediction: Any, query: str = QUERY, **more: Any) -> list[str]:
    return [v.code for v in check(**{"history": [], "query": query, "prediction": prediction, **more})]


def expansion(text: str, *constraints: str, added: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"expanded_query": text, "negation_constraints": list(constraints), "expansion_terms_added": list(added)}


def test_a_good_expansion_breaks_no_rule() -> None:
    assert codes(expansion("desk lamps small office reading light", "clamp")) == []
    assert codes(Expansion(expanded_query="desk lamps", negation_constraints=("clamp",))) == []


def test_the_empty_query() -> None:
    assert codes(expansion(" - ", "clamp")) == ["empty_query"]


@pytest.mark.parametrize("text", ["lamp with clamps", "lamp excluding clamp", "clamp-free lamp", "cl\u00e2mp"])
def test_an_excluded_term(text: str) -> None:
    (found,) = check(history=[], query=QUERY, prediction=expansion(text, "clamp"))
    assert found.code == "excluded_term_present"
    assert found.span and found.span in text and "'clamp'" in found.message


def test_an_excluded_term_among_the_added_ones() -> None:
    assert codes(expansion("desk lamps", "clamp", added=("clamped lamp",))) == ["excluded_term_present"]


def test_an_alias_of_the_domain_context_is_excluded_too() -> None:
    context = DomainContext(aliases={"clamp": ["vice grip"]})
    assert codes(expansion("lamp with vice grips", "clamp"), domain_context=context) == ["excluded_term_present"]


def test_a_dropped_exclusion_of_an_earlier_turn() -> None:
    history = [Turn(role="user", content=QUERY), Turn(role="assistant", content="Here are two.")]
    found = check(history=history, query="and in green?", prediction=expansion("green desk lamps"))
    assert [(v.code, v.span) for v in found] == [("dropped_exclusion", "clamp")]


def test_given_state_is_what_must_be_kept() -> None:
    state = [Exclusion(phrase="brass"), Exclusion(phrase="clamp", status="revoked")]
    assert codes(expansion("clamp lamps", "brass"), query="how heavy?", exclusions=state) == []


def test_an_exclusion_that_the_user_did_not_make() -> None:
    query = "which tariffs do not include roaming?"
    assert codes(expansion("tariffs roaming not included", "roaming"), query=query) == ["invented_exclusion"]


def test_names_and_numbers_that_nobody_gave() -> None:
    found = check(history=[], query=QUERY, prediction=expansion("Zorvex desk lamps 40 W", "clamp"))
    assert [(v.code, v.span) for v in found] == [("unsupported_term", "Zorvex"), ("unsupported_term", "40")]


@pytest.mark.parametrize("term", ["second-hand", "a two-seater", "first position", "the twenty-first floor"])
def test_a_number_word_that_names_a_kind_is_not_invented(term: str) -> None:
    assert codes(expansion("desk lamps", "clamp", added=(term,))) == []


@pytest.mark.parametrize("term", ["3 seater", "2-seater", "three seats", "twenty-two seats", "1st class", "First Orla"])
def test_a_number_that_counts_is_invented(term: str) -> None:
    assert set(codes(expansion("desk lamps", "clamp", added=(term,)))) == {"unsupported_term"}


def test_names_of_history_standalone_query_and_domain_context_are_given() -> None:
    context = DomainContext(entities=["Zorvex"], glossary={"lamp": ["Ombra 5"]})
    history = [Turn(role="assistant", content="The Fjell 12 is one.")]
    prediction = expansion("Zorvex Ombra 5 Fjell 12 Orla Desk Lamps", "clamp")
    more = {"domain_context": context, "history": history, "standalone_query": "Orla desk lamps"}
    assert codes(prediction, **more) == []


@pytest.mark.parametrize(
    "prediction",
    [
        None,
        3,
        "lamp",
        [],
        {},
        {"expanded_query": 3},
        {"expanded_query": "x", "negation_constraints": "clamp"},
        object(),
    ],
)
def test_what_cannot_be_read_is_one_violation(prediction: Any) -> None:
    assert codes(prediction) == ["unparsable"]


def test_an_object_that_raises_is_unparsable() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("no")

    assert codes(Hostile()) == ["unparsable"]


def test_every_message_is_one_sentence() -> None:
    prediction = expansion("Zorvex clamp", "brass")
    assert len(check(history=[], query=QUERY, prediction=prediction)) == 4
    for violation in check(history=[], query=QUERY, prediction=prediction):
        assert violation.message.endswith(".") and violation.message.count(". ") == 0
