"""Checks of markers and ids: form, fabricated and misspelt ids, collisions, citations in code, links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..signatures.types import CitationRegistry, Violation
from ._cite_reading import Reading, shown, violation
from ._known_sources import KnownSource, nfc, same_title
from ._marker_types import written

_NOT_A_DOCUMENT = re.compile(
    r"(?:(?:text|sub|search|vector|tool|function|doc|source)?[-_ ]?(?:chunk|passage|snippet|query|search|tool|call"
    r"|toolu|tool_call|function|result|hit|context|step|turn|node|fragment|segment|row|embedding|sub-?query|subquestion))s?"
    r"(?:[-_ :#./]?[\w-]{0,40}\d[\w-]{0,40}|[-_:#][\w-]{1,40})|turn\d+\w+\d+"
    r"|.{1,80}[#:_/-](?:chunk|passage|p|snippet|node)[-_:]?\d+",
    re.IGNORECASE,
)
_MOST_CHECKED = 60


def id_violations(reading: Reading, question: str = "") -> Iterator[Violation]:
    """Yield what is wrong with the ids that are cited, listed or named, and with how they are cited."""
    for marker in reading.markers:
        for code in marker.codes:
            yield violation(code, f"The marker {shown(marker.text)} {marker.why}.", marker.text)
    listed = [entry.doc_id for entry in reading.listed]
    named = [source.doc_id for source in reading.prediction.sources]
    unknown = [i for i in dict.fromkeys((*reading.cited, *listed, *named)) if i and i not in reading.known]
    for doc_id in unknown[:_MOST_CHECKED]:
        yield from _unknown(reading, doc_id)
    for doc_id in dict.fromkeys((*reading.cited, *listed)):
        if (source := reading.known.by_id.get(doc_id)) is not None:
            yield from _confused(reading, source)
    yield from _withheld(reading, question)
    yield from _in_code(reading)
    yield from _links(reading)
    yield from _orphans(reading)


def _unknown(reading: Reading, doc_id: str) -> Iterator[Violation]:
    near = reading.known.near(doc_id)
    if near is not None and near.hidden:
        near = None  # what today's scope hides must not be named
    if near is not None:
        hint = f"; cite {shown(near.doc_id)} exactly as it is written"
    else:
        hint = "; cite only ids that were given, exactly as they are written"
    yield violation("fabricated_id", f"No document has the id {shown(doc_id)}{hint}.", doc_id)
    if near is not None:
        message = f"{shown(doc_id)} is no id; the document is called {shown(near.doc_id)}."
        yield violation("renamed_id", message, doc_id)
    number = doc_id.removeprefix("^")
    if number.isdecimal() and reading.convention in ("numeric", "footnote"):
        numbers = [int(n) for i in reading.known.by_id if (n := i.removeprefix("^")).isdecimal() and len(n) < 10]
        if len(number) > 9 or int(number) == 0 or int(number) > max(numbers, default=0):
            message = f"There is no source {shown(doc_id)}; the highest number is {max(numbers, default=0)}."
            yield violation("out_of_range", message, doc_id)
    if _NOT_A_DOCUMENT.fullmatch(doc_id):
        message = f"{shown(doc_id)} labels a passage, a search or a tool call; cite the document's id."
        yield violation("id_kind_confusion", message, doc_id)


def _confused(reading: Reading, source: KnownSource) -> Iterator[Violation]:
    """One id for two documents, or two ids for one."""
    if source.other_titles and not source.hidden:
        message = (
            f"The id {shown(source.doc_id)} stands for {shown(source.title)} and for {shown(source.other_titles[0])}."
        )
        yield violation("id_collision", message, source.doc_id)
    if source.registered or not source.title.strip():
        return
    for other in reading.known.by_id.values():
        if not other.registered or other.hidden or not same_title(other.title, source.title):
            continue
        known_apart = other.source_id != other.doc_id or (other.texts and not _share_text(other, source))
        if reading.convention in ("numeric", "footnote") and not known_apart:
            message = f"{shown(source.title)} has the number {shown(other.doc_id)} already; keep it."
            yield violation("renumbered", message, source.doc_id)
        elif _spelled_alike(other.doc_id, source.doc_id):
            message = f"{shown(source.title)} is registered as {shown(other.doc_id)}; keep that spelling."
            yield violation("renamed_id", message, source.doc_id)


def _share_text(one: KnownSource, other: KnownSource) -> bool:
    return any(a.strip() and (a.strip() in b or b.strip() in a) for a in one.texts for b in other.texts)


def _spelled_alike(one: str, other: str) -> bool:
    return [c for c in one.casefold() if c.isalnum()] == [c for c in other.casefold() if c.isalnum()]


def _withheld(reading: Reading, question: str) -> Iterator[Violation]:
    """Names of documents that this user may not be shown, in the text itself ("according to MEMO-7, ...").

    Short ones and numbers are words like any others, and what the user wrote is no secret.
    """
    named = [i for i in sorted(reading.known.withheld) if len(i) > 3 and any(c.isalpha() for c in i)]
    if not named:
        return
    pieces, at = list[str](), 0
    for marker in reading.markers:  # markers have rules of their own
        pieces.append(reading.prose[at : marker.start])
        at = max(at, marker.end)
    text = " ".join((*pieces, reading.prose[at:]))
    for doc_id in named:
        longer = [i for i in reading.known.by_id if doc_id in i and i not in reading.known.withheld]
        for other in sorted(longer, key=len, reverse=True):  # "POL-12" is not named by "POL-12-A"
            text = text.replace(other, " ")
        if doc_id not in question and re.search(rf"(?<!\w){re.escape(doc_id)}(?!\w)", text):
            code = "stale_prior_turn_citation" if doc_id in reading.known else "fabricated_id"
            # Its name is no part of the message, which a model gets back.
            yield violation(code, "The answer names a document that may not be used any more; leave it out.")


def _in_code(reading: Reading) -> Iterator[Violation]:
    """Citations that stand in code and nowhere else: readers see brackets, and nobody sees a citation."""
    if not reading.text.codes:
        return
    loose = reading.convention in ("numeric", "bare_id")
    for code in [code for code in reading.text.codes if "[" in code.content][:_MOST_CHECKED]:
        content = code.content.strip()
        for doc_id in reading.known.by_id:
            marker = written(doc_id, reading.convention)
            if doc_id in reading.cited or marker not in content:
                continue
            alone = content == marker or (code.inline and content.replace(marker, "").strip(" []") == "")
            if alone or not loose:
                yield violation(
                    "citation_in_code", f"The citation {shown(marker)} stands in code; write it as text.", marker
                )


def _links(reading: Reading) -> Iterator[Violation]:
    for link in reading.text.links:
        label, target = nfc(link.label).strip(), nfc(link.target)
        address = label in reading.known if reading.convention == "url" else label.startswith(("http://", "https://"))
        if (address or label.startswith(("http://", "https://"))) and label.rstrip("/") != target.rstrip("/"):
            message = f"The link says {shown(label)} and leads to {shown(target)}; both must be the document's address."
            yield violation("url_mismatch", message, label)


def _orphans(reading: Reading) -> Iterator[Violation]:
    for sentence in reading.sentences:
        if not sentence.markers:
            continue
        first = sentence.markers[0]
        defines = first.start <= sentence.start and reading.prose.startswith(":", first.end)  # "[2]: https://..."
        if defines or not sentence.segments:
            marker = sentence.markers[0].text
            yield violation(
                "orphan_marker", f"The marker {shown(marker)} follows no sentence; put it behind its claim.", marker
            )


def registry_violations(registry: CitationRegistry) -> Iterator[Violation]:
    """Yield documents that stand in the registry twice, and ids that stand there for two documents."""
    by_id, by_source = dict[str, str](), dict[str, str]()
    for entry in registry.entries:
        doc_id, source_id = nfc(entry.doc_id), nfc(entry.source_id)
        if doc_id in by_id:
            code = "duplicate_source_entry" if same_title(by_id[doc_id], entry.title) else "id_collision"
            yield violation(code, f"The registry holds the id {shown(doc_id)} twice.", doc_id)
        elif source_id and by_source.get(source_id, doc_id) != doc_id:
            message = f"The registry holds the document {shown(source_id)} under two ids."
            yield violation("duplicate_source_entry", message, doc_id)
        by_id.setdefault(doc_id, entry.title)
        by_source.setdefault(source_id, doc_id)
