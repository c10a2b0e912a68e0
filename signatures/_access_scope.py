"""The access scope: what it accepts, and what cannot be meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator, model_validator

from ._frozen import Frozen

MAX_TERMS = 10_000
"""Restricted terms of one scope that are accepted."""
MAX_TERM = 200
"""Characters of one restricted term that are accepted: a name, not a text."""


class AccessScope(Frozen):
    """What this user may see; server-derived, never from the client or the model.

    A plain mapping such as `{"tenant": "nord", "regions": ["nord"]}` is accepted as `allowed`. What cannot be meant is
    an error: fields mixed with attributes, misspelt fields, values that are neither scalars nor lists of them.

    Attributes:
        allowed: Attribute to permitted values (doc_ids, labels, projects, roles, clearance, ...).
        restricted_terms: Names that this user may not be shown or have searched for.
    """

    allowed: dict[str, list[str]] = Field(default_factory=dict)
    restricted_terms: list[str] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _plain_mapping(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        own = [name for name in value if name in cls.model_fields]
        other = [name for name in value if name not in cls.model_fields]
        if own and other:
            raise ValueError("either `allowed` and `restricted_terms`, or attributes alone, without a mixture")
        allowed = value.get("allowed", {}) if own else value
        if not isinstance(allowed, Mapping):
            raise ValueError("`allowed` must be an object of attributes and their values")
        if any(_letters(name) in _NEARLY_A_FIELD for name in allowed):
            # Taken as an attribute it would restrict nothing.
            raise ValueError("an attribute is named nearly as `allowed` or `restricted_terms`; write the field exactly")
        return {
            "allowed": {_encodable(name): _values(given) for name, given in allowed.items()},
            "restricted_terms": value.get("restricted_terms", []),
        }

    @field_validator("restricted_terms")
    @classmethod
    def _written(cls, terms: list[str]) -> list[str]:
        if len(terms) > MAX_TERMS:
            raise ValueError(f"{len(terms)} restricted terms; at most {MAX_TERMS} are accepted")
        for term in terms:
            if not any(c.isprintable() and not c.isspace() for c in term):
                raise ValueError("a restricted term has no visible character")
            if len(term) > MAX_TERM:
                raise ValueError(f"a restricted term has {len(term)} characters; at most {MAX_TERM} are accepted")
        return [_encodable(term) for term in terms]


_NEARLY_A_FIELD = frozenset(("allow", "allowed", "restricted", "restrictedterm", "restrictedterms", "restrictterms"))


def _letters(name: Any) -> str:
    return "".join(c for c in name if c.isalpha()).lower() if isinstance(name, str) else ""


def _values(given: Any) -> list[str]:
    """Return the permitted values of an attribute: one scalar, or a list of them, as text."""
    return [_value(value) for value in (given if isinstance(given, (list, tuple)) else [given])]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return _encodable(str(value))
    raise ValueError(f"a value must be a text, a number or a list of them, not {type(value).__name__}")


def _encodable(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError(f"an attribute must have a text as its name, not {type(text).__name__}")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("a text holds half of a surrogate pair, which no file or message can hold")
    return text
