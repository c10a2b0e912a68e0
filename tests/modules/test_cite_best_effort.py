"""cite when every answer failed: what is shown is safe, flagged and said once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import dspy
import pytest
from dspy.lm15 import ServerError

from turnkeeper import events
from turnkeeper.adapters import get_adapter
from turnkeeper.metrics.cite import check
from turnkeeper.modules._cite_rules import CiteBehaviour
from turnkeeper.modules._guard import Guard
from turnkeeper.modules.cite import Cite
from turnkeeper.signatures.cite import ABSTENTION, CiteResult
from turnkeeper.signatures.types import CitationRegistry, Passage

Keeper = Guard[Any, CiteResult]
SLUICE = Passage(doc_id="LOCK-2", title="Sluice hours", text="The sluice opens at 6:20 and closes at 21:00.")
TOLL = Passage(doc_id="LOCK-5", title="Toll", text="A barge pays 14 crowns, a canoe nothing.")
QUESTION = "When does the sluice open, and what does a barge pay?"
GOOD = "The sluice opens at 6:20 [1]."


@pytest.fixture
def cite(scripted_lm: Callable[..., dspy.LM]) -> Callable[..., CiteResult]:
    def run(*replies: Any, risk_level: Any = "normal", **inputs: Any) -> CiteResult:
        said = [reply if isinstance(reply, Exception) else json.dumps({"answer": reply}) for reply in replies]
        guard: Keeper = Guard(
            CiteBehaviour(), Cite(), lm=scripted_lm(*said), adapter=get_adapter("compact"), risk_level=risk_level
        )
        return guard(**{"query": QUESTION, "context": [SLUICE, TOLL], **inputs})

    return run


@pytest.fixture
def alerts() -> Any:
    caught: list[Any] = []
    events.set_sink(lambda event: caught.append(event) if event["event"] == "cite_alert" else None)
    yield caught
    events.set_sink(None)


def passes(result: CiteResult, registry: CitationRegistry | None = None) -> bool:
    prediction = {name: getattr(result, name) for name in ("answer", "sources", "new_citations", "reused_citations")}
    told = registry or CitationRegistry(convention="source_tag")
    return not check(registry=told, context=[SLUICE, TOLL], question=QUESTION, prediction=prediction)


def test_what_passes_is_shown_and_flagged(cite: Callable[..., CiteResult]) -> None:
    result = cite(*[f"{GOOD} A barge pays 41 crowns [2]."] * 3)
    assert result.answer == "The sluice opens at 6:20 [Source: LOCK-2].\n\nSources:\n- LOCK-2: Sluice hours"
    assert (result.ok, result.fallback, result.abstained, result.lm_attempts) == (False, True, False, 3)
    assert "citation_unverified" in {w.code for w in result.warnings} and result.violations
    assert "unsupported_claim" in result.citation_consistency_check and "1 of 2" in result.citation_consistency_check
    assert [e.doc_id for e in result.registry.entries] == ["LOCK-2"] and passes(result)


def test_an_unknown_number_is_taken_out_and_the_sentence_stays_with_its_other_source(
    cite: Callable[..., CiteResult],
) -> None:
    result = cite(*["The sluice opens at 6:20 [1, 9]. A barge pays 14 crowns [8]."] * 3)
    assert "opens at 6:20 [Source: LOCK-2]." in result.answer and "barge" not in result.answer and passes(result)


def test_the_least_bad_answer_is_taken(cite: Callable[..., CiteResult]) -> None:
    result = cite(
        "The sluice opens at 9:00 [2].",
        f"{GOOD} A barge pays 14 crowns [2]. Canoes are blue.",
        "A boat pays 99 crowns [1].",
    )
    assert "6:20" in result.answer and "14 crowns" in result.answer and "blue" not in result.answer


def test_foreign_markers_and_forged_sections_do_not_survive(cite: Callable[..., CiteResult]) -> None:
    forged = f"{GOOD} A barge pays 14 crowns [Source: LOCK-99].\n\nSources:\n- LOCK-99: Forged"
    result = cite(*[forged] * 3)
    assert "LOCK-99" not in result.model_dump_json(exclude={"violations"}) and result.sources[0].doc_id == "LOCK-2"


def test_a_list_keeps_its_form(cite: Callable[..., CiteResult]) -> None:
    said = "For boats:\n- The sluice opens at 6:20 [1].\n- A barge pays 77 crowns [2].\n- A canoe pays nothing [2]."
    result = cite(*[said] * 3)
    assert result.answer.startswith("For boats:\n- The sluice opens at 6:20 [Source: LOCK-2].\n- A canoe pays nothing")
    assert passes(result)


@pytest.mark.parametrize("said", ["Boats are blue [7].", "A barge pays 41 crowns [2].", "No marker here at all."])
def test_nothing_safe_is_the_abstention(cite: Callable[..., CiteResult], said: str) -> None:
    result = cite(*[said] * 3)
    assert result.answer == ABSTENTION and result.abstained and result.fallback and not result.registry.entries
    assert result.citation_consistency_check.startswith("failed: ")


def test_high_risk_shows_nothing(cite: Callable[..., CiteResult]) -> None:
    result = cite(*[f"{GOOD} A barge pays 41 crowns [2]."] * 3, risk_level="high")
    assert result.answer == ABSTENTION and {"human_review", "citation_unverified"} <= {w.code for w in result.warnings}


def test_an_lm_that_breaks_down_leaves_the_answer_before(cite: Callable[..., CiteResult]) -> None:
    result = cite(f"{GOOD} Canoes are blue [9].", ServerError("500"))
    assert "6:20" in result.answer and {"lm_error", "citation_unverified"} <= {w.code for w in result.warnings}


@pytest.mark.parametrize("said", [f"{GOOD} A barge pays 41 crowns [2].", "Boats are blue [7]."])
@pytest.mark.parametrize("risk_level", ["normal", "high"])
def test_there_is_one_alert(cite: Callable[..., CiteResult], alerts: list[Any], said: str, risk_level: str) -> None:
    cite(*[said] * 3, risk_level=risk_level)
    assert len(alerts) == 1 and alerts[0]["violations"]


def test_the_ids_of_a_best_effort_stay(cite: Callable[..., CiteResult]) -> None:
    first = cite(*[f"{GOOD} Canoes are blue [9]."] * 3)
    again = cite(*[f"{GOOD} Canoes are blue [9]."] * 3, registry=first.registry, context=[TOLL, SLUICE], turn=2,
                 query="When does it open?")  # fmt: skip
    assert again.answer == ABSTENTION or again.reused_citations == ("LOCK-2",)
    assert [e.doc_id for e in again.registry.entries] == ["LOCK-2"]
