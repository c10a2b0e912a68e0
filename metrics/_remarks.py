"""Remarks on the last answer that stand before the question proper: "That's cool. …", "I'll think about it. …"."""

from __future__ import annotations

from ._analysis import Analysis, is_closed
from ._reference_words import is_a

_LONGEST = 14  # words; a longer sentence says something of its own
_SPEAKER = frozenset("i let let's thanks thank sorry nice good great glad happy not".split())
_TRAIL = frozenset("too all so much before again yet either though then much both very well is was are does do".split())


def in_remark(doc: Analysis, i: int, after: int | None = None) -> bool:
    """Whether the mention from word `i` to `after` (exclusive) stands in a remark and not in the question.

    A remark is a short sentence, not the last and no question, in which the speaker reacts ("I didn't know that.",
    "Thanks for this.") or the mention itself is judged ("They look lovely.").
    """
    start, end, sentence = i, i + 1, doc.words[i].sentence
    while start > 0 and doc.words[start - 1].sentence == sentence and i - start < _LONGEST:
        start -= 1
    while end < len(doc.words) and doc.words[end].sentence == sentence and end - start <= _LONGEST:
        end += 1
    if end >= len(doc.words) or doc.words[end].sentence == sentence or "?" in doc.words[end].gap:
        return False
    while start < i and is_a(doc.low(start), "interjection", "conjunction"):
        start += 1
    stop = after or i + 1
    judged = any(is_a(doc.low(k), "evaluative") and not is_closed(doc.low(k)) for k in range(stop, end))
    if start == i:
        return judged
    if doc.low(start) not in _SPEAKER:
        return False
    reacting = doc.low(start) != "i" or any(is_a(doc.low(k), "attitude") for k in range(start, i))
    return reacting and (judged or all(doc.low(k) in _TRAIL for k in range(stop, end)))


def explained_after_colon(doc: Analysis, i: int) -> bool:
    """Whether what follows a colon says what the mention stands for: "Explain it to me: what is a black hole?"."""
    for k in range(i + 1, min(i + 9, len(doc.words))):
        word = doc.words[k]
        if ":" in word.gap:
            named = word.capital or word.quoted or is_a(word.low, "wh", "determiner") or "," in word.gap
            return not (word.quoted and doc.words[k - 1].quoted) and (named or _lists(doc, k))
    return False


def _lists(doc: Analysis, k: int) -> bool:
    return any("," in w.gap or w.low in ("or", "and") for w in doc.words[k + 1 : k + 6])


def opens_comment(doc: Analysis, i: int) -> bool:
    """Whether a bare "that" or "this" opens a remark on the last answer: "That's cool. …"."""
    word = doc.words[i]
    if (
        i
        and doc.words[i - 1].sentence == word.sentence
        and not (is_a(doc.low(i - 1), "adverb") or doc.words[i].gap.strip())
    ):
        return False
    if not (
        word.clitic == "'s"
        or is_a(doc.low(i + 1), "auxiliary")
        or doc.low(i + 1) in ("sounds", "makes", "looks", "seems", "reminds", "helps", "helped")
    ):
        return False
    end = i + 1
    while end < len(doc.words) and doc.words[end].sentence == word.sentence and end - i < 40:
        if "," in doc.words[end].gap:
            return True
        end += 1
    later = end < len(doc.words) and doc.words[end].sentence != word.sentence
    return (
        later
        or doc.low(i + 1) in ("helps", "helped")
        or any(is_a(w.low, "evaluative") and not is_closed(w.low) for w in doc.words[i + 1 : end])
    )
