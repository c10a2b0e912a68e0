"""Demos of cite: golden answers as a model is to write them, with the numbers of the prompt in place of ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..signatures.cite import MAX_CLAIMS, MAX_SENTENCE, MAX_SOURCES, NO_EVIDENCE
from ._cite_markers import nfc, numbered
from ._cite_problems import HEADING
from ._golden import Demo

if TYPE_CHECKING:  # the forms import DSPy, rows need none
    from ..signatures.cite_forms import Form
    from .cite import GoldenRow

_HANDLE = re.compile(r"\[(\d{1,3})\]")
_CLAIM = re.compile(r"(?P<sentence>[^\n]+?)(?P<numbers>(?: \[\d{1,3}\])+)\.(?: |$)")


def to_demos(row: GoldenRow, form: Form, asked: Mapping[str, Any] | None, shown: Sequence[str]) -> list[Demo]:
    """Turn a row into complete demos: one, or none where the program asks no LM or the form cannot say the gold.

    "claims" puts the numbers of a sentence behind it and joins sentences by blanks, so an answer with a list, a table,
    code, numbers inside a sentence or another end than a full stop has no demo in that form.

    Args:
        row: A golden row.
        form: What the model is asked for.
        asked: The inputs that the program gives its predictor for the row, None when it asks none. The same code must
            make them for the run, else the demos differ from the prompts they stand in.
        shown: Ids of the documents in `asked`, in the order of their numbers, from 1.
    """
    if asked is None:
        return []
    text = _with_numbers(row, shown)
    if form == "handles":
        return [Demo("handles", {**asked, "answer": text})] if text else []
    claims = [] if text == NO_EVIDENCE else _claims(text)
    return [] if claims is None else [Demo("claims", {**asked, "claims": claims})]


def _with_numbers(row: GoldenRow, shown: Sequence[str]) -> str:
    """Return the gold as a model writes it; "" when it cites nothing of what is shown."""
    if row.gold.abstain:
        return NO_EVIDENCE
    body = row.gold.answer.rpartition(f"\n\n{HEADING}\n")[0]
    numbers = {doc_id: number for number, doc_id in enumerate(shown, 1)}
    cited = [source.doc_id for source in row.gold.sources]
    known = {nfc(doc_id) for doc_id in numbers}
    return numbered(body, numbers, row.registry.convention) if cited and known.issuperset(map(nfc, cited)) else ""


def _claims(text: str) -> list[dict[str, Any]] | None:
    """Return an answer's sentences with their numbers, None when it is no plain text of such sentences."""
    found, at = list[dict[str, Any]](), 0
    while match := _CLAIM.match(text, at):
        said, at = match["sentence"], match.end()
        sources = [int(number) for number in _HANDLE.findall(match["numbers"])]
        if _HANDLE.search(said) or said.endswith(".") or len(said) >= MAX_SENTENCE or len(sources) > MAX_SOURCES:
            return None
        found.append({"sentence": f"{said}.", "sources": sources})
    return found if found and at == len(text) and len(found) <= MAX_CLAIMS else None
