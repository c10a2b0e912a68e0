"""Replies to "put that in a table", "shorter please": the last answer in another form, with the same citations.

Tables, lists, JSON and CSV are made by code. For what needs words (shorter, simpler, another language) a rewriter may
be given; what it writes is held against the answer, and shown only when it cites nothing else and has no other number.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..metrics._cite_layout import layout
from ..metrics._cite_sentences import sentences
from ..metrics._marker_types import written
from ..metrics._markers import MarkerReader, nfc
from ..metrics._rewritten import numbers
from ..metrics._sources_places import section_places, without_sections
from ..modules._rewrite_rules import TASKS
from ..sessions.state import TurnRecord
from ..signatures.cite import Source
from ..signatures.rewrite import Cited
from ..signatures.types import CitationRegistry, Notice
from .about import ANSWERING, AboutTurn, Reply
from .about_sources import section
from .answer import body_of
from .visible import hidden_ids
from .wording import say

NOT_REFORMATTED = "not_reformatted"
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)|^ {4}\S", re.MULTILINE)  # code has no sentences to arrange
_BY_CODE = ("table", "list", "json", "csv")
_BARE = ("json", "csv")


class Rewrite(NamedTuple):
    """What a rewriter is asked: the aspect ("shorter", "language", ...), what the user named, and the answer."""

    aspect: str
    topic: str
    text: str


Rewriter = Callable[[Rewrite], str]
"""Returns the text of an answer in another form, its markers kept; may raise, and is then left out with a warning."""


def rewritable(about: AboutTurn) -> TurnRecord | None:
    """Return the answer that this turn wants in other words, or None where no rewriter has to be asked."""
    last = _in_words(about) if about.reading.aspect in TASKS else None
    if last is None or not last.cited or hidden(about, last.cited) or _FENCE.search(body_of(last.answer)):
        return None
    return last


def answer_reply(about: AboutTurn, rewriter: Rewriter | None = None) -> Reply:
    """Show the last answer in the form that the user asks for; as it is, with a warning, where that cannot be done."""
    last = _in_words(about)
    if last is None:
        return Reply(say("no_answer", about.language), "UNANSWERED")
    if not last.cited or about.reading.aspect == "repeat":
        return shown_again(about, last) if about.reading.aspect == "repeat" else _uncited(about, last)
    if hidden(about, last.cited):
        return Reply(say("gone", about.language), "UNANSWERED")
    body, aspect = body_of(last.answer), about.reading.aspect
    if aspect in _BY_CODE and not _FENCE.search(body):
        return _closed(about, last, _formed(about, body))
    rewritten = _rewritten(about, body, rewriter)
    if rewritten is not None:
        return _closed(about, last, rewritten)
    message = f"The answer could not be put in another form ({aspect}); it is shown as it was."
    return shown_again(about, last)._replace(warnings=(Notice(code=NOT_REFORMATTED, message=message),))


def shown_again(about: AboutTurn, turn: TurnRecord, head: str = "") -> Reply:
    """Return the answer of an earlier turn, unless a source of it is not available any more."""
    if hidden(about, turn.cited):
        return Reply(say("gone", about.language), "UNANSWERED")
    return _closed(about, turn, "\n".join(part for part in (head, body_of(turn.answer)) if part))


def hidden(about: AboutTurn, doc_ids: Sequence[str]) -> bool:
    """Whether one of these sources was withdrawn, or is outside today's scope."""
    return not hidden_ids(about.state.registry, about.scope).isdisjoint(doc_ids)


def statements(body: str, registry: CitationRegistry) -> list[Cited]:
    """Return the sentences of an answer, each with the ids that it cites; lead-ins without either are left out."""
    ids = frozenset(entry.doc_id for entry in registry.entries)
    text = layout(nfc(body))
    markers = MarkerReader(ids, registry.convention or "source_tag").read(text)
    prose = without_sections(text.prose, section_places(text.prose))
    found = []
    for sentence in sentences(text, prose, markers):
        cited = tuple(dict.fromkeys(doc_id for segment in sentence.segments for doc_id in segment.ids))
        words = " ".join(sentence.text.split()).strip(" |")
        if words and sentence.kind != "heading" and (cited or not words.endswith(":")):
            found.append(Cited(words, tuple(i for i in cited if i in ids)))
    return found


def _formed(about: AboutTurn, body: str) -> str:
    said = statements(body, about.state.registry)
    aspect, convention = about.reading.aspect, about.state.registry.convention
    cited = dict.fromkeys(doc_id for one in said for doc_id in one.ids)
    lead = say("same", about.language, markers=" ".join(written(i, convention) for i in cited))

    def marks(one: Cited) -> str:
        return " ".join(written(doc_id, convention) for doc_id in one.ids)

    if aspect == "table":
        rows = [f"| {_cell(one.text)} | {marks(one)} |" for one in said]
        return "\n".join([say("head", about.language), "| --- | --- |", *rows])
    if aspect == "list":
        return "\n".join(f"- {_before_stop(one.text, marks(one))}" for one in said)
    if aspect == "json":
        rows = [json.dumps({"statement": one.text, "sources": one.ids}, ensure_ascii=False) for one in said]
        return f"{lead}\n\n```json\n[\n  " + ",\n  ".join(rows) + "\n]\n```"
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [("statement", "sources"), *((o.text, " ".join(o.ids)) for o in said)]
    )
    return f"{lead}\n\n```csv\n{out.getvalue().rstrip()}\n```"


def _rewritten(about: AboutTurn, body: str, rewriter: Rewriter | None) -> str | None:
    """Return what the rewriter made of an answer, or None when it cites or counts what the answer does not."""
    if rewriter is None:
        return None
    try:
        text = rewriter(Rewrite(about.reading.aspect, about.reading.topic, body))
    except Exception:  # an LM may fail in any way; the answer is shown as it was
        return None
    if not isinstance(text, str) or not any(c.isalnum() for c in text):
        return None
    made = body_of(text)
    before = {doc_id for one in statements(body, about.state.registry) for doc_id in one.ids}
    said = statements(made, about.state.registry)
    after = {doc_id for one in said for doc_id in one.ids}
    added = numbers(" ".join(one.text for one in said)).keys() - numbers(body).keys()
    marked = all(one.ids for one in said) if before else True
    return made if after <= before and (after or not before) and marked and not added else None


def _in_words(about: AboutTurn) -> TurnRecord | None:
    """Return the last answer, or the one before it where the last is that one as JSON or CSV."""
    for turn in reversed(about.state.turns):
        as_code = turn.kind == "about_answer" and _FENCE.search(turn.answer) is not None
        if turn.kind in ANSWERING and turn.answer and not as_code:
            return turn
    return about.last


def _uncited(about: AboutTurn, last: TurnRecord) -> Reply:
    """An answer without sources was an abstention or a reply of code: there is nothing to put in another form."""
    return Reply(body_of(last.answer), "UNANSWERED")


def _closed(about: AboutTurn, turn: TurnRecord, body: str) -> Reply:
    """Return a body with the section of what it cites; the turn's own order is kept."""
    cited = {doc_id for one in statements(body, about.state.registry) for doc_id in one.ids}
    if about.reading.aspect in _BARE:  # code cites nothing by itself; the line above it does
        cited |= set(turn.cited)
    entries = {entry.doc_id: entry for entry in about.state.registry.entries}
    kept = tuple(doc_id for doc_id in turn.cited if doc_id in cited and doc_id in entries)
    sources = tuple(Source(doc_id=doc_id, title=entries[doc_id].title) for doc_id in kept)
    return Reply(body + section(sources), sources=sources)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def _before_stop(text: str, marks: str) -> str:
    if not marks:
        return text
    stop = text[-1] if text[-1:] in ".!?" else ""
    return f"{text[:-1] if stop else text} {marks}{stop}"
