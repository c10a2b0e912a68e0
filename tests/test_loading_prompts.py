"""A loaded program sends the very prompt that was compiled, for each behaviour, form and adapter. No model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from turnkeeper.adapters import get_adapter
from turnkeeper.behaviours import find, names
from turnkeeper.compiling.task import state_of
from turnkeeper.loading import build
from turnkeeper.optimized import fingerprint, read_artifact, write_artifact

CASES = [(name, form, adapter) for name in names() for form in find(name).forms for adapter in ("compact", "json")]


def demos_of(behaviour: str, form: str, count: int = 4) -> dict[str, list[dict[str, Any]]]:
    """The first demos of the train rows, by predictor."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in find(behaviour).load("train"):
        for demo in find(behaviour).demos(row, form):
            if len(found.setdefault(demo.predictor, [])) < count:
                found[demo.predictor].append(demo.fields)
    return found


def sent(program: Any, adapter: str) -> dict[str, str]:
    """The messages of each predictor to its first demo's inputs."""
    told = {}
    for name, predictor in program.named_predictors():
        demo = predictor.demos[0]
        inputs = {field: demo[field] for field in predictor.signature.input_fields}
        told[name] = str(get_adapter(adapter).format(predictor.signature, predictor.demos, inputs))
    return told


@pytest.mark.parametrize(("behaviour", "form", "adapter"), CASES)
def test_a_loaded_program_sends_what_was_compiled(behaviour: str, form: str, adapter: str, tmp_path: Path) -> None:
    program, demos = find(behaviour).program(form), demos_of(behaviour, form)
    for name, predictor in program.named_predictors():
        predictor.demos = demos[name]
    state = state_of(program)
    compiled = find(behaviour).program(form)
    compiled.load_state(state)
    artifact = write_artifact(
        tmp_path, state, behaviour=behaviour, slug="tiny", lm={"model": "scripted/one"}, adapter=adapter, form=form,
        optimizer={"name": "labeled"}, metrics={},
        fingerprint=fingerprint({name: p.signature for name, p in program.named_predictors()}),
    )  # fmt: skip
    loaded = build(read_artifact(artifact.path))
    assert sent(loaded, adapter) == sent(compiled, adapter)
    assert all(p.demos for _, p in loaded.named_predictors())
