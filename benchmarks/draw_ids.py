"""The ids that `turnkeeper bench exclusions` measures by default, drawn again: the lists of benchmarks/public_ids.

usage: python benchmarks/draw_ids.py FILE [--set nevir|quest|excluir] [--rows 200] [--seed 7]

    python benchmarks/draw_ids.py nevir_test.jsonl | diff - benchmarks/public_ids/nevir.txt

With the seed, over the sorted ids of the rows that may be drawn, so many are drawn, all where there are fewer, and are
printed sorted. Drawn may be a query whose row in FILE no rule was written with in view: the first byte of the SHA-256
of the row's id is odd (of NevIR the pair's id). Where a set marks what is ruled out, only queries that are marked. The
other half of each file was read as the detector's rules were written. No text of FILE is printed.

The committed lists are of the test files, in the trimmed form for QUEST and ExcluIR. Exit code 2 for bad input.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from turnkeeper.cli._render import note
from turnkeeper.data.public import PublicQuery, find, recognise
from turnkeeper.errors import InputError, TurnkeeperError

ROWS, SEED = 200, 7


def unread(query: PublicQuery) -> bool:
    """Whether the query's row is of the half that no rule was written with in view."""
    row = query.id.split("/")[0]  # of NevIR both queries of a pair stand in one row
    return hashlib.sha256(row.encode()).digest()[0] % 2 == 1


def draw(queries: Sequence[PublicQuery], rows: int = ROWS, seed: int = SEED) -> list[str]:
    """Return the sorted ids of so many unread queries, of all where there are fewer.

    Raises:
        InputError: There is none.
    """
    marked = any(query.exclude for query in queries)
    ids = sorted(query.id for query in queries if unread(query) and (query.exclude or not marked))
    if not ids:
        raise InputError("no query may be drawn")
    return sorted(random.Random(seed).sample(ids, min(rows, len(ids))))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the ids, one a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--set", help="the set, when FILE does not show it")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    if options.rows < 1:
        parser.error("--rows must be at least 1")
    try:
        source = recognise(options.file) if options.set is None else find(options.set)
        if source.task != "exclusions":
            raise InputError(f"{options.file}: {source.name} is no set of exclusions")
        print("\n".join(draw(list(source.read(options.file)), options.rows, options.seed)))
    except TurnkeeperError as error:
        note(f"draw_ids: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
