"""The ledger of open questions (design section 7): merge, enter, carry, resolve. Pure; nobody loses a question here.

What a model decides comes in as ids to resolve and as words on what is missing. The wording, the ids, the first turn
and the counters are code's alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..signatures.carry_forward import LedgerPolicy
from ..signatures.types import Exclusion, OpenQuestion
from ._near_duplicates import near, ruled_out

Ledger = tuple[OpenQuestion, ...]
DEFAULT_POLICY = LedgerPolicy()
_END = ".?!\u2026\u3002\uff1f\uff01\u061f\u037e;,: "


class Asked(NamedTuple):
    """The question of this turn when it stays open.

    Attributes:
        question: The user's words, verbatim.
        missing_evidence: What would have to be found.
        standalone_query: The question for searching again.
        exclusions: What is ruled out when it is asked; None where that is not known.
        evidence_digest: Digest of the evidence that it was held against.
    """

    question: str
    missing_evidence: str
    standalone_query: str = ""
    exclusions: tuple[Exclusion, ...] | None = None
    evidence_digest: str = ""


class LedgerTurn(NamedTuple):
    """What a turn makes of the ledger.

    Attributes:
        ledger: After the turn.
        human_review: Whether a person has to look at it: a state.
        raised: Whether one of the conditions for it began in this turn: the time of its one alert.
        resolved: Ids that left the ledger.
        entered: Id of the question that entered, or None; an id of before when it merged.
        unresolvable: Ids that the policy gave up in this turn.
    """

    ledger: Ledger
    human_review: bool
    raised: bool = False
    resolved: tuple[str, ...] = ()
    entered: str | None = None
    unresolvable: tuple[str, ...] = ()


def normal(question: str) -> str:
    """Return the form under which two questions are one: NFC, case folded, single spaces, no end punctuation.

    Every digit, negation and question word is kept, and so is all punctuation within.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", question).casefold())
    plain = " ".join(folded.split())
    return plain.rstrip(_END).lstrip("\u00bf\u00a1 ") or plain


def find(
    ledger: Iterable[OpenQuestion], question: str, standalone: str = "", exclusions: Sequence[Exclusion] | None = None
) -> OpenQuestion | None:
    """Return the question of the ledger that is the same by exact match after `normal`, the oldest first.

    The same words ("And its price?") are another question where they are known to ask for something else.

    Args:
        ledger: Open questions.
        question: The user's words.
        standalone: The same, for searching; "" where that is not known.
        exclusions: What is ruled out now; None where that is not known.
    """
    same = [entry for entry in _worded(ledger, question) if not _asks_another(entry, standalone, exclusions)]
    surely = (entry for entry in same if standalone and normal(entry.standalone_query) == normal(standalone))
    return next(surely, same[0] if same else None)


def without_namesakes(
    ledger: Iterable[OpenQuestion], question: str, standalone: str = "", exclusions: Sequence[Exclusion] | None = None
) -> Ledger:
    """Return a ledger without the questions in the same words that ask for something else; arguments as for `find`."""
    wanted = normal(question)
    return tuple(
        entry for entry in ledger
        if normal(entry.question) != wanted or not _asks_another(entry, standalone, exclusions)
    )  # fmt: skip


def _worded(ledger: Iterable[OpenQuestion], question: str) -> Ledger:
    wanted = normal(question)
    return tuple(entry for entry in ledger if entry.status != "resolved" and normal(entry.question) == wanted)


def _asks_another(entry: OpenQuestion, standalone: str, exclusions: Sequence[Exclusion] | None) -> bool:
    """Whether an entry is known to search for something else, or under other exclusions."""
    if not entry.standalone_query.strip():
        return False
    if standalone.strip() and normal(entry.standalone_query) != normal(standalone):
        return True
    return exclusions is not None and ruled_out(entry.exclusions) != ruled_out(exclusions)


def with_ids(ledger: Iterable[OpenQuestion]) -> Ledger:
    """Return the ledger with an id for every question that has none or a taken one; given ids never change."""
    entries = list(ledger)
    given = {entry.question_id for entry in entries}
    taken, found = set[str](), list[OpenQuestion]()
    for entry in entries:
        if not entry.question_id or entry.question_id in taken:
            fresh = _free(entry.first_asked_turn, given | taken)
            entry = entry.model_copy(update={"question_id": fresh})
        taken.add(entry.question_id)
        found.append(entry)
    return tuple(found)


def _free(turn: int, taken: Collection[str]) -> str:
    """Return an id of the turn in which a question was asked; at most one question enters a turn, so it is new."""
    name, n = f"q{turn}", 2
    while name in taken:
        name, n = f"q{turn}-{n}", n + 1
    return name


def after_turn(
    ledger: Ledger,
    *,
    turn: int,
    resolved: Collection[str] = (),
    missing: Mapping[str, str] | None = None,
    digests: Mapping[str, str] | None = None,
    asked: Asked | None = None,
    uncounted: Collection[str] = (),
    policy: LedgerPolicy = DEFAULT_POLICY,
) -> LedgerTurn:
    """Return the ledger after a turn that went well: resolved ones leave, every other one is carried, one may enter.

    Args:
        ledger: Before the turn; questions without an id get one.
        turn: Number of this turn, from 1.
        resolved: Ids of the questions that were answered with a citation. Unknown ids change nothing.
        missing: Id to what is still missing; a question without an entry, or with a blank one, keeps its words.
        digests: Id to the digest of the evidence that it was held against in this turn.
        asked: The question of this turn when it stays open. What `find` takes for the same merges: the question of
            before is carried; and so does one in nearly the same words where the policy says so.
        uncounted: Ids that were not searched for, or whose search failed: carried as they are, without an attempt.
        policy: Thresholds of review, and when a question is given up.
    """
    before = with_ids(ledger)
    gone = tuple(entry.question_id for entry in before if entry.question_id in set(resolved))
    kept, given_up = list[OpenQuestion](), list[str]()
    for entry in before:
        if entry.question_id in gone:
            continue
        if entry.question_id not in uncounted and entry.status == "pending":
            entry = _carried(entry, (missing or {}).get(entry.question_id), (digests or {}).get(entry.question_id))
            entry = _within(entry, policy, given_up)
        kept.append(entry)
    entered = None
    if asked is not None:
        same = find(kept, asked.question, asked.standalone_query, asked.exclusions)
        if same is None and policy.near_duplicates:
            same = near(kept, asked.question, asked.standalone_query, asked.exclusions or ())
        if same is None:
            fresh = _within(_entered(asked, turn, {entry.question_id for entry in before}), policy, given_up)
            kept.append(fresh)
            entered = fresh.question_id
        else:
            entered = same.question_id
    after = tuple(kept)
    state, raised = _review(before, after, turn, policy)
    return LedgerTurn(after, state, raised, gone, entered, tuple(given_up))


def after_failure(ledger: Ledger, *, turn: int, policy: LedgerPolicy = DEFAULT_POLICY) -> LedgerTurn:
    """Return the ledger after a turn that failed, or whose retrieval did: the very same one; only ages have grown."""
    return LedgerTurn(ledger, *_review(ledger, ledger, turn, policy))


def needs_review(ledger: Iterable[OpenQuestion], turn: int, policy: LedgerPolicy = DEFAULT_POLICY) -> bool:
    """Whether a person has to look: too many open, one too old, or one given up (a state, true until all three end)."""
    return any(_conditions(ledger, turn, policy))


def _conditions(ledger: Iterable[OpenQuestion], turn: int, policy: LedgerPolicy) -> tuple[bool, bool, bool]:
    """Return whether too many are open, one is too old, and one is given up; what is given up is not open any more."""
    entries = list(ledger)
    pending = [entry for entry in entries if entry.status == "pending"]
    return (
        len(pending) >= policy.review_open,
        any(age(entry, turn) > policy.review_age for entry in pending),
        any(entry.status == "unresolvable" for entry in entries),
    )


def _review(before: Ledger, after: Ledger, turn: int, policy: LedgerPolicy) -> tuple[bool, bool]:
    """Return the state after a turn, and whether one of its conditions began in it, whatever held before."""
    was, now = _conditions(before, turn - 1, policy), _conditions(after, turn, policy)
    return any(now), any(holds and not held for held, holds in zip(was, now, strict=True))


def age(entry: OpenQuestion, turn: int) -> int:
    """Return the age of a question in turns."""
    return turn - entry.first_asked_turn


def _carried(entry: OpenQuestion, missing: str | None, digest: str | None) -> OpenQuestion:
    changed: dict[str, object] = {"attempts": entry.attempts + 1}
    if missing is not None and missing.strip():
        changed["missing_evidence"] = missing
    if digest is not None:
        changed["evidence_digest"] = digest
    return entry.model_copy(update=changed)


def _within(entry: OpenQuestion, policy: LedgerPolicy, given_up: list[str]) -> OpenQuestion:
    """Return a question, given up when it has had all the attempts that the policy allows; it stays in the ledger."""
    if policy.max_attempts is None or entry.attempts < policy.max_attempts:
        return entry
    given_up.append(entry.question_id)
    return entry.model_copy(update={"status": "unresolvable"})


def _entered(asked: Asked, turn: int, taken: Collection[str]) -> OpenQuestion:
    return OpenQuestion(
        question_id=_free(turn, taken),
        question=asked.question,
        standalone_query=asked.standalone_query,
        exclusions=asked.exclusions or (),
        evidence_digest=asked.evidence_digest,
        missing_evidence=asked.missing_evidence,
        first_asked_turn=turn,
    )
