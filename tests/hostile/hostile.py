"""Names, turns and guards that the hostile tests share."""

from __future__ import annotations

import json
from typing import Any

import turnkeeper
from turnkeeper.modules._guard import Guard

from ..scripted import scripted

TERM = "Larkspur"
SCOPE = {"allowed": {"regions": ["nord"]}, "restricted_terms": [TERM]}
QUERY = "does it run at night?"
BOATS = ["Tarn", "Arle", "Brava", "Lumen", "Holm", "Corvo", "Orrin", "Delta"]


def said(boat: str, more: str = "") -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"How long does the {boat} ferry take?"},
        {"role": "assistant", "content": f"The {boat} ferry takes 40 minutes.{more}"},
    ]


def referent(text: str) -> str:
    return json.dumps({"referents": [{"mention": "it", "referent": text}]}, ensure_ascii=False)


def guard(*replies: Any, **options: Any) -> Guard[Any, Any]:
    lm = scripted(*replies, cache=False)
    return turnkeeper.load("reformulate", lm=lm, **{"program": "zero-shot", **options})
