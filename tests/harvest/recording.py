"""Events as an application's log holds them: guards over stand-in programs, and what they emit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import dspy

from turnkeeper import events
from turnkeeper.behaviours import find
from turnkeeper.modules._guard import Guard

_MORE = ("own", "unknown", "notices", "left_out", "negation_terms_preserved")
_LEFT_OUT: dict[str, tuple[str, ...]] = dict.fromkeys(_MORE, ())


class Answers(dspy.Module):  # type: ignore[misc]
    """Answers each turn with the next of its predictions."""

    def __init__(self, predictions: Iterable[Mapping[str, Any]]) -> None:
        super().__init__()
        self.left = list(predictions)

    def forward(self, **inputs: Any) -> dspy.Prediction:
        return dspy.Prediction(**{**_LEFT_OUT, **self.left.pop(0)})


def record(path: Path, behaviour: str, turns: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> Path:
    """Run turns (inputs of the guard, prediction of the program) and write what they emit, a line each."""
    turns = list(turns)
    entry = find(behaviour)
    seen: list[Mapping[str, Any]] = []
    events.set_sink(seen.append)
    try:
        for inputs, prediction in turns:
            Guard(entry.rules(), Answers([prediction] * 4), lm=None, adapter=None, program_id="told")(**inputs)
    finally:
        events.set_sink(None)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(event) + "\n" for event in seen)
    return path


def lamp(number: int, query: str = "is it dimmable?", **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A turn about a lamp of its own, and a good rewrite of it."""
    name = ("Aldra", "Birla", "Corvo", "Delna", "Estrel", "Fjord", "Gavia", "Hulda")[number]
    shop = ("hallway", "workshop", "greenhouse", "boat cabin", "attic", "reading nook", "garage", "stable")[number]
    history = [
        {"role": "user", "content": f"Which of your lamps would suit a {shop}?"},
        {"role": "assistant", "content": f"For a {shop} people like the {name} lamp."},
    ]
    text = query.replace("it", f"the {name} lamp")
    reference = {"mention": "it", "referent": f"the {name} lamp", "turn": 1}
    said = {"standalone_query": text, "resolved_references": [reference], "action": "rewrite"}
    return {"history": history, "query": query}, {**said, **changes}
