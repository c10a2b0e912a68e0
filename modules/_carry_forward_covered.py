"""How far the evidence of a question speaks of what it asks: its names, numbers and content words in one passage.

A small model takes a passage on something close ("Car 9" for "Car 12", "figure skates" for "hockey skates") for the
answer. Words cannot say that a passage answers, but where they are not in it they make that unlikely; an LM that tells
probabilities is asked for so much more certainty, and a name or number that is nowhere is a doubt for every LM.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..metrics._content import Term
from ..metrics._language import identify
from ..metrics._ledger_words import Text, content
from ..metrics._sources_places import section_places, without_sections
from ._cite_evidence import Evidence

_WORDS_THAT_TELL = 3
_LIST = re.compile(r"\b\w{1,40}:\s{1,20}[-*\u2022]\s.*", re.DOTALL)  # "Sources: - K-4: Kilns", also on one line
_BRACKETS = re.compile(r"\[[^\[\]\n]{1,300}\]")


def share(asked: str, own: str, evidence: Sequence[Evidence]) -> float:
    """Return how far evidence speaks of a question, by its wording that stands alone or by the user's own.

    A passage on a whole kind ("when a rented bike breaks down") answers for one of it whose name reformulation put in.
    """
    told = Covered(own)
    return max(Covered(asked).share(evidence), told.share(evidence) if told.telling else 0.0)


class Covered:
    """A question held against passages."""

    def __init__(self, question: str) -> None:
        question = _asked(question)
        self._language = identify(question)
        self._terms = content(question)
        # German writes every noun with a capital: only its numbers tell one thing from another of its kind.
        marks = (term for term in self._terms if _marks_out(term, question))
        self._marks = tuple(t for t in marks if self._language != "de" or any(c.isdigit() for c in t.text))

    def share(self, evidence: Iterable[Evidence]) -> float:
        """Return the largest share of the content words that one passage has, in [0, 1]; 1.0 where none can be told.

        A passage in another language cannot be judged by words, and counts as one that has them all.
        """
        return max((self._share(passage) for passage in evidence), default=1.0)

    @property
    def telling(self) -> bool:
        """Whether there are enough content words for a passage that has them all to be about the question."""
        return len(self._terms) >= _WORDS_THAT_TELL

    def nowhere(self, evidence: Iterable[Evidence]) -> str | None:
        """Return a name or number of the question that none of some passages has, as it was written; else None."""
        texts = [self._text(passage) for passage in evidence]
        if not texts or None in texts:
            return None
        for term in self._marks:
            if not any(text is not None and text.touches(term, self._language) for text in texts):
                return term.text
        return None

    def _share(self, passage: Evidence) -> float:
        text = self._text(passage)
        if text is None or not self._terms:
            return 1.0
        return sum(text.touches(term, self._language) for term in self._terms) / len(self._terms)

    def _text(self, passage: Evidence) -> Text | None:
        """Return a passage's words; None for one in another language."""
        spoken = identify(passage.text)
        if self._language is not None and spoken is not None and spoken != self._language:
            return None
        return Text([passage.title, passage.text])


def _asked(question: str) -> str:
    """Return what a question asks: markers and Sources sections that a user pasted are none of it."""
    return _BRACKETS.sub(" ", _LIST.sub("", without_sections(question, section_places(question))))


def _marks_out(term: Term, question: str) -> bool:
    """Whether a term tells its subject from others of its kind: a number, or a name (no capital of a first word)."""
    if any(c.isdigit() for c in term.text):
        return True
    before = question[: term.start].rstrip(_OPENING)
    return term.kind != "number" and term.text[:1].isupper() and before[-1:] not in _ENDS


_OPENING = " \t\n([{\"'\u00ab\u00bb\u201c\u201e\u2018\u00bf\u00a1"
_ENDS = ("", ".", "?", "!", ":", ";")
