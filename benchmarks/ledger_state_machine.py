"""Random turns against the ledger of carry_forward: what a model predicts, right and wrong, never costs a question.

usage: python benchmarks/ledger_state_machine.py [--turns 100000] [--seed 1] [--json]

Each turn draws a question (new, repeated in another spelling, social, a near-duplicate, the same words for something
else), passages or none or a failed retrieval, and a prediction that is right or damaged in one of many ways.
`violations` then holds the ledgers before and after side by side without asking the code under test: no question lost,
doubled, reworded, swallowed by another in the same words, or resolved without a citation of this turn that is about it;
ids and first turns stay; attempts grow by one in a good turn and not at all in a failed one, which leaves the ledger
byte-identical. Exit code 1 when any turn breaks one of these.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from turnkeeper.metrics._ledger import LedgerTurn
from turnkeeper.metrics.carry_forward import outcome
from turnkeeper.signatures.carry_forward import LedgerPolicy
from turnkeeper.signatures.types import OpenQuestion, Passage

Ledger = tuple[OpenQuestion, ...]
_THINGS = (
    "ferry", "crane", "lock", "winch", "archive", "bakery", "orchard", "tunnel", "clinic", "museum", "tannery", "weir",
)  # fmt: skip
_ASKS = (
    "When does the {thing} {n} open?", "Who owns {thing} {n}?", "How deep is {thing} {n}?",
    "Is {thing} {n} not insured?", "Is {thing} {n} insured?",
    "Where does {thing} {n} store its keys?", "Wann schließt {thing} {n}?",
    "Combien coûte {thing} {n} ?", "¿Quién vigila {thing} {n}?",
)  # fmt: skip
_ELLIPTICAL = (
    ("And its price?", "What does {thing} {n} cost?"), ("And since when?", "Since when has {thing} {n} been closed?"),
)  # fmt: skip
_SOCIAL = ("Thanks.", "Hm.", "Hello again.", "ok", "Danke!", "Anything else?", "go on")
_PROSE = "It is so."  # says nothing by which one could tell what it is about
_ABSTENTION = "I cannot find evidence to answer this question."


class Turn(NamedTuple):
    """What comes into one turn, and the ledger before it."""

    number: int
    before: Ledger
    question: str
    context: tuple[Passage, ...] | None
    prediction: Any
    standalone: str = ""


def violations(turn: Turn, after: LedgerTurn, policy: LedgerPolicy) -> list[str]:
    """Return what a turn did to the ledger that no turn may do; empty when there is nothing."""
    found = list[str]()
    before, now = {e.question_id: e for e in turn.before}, {e.question_id: e for e in after.ledger}
    if len(now) < len(after.ledger) or "" in now:
        found.append("two questions share an id, or one has none")
    for n, entry in enumerate(after.ledger):
        if any(_same(entry, other.question, other.standalone_query) for other in after.ledger[:n]):
            found.append("a question is doubled")
    for key, entry in before.items():
        left = now.get(key)
        if left is None:
            if not _cited(entry, turn):
                found.append(f"{entry.question!r} is lost, or resolved without a citation")
        elif (left.question, left.first_asked_turn) != (entry.question, entry.first_asked_turn):
            found.append(f"{entry.question!r} is altered")
        elif left.attempts not in (entry.attempts, entry.attempts + 1):
            found.append(f"the attempts of {entry.question!r} jump")
        elif entry.status == "unresolvable" and left != entry:
            found.append(f"{entry.question!r} was given up and still changes")
    fresh = [e for key, e in now.items() if key not in before]
    if len(fresh) > 1 or any(
        (e.question, e.standalone_query, e.first_asked_turn, e.attempts)
        != (turn.question, turn.standalone, turn.number, 1)
        for e in fresh
    ):
        found.append("something entered that was not asked in this turn")
    moved = (
        any(now[k].attempts != before[k].attempts for k in before.keys() & now.keys()) or now.keys() != before.keys()
    )
    known = any(_same(entry, turn.question, turn.standalone) for entry in turn.before)
    if moved and _stays_open(turn) and not fresh and not known:
        found.append(f"{turn.question!r} ({turn.standalone}) is swallowed")
    if not moved and _bytes(after.ledger) != _bytes(turn.before):
        found.append("a turn that counted no attempt changed the ledger")
    if turn.context is None and _bytes(after.ledger) != _bytes(turn.before):
        found.append("a failed retrieval changed the ledger")
    if moved and any(now[k].attempts == e.attempts for k, e in before.items() if k in now and e.status == "pending"):
        found.append("some questions were counted and others not")
    held, holds = _review(turn.before, turn.number - 1, policy), _review(after.ledger, turn.number, policy)
    if after.human_review != bool(holds) or after.raised != bool(holds - held):
        found.append("review is not the state of the ledger, or its alert not the start of one of its reasons")
    return found


def _plain(question: str) -> str:
    """Exact match as the user sees it, written apart from the code under test."""
    kept = unicodedata.normalize("NFC", question).casefold().strip("¿¡?!. \t\n\u00a0")
    return " ".join(kept.split())


def _same(entry: OpenQuestion, question: str, standalone: str) -> bool:
    """Whether an entry asks the same: in the same words, and for the same where both say what they ask for."""
    meant = {_plain(text) for text in (entry.standalone_query, standalone) if text}
    return _plain(entry.question) == _plain(question) and len(meant) < 2


def _stays_open(turn: Turn) -> bool:
    """Whether the user asks something that the prediction leaves unanswered."""
    current = turn.prediction.get("current_answer") if isinstance(turn.prediction, Mapping) else None
    return turn.question not in _SOCIAL and isinstance(current, Mapping) and current.get("status") == "UNANSWERED"


def _bytes(ledger: Ledger) -> str:
    return json.dumps([entry.model_dump(mode="json") for entry in ledger])


def _text(entry: OpenQuestion) -> str:
    """The passage that answers a question."""
    return f"{(entry.standalone_query or entry.question).rstrip('?')}: 4 May, Ada Brandt."


def _cited(entry: OpenQuestion, turn: Turn) -> bool:
    ids = {passage.doc_id for passage in turn.context or ()}
    namesakes = [e for e in turn.before if e != entry and _plain(e.question) == _plain(entry.question)]
    others = {_text(e) for e in namesakes} - {_text(entry)}
    own = {passage.doc_id for passage in turn.context or () if passage.text not in others}
    rows = turn.prediction.get("resolved_questions", ()) if isinstance(turn.prediction, Mapping) else ()
    return any(
        isinstance(row, Mapping)
        and _plain(str(row.get("question"))) == _plain(entry.question)
        and bool(row.get("citations"))
        and set(row["citations"]) <= (ids if row.get("answer") == _PROSE else own)
        for row in rows
    )


def _review(ledger: Ledger, number: int, policy: LedgerPolicy) -> set[str]:
    """The reasons for which a person has to look."""
    sought = [entry for entry in ledger if entry.status != "unresolvable"]
    reasons = {"many"} if len(sought) >= policy.review_open else set[str]()
    if any(number - entry.first_asked_turn > policy.review_age for entry in sought):
        reasons.add("old")
    return reasons | ({"given up"} if len(sought) < len(ledger) else set())


class Walk:
    """A conversation of random turns; `take` plays one and returns what it broke."""

    def __init__(self, random_: random.Random, policy: LedgerPolicy) -> None:
        self.random, self.policy = random_, policy
        self.number, self.ledger = 0, Ledger()
        self.answered = random_.choice((0.02, 0.08, 0.25))  # share of questions whose answer comes up in a turn
        self.counts: Counter[str] = Counter()

    def take(self) -> list[str]:
        """Play one turn."""
        self.number += 1
        turn, damage = self._turn()
        after = outcome(
            turn=turn.number, ledger=turn.before, question=turn.question, context=turn.context,
            prediction=turn.prediction, policy=self.policy, standalone_query=turn.standalone or None,
        )  # fmt: skip
        found = [f"turn {self.number} ({damage}): {one}" for one in violations(turn, after, self.policy)]
        self.counts.update(
            turns=1, kept=int(after.ledger == turn.before), entered=int(after.entered is not None),
            right=int(damage == "none"),
            namesakes=int(len({_plain(e.question) for e in after.ledger}) < len(after.ledger)),
            resolved=len(after.resolved), alerts=int(after.raised), given_up=len(after.unresolvable),
            largest=max(0, len(after.ledger) - self.counts["largest"]),
        )  # fmt: skip
        self.counts[f"damage: {damage}"] += 1
        self.ledger = after.ledger
        return found

    def _turn(self) -> tuple[Turn, str]:
        pick = self.random
        question, standalone = self._question()
        answered = [entry for entry in self.ledger if pick.random() < self.answered]
        context: tuple[Passage, ...] | None = tuple(
            Passage(doc_id=f"D-{n}", title="Notes", text=_text(entry)) for n, entry in enumerate(answered)
        )
        asked = question not in _SOCIAL
        current = {"text": _ABSTENTION, "citations": [], "status": "UNANSWERED"}
        right: dict[str, Any] = {
            "current_answer": current,
            "resolved_questions": [
                {"question": e.question, "answer": f"4 May, Ada Brandt [Source: D-{n}].", "citations": [f"D-{n}"]}
                for n, e in enumerate(answered)
            ],
            "updated_unresolved_questions": [self._carried(e) for e in self.ledger if e not in answered],
        }
        known = [entry for entry in self.ledger if _same(entry, question, standalone)]
        known.sort(key=lambda entry: not standalone or entry.standalone_query != standalone)
        if asked and not known:
            right["updated_unresolved_questions"].append({"question": question, "missing_evidence": "nothing found"})
        if known and known[0] in answered:
            n = answered.index(known[0])
            right["current_answer"] = {**right["resolved_questions"][n], "status": "ANSWERED"}
            right["current_answer"]["text"] = right["current_answer"].pop("answer")
        damage = "none"
        if pick.random() < 0.5:
            damage = pick.choice(sorted(DAMAGES))
            right = DAMAGES[damage](right, pick)
        if pick.random() < 0.05:
            context, damage = None, f"{damage}, retrieval failed"
        return Turn(self.number, self.ledger, question, context, right, standalone), damage

    def _carried(self, entry: OpenQuestion) -> dict[str, Any]:
        """An entry of the prediction; of several questions in the same words the id says which one it is."""
        row = {"question": entry.question, "missing_evidence": "nothing found"}
        alone = sum(_plain(e.question) == _plain(entry.question) for e in self.ledger) == 1
        return row if alone else {**row, "question_id": entry.question_id}

    def _question(self) -> tuple[str, str]:
        """The user's words, and what they ask for where that is known."""
        pick = self.random
        kind = pick.random()
        if self.ledger and kind < 0.15:
            entry = pick.choice(self.ledger)
            again = entry.question
            spelled = pick.choice((again.upper(), again.lower(), again + "  ", again.rstrip("?"), f" {again}?"))
            return spelled, pick.choice((entry.standalone_query, entry.standalone_query, ""))
        if kind < 0.3:
            return pick.choice(_SOCIAL), ""
        named = {"thing": pick.choice(_THINGS), "n": pick.randint(1, 40)}
        if kind < 0.45:
            words, meant = pick.choice(_ELLIPTICAL)
            return words, pick.choice((meant, meant, meant, "")).format(**named)
        return pick.choice(_ASKS).format(**named), ""


Damage = Callable[[dict[str, Any], random.Random], Any]


def _without(name: str) -> Damage:
    def drop(right: dict[str, Any], pick: random.Random) -> Any:
        rows = list(right[name])
        if rows:
            rows.pop(pick.randrange(len(rows)))
        return {**right, name: rows}

    return drop


def _each(name: str, change: Callable[[dict[str, Any]], dict[str, Any]], *, one: bool = True) -> Damage:
    def damaged(right: dict[str, Any], pick: random.Random) -> Any:
        rows = [dict(row) for row in right[name]]
        for n in [pick.randrange(len(rows))] if rows and one else range(len(rows)):
            rows[n] = change(rows[n])
        return {**right, name: rows}

    return damaged


def _twice(name: str) -> Damage:
    return lambda right, pick: {**right, name: [*right[name], *right[name][:1]]}


def _moved(right: dict[str, Any], pick: random.Random) -> Any:
    """Resolve what is open, with prose alone or with a passage that is not there."""
    rows = [
        {"question": r["question"], "answer": _PROSE, "citations": pick.choice(([], ["D-99"], ["D-0"]))}
        for r in right["updated_unresolved_questions"]
    ]
    return {**right, "resolved_questions": [*right["resolved_questions"], *rows], "updated_unresolved_questions": []}


_OPEN, _DONE = "updated_unresolved_questions", "resolved_questions"
DAMAGES: dict[str, Damage] = {
    "an open one dropped": _without(_OPEN),
    "a resolution dropped": _without(_DONE),
    "all dropped": lambda right, pick: {**right, _OPEN: [], _DONE: []},
    "reworded": _each(_OPEN, lambda row: {**row, "question": row["question"].replace(" the ", " this ") + " now"}),
    "another number": _each(_OPEN, lambda row: {**row, "question": row["question"].replace("1", "7") + " 3"}),
    "negated": _each(_OPEN, lambda row: {**row, "question": "Is it not so that " + row["question"]}),
    "another case": _each(_OPEN, lambda row: {**row, "question": row["question"].upper()}, one=False),
    "open twice": _twice(_OPEN),
    "resolved twice": _twice(_DONE),
    "no citations": _each(_DONE, lambda row: {**row, "citations": []}),
    "unknown citation": _each(_DONE, lambda row: {**row, "citations": ["X-1"], "answer": "Yes [Source: X-1]."}),
    "wrong number": _each(_DONE, lambda row: {**row, "answer": row["answer"].replace("4 May", "9 June")}),
    "abstention as answer": _each(_DONE, lambda row: {**row, "answer": _ABSTENTION}),
    "all resolved": _moved,
    "attempts": _each(_OPEN, lambda row: {**row, "attempts": 99}),
    "first turn": _each(_OPEN, lambda row: {**row, "first_asked_turn": 1_000_000}),
    "id": _each(_OPEN, lambda row: {**row, "question_id": "q0"}),
    "blank missing": _each(_OPEN, lambda row: {**row, "missing_evidence": " "}),
    "invented": lambda right, pick: {
        **right, _OPEN: [*right[_OPEN], {"question": "Who ate the moon?", "missing_evidence": "all"}]
    },
    "in both lists": lambda right, pick: {
        **right, _OPEN: [*right[_OPEN], *({"question": r["question"], "missing_evidence": "x"} for r in right[_DONE])]
    },
    "no lists": lambda right, pick: {"current_answer": right["current_answer"]},
    "no object": lambda right, pick: pick.choice((None, "{broken json", 7, [], {}, {"current_answer": "text"})),
    "answered by prose": lambda right, pick: {
        **right, _OPEN: right[_OPEN][:-1],
        "current_answer": {"text": _PROSE, "citations": [], "status": "ANSWERED"},
    },
    "shuffled": lambda right, pick: {**right, _OPEN: pick.sample(right[_OPEN], len(right[_OPEN]))},
}  # fmt: skip


def play(turns: int, seed: int, *, length: int = 60) -> tuple[Counter[str], list[str]]:
    """Play random conversations of up to `length` turns; return the counts and what was broken."""
    pick, counts, broken = random.Random(seed), Counter[str](), list[str]()
    while counts["turns"] < turns:
        policy = LedgerPolicy(
            review_open=pick.choice((2, 5, 8)), review_age=pick.choice((1, 3, 9)),
            max_attempts=pick.choice((None, None, 1, 4, 12)),
        )  # fmt: skip
        walk = Walk(pick, policy)
        for _ in range(min(length, turns - counts["turns"])):
            broken += walk.take()
        largest = max(counts.pop("largest", 0), walk.counts.pop("largest", 0))
        counts.update(walk.counts)
        counts["largest"] = largest
    return counts, broken


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    start = time.process_time()
    counts, broken = play(options.turns, options.seed)
    spent = time.process_time() - start
    if options.json:
        print(json.dumps({"counts": counts, "violations": broken[:50], "seconds": spent}, indent=1))
    else:
        for name, n in sorted(counts.items()):
            print(f"{name}: {n}")
        print(f"{counts['turns']} turns in {spent:.0f} s: {len(broken)} violations")
        for one in broken[:20]:
            print(one)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
