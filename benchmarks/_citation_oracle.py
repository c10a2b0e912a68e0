"""The judge of hostile citations: strict, and of no code that it judges.

It knows the ids that may be cited and how a marker is written. What is left of an answer when those markers are taken
out must hold nothing that a reader takes for a citation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

ABSTAINED = "I cannot find evidence to answer this question"
BRACKETS = "[]\u3010\u3011\uff3b\uff3d\u3014\u3015\u3016\u3017\uff08\uff09(){}<>\u27e6\u27e7\u2045\u2046\ufe5d\ufe5e"
_SUPERSCRIPTS = re.compile("[\u00b9\u00b2\u00b3\u2070-\u209f\u2460-\u24ff\u2776-\u2793\u2020\u2021\u203b]")
_WORDS = re.compile(r"\b(?:sources?|references?|citations?|quellen?|fuentes?|ref)\s?[:\uff1a#]", re.IGNORECASE)
_FENCE = re.compile(r"(?m)^```[^\n`]*\n(?:(?!```)[^\n]*\n)*```[ \t]*$")
_SPAN = re.compile(r"(?<!`)`[^`\n]+`(?!`)")


class Told(NamedTuple):
    """An answer as readers get it: its text, and the ids that it gives as data."""

    answer: str
    ids: tuple[str, ...]


def marker(doc_id: str, convention: str) -> str:
    return f"[Source: {doc_id}]" if convention == "source_tag" else f"[{doc_id}]"


def told(result: Any) -> Told:
    """Return what a result, or a prediction in a mapping, gives."""
    held = result if isinstance(result, Mapping) else result.model_dump()
    named = [source["doc_id"] for source in held["sources"]]
    return Told(held["answer"], (*named, *held["new_citations"], *held["reused_citations"]))


def offences(shown: Told, allowed: Mapping[str, str], convention: str, forged: Collection[str] = ()) -> list[str]:
    """Return what is wrong with an answer that passed.

    Args:
        shown: The answer.
        allowed: Ids in registry or context and in scope, with their titles.
        convention: The session's.
        forged: Names that stand for no document, or for one that must not be shown.
    """
    if shown.answer.strip(" .") == ABSTAINED:
        return [f"abstention with {doc_id}" for doc_id in shown.ids]
    found = [f"gives the id {doc_id!r}" for doc_id in shown.ids if _nfc(doc_id) not in map(_nfc, allowed)]
    body, _, section = shown.answer.rpartition("\n\nSources:\n")
    cited = {doc_id for doc_id in allowed if marker(doc_id, convention) in _outside_code(body)}
    listed = section.split("\n")
    if sorted(listed) != sorted(f"- {doc_id}: {allowed[doc_id]}".rstrip() for doc_id in cited):
        found.append(f"the section lists {listed}, and the text cites {sorted(cited)}")
    rest = _outside_code(body)
    for doc_id in sorted(cited, key=len, reverse=True):
        rest = rest.replace(marker(doc_id, convention), " ")
    found += [f"{c!r} is left in {rest[:200]!r}" for c in sorted({c for c in rest if c in BRACKETS})]
    found += [f"{m.group()!r} is left" for m in _SUPERSCRIPTS.finditer(rest)]
    found += [f"{m.group()!r} is left" for m in _WORDS.finditer(rest)]
    plain = _plain(rest)
    found += [f"names {name!r}" for name in forged if len(_plain(name)) > 3 and _plain(name) in plain]
    return found


def legitimate(before: Any, after: Any, allowed: Collection[str], answer: str) -> list[str]:
    """Return what is wrong with a registry after a turn: changed entries, and new ones that nobody cited or may see."""
    old = {e.doc_id: e for e in before.entries}
    found = [f"{i!r} is gone" for i in old if i not in {e.doc_id for e in after.entries}]
    for place, entry in enumerate(after.entries):
        if entry.doc_id in old:
            same = entry.model_copy(update={"last_turn": old[entry.doc_id].last_turn}) == old[entry.doc_id]
            kept = place < len(before.entries) and before.entries[place].doc_id == entry.doc_id
            found += [] if same and kept else [f"{entry.doc_id!r} has changed"]
        elif entry.doc_id not in allowed or f"\n- {entry.doc_id}:" not in answer:
            found.append(f"{entry.doc_id!r} is registered")
    if before.convention and after.convention != before.convention:
        found.append(f"the convention is {after.convention!r}")
    return found


def visible(entries: Iterable[Any], passages: Iterable[Any], scope: Any) -> dict[str, str]:
    """Return the ids that may be cited, with their titles: what is withdrawn, out of scope or without text is not."""
    gone = {_nfc(e.doc_id) for e in entries if e.withdrawn}
    titles: dict[str, str] = {}
    for one in (*entries, *passages):
        text = getattr(one, "snippet", None) or getattr(one, "text", "") or ""
        own = {one.doc_id, getattr(one, "source_id", one.doc_id)}
        if _nfc(one.doc_id) in gone or not text.strip() or not _permitted(one, own, text, scope):
            continue
        titles.setdefault(one.doc_id, one.title)
    return titles


def _permitted(one: Any, own: set[str], text: str, scope: Any) -> bool:
    if scope is None:
        return True
    for name, values in scope.allowed.items():
        given = one.metadata.get(name)
        held = own if given is None and name.startswith("doc_id") else set()
        if given is not None:
            held = {str(v) for v in given} if isinstance(given, (list, tuple)) else {str(given)}
        if not held & set(values):
            return False
    return not any(term.casefold() in f"{one.title} {text}".casefold() for term in scope.restricted_terms)


def _outside_code(text: str) -> str:
    return _SPAN.sub(" ", _FENCE.sub(" ", text))


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in folded if c.isalnum())


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
