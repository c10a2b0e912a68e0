"""Write the hand-written program of reformulate as an artifact, its demos in the shape each predictor asks for.

usage: python scripts/write_seed_program.py [--out optimized]
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from turnkeeper.lms.catalogue import DEFAULT_MODEL, find
from turnkeeper.modules._window import quote, window
from turnkeeper.modules.reformulate import Reformulate
from turnkeeper.optimized import fingerprint, write_artifact
from turnkeeper.signatures.types import Turn


def demos() -> dict[str, list[dict[str, Any]]]:
    """Return complete demos by predictor."""
    said = json.loads(files("turnkeeper.data").joinpath("demos/reformulate.json").read_text(encoding="utf-8"))
    shaped: dict[str, list[dict[str, Any]]] = {"referents": [], "rewrite": []}
    for name, rows in said.items():
        for row in rows:
            history = [Turn(role=role, content=content) for role, content in row["history"]]
            demo = {
                "history": quote(window(history, row["query"])),
                "query": row["query"],
                "correction_feedback": "",
            }
            if name == "referents":
                pairs = row["referents"].items()
                demo["mentions"] = [mention for mention, _ in pairs]
                demo["referents"] = [{"mention": mention, "referent": referent} for mention, referent in pairs]
            else:
                demo["standalone_query"] = row["standalone_query"]
            shaped[name].append(demo)
    return shaped


def main() -> None:
    """Write the artifact and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("optimized"))
    out = parser.parse_args().out
    program = Reformulate("referents")
    for name, rows in demos().items():
        getattr(program, name).demos = rows
    entry = find(DEFAULT_MODEL)
    artifact = write_artifact(
        out,
        program.dump_state(),
        behaviour="reformulate",
        slug=f"{entry.label}-handwritten",
        lm={"model": f"llama-cpp/{entry.label}@sha256:{entry.sha256[:8]}", "sha256": entry.sha256},
        adapter="compact",
        form="referents",
        optimizer={"name": "hand-written"},
        fingerprint=fingerprint({name: predictor.signature for name, predictor in program.named_predictors()}),
        versions={"dspy": version("dspy"), "turnkeeper": version("turnkeeper")},
    )
    print(artifact.path)


if __name__ == "__main__":
    main()
