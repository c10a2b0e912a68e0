"""The embedded model puts an answer into other words: what it makes of it stands, or the answer stays as it was."""

from __future__ import annotations

import dspy

from turnkeeper.conversation import Conversation
from turnkeeper.metrics.cite import check
from turnkeeper.sessions import MemoryStore
from turnkeeper.signatures.types import Passage

from .reading import codes

HALL = Passage(
    doc_id="HALL-3",
    title="Hiring the hall",
    text="Anybody who would like to hire the Larchfield hall for a private party has to pay a deposit of 180 euros. "
    "The hall is not heated from May to September.",
)
ANSWER = (
    "Anybody who would like to hire the Larchfield hall for a private party has to pay a deposit of 180 euros "
    "[Source: HALL-3]. The hall is not heated from May to September [Source: HALL-3]."
)


def test_an_answer_is_shortened_and_translated_with_its_source(embedded_lm: dspy.LM) -> None:
    talk = Conversation(
        MemoryStore(), lm=embedded_lm, reformulate=None, expand=None, carry_forward=None, answerer=lambda **_: ANSWER
    )
    talk.turn("s", "What does it cost to hire the hall, and is it heated?", passages=[HALL])
    changed = 0
    for query in ("Translate that into German.", "Translate that into French.", "In simpler words please"):
        told = talk.turn("s", query, passages=[])
        registry = talk.state("s").registry
        found = {
            v.code for v in check(registry=registry, context=[HALL], question="", prediction={"answer": told.answer})
        }
        assert told.cited == ("HALL-3",) and "180" in told.answer and told.answer.count("[Source: HALL-3]") == 2
        assert found <= {"unsupported_claim", "misattributed", "stale_prior_turn_citation"}  # words of a translation
        changed += "not_reformatted" not in codes(told)
        print(query, "->", told.answer.split("\n")[0], [v.message for v in told.violations])
    assert changed >= 1
