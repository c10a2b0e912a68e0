"""What carry_forward is asked in one turn: which questions need a model, on what evidence, in which calls."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..metrics._ledger import DEFAULT_POLICY, Ledger, find
from ..metrics._ledger_heard import Heard
from ..metrics._ledger_utterance import Asking
from ..signatures.carry_forward import CurrentAnswer, LedgerPolicy
from ..signatures.carry_forward_forms import MAX_ASKED
from ..signatures.types import Convention, Exclusion, OpenQuestion, Passage, Turn
from ._cite_evidence import Evidence

CURRENT = -1
"""Place of the current question, which stands in no ledger yet."""
BATCH_WORDS = 1_200
"""Words of evidence in one call: what a small window holds beside demos."""


class Asked(NamedTuple):
    """A question that a model has to decide.

    Attributes:
        place: Index into the ledger, or `CURRENT`.
        question: As the prompt shows it: made to stand alone where that is known.
        evidence: What was found for it.
    """

    place: int
    question: str
    evidence: tuple[Evidence, ...]


class Found(NamedTuple):
    """What a question is held against: passages that may be cited today.

    Attributes:
        evidence: As prompts show it.
        digest: Of the question and the whole passages; "" without any.
        failed: Whether nothing was searched, or the search failed, so that nothing may change.
        waits: Whether it was not searched because today's scope restricts it.
    """

    evidence: tuple[Evidence, ...] = ()
    digest: str = ""
    failed: bool = False
    waits: bool = False


NOT_FOUND = Found()
"""What a search gives that finds nothing."""
WAITS = Found(failed=True, waits=True)
"""What a question has that may not be searched for today: it is carried as it is."""


class Part(NamedTuple):
    """A piece of an answer with what it cites: its text, ids, and the punctuation that ends it."""

    text: str
    ids: tuple[str, ...]
    stop: str = ""


class Decided(NamedTuple):
    """What a model said of a question, read; nothing is believed yet.

    Attributes:
        place: As in `Asked`.
        parts: The answer, piece by piece; none when it gave none.
        missing: What it says no passage holds.
        doubts: Code and message of what cannot be taken as it is; a repair asks about these questions again.
    """

    place: int
    parts: tuple[Part, ...] = ()
    missing: str = ""
    doubts: tuple[tuple[str, str], ...] = ()

    @property
    def citations(self) -> tuple[str, ...]:
        """Ids that the answer cites, each once; all of the question's own evidence."""
        return tuple(dict.fromkeys(doc_id for part in self.parts for doc_id in part.ids))


class Batch(NamedTuple):
    """One call: some questions, and all their evidence, numbered once."""

    asked: tuple[Asked, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class CarryForwardRequest:
    """One turn as the program sees it.

    Attributes:
        turn: Its number, from 1.
        question: The user's words, verbatim.
        standalone: The question that can be read alone, or "".
        history: What was said before, oldest first, masked; shown only where the current question needs it.
        ledger: Before this turn; every question has an id.
        found: For each question of the ledger.
        heard: Whether the question asks something, or completes a pending one.
        found_now: For the current question.
        current: Its answer, where another step has answered it; None asks the model for it.
        barred: Whether the current question reaches beyond the scope: it is not asked and does not enter.
        exclusions: What is ruled out now; the current question keeps them for searching again.
        missing: What the current question lacks, where that other step knows.
        convention: How the session cites.
        failed: Whether the whole retrieval failed, so that nothing may change.
        policy: When a person has to look at the ledger, and when a question is given up.
        kept: Decisions of an earlier attempt that need no repair.
        feedback: Place and message of what an earlier attempt got wrong; each call is told of its own questions.
        batch_words: Words of evidence in one call.
    """

    turn: int
    question: str
    ledger: Ledger
    found: tuple[Found, ...]
    heard: Heard
    found_now: Found = NOT_FOUND
    standalone: str = ""
    history: Sequence[Turn] = ()
    current: CurrentAnswer | None = None
    barred: bool = False
    exclusions: tuple[Exclusion, ...] = ()
    missing: str = ""
    convention: Convention | None = None
    failed: bool = False
    policy: LedgerPolicy = DEFAULT_POLICY
    kept: tuple[Decided, ...] = ()
    feedback: tuple[tuple[int, str], ...] = ()
    batch_words: int = BATCH_WORDS

    @property
    def asking(self) -> Asking:
        """Whether the user asks anything in this turn; thanks and clarifications do not."""
        return self.heard.asking

    @property
    def pending(self) -> Ledger:
        """The questions that are still looked for."""
        return tuple(entry for entry in self.ledger if entry.status == "pending")

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Ids of the questions that were not searched for, or whose search failed: nobody has tried to answer them."""
        return tuple(e.question_id for e, found in zip(self.ledger, self.found, strict=True) if found.failed)

    @cached_property
    def same(self) -> int | None:
        """The place of the pending question that the current one repeats word for word, in the same meaning."""
        known = find(self.pending, self.question, self.standalone, self.exclusions)
        return None if known is None else self.ledger.index(known)

    @cached_property
    def given_up(self) -> OpenQuestion | None:
        """The question that the current one repeats word for word and that the policy has given up."""
        given_up = (entry for entry in self.ledger if entry.status == "unresolvable")
        return find(given_up, self.question, self.standalone, self.exclusions)

    @cached_property
    def completed(self) -> int | None:
        """The place of the pending question that the user's words complete ("March."): the newest one."""
        taken = self.current is not None and (self.current.status != "UNANSWERED" or self.heard.states)
        if taken or self.barred or not self.pending or not self.heard.completes:
            return None
        newest = self.ledger.index(self.pending[-1])
        return None if self.found[newest].waits else newest

    def standalone_of(self, place: int) -> str:
        """Return a pending question for searching and for prompts, with what the user added now."""
        entry = self.ledger[place]
        text = " ".join((entry.standalone_query or entry.question).split())
        return f"{text} ({' '.join(self.question.split())})" if place == self.completed else text

    def own_words(self, place: int) -> str:
        """Return a question as the user put it, with what the user added now; what reformulation put in is left out."""
        if place == CURRENT:
            return self.question
        own = self.ledger[place].question
        return f"{own} ({self.question})" if place == self.completed else own

    def digest_of(self, place: int) -> str:
        """Return the digest of what a pending question is held against now; "" when nothing was found."""
        found = self.found[place]
        return digest_with(self.standalone_of(place), found.digest) if found.evidence else ""

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """Every question that a model has to decide: pending ones whose evidence changed, then the current one."""
        pending = [
            Asked(place, self.standalone_of(place), self.found[place].evidence)
            for place, entry in enumerate(self.ledger)
            if entry.status == "pending"
            and not self.failed
            and self.found[place].evidence
            and self.digest_of(place) != entry.evidence_digest
        ]
        if not self.asks_current:
            return tuple(pending)
        text = " ".join((self.standalone or self.question).split())
        return (*pending, Asked(CURRENT, text, self.found_now.evidence))

    @property
    def asks_current(self) -> bool:
        """Whether the model has to answer the current question too."""
        asks = self.asking != "nothing" and self.same is None
        wanted = self.current is None and asks and not self.barred and not self.failed
        return wanted and bool(self.found_now.evidence)

    @property
    def to_ask(self) -> tuple[Asked, ...]:
        """What is asked in this attempt: all but what an earlier one has decided."""
        done = {decided.place for decided in self.kept}
        return tuple(item for item in self.asked if item.place not in done)

    def batches(self, most: int = MAX_ASKED) -> tuple[Batch, ...]:
        """Return the calls of this attempt, none skipping a question: at most `most` questions in each."""
        batches: list[Batch] = []
        asked: list[Asked] = []
        evidence: tuple[Evidence, ...] = ()
        for item in self.to_ask:
            together = tuple(dict.fromkeys((*evidence, *item.evidence)))
            if asked and (len(asked) == most or _words(together) > self.batch_words):
                batches.append(Batch(tuple(asked), evidence))
                asked, together = [], item.evidence
            asked.append(item)
            evidence = together
        return (*batches, Batch(tuple(asked), evidence)) if asked else ()


def evidence_digest(passages: Sequence[Passage]) -> str:
    """Return the SHA-256 (hex) of passages: ids and texts after NFC, in whatever order they were found; "" for none."""
    if not passages:
        return ""
    lines = sorted(f"{len(doc_id)}:{doc_id}{text}" for doc_id, text in {_nfc(p) for p in passages})
    return _sha256("\0".join(lines))


def digest_with(question: str, digest: str) -> str:
    """Return the digest of a question with its evidence: a question that was completed is another one."""
    return _sha256(f"{unicodedata.normalize('NFC', question)}\0{digest}")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _nfc(passage: Passage) -> tuple[str, str]:
    return unicodedata.normalize("NFC", passage.doc_id), unicodedata.normalize("NFC", passage.text)


def _words(evidence: Sequence[Evidence]) -> int:
    return sum(len(item.text.split()) for item in evidence)
