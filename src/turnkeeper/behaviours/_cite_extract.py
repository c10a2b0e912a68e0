"""The answer of cite that costs no call: the sentences of the evidence that share most words with the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..metrics._content import bases, is_function_word, terms
from ..metrics._language import identify
from ..modules._cite_evidence import Evidence
from ..signatures.cite_forms import NO_EVIDENCE

MOST = 2
"""Sentences of an extract; the second one only where it shares as much with the question as the first."""
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*")


class _Candidate(NamedTuple):
    weight: float
    number: int
    sentence: str


def extract(question: str, evidence: Sequence[Evidence]) -> str:
    """Return the best sentences with the numbers of their sources, `NO_EVIDENCE` where no word is shared.

    A word weighs the less the more documents hold it; the title counts for each sentence below it. Ties go to what the
    prompt shows first.
    """
    asked = _words(question)
    spread = Counter(word for item in evidence for word in _words(f"{item.title} {item.text}"))
    found = [
        _Candidate(_weight(asked & (_words(sentence) | _words(item.title)), spread), number, sentence)
        for number, item in enumerate(evidence, 1)
        for sentence in _SENTENCE.findall(item.text)
        if any(c.isalnum() for c in sentence)
    ]
    best = max((candidate.weight for candidate in found), default=0.0)
    if not best:
        return NO_EVIDENCE
    chosen = [candidate for candidate in found if candidate.weight == best][:MOST]
    return " ".join(f"{c.sentence.strip(' .')} [{c.number}]." for c in chosen)


def _weight(shared: frozenset[str], spread: Counter[str]) -> float:
    return sum(1 / spread[word] for word in sorted(shared))


def _words(text: str) -> frozenset[str]:
    """Return the content words of a text in one form each, whatever their inflection."""
    language = identify(text)
    return frozenset(
        min(bases(term.key, True)) if term.kind == "word" else term.key
        for term in terms(text)
        if term.kind != "negation" and not (term.kind == "word" and is_function_word(term.key, language))
    )
