"""Replies to "what is still open", "what did I ask", "did you find out about X", "what have I ruled out"."""

from __future__ import annotations

import re

from ..metrics._ledger import find
from ..metrics._turn_kind import matching
from ..metrics._turn_words import plain
from ..sessions.state import TurnRecord
from ..signatures.types import OpenQuestion
from .about import AboutTurn, Reply
from .about_answer import shown_again
from .wording import say

_FIRST = re.compile(r"\b(?:first|erste|premiere|primera|prima)\b")
_LAST = re.compile(r"\b(?:last|previous|letzte|vorige|derniere|precedente|ultima|anterior)\b")
_ASKING = frozenset(("question", "clarification"))
_SHOWN = 500  # characters of a question that a list shows


def ledger_reply(about: AboutTurn) -> Reply:
    """Reply from ledger, history or exclusions, as the turn's aspect says."""
    aspect, topic = about.reading.aspect, about.reading.topic
    if aspect == "exclusions":
        return _excluded(about)
    if aspect == "asked":
        return _asked(about, topic)
    if aspect == "found" and topic and not _names_questions(topic):
        return _found(about, topic)
    return _open(about, list(about.state.ledger))


def _open(about: AboutTurn, questions: list[OpenQuestion]) -> Reply:
    if not questions:
        return Reply(say("open_none", about.language))
    lines = [f"{n}. {_line(about, one)}" for n, one in enumerate(questions, start=1)]
    return Reply("\n".join([say("open_some", about.language, n=len(questions)), *lines]))


def _line(about: AboutTurn, one: OpenQuestion) -> str:
    attempts = f"{one.attempts}x" if about.language == "en" else str(one.attempts)
    said = [say("since", about.language, turn=one.first_asked_turn, attempts=attempts)]
    if one.status == "unresolvable":
        said.append(say("given_up", about.language))
    if one.missing_evidence.strip():
        said.append(say("missing", about.language, what=_one_line(one.missing_evidence).rstrip(".")))
    return f"{_one_line(one.question)} ({'; '.join(said)})"


def _found(about: AboutTurn, topic: str) -> Reply:
    """Say of the questions that a topic names what is open, or show the answer that one was given."""
    ledger = list(about.state.ledger)
    places = matching(topic, [one.question for one in ledger])
    if places:
        return _open(about, [ledger[place] for place in places])
    asked = [turn for turn in about.state.turns if turn.kind in _ASKING and turn.status == "ANSWERED"]
    places = matching(topic, [turn.query for turn in asked])
    if not places:
        return Reply(say("not_open", about.language), "UNANSWERED")
    turn = asked[places[-1]]
    return shown_again(about, turn, say("answered_then", about.language, turn=turn.turn))


def _asked(about: AboutTurn, topic: str) -> Reply:
    asked = [turn for turn in about.state.turns if turn.kind in _ASKING]
    if topic and not _names_questions(topic):
        asked = [asked[place] for place in matching(topic, [turn.query for turn in asked])]
        if not asked:
            return Reply(say("asked_topic", about.language), "UNANSWERED")
    if not asked:
        return Reply(say("asked_none", about.language))
    words = plain(about.query[:400])
    whole = not about.state.turns or about.state.turns[0].turn == 1
    if _LAST.search(words):
        asked = asked[-1:]
    elif _FIRST.search(words) and whole:
        asked = asked[:1]
    head = say("asked_some", about.language) if whole else say(
        "asked_from", about.language, turn=about.state.turns[0].turn
    )  # fmt: skip
    return Reply("\n".join([head, *(f"{n}. {_told(about, turn)}" for n, turn in enumerate(asked, start=1))]))


def _told(about: AboutTurn, turn: TurnRecord) -> str:
    ledger = about.state.ledger
    entered = any((one.first_asked_turn, one.question) == (turn.turn, turn.query) for one in ledger)
    open_ = entered or find(ledger, turn.query, turn.standalone_query) is not None
    state = say("open" if open_ else "answered", about.language)
    return f"{_one_line(turn.query)} ({state})" if open_ or turn.status == "ANSWERED" else _one_line(turn.query)


def _excluded(about: AboutTurn) -> Reply:
    active = dict.fromkeys(e.phrase for e in about.state.exclusions if e.status == "active")
    if not active:
        return Reply(say("excluded_none", about.language))
    return Reply("\n".join([say("excluded_some", about.language), *(f"- {_one_line(phrase)}" for phrase in active)]))


def _names_questions(topic: str) -> bool:
    return bool({"question", "questions"} & set(topic.split()))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + " ..."
