"""From recorded turns to draft golden rows that a person accepts, and the same turns asked again of another program."""

from __future__ import annotations

from .drafts import Draft, drafts_of
from .keeping import Decision, Keeper
from .known import Known
from .reading import Recorded, Skipped, read_events
from .redaction import load_redactor

__all__ = [
    "Decision", "Draft", "Keeper", "Known", "Recorded", "Skipped", "drafts_of", "load_redactor", "read_events",
]  # fmt: skip
