"""What the tests of carry_forward share: a ledger, passages, replies of a model, and a guard over a script."""

from __future__ import annotations

import json
from typing import Any

from turnkeeper.adapters import get_adapter
from turnkeeper.modules._carry_forward_rules import CarryForwardBehaviour
from turnkeeper.modules._guard import Guard
from turnkeeper.modules.carry_forward import CarryForward
from turnkeeper.signatures.carry_forward import CarryForwardResult
from turnkeeper.signatures.types import OpenQuestion, Passage

from ..scripted import ScriptedEngine, prompt_of, scripted

Keeper = Guard[Any, CarryForwardResult]
LIFT = OpenQuestion(
    question_id="q2", question="When does the chair lift open again?", missing_evidence="the opening date of the lift",
    first_asked_turn=2, attempts=2,
)  # fmt: skip
HUT = OpenQuestion(
    question_id="q3", question="Who runs the Tarnfell hut and what does a bed cost?",
    missing_evidence="nothing on it yet", first_asked_turn=3, attempts=1,
)  # fmt: skip
SNOW = Passage(doc_id="SN-1", title="Snow report", text="At the summit lie 140 cm of snow.")
OPENING = Passage(doc_id="LF-4", title="Lifts", text="The chair lift opens again on 12 December.")
WARDEN = Passage(doc_id="HT-9", title="Tarnfell hut", text="The Tarnfell hut is run by Olga Prenn.")
NOW = "How much snow lies at the summit?"


def table(*decisions: dict[str, Any]) -> str:
    """A reply of the form `table`."""
    return json.dumps({"decisions": list(decisions)})


def decision(question: int, answer: Any = "", sources: Any = (), missing: Any = "...") -> dict[str, Any]:
    """One object of such a reply; without an answer it says that something is missing."""
    numbers = f" [{', '.join(map(str, sources))}]" if sources else ""
    lacking = f" MISSING: {missing}" if missing != "..." or not answer else ""
    return {"question": question, "answer": f"{answer}{numbers}{lacking}".strip()}


def single(answer: str) -> str:
    """A reply of the form `single`."""
    return json.dumps({"answer": answer})


def keeper(*replies: Any, form: Any = "table", **options: Any) -> Keeper:
    """A guard over a queue of replies."""
    lm = scripted(*replies)
    return Guard(CarryForwardBehaviour(), CarryForward(form), lm=lm, adapter=get_adapter("compact"), **options)


def prompts(guard: Keeper) -> list[str]:
    """The prompts that were sent so far."""
    engine: ScriptedEngine = guard.lm.engine
    return [prompt_of(request) for request in engine.requests]


def wording(result: CarryForwardResult) -> list[str]:
    """Every question that a result speaks of, sorted."""
    return sorted(each.question for each in (*result.resolved_questions, *result.updated_unresolved_questions))
