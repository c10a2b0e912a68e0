""" "Shorter please", "in German": the last answer again, in other words, with the same citations and no new facts."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any

import pytest
from dspy.lm15 import Request, ServerError

from turnkeeper import events, load
from turnkeeper.conversation import Conversation, ConversationTurn
from turnkeeper.errors import SetupError
from turnkeeper.metrics.cite import check
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.types import Convention, Passage

from ..scripted import prompt_of
from .reading import ASK_HIRE, ASK_HOURS, LAKE, Reader, codes, lm_of

LONG = Passage(
    doc_id="LAKE-7",
    title="Boat hire",
    text="Every visitor who wants to hire a rowing boat at Brekka has to pay 14 euros an hour.",
)
SHORT = "At Brekka a rowing boat costs 14 euros an hour."
GERMAN = "Wer in Brekka ein Ruderboot mieten will, zahlt 14 Euro pro Stunde."


class Rewriting(Reader):
    """A reader that also rewrites, from a queue; an exception is raised."""

    def __init__(self, *replies: Any) -> None:
        super().__init__(facts={"rowing boat": LONG.text, "boathouse": LAKE[1].text})
        self.replies = deque(replies)

    def __call__(self, request: Request) -> str:
        prompt = prompt_of(request)
        if '{"rewritten"' not in prompt.split("\nTask:")[0]:
            return super().__call__(request)
        self.asked.append(("rewrite", prompt))
        reply = self.replies.popleft()
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else json.dumps({"rewritten": reply})


def _talk(reader: Reader, **options: Any) -> Conversation:
    talk = Conversation(MemoryStore(), **{"lm": lm_of(reader), **options})
    assert talk.turn("s", "What does a rowing boat cost?", passages=[LONG]).status == "ANSWERED"
    return talk


def _passes(talk: Conversation, told: ConversationTurn) -> None:
    state = talk.state("s")
    found = check(registry=state.registry, context=(), question=ASK_HIRE, prediction={"answer": told.answer})
    assert [violation.code for violation in found] == []


@pytest.mark.parametrize("convention", ["source_tag", "numeric", "bare_id", "footnote"])
def test_a_shorter_answer_keeps_its_source_in_the_sessions_format(convention: Convention) -> None:
    talk = _talk(Rewriting([SHORT]), convention=convention)
    before = talk.state("s")
    told = talk.turn("s", "Shorter please", passages=[])
    doc_id = before.registry.entries[0].doc_id
    marker = f"[Source: {doc_id}]" if convention == "source_tag" else f"[{doc_id}]"
    assert told.answer == f"{SHORT[:-1]} {marker}.\n\nSources:\n- {doc_id}: Boat hire"
    assert (told.kind, told.status, told.cited, told.new_citations) == ("about_answer", "ANSWERED", (doc_id,), ())
    assert codes(told) in ([], ["no_retriever"]) and told.found == () and told.open_questions == ()
    assert told.lm_calls == 1 and [step.name for step in told.steps].count("rewrite") == 1
    _passes(talk, told)
    after = talk.state("s").registry
    assert [e.doc_id for e in after.entries] == [doc_id] and after.convention == before.registry.convention


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_translation_keeps_markers_ids_numbers_and_names(way: str) -> None:
    reader = Rewriting([GERMAN])
    talk = _talk(reader)
    query = "Translate that into German."
    told = talk.turn("s", query) if way == "sync" else asyncio.run(talk.aturn("s", query))
    assert told.answer == f"{GERMAN[:-1]} [Source: LAKE-7].\n\nSources:\n- LAKE-7: Boat hire"
    assert "Translate into German." in reader.prompts("rewrite")[0]


def test_what_was_shortened_can_be_translated_and_shown_as_a_list() -> None:
    talk = _talk(Rewriting([SHORT], ["In Brekka kostet ein Ruderboot 14 Euro pro Stunde."]))
    talk.turn("s", "Shorter please")
    talk.turn("s", "Auf Deutsch bitte")
    told = talk.turn("s", "Als Liste bitte")
    assert told.answer.startswith("- In Brekka kostet ein Ruderboot 14 Euro pro Stunde [Source: LAKE-7]\n")


def test_several_sentences_keep_each_its_own_source() -> None:
    facts = {"rowing boat": LONG.text}
    text = f"{LONG.text[:-1]} [Source: LAKE-7]. The boathouse opens at 9:30 from May to September [Source: LAKE-2]."
    reader = Rewriting([SHORT, "It opens at 9:30, May to September."])
    reader.facts = facts
    talk = Conversation(MemoryStore(), lm=lm_of(reader), answerer=lambda **_: text)
    talk.turn("s", "What does a rowing boat cost, and when does the boathouse open?", passages=[LONG, *LAKE])
    told = talk.turn("s", "Shorter please")
    body = told.answer.split("\n\n")[0]
    assert body == f"{SHORT[:-1]} [Source: LAKE-7]. It opens at 9:30, May to September [Source: LAKE-2]."
    assert told.cited == ("LAKE-7", "LAKE-2")


BAD = [
    pytest.param(["At Brekka a rowing boat costs 15 euros an hour."], id="another number"),
    pytest.param(["A rowing boat costs 14 euros an hour."], id="a name is gone"),
    pytest.param(["At Brekka no rowing boat costs 14 euros an hour."], id="turned round"),
    pytest.param([SHORT, "There is also a sauna."], id="a sentence more"),
    pytest.param([], id="none"),
    pytest.param(["At Brekka a rowing boat costs 14 euros [Source: ROOT-1]."], id="a source of its own"),
    pytest.param(["At Brekka hovercraft and zeppelins cost 14 euros an hour."], id="other things"),
    pytest.param([LONG.text], id="not shorter"),
    pytest.param("I cannot do that.", id="no JSON"),
    pytest.param(ServerError("away"), id="the LM is away"),
]


@pytest.mark.parametrize("reply", BAD)
def test_what_does_not_hold_leaves_the_answer_as_it_was_with_a_warning(reply: Any) -> None:
    talk = _talk(Rewriting(reply, reply))
    last = talk.state("s").turns[-1]
    told = talk.turn("s", "Shorter please", passages=[])
    assert (told.answer, told.cited) == (last.answer, last.cited)
    assert "not_reformatted" in codes(told) and told.fallback
    assert talk.state("s").registry.entries[0].doc_id == "LAKE-7"


def test_a_second_attempt_is_told_what_was_wrong() -> None:
    reader = Rewriting(["At Brekka a rowing boat costs 15 euros an hour."], [SHORT])
    told = _talk(reader).turn("s", "Shorter please", passages=[])
    assert told.answer.startswith(SHORT[:-1]) and not told.fallback and told.lm_calls == 2
    assert "Keep the numbers" in reader.prompts("rewrite")[1]


def test_without_an_lm_the_answer_is_shown_as_it_was() -> None:
    text = f"{LONG.text[:-1]} [Source: LAKE-7]."
    talk = Conversation(MemoryStore(), reformulate=None, expand=None, carry_forward=None, answerer=lambda **_: text)
    before = talk.turn("s", ASK_HIRE, passages=[LONG])
    told = talk.turn("s", "Shorter please")
    assert told.answer == before.answer and {"no_rewriter", "not_reformatted"} <= set(codes(told))
    assert _talk(Rewriting(), rewriter=None).turn("s", "Simpler please").lm_calls == 0


def test_an_lm_that_cannot_be_had_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise SetupError("pip install something")

    talk = _talk(Rewriting())
    monkeypatch.setattr("turnkeeper.conversation.rewriting_guard", missing)
    told = talk.turn("s", "Shorter please")
    assert LONG.text[:-1] in told.answer and {"no_rewriter", "not_reformatted"} <= set(codes(told))


def test_the_lm_of_a_given_answerer_rewrites() -> None:
    reader = Rewriting([SHORT])
    guard = load("cite", lm_of(reader), program="zero-shot")
    talk = Conversation(MemoryStore(), answerer=guard, reformulate=None, expand=None, carry_forward=None)
    talk.turn("s", "What does a rowing boat cost?", passages=[LONG])
    assert talk.turn("s", "Shorter please").answer.startswith(SHORT[:-1])


def test_an_lm_of_its_own_rewrites() -> None:
    own = Rewriting([SHORT])
    talk = _talk(Rewriting(), lms={"rewrite": lm_of(own)})
    assert talk.turn("s", "Shorter please").answer.startswith(SHORT[:-1]) and own.steps() == ["rewrite"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_callable_of_the_application_rewrites_and_is_held_to_the_answer(asynchronous: bool) -> None:
    asked: list[dict[str, str]] = []
    replies = [f"{SHORT[:-1]} [Source: LAKE-7].", "14 Euro [Source: ELSE-1]."]

    def rewrite(**given: str) -> str:
        asked.append(given)
        return replies[len(asked) - 1]

    async def rewrite_later(**given: str) -> str:
        return rewrite(**given)

    talk = _talk(Rewriting(), rewriter=rewrite_later if asynchronous else rewrite)
    assert talk.turn("s", "Shorter please").answer.startswith(SHORT[:-1])
    told = talk.turn("s", "In German please")
    assert "not_reformatted" in codes(told) and told.cited == ("LAKE-7",)
    assert [(one["aspect"], one["topic"]) for one in asked] == [("shorter", ""), ("language", "german")]


def test_a_callable_that_fails_costs_nothing() -> None:
    def broken(**_: str) -> str:
        raise RuntimeError("away")

    told = _talk(Rewriting(), rewriter=broken).turn("s", "Shorter please")
    assert {"step_failed", "not_reformatted"} <= set(codes(told)) and told.cited == ("LAKE-7",)


def test_a_source_that_is_hidden_or_withdrawn_is_not_sent_to_be_rewritten() -> None:
    reader = Rewriting()
    talk = _talk(reader)
    talk.withdraw("s", "LAKE-7")
    told = talk.turn("s", "Shorter please")
    assert told.status == "UNANSWERED" and reader.prompts("rewrite") == []


def test_the_hook_and_the_scope_hold_for_what_is_rewritten() -> None:
    seen: list[Any] = []
    reader = Rewriting(["At [restricted] it costs 14 euros an hour."], ["At [restricted] it costs 14 euros an hour."])
    talk = _talk(reader, scrub=lambda text: text.replace("rowing boat", "[thing]"))
    events.set_sink(seen.append)
    try:
        told = talk.turn("s", "Shorter please", {"restricted_terms": ["Brekka"]}, passages=[])
    finally:
        events.set_sink(None)
    prompts = " ".join(reader.prompts("rewrite"))
    assert "Brekka" not in prompts and "Brekka" not in told.answer and "Brekka" not in json.dumps(seen, default=str)
    assert "rowing boat" not in prompts.rsplit("Task:", 1)[-1]


def test_a_step_emits_its_event() -> None:
    seen: list[Any] = []
    talk = _talk(Rewriting([SHORT]))
    events.set_sink(seen.append)
    try:
        talk.turn("s", "Shorter please")
    finally:
        events.set_sink(None)
    [event] = [one for one in seen if one["event"] == "rewrite"]
    assert event["original"] == "Say it in fewer words." and event["attempts"] == 1 and not event["fallback"]


def test_an_answer_in_the_wanted_language_needs_no_call() -> None:
    reader = Rewriting()
    talk = Conversation(MemoryStore(), lm=lm_of(reader), answerer=lambda **_: f"{LONG.text[:-1]} [Source: LAKE-7].")
    talk.turn("s", "What does a rowing boat cost?", passages=[LONG])
    told = talk.turn("s", "In English please")
    assert LONG.text[:-1] in told.answer and reader.prompts("rewrite") == [] and "not_reformatted" not in codes(told)


def test_other_questions_are_none_of_this() -> None:
    reader = Rewriting()
    talk = _talk(reader)
    assert talk.turn("s", ASK_HOURS, passages=LAKE).kind == "question" and reader.prompts("rewrite") == []
