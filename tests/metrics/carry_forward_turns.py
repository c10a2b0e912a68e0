"""Short ways to write a turn of carry_forward for its tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnkeeper.metrics.carry_forward import check, outcome
from turnkeeper.signatures.cite import ABSTENTION
from turnkeeper.signatures.types import OpenQuestion, Passage

KILN, RENT = "When is kiln 4 fired?", "Who pays the rent of the shed?"


def entry(question: str, turn: int = 3, attempts: int = 2, **fields: Any) -> OpenQuestion:
    return OpenQuestion(
        question=question, first_asked_turn=turn, attempts=attempts, missing_evidence="a record", **fields
    )


def passage(doc_id: str, text: str, title: str = "") -> Passage:
    return Passage(doc_id=doc_id, title=title, text=text)


def unanswered(text: str | None = ABSTENTION + ".") -> dict[str, Any]:
    return {"text": text, "citations": [], "status": "UNANSWERED"}


def answered(text: str, *ids: str, status: str = "ANSWERED") -> dict[str, Any]:
    return {"text": text, "citations": list(ids), "status": status}


def resolved(question: str, answer: str, *ids: str) -> dict[str, Any]:
    return {"question": question, "answer": answer, "citations": list(ids)}


def still(question: str, missing: str = "a record", **fields: Any) -> dict[str, Any]:
    return {"question": question, "missing_evidence": missing, **fields}


def turn(
    ledger: Sequence[OpenQuestion | str] = (),
    question: str = "Thanks.",
    *,
    context: Sequence[Passage] | None = (),
    current: dict[str, Any] | None = None,
    done: Sequence[dict[str, Any]] = (),
    open_: Sequence[dict[str, Any]] = (),
    number: int = 5,
    **more: Any,
) -> dict[str, Any]:
    """Return the arguments of `check` and `outcome`."""
    return {
        "turn": number,
        "ledger": [entry(e) if isinstance(e, str) else e for e in ledger],
        "question": question,
        "context": context,
        "prediction": {
            "current_answer": current or unanswered(),
            "resolved_questions": list(done),
            "updated_unresolved_questions": list(open_),
        },
        **more,
    }


def codes(*args: Any, **kwargs: Any) -> set[str]:
    """Return the codes of a turn; a turn that breaks a rule must leave the ledger as it is."""
    given = turn(*args, **kwargs)
    found = check(**given)
    after = outcome(**given)
    assert not found or after.ledger == tuple(given["ledger"])
    assert all(v.message.endswith(".") for v in found)
    return {v.code for v in found}
