"""What speaks against a decision: an answer that its passages do not bear out, or a question that they do answer."""

from __future__ import annotations

import re

from ..metrics._content import Vocabulary
from ..metrics._language import identify, unspaced
from ..metrics._ledger_evidence import Answer, CitedText, answering, shares_words, ungrounded
from ..metrics._ledger_words import content
from ..metrics._open_parts import open_part
from ..metrics._text import low_tokens
from ..signatures.types import OpenQuestion, Passage
from ._carry_forward_covered import Covered
from ._carry_forward_reading import named
from ._carry_forward_request import CURRENT, Asked, Decided
from ._cite_evidence import Evidence

Doubts = tuple[tuple[str, str], ...]
_ASKS_FOR = frozenset(
    "what who whom whose which when where why how was wer wem wen wo wann warum wie welche welcher welches wieviel "
    "qui quoi quand comment pourquoi combien quel quelle qué quién cuándo cuánto cuánta dónde".split()
)
_LETTER = re.compile(r"(?<=\w )[A-HJ-Z]\b")
_SHARE = 0.4
_WORDS_THAT_DECIDE = 3
_YES = frozenset("yes no yeah ja nein oui non sí si it this that".split())


def adds_nothing(question: str, answer: str) -> bool:
    """Whether an answer to a question for a thing, person, place, time or amount holds no word that it did not ask."""
    asked = frozenset(low_tokens(question))
    if not asked & _ASKS_FOR or unspaced(question):
        return False
    if any(match[0] not in question for match in _LETTER.finditer(answer)):
        return False  # "Room A"
    known = Vocabulary([question])
    return all(known.has(term, english=True) or term.key in _YES for term in content(answer))


def _borne_out(answer: Answer, cited: CitedText) -> bool:
    """Whether the cited passages hold enough of an answer's words, those of the question among them.

    A denial in the question's own words ("it does not open on Sundays") shares nothing that a passage about something
    else would have to hold, so support by numbers, names and new words alone would let it pass.
    """
    terms = content(answer.plain)
    read = {one.language for one in cited.evidence(answer.citations)} - {None}
    spoken = identify(answer.plain) or answer.language
    if len(terms) < _WORDS_THAT_DECIDE or (spoken is not None and read and spoken not in read):
        return True
    texts = cited.texts(answer.citations)
    held = sum(any(text.touches(term, answer.language) for text in texts) for term in terms)
    return held >= _SHARE * len(terms)


class Grounds:
    """The evidence of a turn, each set of passages read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[Evidence, ...], CitedText] = {}

    def doubts(self, item: Asked, entry: OpenQuestion, decided: Decided, own: str) -> Doubts:
        """Return code and message of what speaks against a decision; none for one that may stand.

        Args:
            item: The question as it was asked.
            entry: The question in the user's own words: what the user added later supports nothing.
            decided: What the model said.
            own: The question in the user's own words with what was added now: its names must be in what is cited.
        """
        cited = self._of(item.evidence)
        if decided.parts:
            return self._of_answer(item, entry, decided, cited, own)
        if item.place != CURRENT and answering(entry, cited):
            message = f"A passage seems to answer {named(item)}; answer it with the number of that passage."
            return (("missed_resolution", message),)
        return ()

    def _of_answer(self, item: Asked, entry: OpenQuestion, decided: Decided, cited: CitedText, own: str) -> Doubts:
        code = "current_question_lost" if item.place == CURRENT else "ungrounded_resolution"
        for part in decided.parts:
            why = ungrounded(Answer(entry.question, part.text, part.ids), cited)
            if why is not None:
                message = f"The answer to {named(item)} cannot stand: {why}."
                return (("ungrounded_resolution", message),)
        whole = Answer(entry.question, " ".join(part.text for part in decided.parts), decided.citations)
        if adds_nothing(entry.question, whole.plain):
            message = f"The answer to {named(item)} only repeats the question; say what the passage says, or nothing."
            return ((code, message),)
        if not _borne_out(whole, cited):
            message = f"The passage cited for {named(item)} is not about it; cite one that is, or say what is missing."
            return (("ungrounded_resolution", message),)
        if not shares_words(whole, cited, item.question):
            return ((code, f"The answer to {named(item)} answers something else; answer this question or none."),)
        if item.place != CURRENT and (strange := self._elsewhere(item, decided, own)) is not None:
            message = (
                f"No passage cited for {named(item)} speaks of {strange}; cite one that does, or say what is missing."
            )
            return ((code, message),)
        return ()

    def _elsewhere(self, item: Asked, decided: Decided, own: str) -> str | None:
        """Return a name or number that an open question asks about and none of the cited passages has."""
        return Covered(own).nowhere(e for e in item.evidence if e.doc_id in decided.citations)

    def left_open(self, item: Asked, entry: OpenQuestion, decided: Decided) -> str | None:
        """Return the part of a question that an answer says nothing of, or None when it answers all of it."""
        whole = Answer(entry.question, " ".join(part.text for part in decided.parts), decided.citations)
        left = open_part(whole, self._of(item.evidence))
        return None if left is None else left.rstrip(" ?.!")

    def _of(self, evidence: tuple[Evidence, ...]) -> CitedText:
        if evidence not in self._read:
            passages = [Passage(doc_id=e.doc_id, title=e.title, text=e.text) for e in evidence]
            self._read[evidence] = CitedText(passages, None, None)
        return self._read[evidence]
