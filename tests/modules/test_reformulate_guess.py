"""A model that fails twice on a mention, from the call to the result: the rules guess, and say so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import dspy
import pytest

import turnkeeper
from turnkeeper.lms._skeleton import parse
from turnkeeper.modules._guard import Guard
from turnkeeper.signatures.types import Turn

from ..scripted import prompt_of

Make = Callable[..., Guard[Any, Any]]
HISTORY = [
    Turn(role="user", content="Who leads the choir?"),
    Turn(role="assistant", content="Maria Kolbe leads the choir, and John Quist plays the organ."),
]
QUERY = "when was she born?"


def referents(**found: str) -> str:
    return json.dumps({"referents": [{"mention": m, "referent": r} for m, r in found.items()]})


@pytest.fixture(params=[True, False], ids=["embedded", "remote"])
def keeper(request: pytest.FixtureRequest, scripted_lm: Callable[..., dspy.LM]) -> Make:
    """A guard over a script, on an engine that fills skeletons and on one that does not."""

    def make(*replies: Any, **options: Any) -> Guard[Any, Any]:
        lm = scripted_lm(*replies, supports_skeleton=request.param)
        return turnkeeper.load("reformulate", lm=lm, program="zero-shot", **options)

    return make


def codes(result: Any) -> set[str]:
    return {warning.code for warning in result.warnings}


@pytest.mark.parametrize("second", ["the organ", "John Quist", "she", "", "two choirs"])
def test_two_answers_that_do_not_fit_give_the_candidate_by_rule(keeper: Make, second: str) -> None:
    guard = keeper(referents(she="the choir"), referents(she=second))
    result = guard(history=HISTORY, query=QUERY)
    assert result.ok and not result.fallback and not result.violations
    assert (result.standalone_query, result.action) == ("when was Maria Kolbe born?", "rewrite")
    assert [(r.mention, r.referent, r.turn) for r in result.resolved_references] == [("she", "Maria Kolbe", 1)]
    assert "guessed_reference" in codes(result) and result.lm_attempts == 2


def test_the_notice_names_the_mention_and_the_guess(keeper: Make) -> None:
    result = keeper(referents(she="the choir"), referents(she="the organ"))(history=HISTORY, query=QUERY)
    (told,) = [w.message for w in result.warnings if w.code == "guessed_reference"]
    assert "`she`" in told and "`Maria Kolbe`" in told


def test_a_second_answer_that_fits_is_no_guess(keeper: Make) -> None:
    result = keeper(referents(she="the choir"), referents(she="Maria Kolbe"))(history=HISTORY, query=QUERY)
    assert result.standalone_query == "when was Maria Kolbe born?" and "guessed_reference" not in codes(result)


def test_a_first_answer_that_fits_is_asked_once(keeper: Make) -> None:
    result = keeper(referents(she="Maria Kolbe"))(history=HISTORY, query=QUERY)
    assert result.lm_attempts == 1 and "guessed_reference" not in codes(result)


def test_only_the_mention_that_failed_is_guessed(keeper: Make) -> None:
    query = "when was she born and when did he die?"
    guard = keeper(referents(she="the choir", he="John Quist"), referents(she="the organ", he="John Quist"))
    result = guard(history=HISTORY, query=query)
    assert result.ok and result.standalone_query == "when was Maria Kolbe born and when did John Quist die?"
    assert [w.message.count("`he`") for w in result.warnings if w.code == "guessed_reference"] == [0]


def test_async_guesses_alike(keeper: Make) -> None:
    guard = keeper(referents(she="the choir"), referents(she="the organ"))
    result = asyncio.run(guard.acall(history=HISTORY, query=QUERY))
    assert result.ok and result.standalone_query == "when was Maria Kolbe born?"
    assert "guessed_reference" in codes(result)


def test_high_risk_asks_the_user_before_a_guess_is_searched(keeper: Make) -> None:
    guard = keeper(referents(she="the choir"), referents(she="the organ"), risk_level="high")
    result = guard(history=HISTORY, query=QUERY)
    assert (result.action, result.standalone_query) == ("clarify", QUERY)
    assert codes(result) >= {"guessed_reference", "human_review"}


def test_a_mention_that_fails_only_the_second_time_is_guessed(keeper: Make) -> None:
    query = "when was she born and when did he die?"
    guard = keeper(referents(she="the choir", he="John Quist"), referents(she="Maria Kolbe", he="the organ"))
    result = guard(history=HISTORY, query=query)
    assert result.ok and result.standalone_query == "when was Maria Kolbe born and when did John Quist die?"


def test_a_name_of_nowhere_given_twice_ends_in_a_guess(keeper: Make) -> None:
    result = keeper(referents(she="Ida Zorn"), referents(she="Ida Zorn"))(history=HISTORY, query=QUERY)
    assert result.ok and result.standalone_query == "when was Maria Kolbe born?"
    assert "guessed_reference" in codes(result)


def test_a_misfit_after_an_unreadable_answer_ends_in_a_guess(keeper: Make) -> None:
    result = keeper("}{", referents(she="the organ"))(history=HISTORY, query=QUERY)
    assert result.ok and result.standalone_query == "when was Maria Kolbe born?"


def test_without_a_candidate_the_raw_query_stands(keeper: Make) -> None:
    history = [Turn(role="user", content="How deep is the basin?"), Turn(role="assistant", content="Nine metres.")]
    guard = keeper(referents(she="the basin"), referents(she="the basin"))
    result = guard(history=history, query=QUERY)
    assert not result.ok and result.fallback and result.standalone_query == QUERY
    assert codes(result) >= {"fallback_raw_query"} and "guessed_reference" not in codes(result)


def test_a_restricted_term_is_never_guessed_or_offered(keeper: Make) -> None:
    history = [
        Turn(role="user", content="What replaces the ferry?"),
        Turn(role="assistant", content="Larkspur does. Larkspur's hull is new, and Larkspur is fast."),
    ]
    guard = keeper(referents(it="Maria"), referents(it="Maria"))
    scope = {"allowed": {}, "restricted_terms": ["Larkspur"]}
    result = guard(history=history, query="is it old?", access_scope=scope)
    said = [prompt_of(request) + str(request.config.extensions) for request in guard.lm.engine.requests]
    offered = said[1].partition("may stand for")[2]
    assert offered and "restricted" not in offered.partition(".")[0] and not any("Larkspur" in text for text in said)
    assert "Larkspur" not in result.standalone_query and "restricted" not in result.standalone_query


def test_a_remote_lm_reads_the_candidates_in_the_feedback(scripted_lm: Callable[..., dspy.LM]) -> None:
    lm = scripted_lm(referents(she="the choir"), referents(she="the organ"))
    turnkeeper.load("reformulate", lm=lm, program="zero-shot")(history=HISTORY, query=QUERY)
    first, second = lm.engine.requests
    assert "may stand for" not in prompt_of(first)
    assert "`she` may stand for Maria Kolbe." in prompt_of(second)
    assert not (first.config.extensions or second.config.extensions)


def test_an_embedded_lm_is_bound_to_the_candidates(scripted_lm: Callable[..., dspy.LM]) -> None:
    lm = scripted_lm(referents(she="the choir"), referents(she="Maria Kolbe"), supports_skeleton=True)
    turnkeeper.load("reformulate", lm=lm, program="zero-shot")(history=HISTORY, query=QUERY)
    first, second = (request.config.extensions["skeleton"][1]["hole"] for request in lm.engine.requests)
    assert "choices" not in first and second["choices"] == ["Maria Kolbe"]


def test_a_pasted_word_of_the_history_breaks_no_second_call(scripted_lm: Callable[..., dspy.LM]) -> None:
    """A candidate longer than the engine accepts was an invalid request, hence a fallback."""
    pasted = "Kr" * 400
    history = [Turn(role="user", content=f"What is {pasted}?"), Turn(role="assistant", content="An old lamp.")]
    lm = scripted_lm(referents(it="Maria Kolbe"), referents(it="an old lamp"), supports_skeleton=True)
    result = turnkeeper.load("reformulate", lm=lm, program="zero-shot")(history=history, query="is it dear?")
    assert result.ok and "old lamp" in result.standalone_query
    assert parse(lm.engine.requests[1].config.extensions["skeleton"])  # as the engine reads it


def test_a_long_referent_is_cut_to_the_length_that_the_check_allows(keeper: Make) -> None:
    told = "the Orn pump, which feeds the upper basin of the old Kellmoor lock every night"
    history = [Turn(role="user", content="Which pump is loud?"), Turn(role="assistant", content=f"It is {told}.")]
    result = keeper(referents(it=told))(history=history, query="is it old?")
    assert result.ok and result.standalone_query == "is the Orn pump old?" and result.lm_attempts == 1
