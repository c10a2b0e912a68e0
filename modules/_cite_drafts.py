"""The draft of an answer: as many of its sentences, from the first on, as pass every check together.

What is shown early is held to what is shown at last: a beginning of the answer is released when it would pass as the
whole answer, Sources section included.
"""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

from ..metrics._markers import nfc
from ._cite_best_effort import MOST_CHARACTERS, MOST_SENTENCES, Standard, passing, read_answer
from ._cite_render import from_claims, rendered

_BEGIN = re.compile(
    r'"(?P<json>answer|claims)"\s{0,8}:\s{0,8}|\[\[ ## (?P<chat>answer|claims) ## \]\]\s{0,8}'
    r"|<(?P<xml>answer|claims)>\s{0,8}"
)
_ENDS = {"chat": "[[ ##", "xml": "</answer>"}
_MAY_END = re.compile('[.!?\\n}\\]"\u2026\u061f\u3002\uff01\uff1f]')
_INSIDE = re.compile(r'(?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*')
_MOST_READ = 3 * MOST_CHARACTERS
_BRACKETS = ("[", "(", "\u3010")
_SECTION = "\n\nSources:\n"


class CiteDraft:
    """Reads one reply of cite, of either form and any adapter, as it is written; never raises on what it holds.

    Args:
        standard: What the answer is held against.
    """

    def __init__(self, standard: Standard) -> None:
        self._standard = standard
        self._raw = ""
        self._text = ""
        self._shown = ""
        self._tried = 0
        self._due = False

    def feed(self, piece: str) -> str:
        """Take the next piece of the reply, and return the sentences that can be shown now, "" for none."""
        if len(self._raw) > _MOST_READ:
            return ""
        self._raw += piece
        ends = [match.end() for match in _MAY_END.finditer(piece)]
        self._due = self._due or bool(ends)
        if not self._due:
            return ""
        # Only what follows the end of a sentence tells that it is one.
        self._due = not any(map(str.isalnum, piece[ends[-1] if ends else 0 :]))
        text, whole = written(self._raw)
        if text == self._text and not whole:
            return ""
        self._text = text
        told = rendered(text, self._standard.found, self._standard.registry.convention)
        if told.unknown:
            return ""
        body = nfc(told.answer.rsplit(_SECTION, 1)[0])
        if not body.startswith(self._shown) or len(body) > MOST_CHARACTERS:
            return ""
        ready = self._passing(body, whole)
        new, self._shown = ready[len(self._shown) :], ready
        return new

    def _passing(self, body: str, whole: bool) -> str:
        """Return the longest beginning of whole sentences that passes, at least what is shown already."""
        reading = read_answer(self._standard, body)
        sentences = reading.sentences[:MOST_SENTENCES] if reading is not None else ()
        done = sentences if whole else sentences[:-1]
        if done and not whole and body[done[-1].end :].lstrip().startswith(_BRACKETS):
            done = done[:-1]  # a marker behind the full stop still belongs to it
        for sentence in reversed(done):
            if sentence.end <= max(len(self._shown), self._tried):
                break
            if passing(self._standard, body[: sentence.end], {}) is not None:
                return body[: sentence.end]
        self._tried = done[-1].end if done else self._tried
        return self._shown


def written(raw: str) -> tuple[str, bool]:
    """Return the answer that the beginning of a reply holds, its sources as numbers, and whether that ends a sentence.

    Args:
        raw: The reply so far: JSON, or fields of the chat or the XML adapter.
    """
    begin = _BEGIN.search(raw)
    if begin is None:
        return "", False
    kind = next(name for name, value in begin.groupdict().items() if value)
    rest = raw[begin.end() :]
    if begin[kind] == "claims":
        return from_claims(_claims(rest)), True
    if kind == "json":
        return _string(rest)
    text, end, _ = rest.partition(_ENDS[kind])
    return text, bool(end)


def _string(rest: str) -> tuple[str, bool]:
    """Return the beginning of a JSON string, and whether it is all of it."""
    if not rest.startswith('"'):
        return "", False
    inside = _INSIDE.match(rest, 1)
    content = inside.group() if inside is not None else ""
    try:
        text = json.loads(f'"{content}"', strict=False)
    except ValueError:
        return "", False
    clean = str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return clean, rest[1 + len(content) : 2 + len(content)] == '"'


def _claims(rest: str) -> list[Any]:
    """Return the claims of a JSON list that are whole."""
    found, decoder, at = list[Any](), json.JSONDecoder(strict=False), rest.find("[") + 1
    while at and len(found) < MOST_SENTENCES:
        while at < len(rest) and rest[at] in " \t\r\n,":
            at += 1
        try:
            claim, at = decoder.raw_decode(rest, at)
        except (ValueError, RecursionError):
            break
        if not isinstance(claim, dict):
            break
        sources = claim.get("sources")
        found.append(
            SimpleNamespace(sentence=claim.get("sentence"), sources=sources if isinstance(sources, list) else [])
        )
    return found
