"""The part of a history that a prompt gets: the newest messages, and older ones that the query goes back to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._text import lemmas, tokenize
from ..signatures.types import Turn

RECENT = 6
"""Newest messages that are always kept (three exchanges)."""
RECALLED = 2
"""Older user messages, with their replies, that may be brought back."""
OPENING = 30
"""Words that the conversation's first message may have to be kept, since it often names what everything is about."""
WORDS = 60
"""Words kept of an assistant message; the newest one keeps twice as many, since lists are picked from it."""
SEARCHED = 2000
"""How many messages back an older topic is looked for: the bound that keeps a turn's cost flat."""
_CHARACTERS = 20_000

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


class Quoted(NamedTuple):
    """A message of the window: its place in the whole history, and its text as it is quoted."""

    place: int
    turn: Turn


def window(history: Sequence[Turn], query: str, *, recent: int = RECENT) -> list[Quoted]:
    """Return the messages to quote, oldest first; assistant texts are cut, lists and closing offers kept.

    A message equal to the query at the end of the history is dropped: some applications append it before they ask.
    """
    turns = list(enumerate(history))
    if turns and turns[-1][1].role == "user" and turns[-1][1].content.strip() == query.strip():
        turns.pop()
    newest, older = turns[len(turns) - recent if len(turns) > recent else 0 :], turns[: max(0, len(turns) - recent)]
    kept = sorted(_opening(older) | _recalled(older[-SEARCHED:], query) | {index for index, _ in newest})
    last = kept[-1] if kept else -1
    return [Quoted(i, _cut(history[i], WORDS * 2 if i == last else WORDS)) for i in kept]


def quote(messages: Sequence[Quoted]) -> str:
    """Render a window, one line a message, so that no message can forge another."""
    return "\n".join(f"{m.turn.role}: {' '.join(m.turn.content.split())}" for m in messages)


def _opening(older: Sequence[tuple[int, Turn]]) -> set[int]:
    """Keep the user's first message when it is short: later turns often leave out what it named."""
    first = next((turn for _, turn in older[:1] if turn.role == "user"), None)
    return {older[0][0]} if first and len(first.content[:_CHARACTERS].split()) <= OPENING else set()


def _recalled(older: Sequence[tuple[int, Turn]], query: str) -> set[int]:
    """Pick older user messages that share the query's rare words, and the replies to them."""
    if not older:
        return set()
    wanted = {lemma for token in tokenize(query[:_CHARACTERS]) if len(token.low) > 3 for lemma in lemmas(token.low)}
    shared: dict[int, set[str]] = {}
    spread: Counter[str] = Counter()
    for index, turn in older:
        if turn.role != "user":
            continue
        found = {lemma for token in tokenize(turn.content[:2000]) for lemma in lemmas(token.low)} & wanted
        if found:
            shared[index] = found
            spread.update(found)
    scores = {index: sum(1 / spread[word] for word in found) for index, found in shared.items()}
    best = sorted(scores, key=lambda index: (-scores[index], -index))[:RECALLED]
    chosen = {index for index in best if scores[index] >= 0.5 * scores[best[0]]}
    replies = {index + 1 for index in chosen if (index + 1, "assistant") in {(i, t.role) for i, t in older}}
    return chosen | replies


def _cut(turn: Turn, words: int) -> Turn:
    text = turn.content[:_CHARACTERS]
    if turn.role == "user":
        return Turn(role="user", content=" ".join(text.split()[: words * 3]))
    found = text.split()
    if len(found) <= words:
        return Turn(role=turn.role, content=" ".join(found))
    closing = [s.strip() for s in _SENTENCE.findall(text[-400:])][-1:]
    offer = f" ... {closing[0]}" if closing and closing[0].endswith("?") else " ..."
    return Turn(role=turn.role, content=" ".join(found[:words]) + offer)
