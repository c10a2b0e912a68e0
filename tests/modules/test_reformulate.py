"""reformulate behind its guard, over a scripted engine: which predictor is asked, what code makes of the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import dspy
import pytest

import turnkeeper
from turnkeeper import events
from turnkeeper.errors import InputError
from turnkeeper.modules._guard import Guard
from turnkeeper.modules._reformulate_plan import plan
from turnkeeper.signatures.types import Turn

from ..scripted import prompt_of

Make = Callable[..., Guard[Any, Any]]


def talk(*texts: str) -> list[Turn]:
    return [Turn(role="user" if n % 2 == 0 else "assistant", content=text) for n, text in enumerate(texts)]


def referents(**found: str) -> str:
    return json.dumps({"referents": [{"mention": m.replace("_", " "), "referent": r} for m, r in found.items()]})


def rewrite(text: str) -> str:
    return json.dumps({"standalone_query": text}, ensure_ascii=False)


FERRY = talk("How long does the Tarn ferry take?", "The Tarn ferry takes 40 minutes from Holm pier.")


@pytest.fixture
def keeper(scripted_lm: Callable[..., dspy.LM]) -> Make:
    def make(*replies: Any, **options: Any) -> Guard[Any, Any]:
        return turnkeeper.load("reformulate", lm=scripted_lm(*replies), program="zero-shot", **options)

    return make


def test_first_turn_asks_nobody(keeper: Make) -> None:  # REF-01
    result = keeper()(history=[], query="can i claim for my van")
    assert (result.standalone_query, result.action, result.lm_attempts) == ("can i claim for my van", "unchanged", 0)
    assert result.ok and not result.warnings


@pytest.mark.parametrize("query", ["hello", "Thanks, got it!", "ok"])
def test_small_talk_asks_nobody(keeper: Make, query: str) -> None:
    assert keeper()(history=FERRY, query=query).standalone_query == query


def test_pronoun_is_substituted_in_the_users_words(keeper: Make) -> None:  # REF-02 REF-07
    result = keeper(referents(it="the Tarn ferry"))(history=FERRY, query="does it run at night?")
    assert result.standalone_query == "does the Tarn ferry run at night?"
    assert [(r.mention, r.referent, r.turn) for r in result.resolved_references] == [("it", "the Tarn ferry", 1)]


def test_ellipsis_is_rewritten(keeper: Make) -> None:  # REF-03
    result = keeper(rewrite("How long does the Arle ferry take?"))(history=FERRY, query="and the Arle ferry?")
    assert result.standalone_query == "How long does the Arle ferry take?" and result.action == "rewrite"


def test_opener_that_only_gets_longer_is_sent_back(keeper: Make) -> None:
    guard = keeper(rewrite("What about the Arle ferry?"), rewrite("How long does the Arle ferry take?"))
    result = guard(history=FERRY, query="What about the Arle?")
    assert result.standalone_query == "How long does the Arle ferry take?" and result.lm_attempts == 2


def test_nameless_question_goes_on_from_the_users_words(scripted_lm: Callable[..., dspy.LM]) -> None:  # REF-03
    lm = scripted_lm(rewrite("What is the top speed of the Tarn ferry?"), supports_skeleton=True)
    guard = turnkeeper.load("reformulate", lm=lm, program="zero-shot")
    assert guard(history=FERRY, query="What is the top speed?").standalone_query.endswith("of the Tarn ferry?")
    assert lm.engine.requests[0].config.extensions["skeleton"][0]["text"].endswith("What is the top speed")


def test_new_topic_stays_untouched_without_a_call(keeper: Make) -> None:  # REF-06
    query = "Which ports does PostgreSQL listen on by default?"
    result = keeper()(history=FERRY * 5, query=query)
    assert result.standalone_query == query and not result.warnings


def test_invented_term_is_sent_back_then_falls_back(keeper: Make) -> None:  # REF-04 REF-10
    guard = keeper(rewrite("How long does the Arle ferry to Zorn take?"), rewrite("How long is the Zorn?"))
    result = guard(history=FERRY, query="and the Arle ferry?")
    assert result.fallback and result.standalone_query == "and the Arle ferry?"
    assert "unsupported_term" in {v.code for v in result.violations}
    assert "Zorn" in prompt_of(guard.lm.engine.requests[1])


def test_referent_that_only_repeats_the_query_is_not_used(keeper: Make) -> None:
    history = talk("What is PB?", "PB is a bakery that took over Crust.")
    guard = keeper(referents(it="PB"), referents(it="Crust"))
    assert guard(history=history, query="Why did PB buy it?").standalone_query == "Why did PB buy Crust?"


def test_person_is_no_referent_of_it(keeper: Make) -> None:
    history = talk("Who runs the Ulmby mill?", "Greta Solheim runs the Ulmby mill.")
    guard = keeper(referents(it="Greta Solheim"), referents(it="the Ulmby mill"))
    assert guard(history=history, query="how old is it?").standalone_query == "how old is the Ulmby mill?"


def test_ordinal_is_picked_from_the_newest_list_without_a_call(keeper: Make) -> None:  # REF-02
    history = talk("List the levels.", "1. quiet 2. loud", "Which sign-ins are there?", "1. Passkeys 2. Magic links")
    result = keeper()(history=history, query="is the second one safe?")
    assert result.standalone_query == "is Magic links safe?" and result.lm_attempts == 0


def test_bare_which_names_the_choice(keeper: Make) -> None:
    history = talk("Show me headphones.", "There is the Aria 4 (30 h) and the Brook X (22 h).")
    result = keeper()(history=history, query="which is lighter?")
    assert "Aria 4" in result.standalone_query and "Brook X" in result.standalone_query


def test_accepted_offer_begins_with_what_was_offered(scripted_lm: Callable[..., dspy.LM]) -> None:
    lm = scripted_lm(rewrite("List the fees of the Holt grant"), supports_skeleton=True)
    guard = turnkeeper.load("reformulate", lm=lm, program="zero-shot")
    history = talk("What is the Holt grant?", "A grant for students. Shall I list the fees?")
    assert guard(history=history, query="yes please").standalone_query == "List the fees of the Holt grant"
    skeleton = lm.engine.requests[0].config.extensions["skeleton"]
    assert skeleton[0]["text"] == '{"standalone_query": "List the fees'


def test_nameless_answer_part_is_anchored_to_the_name(keeper: Make) -> None:
    history = talk("Why does the Brava router stop?", "The seal dries out.")
    result = keeper(referents(it="the seal"))(history=history, query="how do I replace it?")
    assert result.standalone_query == "how do I replace the seal of the Brava router?"


def test_two_candidates_give_a_warning(keeper: Make) -> None:
    history = talk("What do you rent?", "We rent the Orvik drill and the Lumo drill.")
    result = keeper(referents(it="the Lumo drill"))(history=history, query="how heavy is it?")
    assert result.action == "rewrite" and [w.code for w in result.warnings] == ["ambiguous_reference"]


def test_two_candidates_at_high_risk_ask_the_user(keeper: Make) -> None:  # REF-14
    history = talk("What do you rent?", "We rent the Orvik drill and the Lumo drill.")
    result = keeper(referents(it="the Lumo drill"), risk_level="high")(history=history, query="how heavy is it?")
    assert (result.action, result.standalone_query) == ("clarify", "how heavy is it?")
    assert "human_review" in {w.code for w in result.warnings}


def test_constraints_are_written_by_code(keeper: Make) -> None:  # REF-05 REF-08
    reply = json.loads(referents(it="the Tarn ferry")) | {"access_constraints_applied": ["none"]}
    result = keeper(json.dumps(reply))(
        history=FERRY,
        query="does it run at night?",
        access_scope={"regions": ["nord"]},
        metadata_filters=[{"field": "year", "op": "ge", "value": 2024}],
    )
    assert result.access_constraints_applied == ("regions in [nord]", "year ge 2024")


def test_restricted_term_in_the_query_goes_to_no_model(keeper: Make) -> None:  # REF-05
    scope = {"allowed": {"tenant": ["nord"]}, "restricted_terms": ["Project Larkspur"]}
    result = keeper()(history=FERRY, query="Will Project Larkspur replace it?", access_scope=scope)
    assert result.lm_attempts == 0 and [w.code for w in result.warnings] == ["permission_boundary"]
    assert "Larkspur" not in result.warnings[0].message


def test_boundary_at_high_risk_raises_a_review(keeper: Make) -> None:  # REF-14
    scope = {"allowed": {}, "restricted_terms": ["Larkspur"]}
    result = keeper(risk_level="high")(history=FERRY, query="What is Larkspur?", access_scope=scope)
    assert [w.code for w in result.warnings] == ["permission_boundary", "human_review"]


def test_restricted_term_never_reaches_the_prompt(keeper: Make) -> None:  # REF-15
    history = talk("What replaces the Tarn ferry?", "Project Larkspur's boats replace the Tarn ferry.")
    guard = keeper(referents(it="the Tarn ferry"))
    guard(history=history, query="is it old?", access_scope={"allowed": {}, "restricted_terms": ["Project Larkspur"]})
    assert "Larkspur" not in prompt_of(guard.lm.engine.requests[0])


def test_scrub_hook_sees_every_history_text(keeper: Make) -> None:  # REF-15
    guard = keeper(referents(it="the [name] ferry"), scrub=lambda text: text.replace("Tarn", "[name]"))
    guard(history=FERRY, query="does it run?")
    assert "Tarn" not in prompt_of(guard.lm.engine.requests[0])


def test_history_is_one_quoted_message(keeper: Make) -> None:
    guard = keeper(referents(it="the Tarn ferry"))
    guard(history=FERRY, query="does it run?")
    assert [m.role for m in guard.lm.engine.requests[0].messages] == ["user"]


def test_event_holds_original_result_window_and_verdict(keeper: Make) -> None:  # REF-12
    seen: list[Mapping[str, Any]] = []
    events.set_sink(seen.append)
    try:
        keeper(referents(it="the Tarn ferry"))(history=FERRY, query="does it run?")
    finally:
        events.set_sink(None)
    event = seen[0]
    assert event["original"] == "does it run?" and event["result"]["standalone_query"] == "does the Tarn ferry run?"
    assert len(event["window"]) == 2 and event["violations"] == [] and event["attempts"] == 1


def test_free_form_serves_a_large_model(keeper: Make) -> None:
    guard = keeper(rewrite("Does the Tarn ferry run at night?"), form="rewrite")
    assert guard(history=FERRY, query="does it run at night?").standalone_query == "Does the Tarn ferry run at night?"


@pytest.mark.parametrize("adapter", ["chat", "json", "xml", "compact"])
def test_every_adapter_runs_the_same_program(scripted_lm: Callable[..., dspy.LM], adapter: str) -> None:
    said = [{"mention": "it", "referent": "the Tarn ferry"}]
    text = {
        "chat": f"[[ ## referents ## ]]\n{json.dumps(said)}\n\n[[ ## completed ## ]]",
        "xml": "<referents><item><mention>it</mention><referent>the Tarn ferry</referent></item></referents>",
    }.get(adapter, json.dumps({"referents": said}))
    guard = turnkeeper.load("reformulate", lm=scripted_lm(text), program="zero-shot", adapter=adapter)
    assert guard(history=FERRY, query="does it run?").standalone_query == "does the Tarn ferry run?"


def test_async_gives_the_same(keeper: Make) -> None:
    guard = keeper(referents(it="the Tarn ferry"))
    result = asyncio.run(guard.acall(history=FERRY, query="does it run?"))
    assert result.standalone_query == "does the Tarn ferry run?"


@pytest.mark.parametrize(
    ("inputs", "named"),
    [({"query": 3}, "query"), ({"query": "x", "history": [{"role": "system", "content": ""}]}, "role"), ({}, "query")],
)
def test_malformed_input_is_named(keeper: Make, inputs: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=named):
        keeper()(**inputs)


@pytest.mark.parametrize(
    ("query", "asked", "start"),
    [
        ("and hall 4?", "How many docks has hall 3?", "How many"),
        ("And the price?", "Describe the Nimbra gateway.", "What is the price"),
        ("and the opening hours?", "Where is the Brod museum?", "What are the opening hours"),
        ("and the second floor?", "How many desks are on the first floor?", "How many"),
        ("what about Sundays?", "can I park at the Kiln ground on Saturdays?", "Can I"),
    ],
)
def test_fragment_begins_like_the_question_it_continues(query: str, asked: str, start: str) -> None:  # REF-03
    decided = plan(query, talk(asked, "Some answer."), "referents")
    assert (decided.reason, decided.kept) == ("ellipsis", start)


def test_fragment_that_is_a_question_itself_is_left_to_the_model() -> None:
    assert plan("and which is cheaper?", talk("What is the Tarn fare?", "Ten euro."), "referents").reason != "ellipsis"


def test_remark_on_the_whole_answer_is_told(keeper: Make) -> None:
    history = talk("Which jobs are there at the Brod mill?", "Driver and loader.")
    result = keeper(referents(they="driver and loader"))(history=history, query="that cannot be right, they are old")
    assert "uncertain_reference" in {w.code for w in result.warnings}


def test_subject_that_a_language_leaves_out_is_told(keeper: Make) -> None:
    history = talk("¿Dónde enseña Marta Oriol?", "Marta Oriol enseña en la escuela Lumbre.")
    result = keeper(referents(allí="en la escuela Lumbre"))(history=history, query="¿Cuántos años lleva allí?")
    assert "unresolved_context" in {w.code for w in result.warnings}
