"""Run by `test_kill.py` in a process of its own: compiles that die at the n-th call, and the same command after it.

usage: python killed.py GOLDEN FOLDER POINT...
Prints one JSON line a point: whether the child was killed, rows reused after it, calls, the artifact's bytes as hex.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from turnkeeper.compiling import CompileOptions, compile_program

_spec = importlib.util.spec_from_file_location("reading", Path(__file__).with_name("reading.py"))
assert _spec is not None and _spec.loader is not None
reading: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reading)


def compiled(golden: Path, folder: Path, die_at: int | None) -> dict[str, Any]:
    """Compile into a folder; with `die_at`, be killed before that call is answered."""
    lm = reading.reading_lm(reading.all_rows(golden), share=80)
    if die_at is not None:
        lm.engine.before = lambda number: os.kill(os.getpid(), signal.SIGKILL) if number == die_at else None
    options = CompileOptions(
        optimizer="bootstrap-rs", form="referents", adapter="compact", golden=golden, out=folder,
        journal=folder / "journal.jsonl",
    )  # fmt: skip
    outcome = compile_program(options, lm)
    assert outcome.artifact is not None, outcome.reason
    path = outcome.artifact.path
    raw = path.read_bytes() + path.with_name(f"{path.stem}.manifest.json").read_bytes()
    return {"reused": outcome.reused, "calls": lm.engine.calls, "sha256": hashlib.sha256(raw).hexdigest()}


def main() -> None:
    golden, folder, points = Path(sys.argv[1]), Path(sys.argv[2]), [int(point) for point in sys.argv[3:]]
    print(json.dumps(compiled(golden, folder / "whole", None)), flush=True)
    for point in points:
        child = os.fork()
        if child == 0:
            compiled(golden, folder / str(point), point)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(json.dumps({"killed": killed, **compiled(golden, folder / str(point), None)}), flush=True)


if __name__ == "__main__":
    main()
