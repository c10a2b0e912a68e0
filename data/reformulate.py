"""The golden set of reformulate: typed rows, a reader that names what is wrong, digests, demos for DSPy.

Shipped with the package in `golden/reformulate/{train,dev,test}.jsonl`; the data card beside them says how it was
written. An engineer's own set has the same shape: pass its folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from ..signatures.reformulate import Action
from ..signatures.types import AccessScope, Frozen, ResolvedReference, Turn
from . import _golden
from ._golden import GOLDEN, SPLITS, Demo, Problem, contains
from .rows import Row

if TYPE_CHECKING:  # the forms import DSPy, rows need none
    from ..signatures.reformulate_forms import Form

__all__ = ["SPLITS", "Asked", "Demo", "Gold", "GoldenRow", "bare_referent", "contains", "digest", "load", "to_demos"]

_LEAD = re.compile(r"^(?:(?:in|at|on|from|to|the|an?)\s+)+(?=\S)", re.IGNORECASE)
_FOLDER = GOLDEN / "reformulate"


class Gold(Frozen):
    """What a careful person would have written.

    Attributes:
        standalone_query: The reference rewrite.
        action: "unchanged" when the query is returned as asked.
        resolved_references: The mentions of the query and what they stand for; none for ellipses.
        acceptable: Other rewrites that are as good.
        must_contain: Phrases that every good rewrite holds, see `contains`.
        must_not_contain: Phrases that give a wrong rewrite away: the distractor, the mention.
    """

    standalone_query: str = Field(min_length=1)
    action: Action
    resolved_references: tuple[ResolvedReference, ...]
    acceptable: tuple[str, ...]
    must_contain: tuple[str, ...] = Field(min_length=1)
    must_not_contain: tuple[str, ...]


class GoldenRow(Frozen):
    """One row; `family` groups the rows of one conversation, `language` is that of the query (ISO 639-1)."""

    id: str
    kind: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    language: str = Field(pattern="^[a-z]{2}$")
    family: str = Field(min_length=1)
    history: tuple[Turn, ...]
    query: str = Field(min_length=1)
    access_scope: AccessScope | None = None
    gold: Gold


class Asked(NamedTuple):
    """What a program would ask an LM for a row; the caller computes it, so that data knows no module.

    Attributes:
        predictor: The predictor that is asked, or "nothing" where rules suffice.
        history: The conversation as the prompt renders it.
        mentions: With "referents", the words of the query that are asked for, in order.
    """

    predictor: Literal["nothing", "referents", "rewrite"]
    history: str
    mentions: tuple[str, ...] = ()


def load(split: str, folder: Path | None = None) -> list[GoldenRow]:
    """Read one split, validated.

    Args:
        split: "train", "dev" or "test".
        folder: Folder of `<split>.jsonl` files; the shipped set by default.

    Raises:
        InputError: No such split, or the file cannot be read.
        RowError: A bad row, with file, line and field: a field unknown, missing or of the wrong type, a reference to a
            message that is not there, a gold that contradicts itself.
    """
    return [row.data for row in read_split(split, folder)]


def digest(split: str, folder: Path | None = None) -> str:
    """Return the SHA-256 (hex) of a split's rows in order; white space and the order of fields do not count."""
    return _golden.digest_of(read_split(split, folder))


def to_demos(row: GoldenRow, form: Form, ask: Callable[[Sequence[Turn], str, Form], Asked]) -> list[Demo]:
    """Turn a row into complete demos: one, or none where the program asks no LM or the gold says too little.

    Args:
        row: A golden row.
        form: What the model is asked for.
        ask: Says what the program would ask for a history and a query. The same code must serve the run, else the
            demos differ from the prompts they stand in.
    """
    asked = ask(row.history, row.query, form)
    if asked.predictor == "nothing" or row.gold.action == "clarify":
        return []
    # A missing field would make DSPy drop the demo or render it as incomplete, without a word.
    inputs = {"history": asked.history, "query": " ".join(row.query.split()), "correction_feedback": ""}
    if asked.predictor == "rewrite":
        return [Demo("rewrite", {**inputs, "standalone_query": row.gold.standalone_query})]
    referents = [_referent(mention, row.gold.resolved_references) for mention in asked.mentions]
    if not referents or None in referents:
        return []
    pairs = [{"mention": m, "referent": r} for m, r in zip(asked.mentions, referents, strict=True)]
    return [Demo("referents", {**inputs, "mentions": list(asked.mentions), "referents": pairs})]


def bare_referent(referent: str) -> str:
    """Return a referent without a leading article or place preposition, which need not stand in the history."""
    return _LEAD.sub("", referent)


def _referent(mention: str, references: Sequence[ResolvedReference]) -> str | None:
    """Return the gold referent of a detected mention; a detector may cut the noun phrase shorter or longer."""
    exact = [r.referent for r in references if _golden.folded(r.mention) == _golden.folded(mention)]
    found = exact or [r.referent for r in references if _overlap(r.mention, mention)]
    return found[0] if found and len(set(found)) == 1 else None


def _overlap(one: str, other: str) -> bool:
    return contains(one, other) or contains(other, one)


def folder_of(folder: Path | None) -> Path:
    """Return the folder of the splits: the one that is named, else the shipped set's."""
    return folder or _FOLDER


def read_split(split: str, folder: Path | None) -> list[Row[GoldenRow]]:
    """Read one split as `load` does, with the line and the raw fields of each row."""
    return _golden.read_split(split, folder_of(folder), GoldenRow, _problem, require=("access_scope",))


def _problem(row: Row[GoldenRow]) -> Problem | None:
    """Find what the types cannot say; the first problem, or None."""
    golden, gold = row.data, row.data.gold
    if gold.action == "unchanged" and gold.standalone_query != golden.query:
        return Problem("gold.standalone_query", "differs from the query although the action is `unchanged`")
    for number, reference in enumerate(gold.resolved_references):
        place = f"gold.resolved_references.{number}"
        if not contains(golden.query, reference.mention):
            return Problem(f"{place}.mention", f"{reference.mention!r} does not stand in the query")
        if reference.turn is not None and not 0 <= reference.turn < len(golden.history):
            return Problem(f"{place}.turn", f"{reference.turn} is no index into {len(golden.history)} messages")
        source = golden.query if reference.turn is None else golden.history[reference.turn].content
        if not contains(source, bare_referent(reference.referent)):
            return Problem(f"{place}.referent", f"{reference.referent!r} is not in the message that `turn` names")
    for text in (gold.standalone_query, *gold.acceptable):
        for phrase in gold.must_contain:
            if not contains(text, phrase):
                return Problem("gold.must_contain", f"{phrase!r} is missing in {text!r}")
        for phrase in gold.must_not_contain:
            if contains(text, phrase):
                return Problem("gold.must_not_contain", f"{phrase!r} stands in {text!r}")
    return None
