"""Checks of the Sources section and of the fields that repeat what the answer cites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..signatures.types import Violation
from ._cite_reading import Reading, shown, violation
from ._known_sources import same_title, title_key
from ._sources_section import title_agrees


def listing_violations(reading: Reading, *, needed: bool) -> Iterator[Violation]:
    """Yield what is wrong with the section, `sources`, `new_citations` and `reused_citations`.

    Args:
        reading: The prediction.
        needed: Whether the answer must have a section: it cites, or claims what it should cite.
    """
    yield from _section(reading, needed=needed)
    yield from _duplicates(reading)
    yield from _titles(reading)
    yield from _agreement(reading)
    yield from _new_and_reused(reading)


def _section(reading: Reading, *, needed: bool) -> Iterator[Violation]:
    places, listed = reading.places, reading.listed
    if needed and not listed:
        message = 'End the answer with a line "Sources:" and a line "- ID: Title" for each cited id.'
        yield violation("missing_sources_section", message)
    elif places and not all(place.exact for place in places):
        heading = reading.text.text[places[0].start :].split("\n", 1)[0]
        message = 'The heading of the section must be a line of its own, exactly "Sources:".'
        yield violation("missing_sources_section", message, heading)
    elif places and reading.prose[places[-1].end :].strip():
        message = "Text follows the Sources section; the section must come last."
        yield violation("missing_sources_section", message, reading.prose[places[-1].end :].strip())
    if len(places) > 1:
        message = f"There are {len(places)} Sources sections; leave only one, with the ids cited in this answer."
        yield violation("duplicate_sources_section", message)
    ids = {entry.doc_id for entry in listed}
    for doc_id in reading.cited:
        if doc_id not in ids and (places or needed):
            message = f"{shown(doc_id)} is cited and not listed under Sources."
            yield violation("cited_not_listed", message, doc_id)
    for entry in listed:
        if not entry.exact:
            message = f'The line {shown(entry.line)} must have the form "- ID: Title".'
            yield violation("sources_mismatch", message, entry.line)
        elif entry.doc_id not in reading.cited:
            message = f"{shown(entry.doc_id)} is listed under Sources and not cited; list cited ids only."
            yield violation("sources_mismatch", message, entry.doc_id)


def _duplicates(reading: Reading) -> Iterator[Violation]:
    named = [source.doc_id for source in reading.prediction.sources]
    for ids in (*([entry.doc_id for entry in section] for section in reading.sections), named):
        for doc_id, count in Counter(ids).items():
            if count > 1:
                yield violation("duplicate_source_entry", f"{shown(doc_id)} is listed {count} times.", doc_id)
    by_title = dict[str, list[str]]()
    for source in reading.known.evidence():
        by_title.setdefault(title_key(source.title), []).append(source.doc_id)
    listed = {entry.doc_id for entry in reading.listed}
    for entry in reading.listed:
        owners = by_title.get(title_key(entry.title), []) if entry.title else []
        if not owners or entry.doc_id in owners:
            continue
        if not listed.isdisjoint(owners):
            message = f"{shown(entry.title)} is listed as {shown(owners[0])} and as {shown(entry.doc_id)}."
            yield violation("duplicate_source_entry", message, entry.doc_id)
        if reading.convention in ("numeric", "footnote") and entry.doc_id.removeprefix("^").isdecimal():
            message = f"{shown(entry.title)} has the number {shown(owners[0])}, not {shown(entry.doc_id)}."
            yield violation("renumbered", message, entry.doc_id)
        elif entry.doc_id not in reading.known:
            message = f"{shown(entry.title)} has the id {shown(owners[0])}, not {shown(entry.doc_id)}."
            yield violation("renamed_id", message, entry.doc_id)


def _titles(reading: Reading) -> Iterator[Violation]:
    for entry in reading.listed:
        source = reading.known.by_id.get(entry.doc_id)
        if source is not None and not source.hidden and not title_agrees(entry.title, source.title):
            message = f"The title of {shown(entry.doc_id)} is {shown(source.title)}, not {shown(entry.title)}."
            yield violation("sources_mismatch", message, entry.line)
    for named in reading.prediction.sources:
        source = reading.known.by_id.get(named.doc_id)
        shown_title = source is not None and not source.hidden and bool(named.title and source.title)
        if source is not None and shown_title and not same_title(named.title, source.title):
            message = f"The title of {shown(named.doc_id)} in `sources` must be {shown(source.title)}."
            yield violation("sources_mismatch", message, named.title)


def _agreement(reading: Reading) -> Iterator[Violation]:
    if "sources" not in reading.given:
        return
    section, field = {entry.doc_id for entry in reading.listed}, {s.doc_id for s in reading.prediction.sources}
    for doc_id in sorted(section ^ field):
        there, lacking = (
            ("the Sources section", "`sources`") if doc_id in section else ("`sources`", "the Sources section")
        )
        yield violation("sources_mismatch", f"{shown(doc_id)} stands in {there} and not in {lacking}.", doc_id)


def _new_and_reused(reading: Reading) -> Iterator[Violation]:
    registered = {s.doc_id for s in reading.known.by_id.values() if s.registered}
    cited = set(reading.cited)
    wanted = {"new_citations": cited - registered, "reused_citations": cited & registered}
    for name, right in wanted.items():
        if name not in reading.given:
            continue
        claimed = set(getattr(reading.prediction, name))
        for doc_id in sorted(claimed ^ right):
            verb = "leave out" if doc_id in claimed else "add"
            message = f"`{name}` is wrong: {verb} {shown(doc_id)}."
            yield violation("new_reused_misclassified", message, doc_id)
    for doc_id in sorted(cited - set(reading.known.by_id)):
        near = reading.known.near(doc_id)
        if near is not None and near.registered and doc_id in reading.prediction.new_citations:
            message = f"{shown(doc_id)} is not new: the document is registered as {shown(near.doc_id)}."
            yield violation("new_reused_misclassified", message, doc_id)
