"""The golden set of expand: typed rows, a reader that names what is wrong, digests.

Shipped with the package in `golden/expand/{train,dev,test}.jsonl`; the data card beside them says how it was written.
An engineer's own set has the same shape: pass its folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ..signatures.types import DomainContext, Exclusion, Frozen, Turn
from . import _golden
from ._golden import GOLDEN, SPLITS, Demo, Problem, contains, folded
from .rows import Row

if TYPE_CHECKING:  # the forms import DSPy, rows need none
    from ..signatures.expand_forms import Form

__all__ = ["MAX_ADDED", "SPLITS", "Demo", "Gold", "GoldenRow", "digest", "folder_of", "load", "read_split", "to_demos"]

MAX_ADDED = 8
"""Added terms that a model is asked for at most; a longer gold could never be met."""
_FOLDER = GOLDEN / "expand"


class Gold(Frozen):
    """What a careful person would have searched for, and what she would have kept out.

    Attributes:
        expanded_query: A good one: the standalone query without cue and excluded phrase, then the added terms.
        negation_constraints: What is excluded after this turn, carried exclusions included, in the user's words.
        expansion_terms_added: Good added terms; each stands in `expanded_query`.
        acceptable_terms: Other good added terms; stems are allowed.
        relevant_terms: Words that an answering page is likely to hold and the query does not hold.
        vague: Whether the query rules out something that no search can (`vague_exclusion`).
    """

    expanded_query: str = Field(min_length=1)
    negation_constraints: tuple[str, ...]
    expansion_terms_added: tuple[str, ...] = Field(max_length=MAX_ADDED)
    acceptable_terms: tuple[str, ...] = ()
    relevant_terms: tuple[str, ...] = ()
    vague: bool = False


class GoldenRow(Frozen):
    """One row; `family` groups the rows of one conversation, `language` is that of the query (ISO 639-1).

    `standalone_query` is what reformulate would hand over, null where the query stands alone; `exclusions` is the state
    that an application carried here, null where it is rebuilt from the history.
    """

    id: str
    kind: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    language: str = Field(pattern="^[a-z]{2}$")
    family: str = Field(min_length=1)
    history: tuple[Turn, ...]
    query: str = Field(min_length=1)
    standalone_query: str | None = Field(default=None, min_length=1)
    domain_context: DomainContext | None = None
    exclusions: tuple[Exclusion, ...] | None = None
    gold: Gold


def load(split: str, folder: Path | None = None) -> list[GoldenRow]:
    """Read one split, validated.

    Args:
        split: "train", "dev" or "test".
        folder: Folder of `<split>.jsonl` files; the shipped set by default.

    Raises:
        InputError: No such split, or the file cannot be read.
        RowError: A bad row, with file, line and field: a field unknown, missing or of the wrong type, an exclusion
            whose words nobody said, a gold that contradicts itself.
    """
    return [row.data for row in read_split(split, folder)]


def digest(split: str, folder: Path | None = None) -> str:
    """Return the SHA-256 (hex) of a split's rows in order; white space and the order of fields do not count."""
    return _golden.digest_of(read_split(split, folder))


def to_demos(row: GoldenRow, form: Form, asked: Mapping[str, Any] | None) -> list[Demo]:
    """Turn a row into complete demos: one, or none where the program asks no LM or the gold adds nothing.

    Args:
        row: A golden row.
        form: What the model is asked for.
        asked: The inputs that the program gives its predictor for the row, None when it asks none. The same code must
            make them for the run, else the demos differ from the prompts they stand in.
    """
    known = set() if asked is None else {folded(term) for term in asked["known_terms"]}
    terms = [term for term in row.gold.expansion_terms_added if folded(term) not in known]
    if asked is None or not terms:
        return []
    if form == "terms":
        return [Demo("terms", {**asked, "terms": terms})]
    ruled_out = [phrase for phrase in row.gold.negation_constraints if contains(row.query, phrase)]
    return [Demo("exclusions", {**asked, "exclusions": ruled_out, "terms": terms})]


def folder_of(folder: Path | None) -> Path:
    """Return the folder of the splits: the one that is named, else the shipped set's."""
    return folder or _FOLDER


def read_split(split: str, folder: Path | None) -> list[Row[GoldenRow]]:
    """Read one split as `load` does, with the line and the raw fields of each row."""
    return _golden.read_split(split, folder_of(folder), GoldenRow, _problem)


def _problem(row: Row[GoldenRow]) -> Problem | None:
    return next(_problems(row.data), None)


def _problems(row: GoldenRow) -> Iterator[Problem]:
    """Find what the types cannot say."""
    gold, asked = row.gold, row.standalone_query or row.query
    for number, exclusion in enumerate(row.exclusions or ()):
        if exclusion.turn is not None and not 0 <= exclusion.turn < len(row.history):
            yield Problem(f"exclusions.{number}.turn", f"{exclusion.turn} is no index into {len(row.history)} messages")
    said = list(_said(row))
    for phrase in gold.negation_constraints:
        if not any(contains(text, phrase) for text in said):
            yield Problem("gold.negation_constraints", f"nobody said {phrase!r}")
    for term in gold.expansion_terms_added:
        if not contains(gold.expanded_query, term):
            yield Problem("gold.expansion_terms_added", f"{term!r} is not in the expanded query")
        if contains(asked, term):
            yield Problem("gold.expansion_terms_added", f"{term!r} stands in the query already")
    for term in gold.relevant_terms:
        if contains(asked, term):
            yield Problem("gold.relevant_terms", f"{term!r} stands in the query already")
    for field, texts in (
        ("expanded_query", (gold.expanded_query,)),
        ("acceptable_terms", gold.acceptable_terms),
        ("relevant_terms", gold.relevant_terms),
    ):
        for text in texts:
            for phrase in _kept_out(row):
                if contains(text, phrase):
                    yield Problem(f"gold.{field}", f"the excluded {phrase!r} stands in {text!r}")


def _said(row: GoldenRow) -> Iterator[str]:
    """Yield what an exclusion may come from; an assistant's words too: "not that one" points at what it showed."""
    yield row.query
    yield from (turn.content for turn in row.history)
    yield from (exclusion.phrase for exclusion in row.exclusions or ())


def _kept_out(row: GoldenRow) -> Iterator[str]:
    """Yield the excluded phrases and their other names by the domain context."""
    aliases = row.domain_context.aliases if row.domain_context else {}
    for phrase in row.gold.negation_constraints:
        yield phrase
        for name, others in aliases.items():
            if folded(name) == folded(phrase):
                yield from others
