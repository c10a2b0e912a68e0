"""What an access scope accepts, and what it makes of it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from turnkeeper.signatures.types import MAX_TERMS, AccessScope


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ({"tenant": "nord", "regions": ["nord", "sud"]}, {"tenant": ["nord"], "regions": ["nord", "sud"]}),
        (
            {"clearance": 3, "internal": True, "shift": (1, 2)},
            {"clearance": ["3"], "internal": ["true"], "shift": ["1", "2"]},
        ),
        ({"allowed": {"site": "rye"}}, {"site": ["rye"]}),
        ({}, {}),
    ],
)
def test_values_become_lists_of_texts(given: dict[str, Any], allowed: dict[str, list[str]]) -> None:
    assert AccessScope.model_validate(given).allowed == allowed


def test_scope_survives_its_own_dump() -> None:
    scope = AccessScope(allowed={"site": ["rye"]}, restricted_terms=["Osmund"])
    assert AccessScope.model_validate_json(scope.model_dump_json()) == scope


def test_too_many_terms_are_refused() -> None:
    with pytest.raises(ValidationError, match=f"at most {MAX_TERMS}"):
        AccessScope(restricted_terms=["Osmund"] * (MAX_TERMS + 1))


@pytest.mark.parametrize("name", ["restrictedTerms", "restricted-term", "Allowed", "ALLOW"])
def test_field_written_nearly_right_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="write the field exactly"):
        AccessScope.model_validate({name: ["Osmund"]})
