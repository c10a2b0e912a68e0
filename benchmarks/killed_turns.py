"""Kill a turn with SIGKILL at random points, submit it again under its idempotency key, and look at the session.

usage: python benchmarks/killed_turns.py [--points N] [--seed N] [--json FILE]

Each turn runs in a process of its own over one SQLite file, with an LM that answers by rules and takes 30 ms a call; it
cites a new source, reads a question that is open and answers it. Points lie evenly over the turn and 15 % beyond it.
It holds when the session has the turn exactly once, equal to that of a session nobody disturbed, and when a turn that
was acknowledged before the kill was not taken again. Exit code 1 when it does not hold somewhere.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.conversation.killing import holds, kill_at  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Print what was seen; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="one line a point")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        rows = kill_at(Path(folder), options.points, seed=options.seed)
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    broken = [row for row in rows if not holds(row)]
    before = sum(row["before"] == 2 for row in rows)
    print(f"{len(rows)} turns killed: {before} before their commit, {len(rows) - before} after it")
    print(f"submitted again: {len(rows) - len(broken)} there once and as if undisturbed, {len(broken)} not")
    for row in broken:
        print(f"  {json.dumps(row)}")
    return 1 if broken or len(rows) != options.points else 0


if __name__ == "__main__":
    sys.exit(main())
