"""What golden sets hold already, so that no draft repeats a row, and none teaches what another split asks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..behaviours import find
from ..data._golden import SPLITS
from .drafts import exchange
from .reading import dicts

_WORD = re.compile(r"\w+")
NEAR = 0.8
"""Share of common words from which two rows of one split are the same: of what is asked, and of all that was said."""
LEAK = 0.5
"""The same for rows of two splits, over all that was said; the shipped sets are held to it."""
_FEW = 8  # different words below which a share says nothing
_LONG = 8  # words of an assistant message beyond which no two conversations hold it


class _Entry(NamedTuple):
    split: str
    where: str
    id: str
    family: str
    turn: tuple[str, ...]
    asked: frozenset[str]
    words: frozenset[str]


class Verdict(NamedTuple):
    """Whether a row may be written.

    Attributes:
        refused: Why not, "" when it may.
        family: The family it belongs to.
    """

    refused: str
    family: str


class Known:
    """Rows by what they share. `add` a set, then ask for a `verdict`."""

    def __init__(self) -> None:
        self._turns: dict[tuple[str, ...], _Entry] = {}
        self._ids: dict[str, _Entry] = {}
        self._families: dict[str, _Entry] = {}
        self._shared: dict[str, _Entry] = {}
        self._holding: defaultdict[str, list[_Entry]] = defaultdict(list)

    def add_set(self, behaviour: str, folder: Path | None, name: str) -> None:
        """Add the splits of a golden set that are there.

        Raises:
            RowError: A bad row; file, line and field are named.
        """
        load = find(behaviour).load
        for split in SPLITS:
            if folder is None or (folder / f"{split}.jsonl").is_file():
                for row in load(split, folder):
                    self.add(row.model_dump(mode="json"), split, f"{name} {split}")

    def add(self, row: Mapping[str, Any], split: str, where: str) -> None:
        """Add one row."""
        entry = _entry(row, split, where)
        self._ids.setdefault(entry.id, entry)
        self._turns.setdefault(entry.turn, entry)
        self._families.setdefault(entry.family, entry)
        for key in _shared(row):
            self._shared.setdefault(key, entry)
        for word in entry.asked:
            self._holding[word].append(entry)

    def verdict(self, row: Mapping[str, Any], split: str) -> Verdict:
        """Say whether a row may enter a split, and in which family: that of its conversation where it is known."""
        entry = _entry(row, split, "")
        family = entry.family
        there = self._turns.get(entry.turn)
        if there is not None:
            return Verdict(f"the same turn is in {there.where} already ({there.id})", family)
        if entry.id in self._ids:
            return Verdict(f"its id is in {self._ids[entry.id].where} already", family)
        conversations = [self._shared[key] for key in _shared(row) if key in self._shared]
        conversations += [self._families[family]] if family in self._families else []
        for other in conversations:
            if other.split != split:
                return Verdict(f"its conversation is in {other.where} ({other.id}), and splits share none", family)
        if conversations:
            family = conversations[0].family
        return Verdict(self._near(entry), family)

    def _near(self, entry: _Entry) -> str:
        seen: set[int] = set()
        for word in entry.asked or frozenset(("",)):
            for other in self._holding.get(word, ()):
                if id(other) in seen:
                    continue
                seen.add(id(other))
                whole = _share(entry.words, other.words)
                if other.split != entry.split and whole > LEAK and len(entry.words | other.words) > _FEW:
                    return f"it is too near to a row of {other.where} ({other.id})"
                if other.split == entry.split and whole >= NEAR and _share(entry.asked, other.asked) >= NEAR:
                    return f"nearly the same turn is in {other.where} already ({other.id})"
        return ""


def _entry(row: Mapping[str, Any], split: str, where: str) -> _Entry:
    asked = str(row.get("query") or row.get("question") or "")
    said = [f"{turn['role']}: {turn['content']}" for turn in row["history"]]
    words = _words(asked).union(*(_words(turn["content"]) for turn in row["history"]))
    turn = (*(_folded(text) for text in said), _folded(asked), *_given(row))
    return _Entry(split, where, str(row["id"]), str(row["family"]), turn, _words(asked), words)


def _given(row: Mapping[str, Any]) -> Iterable[str]:
    """Yield the rest of what a turn was asked with: another passage makes another turn."""
    for passage in dicts(row.get("context")):
        yield f"passage {passage.get('doc_id')} {_folded(str(passage.get('text')))}"
    for question in dicts(row.get("ledger")):
        yield f"open {_folded(str(question.get('question')))}"


def _shared(row: Mapping[str, Any]) -> list[str]:
    """Return what only turns of one conversation share: exchanges, and replies that are long enough."""
    asked = {"role": "user", "content": str(row.get("query") or row.get("question") or "")}
    said = [*row["history"], asked]
    keys = [
        exchange(before["content"], message["content"])
        for before, message in pairwise(said)
        if message["role"] == "user"
    ]
    keys += [
        f"reply {_folded(turn['content'])}"
        for turn in row["history"]
        if turn["role"] == "assistant" and len(turn["content"].split()) > _LONG
    ]
    return [key for key in keys if key]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
