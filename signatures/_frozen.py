"""The base of all rows and results."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Base of all rows and results: immutable, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
