"""expand on the embedded model with its shipped program: few, since each call takes a second."""

from __future__ import annotations

import dspy
import pytest

import turnkeeper
from turnkeeper.metrics._leaks import leaks
from turnkeeper.modules._guard import Guard
from turnkeeper.optimized import find_artifacts, read_artifact, shipped_dir
from turnkeeper.signatures.expand import ExpandResult
from turnkeeper.signatures.types import Turn


@pytest.fixture(scope="module")
def keeper(embedded_lm: dspy.LM) -> Guard[object, ExpandResult]:
    guard: Guard[object, ExpandResult] = turnkeeper.load("expand", lm=embedded_lm)
    return guard


def test_the_shipped_program_is_found_with_its_demos(keeper: Guard[object, ExpandResult]) -> None:
    (path,) = find_artifacts(shipped_dir(), "expand")
    artifact = read_artifact(path)
    assert keeper.program_id == artifact.program_id
    assert len(keeper.program.terms.demos) == len(artifact.state["terms"]["demos"]) >= 6


def test_terms_are_added_and_an_exclusion_of_an_earlier_turn_holds(keeper: Guard[object, ExpandResult]) -> None:
    history = [
        Turn(role="user", content="We look for a hall for a wedding, without stairs please."),
        Turn(role="assistant", content="The Granary and the Old Mill have rooms on the ground floor."),
    ]
    result = keeper(
        history=history,
        query="Which of them has parking?",
        standalone_query="Which of the Granary and the Old Mill has parking?",
    )
    assert result.ok and not result.fallback and result.lm_attempts >= 1
    assert result.negation_constraints == ("stairs",)
    assert result.expansion_terms_added and not leaks(result.expanded_query, result.exclusions)
    assert not {"zero_shot"} & {w.code for w in result.warnings}


def test_the_same_turn_again_is_served_without_a_call(keeper: Guard[object, ExpandResult]) -> None:
    first = keeper(history=[], query="rain jackets for a child, anything but yellow")
    again = keeper(history=[], query="rain jackets for a child, anything but yellow")
    assert first.lm_attempts >= 1 and again.lm_attempts == 0
    assert again.expanded_query == first.expanded_query
