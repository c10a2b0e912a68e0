"""What is wrong with an artifact whatever it scores: test rows as demos, a secret, a record that does not add up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._secrets import mask_secrets, names_secret
from ..behaviours import Behaviour, GoldenRow
from ..lms.catalogue import MODELS
from ..optimized import Artifact
from .records import FIGURES, PREDICTIONS

_FEEDBACK = "correction_feedback"
_LOCAL = "llama-cpp/"


class Fault(NamedTuple):
    """A field of the artifact, and in one sentence what is wrong with it. No secret is quoted."""

    field: str
    message: str


def faults(artifact: Artifact) -> list[Fault]:
    """Return what the two files of an artifact say of themselves that cannot be, or must not be."""
    return [*_secrets(artifact), *_weights(artifact), *_record(artifact.manifest.metrics)]


def leaked_demos(
    program: Any, form: str, behaviour: Behaviour, splits: Mapping[str, Sequence[GoldenRow]]
) -> list[Fault]:
    """Return the demos of a program that ask what a dev or test row asks: it would be measured on what it was told.

    Args:
        program: Built from the artifact.
        form: The form that it was compiled for.
        behaviour: Its behaviour.
        splits: Rows that must not be among the demos, by the name of their split.
    """
    held = {
        _asked(name, predictor.signature, demo): f"demo {number} of predictor `{name}`"
        for name, predictor in program.named_predictors()
        for number, demo in enumerate(predictor.demos)
    }
    found = []
    for split, rows in splits.items():
        for row in rows if held else ():
            for demo in behaviour.demos(row, form):
                signature = getattr(program, demo.predictor).signature
                place = held.get(_asked(demo.predictor, signature, demo.fields))
                if place is not None:
                    found.append(Fault("demos", f"{place} is row {row.id} of the {split} split"))
    return found


def _asked(predictor: str, signature: Any, demo: Mapping[str, Any]) -> str:
    """Return the inputs of a demo as text; the answer may be anybody's."""
    said = [demo.get(name) for name in signature.input_fields if name != _FEEDBACK]
    return json.dumps([predictor, *said], ensure_ascii=False, default=str)


def _secrets(artifact: Artifact) -> Iterator[Fault]:
    said = artifact.manifest.model_dump(mode="json")
    for place, name, text in (*_texts(said, "manifest"), *_texts(artifact.state, "state")):
        if text and (names_secret(name) or mask_secrets(text) != text):
            yield Fault(
                place, "holds what looks like a key or a password; an artifact is shared, so no secret may stand in it"
            )


def _texts(value: Any, place: str, name: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield every text of a JSON value with its place and the name of the field that holds it."""
    if isinstance(value, str):
        yield place, name, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _texts(each, f"{place}.{key}", str(key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _texts(each, f"{place}.{number}", name)


def _weights(artifact: Artifact) -> Iterator[Fault]:
    record = artifact.manifest.lm
    label, at, digits = record.model.removeprefix(_LOCAL).partition("@sha256:")
    if not record.model.startswith(_LOCAL) or not at:
        return
    if record.sha256 is not None and not record.sha256.startswith(digits):
        yield Fault("lm.sha256", f"is {record.sha256[:8]}…, but the model says {digits}: one of the two was changed")
    for entry in MODELS.values():
        if entry.label == label and not entry.sha256.startswith(digits):
            now = entry.sha256[:8]
            yield Fault("lm.model", f"was compiled for the weights {digits}, and {label} is {now} now")


def _record(metrics: Mapping[str, Any]) -> Iterator[Fault]:
    if metrics.get(FIGURES) and not metrics.get(PREDICTIONS):
        yield Fault(f"metrics.{PREDICTIONS}", "the figures of its test run are there, and the predictions are gone")
