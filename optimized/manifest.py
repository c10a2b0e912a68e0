"""What an artifact says about itself, and the fingerprint of the signatures that it was made for.

DSPy's state holds neither field names nor types nor the adapter nor the temperature, and is applied by position: a
program whose fields moved would load silently shifted. The fingerprint is what makes that an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from ..signatures.types import Frozen

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,120}$")]
"""A name that is shown, logged and made part of a path: no separators, no control characters."""
Stem = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Score = Annotated[float, Field(allow_inf_nan=False)]


class LMRecord(Frozen):
    """The LM a program was compiled for: its DSPy model string, and the digest of its weights when they are local."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    sha256: Sha256 | None = None


class OptimizerRecord(Frozen):
    """How the program was made: `hand-written`, or the optimizer's name with its parameters."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=120)]
    parameters: dict[str, Any] = Field(default_factory=dict)
    seed: int | None = None


class Manifest(Frozen):
    """Everything that a load must know before it touches the state.

    Attributes:
        format: Version of the two files' shape; another one is not read.
        slug: Name of the artifact, part of `program` in results and events.
        temperature: Of every call, 0 to 2.
        fingerprint: Predictor name -> field name (or `instructions`) -> digest of what the code said when it was made.
        dev_score: Mean metric on the dev split; null when the program was never scored. The best one wins at load.
        state_sha256: Digest of the state file's bytes.
    """

    format: Literal[1] = 1
    behaviour: Stem
    slug: Name
    lm: LMRecord
    adapter: Name
    form: Name
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    optimizer: OptimizerRecord
    golden_sha256: dict[str, str] = Field(default_factory=dict)
    fingerprint: dict[str, dict[str, str]]
    dev_score: Score | None = None
    metrics: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    state_sha256: Sha256


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def fingerprint(signatures: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Digest every field of every predictor's signature, as the code states it.

    Args:
        signatures: Predictor name -> `dspy.Signature` class.
    """
    found: dict[str, dict[str, str]] = {}
    for name, signature in signatures.items():
        fields = {}
        for place, (field, info) in enumerate(signature.fields.items()):
            extra = info.json_schema_extra or {}
            said = [place, extra.get("__dspy_field_type"), str(info.annotation), str(info.metadata), extra.get("desc")]
            fields[field] = _digest(said)
        found[name] = {**fields, "instructions": _digest(signature.instructions)}
    return found


def fingerprint_mismatch(made_for: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return one sentence naming the first predictor or field that differs, or None."""
    for name in (*made_for, *now):
        if name not in now:
            return f"predictor `{name}` is in the artifact but not in the program"
        if name not in made_for:
            return f"predictor `{name}` is in the program but not in the artifact"
        for field in (*made_for[name], *now[name]):
            if made_for[name].get(field) != now[name].get(field):
                state = (
                    "was removed" if field not in now[name] else "is new" if field not in made_for[name] else "changed"
                )
                return f"field `{field}` of predictor `{name}` {state} since the program was compiled"
    return None
