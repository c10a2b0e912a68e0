"""Replies to turns about the conversation: from ledger, registry and history, held to the checks of cite."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnkeeper._turn.about import AboutTurn, Reply
from turnkeeper._turn.about_answer import Rewrite
from turnkeeper._turn.about_reply import reply
from turnkeeper._turn.wording import TEXTS
from turnkeeper.metrics._turn_kind import turn_kind
from turnkeeper.metrics.cite import check
from turnkeeper.sessions import SessionState, TurnRecord
from turnkeeper.signatures.types import (
    AccessScope,
    CitationRegistry,
    Convention,
    Exclusion,
    OpenQuestion,
    RegisteredSource,
)

TIDES = "High water at Brekka is at 05:20 and 17:45 on Sunday"
BERTH = "A berth costs 24 euros a night"


def state(convention: Convention = "source_tag", **changes: Any) -> SessionState:
    """A session of three turns: an answer with two sources, a question left open, thanks."""
    ids = {"source_tag": ("TIDE-1", "FEE-2"), "numeric": ("1", "2"), "footnote": ("^1", "^2")}.get(
        convention, ("doc_t", "doc_f")
    )
    tag = "Source: " if convention == "source_tag" else ""
    entries = (
        RegisteredSource(doc_id=ids[0], title="Tide table", snippet=TIDES + ".", metadata={"desk": "public"}),
        RegisteredSource(doc_id=ids[1], title="Harbour fees", snippet=BERTH + ".", metadata={"desk": "public"}),
    )
    answer = f"{TIDES} [{tag}{ids[0]}]. {BERTH} [{tag}{ids[1]}].\n\nSources:\n"
    answer += f"- {ids[0]}: Tide table\n- {ids[1]}: Harbour fees"
    turns = (
        TurnRecord(turn=1, query="When is high water, and what does a berth cost?", answer=answer, cited=ids),
        TurnRecord(
            turn=2,
            query="Who repairs outboard motors?",
            answer="I cannot find evidence to answer this question",
            status="UNANSWERED",
        ),
        TurnRecord(turn=3, kind="social", query="Thanks!", answer="You're welcome."),
    )
    ledger = (
        OpenQuestion(
            question_id="q2",
            question="Who repairs outboard motors?",
            missing_evidence="The name of a workshop.",
            first_asked_turn=2,
            attempts=2,
        ),
    )
    fields: dict[str, Any] = {
        "registry": CitationRegistry(convention=convention, entries=entries),
        "ledger": ledger,
        "turns": turns,
        "turn": 3,
        "exclusions": (Exclusion(phrase="dogs"), Exclusion(phrase="boats", status="revoked")),
        **changes,
    }
    return SessionState(session_id="s", **fields)


def answered(convention: Convention = "source_tag", **changes: Any) -> SessionState:
    """The same session after its first turn."""
    before = state(convention, **changes)
    return before.model_copy(update={"turns": before.turns[:1], "turn": 1})


def said(query: str, kept: SessionState, scope: AccessScope | None = None, **more: Any) -> Reply:
    reading = turn_kind(query, pending=[one.question for one in kept.ledger])
    assert reading.kind != "question"
    return reply(AboutTurn(query, reading, kept, scope), **more)


def test_what_is_open_is_listed_with_its_age_attempts_and_what_is_missing() -> None:
    found = said("What is still open?", state())
    assert "Who repairs outboard motors?" in found.answer
    assert "since turn 2" in found.answer and "2x" in found.answer and "missing: The name of a workshop" in found.answer
    assert found.cited == () and found.status == "ANSWERED"


def test_nothing_open_is_said_so() -> None:
    assert said("What have you not answered yet?", state(ledger=())).answer == TEXTS["en"]["open_none"]


def test_a_question_that_was_given_up_is_still_named() -> None:
    given_up = state().ledger[0].model_copy(update={"status": "unresolvable"})
    assert "a person was asked" in said("What is still open?", state(ledger=(given_up,))).answer


def test_what_was_asked_is_listed_and_small_talk_is_not() -> None:
    found = said("What did I ask so far?", state()).answer
    assert "When is high water, and what does a berth cost? (answered)" in found
    assert "Who repairs outboard motors? (open)" in found and "Thanks" not in found


def test_of_two_questions_in_the_same_words_only_the_open_one_is_listed_as_open() -> None:
    asked, meant = "And its price?", ("What does a mooring cost?", "What does a berth cost?")
    kept = state()
    records = [
        kept.turns[n].model_copy(update={"query": asked, "standalone_query": meant[n], "status": status})
        for n, status in enumerate(("UNANSWERED", "ANSWERED"))
    ]
    entry = {"question_id": "q1", "question": asked, "standalone_query": meant[0], "first_asked_turn": 1}
    open_ = (kept.ledger[0].model_copy(update=entry),)
    found = said("What did I ask so far?", state(turns=(*records, kept.turns[2]), ledger=open_)).answer
    assert f"1. {asked} (open)" in found and f"2. {asked} (answered)" in found


def test_the_first_and_the_last_question_are_picked() -> None:
    assert "outboard" not in said("What was my first question?", state()).answer
    assert "high water" not in said("What was my last question?", state()).answer


def test_a_topic_finds_its_open_question_or_the_answer_it_got() -> None:
    assert "Who repairs outboard motors?" in said("Did you find out about the motors yet?", state()).answer
    asked = said("What did I ask about the berth?", state())
    assert "what does a berth cost" in asked.answer and "motors" not in asked.answer
    kept = state(ledger=())
    found = reply(AboutTurn("Did you find out about the berth?", turn_kind("Did you find out about the berth?"), kept))
    assert BERTH in found.answer and found.cited == ("TIDE-1", "FEE-2")


def test_active_exclusions_are_listed() -> None:
    found = said("What have I ruled out so far?", state()).answer
    assert "- dogs" in found and "boats" not in found


@pytest.mark.parametrize("convention", ["source_tag", "numeric", "bare_id", "footnote"])
@pytest.mark.parametrize(
    "query",
    ["Put that in a table, please.", "As bullet points.", "as JSON please", "Convert this to CSV", "Say that again."],
)
def test_every_form_keeps_the_citations_and_passes_the_checks(query: str, convention: Convention) -> None:
    kept = answered(convention)
    found = said(query, kept)
    assert found.cited == kept.turns[0].cited
    assert all(value in found.answer for value in ("05:20", "17:45", "24"))
    fields = {"answer": found.answer, "sources": found.sources, "new_citations": (), "reused_citations": found.cited}
    assert check(registry=kept.registry, context=(), question=query, prediction=fields) == []


@pytest.mark.parametrize("convention", ["source_tag", "numeric", "bare_id", "footnote"])
def test_sources_are_named_with_their_markers_and_pass_the_checks(convention: Convention) -> None:
    kept = answered(convention)
    found = said("Where did you get that?", kept)
    assert "Tide table" in found.answer and found.cited == kept.turns[0].cited
    fields = {"answer": found.answer, "sources": found.sources, "new_citations": (), "reused_citations": found.cited}
    assert check(registry=kept.registry, context=(), question="Where?", prediction=fields) == []


def test_a_table_has_a_row_for_each_statement() -> None:
    lines = said("Put that in a table", answered()).answer.split("\n")
    assert lines[0] == "| Statement | Source |"
    assert lines[2] == f"| {TIDES} | [Source: TIDE-1] |" and lines[3] == f"| {BERTH} | [Source: FEE-2] |"


def test_a_cell_cannot_break_its_table() -> None:
    kept = answered()
    turn = kept.turns[0].model_copy(update={"answer": "A | B = 3 [Source: TIDE-1].", "cited": ("TIDE-1",)})
    assert "| A \\| B = 3 | [Source: TIDE-1] |" in said("As a table", kept.model_copy(update={"turns": (turn,)})).answer


def test_json_can_be_read() -> None:
    body = said("as JSON", answered()).answer.split("```json\n")[1].split("\n```")[0]
    assert json.loads(body)[1] == {"statement": BERTH, "sources": ["FEE-2"]}


def test_an_answer_shown_as_json_can_become_a_table_again_and_code_stays_as_it_is() -> None:
    kept = answered()
    json_ = said("as JSON", kept)
    record = TurnRecord(turn=2, kind="about_answer", query="as JSON", answer=json_.answer, cited=json_.cited)
    again = kept.model_copy(update={"turns": (*kept.turns, record)})
    assert f"| {BERTH} | [Source: FEE-2] |" in said("As a table", again).answer
    code = kept.turns[0].model_copy(update={"answer": "Run this [Source: TIDE-1]:\n\n```\ntides --all\n```"})
    found = said("As a table", kept.model_copy(update={"turns": (code,)}))
    assert "tides --all" in found.answer and [one.code for one in found.warnings] == ["not_reformatted"]


def test_small_talk_in_between_does_not_hide_the_last_answer_and_an_open_one_has_no_form() -> None:
    found = said("Put that in a table", state())  # the turn before the thanks was left open
    assert found.status == "UNANSWERED" and found.cited == ()
    thanked = answered()
    thanks = state().turns[2].model_copy(update={"turn": 2})
    assert said("Put that in a table", thanked.model_copy(update={"turns": (*thanked.turns, thanks)})).cited


def test_before_any_answer_there_is_nothing_to_show() -> None:
    for query in ("Put that in a table", "Where did you get that?", "shorter please"):
        found = said(query, state(turns=(), ledger=(), registry=CitationRegistry()))
        assert (found.answer, found.status) == (TEXTS["en"]["no_answer"], "UNANSWERED")


def test_a_rewriter_is_asked_for_what_needs_words_and_held_to_the_answer() -> None:
    asked: list[Rewrite] = []

    def short(rewrite: Rewrite) -> str:
        asked.append(rewrite)
        return "05:20 and 17:45 [Source: TIDE-1]."

    found = said("Shorter please", answered(), rewriter=short)
    assert found.answer == "05:20 and 17:45 [Source: TIDE-1].\n\nSources:\n- TIDE-1: Tide table"
    assert [one.aspect for one in asked] == ["shorter"] and asked[0].text.startswith(TIDES)
    said("In French please", answered(), rewriter=short)
    assert (asked[1].aspect, asked[1].topic) == ("language", "french")


@pytest.mark.parametrize(
    "text",
    [
        "High water is at 06:20 [Source: TIDE-1].",  # another number
        "High water is at 05:20.",  # no source
        "High water is at 05:20 [Source: TIDE-1]. It is nice there.",  # a sentence without one
        "High water is at 05:20 [Source: ELSE-9].",
        "",
        "...",
    ],
)
def test_a_rewriter_that_changes_the_answer_is_not_believed(text: str) -> None:
    found = said("Shorter please", answered(), rewriter=lambda _: text)
    assert found.answer == answered().turns[0].answer
    assert [notice.code for notice in found.warnings] == ["not_reformatted"]


def test_a_rewriter_that_fails_costs_nothing() -> None:
    def broken(_: Rewrite) -> str:
        raise RuntimeError("the LM is away")

    assert said("In French?", answered(), rewriter=broken).cited == ("TIDE-1", "FEE-2")


def test_withdrawn_and_hidden_sources_are_not_shown_again() -> None:
    kept = answered()
    entries = (kept.registry.entries[0].model_copy(update={"withdrawn": True}), kept.registry.entries[1])
    gone = kept.model_copy(update={"registry": kept.registry.model_copy(update={"entries": entries})})
    found = said("Put that in a table", gone)
    assert (found.answer, found.cited) == (TEXTS["en"]["gone"], ())
    assert "withdrawn" in said("Where did you get that?", gone).answer
    elsewhere = AccessScope(allowed={"desk": ["staff"]})
    assert said("Say that again.", kept, elsewhere).answer == TEXTS["en"]["gone"]
    found = said("Where did you get that?", kept, elsewhere)
    assert "Tide" not in found.answer and found.cited == ()


def test_small_talk_is_answered_in_its_language() -> None:
    for query, answer in (
        ("Hello!", "Hello! What would you like to know?"),
        ("Thanks a lot!", "You're welcome."),
        ("Wer bist du?", TEXTS["de"]["who"]),
        ("Merci, c'est parfait.", TEXTS["fr"]["thanks"]),
        ("ok", "All right."),
        ("Bye!", "Goodbye!"),
    ):
        assert said(query, state(), None).answer == answer


def test_the_languages_say_the_same_things() -> None:
    for language, texts in TEXTS.items():
        assert texts.keys() == TEXTS["en"].keys(), language
        for key, text in texts.items():
            assert text.count("{") == TEXTS["en"][key].count("{"), (language, key)


def test_a_question_has_no_reply_here() -> None:
    with pytest.raises(ValueError, match="question"):
        reply(AboutTurn("What is it?", turn_kind("What is it?"), state()))
