"""What speaks against a decision: an answer that its passages do not bear out, or a question that they do answer."""

from __future__ import annotations

from ..metrics._ledger_evidence import Answer, CitedText, answering, open_part, shares_words, ungrounded
from ..signatures.types import OpenQuestion, Passage
from ._carry_forward_reading import named
from ._carry_forward_request import CURRENT, Asked, Decided
from ._cite_evidence import Evidence

Doubts = tuple[tuple[str, str], ...]


class Grounds:
    """The evidence of a turn, each set of passages read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[Evidence, ...], CitedText] = {}

    def doubts(self, item: Asked, entry: OpenQuestion, decided: Decided) -> Doubts:
        """Return code and message of what speaks against a decision; none for one that may stand.

        Args:
            item: The question as it was asked.
            entry: The question in the user's own words: what the user added later supports nothing.
            decided: What the model said.
        """
        cited = self._of(item.evidence)
        if decided.parts:
            return self._of_answer(item, entry, decided, cited)
        if item.place != CURRENT and answering(entry, cited):
            message = f"A passage seems to answer {named(item)}; answer it with the number of that passage."
            return (("missed_resolution", message),)
        return ()

    def _of_answer(self, item: Asked, entry: OpenQuestion, decided: Decided, cited: CitedText) -> Doubts:
        code = "current_question_lost" if item.place == CURRENT else "ungrounded_resolution"
        for part in decided.parts:
            why = ungrounded(Answer(entry.question, part.text, part.ids), cited)
            if why is not None:
                message = f"The answer to {named(item)} cannot stand: {why}."
                return (("ungrounded_resolution", message),)
        whole = Answer(entry.question, " ".join(part.text for part in decided.parts), decided.citations)
        if not shares_words(whole, cited, item.question):
            return ((code, f"The answer to {named(item)} answers something else; answer this question or none."),)
        return ()

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
