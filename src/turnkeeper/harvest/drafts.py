"""Draft golden rows: what the program said stands in for the gold until a person has accepted or edited it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..metrics._language import identify
from ._gold import FIELDS, GOLDS
from .reading import Recorded
from .redaction import Redactor, redacted

KIND = "harvested"


class Draft(NamedTuple):
    """A draft.

    Attributes:
        id: Of its content: the same turn has the same id in every file, so that a decision is asked for once.
        line: Of its event.
        row: The golden row as it would be written, plain JSON.
        keys: What it shares with other turns of its conversation.
        said: Codes of the rules that the recorded answer broke.
    """

    id: str
    line: int
    row: dict[str, Any]
    keys: frozenset[str]
    said: tuple[str, ...] = ()


def drafts_of(
    turns: Iterable[Recorded],
    *,
    domain: str,
    kind: str = KIND,
    redactor: Redactor | None = None,
    place: str = "events",
) -> list[Draft]:
    """Turn recorded turns of one behaviour into drafts, in order; identical turns give one.

    Args:
        turns: Of one behaviour.
        domain: What the rows are about; a person may change it row by row.
        kind: The same for the kind.
        redactor: Sees every text, after secrets are masked.
        place: Names the file in messages.

    Raises:
        InputError: The redactor failed.
    """
    found: dict[str, Draft] = {}
    for turn in turns:
        clean = _redacted(turn, redactor, f"{place}:{turn.line}")
        state = state_of(clean)
        name = "hv-" + _digest({"behaviour": clean.behaviour, **state})
        if name in found:
            continue
        row = {
            "id": name,
            "kind": kind,
            "domain": domain,
            "language": _language(clean.asked),
            "family": "",
            **state,
            "gold": GOLDS[clean.behaviour](clean),
        }
        found[name] = Draft(name, clean.line, row, _keys(clean), clean.violations)
    return _with_families(list(found.values()))


def _redacted(turn: Recorded, redactor: Redactor | None, place: str) -> Recorded:
    asked = redacted(turn.asked, redactor, place)
    history = tuple(redacted(list(turn.history), redactor, place))
    inputs, result = redacted(turn.inputs, redactor, place), redacted(turn.result, redactor, place)
    return turn._replace(asked=asked, history=history, inputs=inputs, result=result)


def state_of(turn: Recorded) -> dict[str, Any]:
    """Return the fields of a row that say what was asked; those of `turnkeeper run` are among them."""
    name = "query" if turn.behaviour in ("reformulate", "expand") else "question"
    state: dict[str, Any] = {"history": list(turn.history), name: turn.asked}
    for field, default in FIELDS[turn.behaviour].items():
        state[field] = turn.inputs.get(field, default)
    if turn.behaviour == "expand" and state["standalone_query"] == turn.asked:
        state["standalone_query"] = None
    if turn.behaviour == "carry_forward" and isinstance(state["ledger"] or [], (list, tuple)):
        state["ledger"] = [each for each in state["ledger"] or () if _is_pending(each)]
    return state


def _is_pending(entry: Any) -> bool:
    """Whether an entry of a ledger is open; what is none stays, for whoever reads the row to name it."""
    return not isinstance(entry, dict) or entry.get("status", "pending") == "pending"


def _language(text: str) -> str:
    found = identify(text)
    return found if found is not None and len(found) == 2 else "en"


def _keys(turn: Recorded) -> frozenset[str]:
    """Return what tells two turns to be of one conversation: its session, and exchanges that no two people share."""
    keys = {f"session {_digest(turn.session)}"} if turn.session else set()
    said = [*turn.history, {"role": "user", "content": turn.asked}]
    for before, message in zip([None, *said], said, strict=False):
        if message["role"] == "user" and before is not None:
            keys.add(exchange(before["content"], message["content"]))
    return frozenset(key for key in keys if key)


def exchange(reply: str, answered: str) -> str:
    """Return a key of a reply with the message that follows it, or "" when they are too short to be told by."""
    words = " ".join(f"{reply} | {answered}".casefold().split())
    return "" if len(words.split()) <= 9 else f"exchange {_digest(words)}"


def _with_families(drafts: list[Draft]) -> list[Draft]:
    """Give the drafts of one conversation one family: those that a chain of shared keys connects."""
    group = list(range(len(drafts)))

    def root(number: int) -> int:
        while group[number] != number:
            group[number] = group[group[number]]
            number = group[number]
        return number

    first: dict[str, int] = {}
    for number, draft in enumerate(drafts):
        for key in draft.keys:
            other = first.setdefault(key, number)
            one, two = sorted((root(number), root(other)))
            group[two] = one
    named = [_family(drafts, number, root(number)) for number in range(len(drafts))]
    return [draft._replace(row={**draft.row, "family": name}) for draft, name in zip(drafts, named, strict=True)]


def _family(drafts: list[Draft], number: int, first: int) -> str:
    session = next((key for key in sorted(drafts[first].keys) if key.startswith("session ")), None)
    return "hv-" + (session.removeprefix("session ") if session else _digest(drafts[first].id))[:10]


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]


def plain(row: Mapping[str, Any]) -> str:
    """Return a row as text that a person can edit."""
    return json.dumps(row, ensure_ascii=False, indent=2) + "\n"
