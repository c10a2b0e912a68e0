"""Streamed turns: a script for the model, both ways to read them, and what was told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import dspy

from turnkeeper.conversation import (
    AnswerText,
    Conversation,
    ConversationTurn,
    DraftRetracted,
    DraftText,
    StreamEvent,
    TurnCommitted,
)
from turnkeeper.sessions import MemoryStore

from .reading import Reader

HIRE_TOLD = "A rowing boat costs 14 euros an hour [Source: LAKE-1]."
TWO = "A rowing boat costs 14 euros an hour [1]. The boathouse opens at 9:30 from May to September [2]."


def cite_says(*answers: Any) -> tuple[Any, ...]:
    """A script: every step by the reader, but cite says these, one a call."""
    reader, left = Reader(), list(answers)

    def reply(request: Any) -> str:
        text = reader(request)
        if reader.asked[-1][0] != "cite" or not left:
            return text
        said = left.pop(0)
        if isinstance(said, Exception):
            raise said
        return json.dumps({"answer": said})

    return (reply,) * 60


def talk_of(lm: dspy.LM, store: Any = None, **options: Any) -> Conversation:
    return Conversation(store or MemoryStore(), lm=lm, **options)


Told = list[StreamEvent]
Stream = Callable[..., Told]


def read_sync(talk: Conversation, *args: Any, **options: Any) -> Told:
    return list(talk.stream("s", *args, **options))


def read_async(talk: Conversation, *args: Any, **options: Any) -> Told:
    async def read() -> Told:
        return [event async for event in talk.astream("s", *args, **options)]

    return asyncio.run(read())


def drafts(told: Told) -> str:
    """The drafts that stand at the end."""
    text = ""
    for event in told:
        text = text + event.text if isinstance(event, DraftText) else "" if isinstance(event, DraftRetracted) else text
    return text


def final(told: Told) -> ConversationTurn:
    last = told[-1]
    assert isinstance(last, TurnCommitted)
    assert "".join(event.text for event in told if isinstance(event, AnswerText)) == last.turn.answer
    return last.turn


def retracted(told: Told) -> list[tuple[str, ...]]:
    return [event.codes for event in told if isinstance(event, DraftRetracted)]
