"""Measure the session store, and break it in every way it promises to survive. Prints one line a promise.

usage: python benchmarks/session_store.py [--quick] [--json FILE] [--only NAME ...]

The workloads are those of tests/sessions, with the full numbers: 8 processes x 200 turns on one session, 100 thawed
writers, 1,000 submissions of one turn, 300 crash points, 200 damaged files, 500 hostile texts, 1,000 turns. PostgreSQL
is started from Debian's binaries and stopped; without them its lines are left out, and that is said.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.sessions.broken import BrokenStore  # noqa: E402
from tests.sessions.building import SESSION, TENANT, new, record, source, talk, with_sources  # noqa: E402
from tests.sessions.conformance import CLAUSES  # noqa: E402
from tests.sessions.crashing import BEFORE, compiled, crash_at  # noqa: E402
from tests.sessions.damaging import damaged, typed, written  # noqa: E402
from tests.sessions.hostile_ids import accept, attack, hostile, schema  # noqa: E402
from tests.sessions.postgres import binaries, server  # noqa: E402
from tests.sessions.writers import race, repeat, thawed  # noqa: E402
from turnkeeper.sessions import MemoryStore, SessionState, SessionStore, SqlStore  # noqa: E402


class Line(NamedTuple):
    """One promise: what was done, what came out, and whether it holds."""

    name: str
    what: str
    found: str
    holds: bool


def conformance(_: Place, quick: bool) -> Iterator[Line]:
    """Memory and the broken store; the databases run the suite in the tests."""
    kept = 0
    for clause in CLAUSES:
        clause(MemoryStore())
        kept += 1
    noticed = sum(_fails(lambda clause=clause: clause(BrokenStore())) for clause in CLAUSES)  # type: ignore[misc]
    yield Line("conformance", f"{len(CLAUSES)} clauses, memory", f"{kept} kept", kept == len(CLAUSES))
    yield Line("conformance", "a broken store", f"fails {noticed} of {len(CLAUSES)}", noticed == len(CLAUSES))


def _fails(run: Callable[[], object]) -> bool:
    try:
        run()
    except BaseException as error:
        return type(error).__name__ in ("AssertionError", "Failed")
    return False


class Place(NamedTuple):
    """Where sessions are for one round: fresh addresses, and a folder for files."""

    kind: str
    folder: Path
    postgres: str

    def fresh(self, name: str) -> str:
        """Return the address of an empty store."""
        if self.kind == "sqlite":
            return str(self.folder / f"{name}.db")
        with SqlStore(self.postgres) as store, store._backend._engine.begin() as connection:  # type: ignore[attr-defined]
            for table in ("sessions", "turns", "registry", "ledger", "exclusions", "reviews"):
                connection.exec_driver_sql(f"DELETE FROM turnkeeper_{table}")
        return self.postgres


def processes(place: Place, quick: bool) -> Iterator[Line]:
    """Many writers, sleepers and repeaters."""
    count, turns = (4, 10) if quick else (8, 200)
    begun = time.perf_counter()
    found, words, conflicts = race(place.fresh("race"), processes=count, turns=turns)
    total = count * turns + 1
    whole = (
        [line.turn for line in found.log] == list(range(1, total + 1))
        and sorted(line.idempotency_key or "" for line in found.log[1:]) == sorted(words)
        and [entry.doc_id for entry in found.state.registry.entries] == [f"D-{turn}" for turn in range(1, total + 1)]
    )
    seconds = time.perf_counter() - begun
    took = f"{total} turns contiguous, {conflicts} conflicts, {seconds:.0f} s"
    yield Line("processes", f"{count} processes x {turns} turns, {place.kind}", took, whole)
    rounds = 10 if quick else 100
    told = thawed(place.fresh("thawed"), rounds)
    stale = told.count("version_conflict")
    yield Line("processes", f"{rounds} writers stopped and thawed, {place.kind}", f"{stale} stale", stale == rounds)
    times = 80 if quick else 1000
    session, replayed = repeat(place.fresh("repeat"), processes=8, times=times)
    once = len(session.log) == 1 and replayed.count(False) == 1 and len(replayed) == times
    yield Line("processes", f"{times} submissions with one key, {place.kind}", f"{len(session.log)} turn", once)


def crashes(place: Place, quick: bool) -> Iterator[Line]:
    """`kill -9` before the nth write, fsync or truncation."""
    shim = compiled(place.folder)
    if shim is None:
        print("crashes: no C compiler, left out", file=sys.stderr)
        return
    points = list(range(1, 21 if quick else 301))
    half = len(points) // 2  # each second one with a log so short that copying it into the main file is hit too
    rows = crash_at(shim, place.folder, points[:half]) + crash_at(shim, place.folder, points[half:], pages=20)
    whole = lost = 0
    for row in rows:
        acknowledged = [int(turn) for turn in re.findall(r"\[(\d+)\]", row["trace"])]
        count = len(row["turns"])
        right = row["turns"] == list(range(1, count + 1)) and row["sources"] == [f"D-{n}" for n in row["turns"]]
        right = right and row["keys"][BEFORE:] == [f"k-{n}" for n in row["turns"][BEFORE:]]
        lost += max([BEFORE, *acknowledged]) > count
        whole += right and count - max([BEFORE, *acknowledged]) in (0, 1) and row["next"] == count + 1
    died = sum(row["killed"] for row in rows)
    spread = max(len(row["turns"]) for row in rows) - BEFORE
    found = f"{died} killed, {lost} turns lost, {whole} whole, over {spread} commits"
    yield Line("crashes", f"kill -9 at {len(points)} points", found, whole == len(points) and not lost)
    (row,) = crash_at(shim, place.folder, [0])
    commits = re.findall(r"([a-z]*)\[\d+\]", row["trace"])[1:]
    synced = sum(commit.endswith("f") for commit in commits)
    each = statistics.mean(commit.count("f") for commit in commits)
    found = f"{synced} of {len(commits)}, {each:.2f} fsyncs a commit"
    yield Line("crashes", "fsync before each acknowledgement", found, synced == len(commits) and each == 1)


def damage(place: Place, quick: bool) -> Iterator[Line]:
    """Flipped bits and cuts."""
    written(place.folder / "whole.db")
    flips, cuts = (20, 10) if quick else (130, 70)
    outcomes = list(damaged(place.folder / "whole.db", place.folder, flips=flips, cuts=cuts))
    bad = sum(not typed(outcome) for outcome in outcomes)
    errors = sum(outcome.error is not None for outcome in outcomes)
    found = f"{errors} typed errors, {len(outcomes) - errors} harmless (read back whole), {bad} silent or other"
    yield Line("damage", f"{flips} flipped bits, {cuts} cuts", found, not bad)


def hostiles(place: Place, quick: bool) -> Iterator[Line]:
    """Texts that try to be SQL."""
    with SqlStore(place.fresh("hostile")) as store:
        state, before = talk(store, 2), schema(store)
        texts = list(hostile(50 if quick else 500))
        refused = sum(attack(store, text) == 9 for text in texts)
        same = store.load(SESSION, TENANT) == state
        kept = [accept(store, text) for text in texts[:: 1 if quick else 10]]
        same = same and schema(store) == before
    found = f"{refused} refused in all 9 places, {sum(done is not None for done in kept)} kept as text, schema "
    found += "unchanged" if same else "CHANGED"
    yield Line("hostile", f"{len(texts)} ids, keys and filters, {place.kind}", found, same and refused == len(texts))


def cost(place: Place, quick: bool) -> Iterator[Line]:
    """One turn after another, each registering a source with a snippet of 400 characters.

    A long session and a young one take turns, so that what else the machine does falls on both alike.
    """
    turns = 200 if quick else 1000
    window = turns // 5
    with SqlStore(place.fresh("cost")) as store:
        long, young = new("long"), new("young")
        while long.turn < turns - window:
            long, _, _ = _append(store, long)
        late, early = [], []
        for _ in range(window):
            long, *cost_of_long = _append(store, long)
            young, *cost_of_young = _append(store, young)
            late.append(cost_of_long)
            early.append(cost_of_young)
    spans = f"turns 1-{window} -> {turns - window + 1}-{turns}, {place.kind}"
    for number, name in enumerate(("wall", "processor")):
        before, after = ([one[number] * 1e3 for one in costs] for costs in (early, late))
        for what, of in (("95th percentile", _p95), ("median", statistics.median)):
            ratio = of(after) / of(before)
            note = f"{of(before):.2f} -> {of(after):.2f} ms, ratio {ratio:.2f}"
            yield Line("cost", f"{name} time, {what}, {spans}", note, ratio < 1.5)
    median = statistics.median(one[1] for one in late) * 1e3
    yield Line("cost", f"processor time of a commit, {place.kind}", f"{median:.2f} ms (bound 3)", median <= 3)


def _append(store: SessionStore, state: SessionState) -> tuple[SessionState, float, float]:
    turn = state.turn + 1
    after = with_sources(state, source(f"D-{turn}", turn, snippet="The crane is booked. " * 20))
    done = record(turn).model_copy(update={"answer": "It opens at nine. " * 40})
    begun, burnt = time.perf_counter(), time.process_time()
    state = store.commit(expected_version=turn - 1, turn=done, state=after, idempotency_key=f"k-{turn}").state
    return state, time.perf_counter() - begun, time.process_time() - burnt


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


BOTH = {"processes": processes, "hostile": hostiles, "cost": cost}
FILES = {"conformance": conformance, "crashes": crashes, "damage": damage}


def main() -> int:
    """Run, print, and return 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small numbers")
    parser.add_argument("--json", type=Path, help="write the lines to a file")
    parser.add_argument("--only", nargs="+", choices=[*FILES, *BOTH], default=[*FILES, *BOTH])
    given = parser.parse_args()
    lines: list[Line] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        places = [Place("sqlite", folder, "")]
        if binaries() is None:
            print("PostgreSQL: no server found, left out (apt-get install postgresql)", file=sys.stderr)
        elif set(given.only) & BOTH.keys():
            places.append(Place("postgres", folder, stack.enter_context(server())))
        for name in given.only:
            for place in places if name in BOTH else places[:1]:
                for line in {**FILES, **BOTH}[name](place, given.quick):
                    lines.append(line)
                    print(f"{'ok ' if line.holds else 'NOT'} {line.name:<12} {line.what:<62} {line.found}", flush=True)
    if given.json:
        given.json.write_text(json.dumps([line._asdict() for line in lines], indent=1) + "\n")
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
