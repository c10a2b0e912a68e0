"""The text of a turn: the answer to the question of now, then earlier questions that can be answered at last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._marker_types import written
from ..signatures.cite import Source
from ..signatures.types import Convention
from .result import ResolvedEntry
from .titles import one_line

SECTION = "\n\nSources:\n"
_BRACKETS = dict.fromkeys(map(ord, "[]\uff3b\uff3d\u3010\u3011"), None)
_LONGEST = 500  # characters of an earlier question that an answer quotes


class Told(NamedTuple):
    """What is shown.

    Attributes:
        answer: With markers, and one Sources section at its end where something is cited.
        sources: The section as data.
    """

    answer: str
    sources: tuple[Source, ...]


def body_of(answer: str) -> str:
    """Return an answer without its Sources section."""
    return answer.split(SECTION, 1)[0].rstrip()


def compose(answer: str, sources: Sequence[Source], resolved: Sequence[ResolvedEntry], more: Sequence[Source]) -> Told:
    """Put an answer and the questions it resolves besides into one text with one section.

    Args:
        answer: Of the question of now, or "".
        sources: What it cites.
        resolved: Earlier questions, each with an answer that carries its markers.
        more: What those answers cite.
    """
    body = body_of(answer)
    parts = [body] if body else []
    asked: dict[str, list[str]] = {}
    for one in resolved:  # what is said is not said again, and one answer to two questions is said once
        if _same(one.answer) not in _same(body):
            asked.setdefault(one.answer, []).append(_quoted(one.question))
    for told, questions in asked.items():
        several = "s" if len(questions) > 1 else ""
        parts.append(f"Your earlier question{several} {' and '.join(questions)} can be answered now: {told}")
    listed = {source.doc_id: source for source in reversed([*sources, *more])}
    kept = tuple(listed[doc_id] for doc_id in dict.fromkeys(s.doc_id for s in (*sources, *more)))
    text = "\n\n".join(parts)
    if kept and text:
        text += SECTION + "\n".join(f"- {source.doc_id}: {source.title}" for source in kept)
    return Told(text, kept)


def without_quoted(answer: str, resolved: Sequence[ResolvedEntry]) -> str:
    """Return a composed answer without the earlier questions that it quotes: the user's words are no claim of it."""
    for one in resolved:
        before, quoted, after = answer.partition(f" {_quoted(one.question)}")
        answer = before + after if quoted else answer
    return answer


def _quoted(question: str) -> str:
    """Return a question in quotes, on one line; brackets in it are no citations of the answer."""
    line = one_line(question.translate(_BRACKETS))
    return f'"{line if len(line) <= _LONGEST else line[:_LONGEST] + " ..."}"'


def _same(text: str) -> str:
    return " ".join(text.split()).casefold()


def marked(sentence: str, citations: Sequence[str], convention: Convention) -> str:
    """Return a plain sentence with its markers before the stop, in the session's convention."""
    markers = " ".join(written(doc_id, convention) for doc_id in citations)
    plain = sentence.strip()
    stop = plain[-1] if plain[-1:] in (".", "!", "?") else "."
    return f"{plain.rstrip('.!? ')} {markers}{stop}"
