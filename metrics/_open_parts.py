"""Questions of several parts: which part an answer leaves open (section 7, `partial_resolution`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ._content import Term
from ._ledger_evidence import Answer, CitedText, other_language
from ._ledger_words import Text, asks_quantity, content, distinctive, parts
from ._support import Evidence, needs

_WHO = re.compile(r"\s*(?:who|whom)\b")
_DETERMINER = re.compile(r"\b(?:the|a|an|this|that|these|those|your|our|my|their|its|his|her)\b")


def open_part(answer: Answer, cited: CitedText, *, told: bool = False) -> str | None:
    """Return the part of a question of several parts of which neither the answer nor what it cites says anything.

    Args:
        answer: To the whole question.
        cited: What it may cite.
        told: Whether a date or number that a part asks for has to stand in the answer itself.
    """
    if len(parts(answer.question)) < 2:
        return None
    own = dict(distinctive(answer.question))
    # "and how much is it?" has no word of its own, and a number answers it all the same
    read = [(part, own.get(part, ())) for part in parts(answer.question) if part in own or asks_quantity(part)]
    if len(read) < 2 or other_language(answer, cited):
        return None
    texts = [answer.words, *cited.texts(answer.citations)]
    asked = {term.key for term in content(answer.question)}
    # One number is no answer to "how many are there and how much are they?".
    scarce = len(answer.words.amounts.difference(asked)) < sum(asks_quantity(part) for part, _ in read)
    for part, terms in read:
        named = any(answer.words.touches(term, answer.language) for term in terms)
        known = named or not terms or any(text.touches(term, answer.language) for term in terms for text in texts)
        if not asks_quantity(part):
            if not known or (_WHO.match(part) and not _names_someone(answer, part, terms, texts)):
                return part.strip()
        elif not answer.words.quantity(asked, part, loose=True) or (scarce and not named):
            if told and not named:
                return part.strip()
            if not known or not any(text.quantity(asked, part, loose=True) for text in texts):
                return part.strip()
    return None


def _names_someone(answer: Answer, part: str, terms: Sequence[Term], texts: Sequence[Text]) -> bool:
    """Whether a part that asks who did something is answered: a name, or the word for what was done.

    What it was done to may stand there for another part's sake ("Who dug the pit and what did it cost?").
    """
    if answer.language not in (None, "en"):
        return True  # where every noun has a capital, names do not show
    thing = _DETERMINER.split(part)[-1]
    deeds = [term for term in terms if term.text not in thing] or terms
    if any(text.touches(term, answer.language) for term in deeds for text in texts):
        return True
    return bool(needs(answer.plain, None, Evidence([answer.question])).names)
