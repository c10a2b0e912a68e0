"""What a model said of numbered questions, read into decisions; nothing here believes it, and nothing raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..metrics._abstention import denies, holds_abstention
from ..signatures.carry_forward_forms import MISSING
from ..signatures.cite_forms import NO_EVIDENCE
from ._carry_forward_request import Asked, Batch, Decided, Part
from ._cite_evidence import Evidence

_HANDLES = re.compile(r"\s*\[\s*(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\s*\]")
_ENDS = re.compile(r"^\s*[.!?;,:\u3002]+")
_STOP = re.compile(r"[.!?\u3002]+$")
_NOTHING = re.compile(r"^\W*(?:none|nothing|null|nil|n/?a|empty|not applicable|nothing (?:is )?missing)?\W*$")
_MISSING = re.compile(r"\bmissing\s*:", re.IGNORECASE)
_LONGEST_MISSING = 160
_LONGEST = 2_000  # characters of one answer that are read


class _Said(NamedTuple):
    """A decision with numbers of the prompt where a `Decided` has ids; `decides` is false for one that says nothing."""

    parts: tuple[tuple[str, tuple[int, ...], str], ...]
    missing: str
    decides: bool


def read_table(batch: Batch, decisions: Any) -> tuple[Decided, ...]:
    """Return one decision for each question of a call, whatever the model left out, repeated or made up."""
    said: dict[int, list[_Said]] = {}
    for item in decisions if isinstance(decisions, (list, tuple)) else ():
        number = getattr(item, "question", None)
        if isinstance(number, int) and 1 <= number <= len(batch.asked):
            said.setdefault(number, []).append(_said(getattr(item, "answer", "")))
    return tuple(_decided(asked, batch.evidence, said.get(n, [])) for n, asked in enumerate(batch.asked, 1))


def read_single(batch: Batch, answer: Any) -> tuple[Decided, ...]:
    """Return the decision of a call that asked one question."""
    return (_decided(batch.asked[0], batch.evidence, [_said(answer)]),)


def unread(batch: Batch) -> tuple[Decided, ...]:
    """Return the decisions of a call whose answer nobody can read."""
    return tuple(undecided(asked) for asked in batch.asked)


def undecided(asked: Asked) -> Decided:
    """Return the decision on a question that the model passed over."""
    return Decided(asked.place, doubts=(("unparsable", f"Answer with the requested JSON, and decide {named(asked)}."),))


def named(asked: Asked) -> str:
    """Return a question as feedback names it."""
    text = _line(asked.question)
    return "'" + (text if len(text) <= 80 else f"{text[:77]}...") + "'"


def _said(answer: Any) -> _Said:
    text = answer[:_LONGEST] if isinstance(answer, str) else ""
    told, found, lacking = _MISSING.sub(MISSING, text, count=1).partition(MISSING)
    told, lacking = _line(told), _lacking(_MISSING.sub(" ", lacking))
    plain = _line(_HANDLES.sub("", told))
    if not any(c.isalnum() for c in plain) or _abstains(plain):
        return _Said((), lacking, bool(found) or any(c.isalnum() for c in plain))
    return _Said(_parts(told), lacking, True)


def _parts(text: str) -> tuple[tuple[str, tuple[int, ...], str], ...]:
    """Cut an answer behind each group of numbers."""
    pieces = _HANDLES.split(text)  # text, numbers, text, numbers, ..., text
    parts: list[tuple[str, tuple[int, ...], str]] = []
    for piece, handles in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        piece = _after_stop(parts, piece)
        inside = tuple(int(n) for n in re.findall(r"\d+", handles))
        if any(c.isalnum() for c in piece):
            if not inside and parts:  # words behind the last number belong to what stands before it
                before, ids, stop = parts.pop()
                piece, inside = f"{before}{stop} {piece}", ids
            body = _STOP.sub("", piece)
            parts.append((body, inside, piece[len(body) :]))
        elif inside and parts:
            before, ids, stop = parts.pop()
            parts.append((before, (*ids, *inside), stop))
    return tuple(parts)


def _after_stop(parts: list[tuple[str, tuple[int, ...], str]], piece: str) -> str:
    """Give punctuation at the start of a piece to the part before it; return the rest."""
    ends = _ENDS.match(piece)
    if ends and parts:
        text, ids, stop = parts.pop()
        parts.append((text, ids, stop or ends[0].strip()))
        return piece[ends.end() :].strip()
    return piece.strip()


def _lacking(text: str) -> str:
    line = _line(_HANDLES.sub("", text))
    return "" if _NOTHING.match(line.casefold()) or NO_EVIDENCE in line else line[:_LONGEST_MISSING].rstrip(" .")


def _abstains(answer: str) -> bool:
    bare = answer.casefold().strip(" .")
    return NO_EVIDENCE in answer or holds_abstention(answer) or denies(answer) or bool(_NOTHING.match(bare))


def _decided(asked: Asked, evidence: Sequence[Evidence], said: Sequence[_Said]) -> Decided:
    if not any(each.decides for each in said):
        return undecided(asked)
    first = said[0]
    if any(other.parts != first.parts for other in said[1:]):
        return Decided(asked.place, doubts=(("contradiction", f"Decide {named(asked)} once, not in two ways."),))
    if not first.parts:
        return Decided(asked.place, missing=first.missing)
    parts = tuple(Part(text, _ids(asked, evidence, numbers), stop) for text, numbers, stop in first.parts)
    wrong = [n for _, numbers, _ in first.parts for n in numbers if not _own(asked, evidence, n)]
    return Decided(asked.place, parts, first.missing, _doubts(asked, parts, wrong))


def _doubts(asked: Asked, parts: Sequence[Part], wrong: Sequence[int]) -> tuple[tuple[str, str], ...]:
    if wrong:
        message = f"There is no passage [{wrong[0]}] for {named(asked)}; give the number of a passage that answers it."
    elif not all(part.ids for part in parts):
        message = f"The answer to {named(asked)} has no passage number; give it, or leave the answer empty."
    else:
        return ()
    return (("ungrounded_resolution", message),)


def _ids(asked: Asked, evidence: Sequence[Evidence], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(evidence[n - 1].doc_id for n in numbers if _own(asked, evidence, n)))


def _own(asked: Asked, evidence: Sequence[Evidence], number: int) -> bool:
    """Whether a number is that of a passage found for this question; another's may be what this one rules out."""
    return 1 <= number <= len(evidence) and evidence[number - 1] in asked.evidence


def _line(text: str) -> str:
    return " ".join(text.split())
