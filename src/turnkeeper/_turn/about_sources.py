"""Replies to "where did you get that": the sources of the last answer, with their markers and a Sources section."""

from __future__ import annotations

import re

from ..metrics._marker_types import written
from ..metrics._turn_words import plain
from ..signatures.cite import Source
from ..signatures.types import RegisteredSource
from .about import AboutTurn, Reply
from .answer import SECTION
from .wording import say

_ALL = re.compile(r"\b(?:all|every|so far|alle|bisher|toutes|todas|tutte)\b")
_LONGEST_TITLE = 300


def sources_reply(about: AboutTurn) -> Reply:
    """Name the sources of the last answer (of all answers, where the user says so) as the session cites them.

    A source that was withdrawn since is named with that remark; one outside today's scope is not named.
    """
    everything = _ALL.search(plain(about.query[:400])) is not None
    last = about.last
    if last is None and not everything:
        return Reply(say("no_answer", about.language), "UNANSWERED")
    ids = tuple(e.doc_id for e in about.state.registry.entries) if everything or last is None else last.cited
    entries = about.sources(ids)
    if not entries:
        return Reply(say("no_source", about.language), "UNANSWERED")
    named = ", ".join(_named(about, entry) for entry in entries)
    body = say("all_sources" if everything else "rests", about.language, what=named) + "."
    sources = tuple(Source(doc_id=entry.doc_id, title=entry.title) for entry in entries)
    return Reply(body + section(sources), sources=sources)


def section(sources: tuple[Source, ...]) -> str:
    """Return the Sources section, "" for none."""
    return SECTION + "\n".join(f"- {source.doc_id}: {source.title}" for source in sources) if sources else ""


def _named(about: AboutTurn, entry: RegisteredSource) -> str:
    title = " ".join(entry.title.split())[:_LONGEST_TITLE]
    remark = f" ({say('withdrawn', about.language)})" if entry.withdrawn else ""
    quoted = f'"{title}" ' if title else ""
    return f"{quoted}{written(entry.doc_id, about.state.registry.convention)}{remark}"
