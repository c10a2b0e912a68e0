"""MTRAG-UN: are questions left open that the passages do not answer, and answered that they do? Whole turns.

usage: python benchmarks/unanswerable_turns.py --tasks FILE.jsonl --pool FOLDER --out FILE.jsonl [--ids FILE] [--rows N]
           [--rewrites FILE] [--k 3] [--context-weight 0.3] [--lm SPEC] [--api-base URL]
           [--program auto|zero-shot|FOLDER] [--overwrite] [--json]
       python benchmarks/unanswerable_turns.py --tasks FILE.jsonl --draw [--ids FILE]

A row of --tasks has task_id (or id), domain, history, query, gold_passages and answerability, a list of one label; the
folder holds passages_<domain>.jsonl.gz. --draw writes the ids that are measured, once: with seed 7 over the sorted ids
60 turns that are UNANSWERABLE or PARTIAL, and 60 ANSWERABLE ones that have a gold passage.

Each turn is taken by `turnkeeper.Conversation` in a session of its own. What was said before is replayed as given
answers, which asks no LM and leaves registry and ledger empty; then the turn comes with the --k passages of its domain
that BM25 over title and text ranks first. They are searched for by the last message, or by its standalone query where
--rewrites has output rows of `turnkeeper run reformulate`, and by the user's message before at --context-weight.

left open: status UNANSWERED. answered: status ANSWERED; an answer that leaves a part open (PARTIAL) is counted apart,
and so is a turn that was taken for no question: neither left open nor answered. A fallback leaves its question open
too, so read the fallback rate first; of those left open the table says how many are fallbacks of the cite step.
Intervals: Wilson, 95 %; every turn is of another conversation.

Rows of --out are kept and not asked again, except those of another context or history and those where the LM failed:
they are in no share, and the same command asks them again. On a slow machine an embedded LM needs more time for a call
than it has by default (TURNKEEPER_LM_DEADLINE, seconds). Another LM or program needs another --out. Exit code 1 when
the LM failed somewhere, 2 for bad input.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from _unanswerable_figures import Taken, figures, table
from _unanswerable_tasks import Searched, draw, named, queries_of, read_tasks, search
from pydantic import ValidationError

from turnkeeper import Conversation, load, resolve_lm
from turnkeeper.cli._files import refuse_same
from turnkeeper.cli._progress import Progress
from turnkeeper.cli._render import note, print_json
from turnkeeper.cli._runfile import RunFile
from turnkeeper.errors import InputError, TurnkeeperError
from turnkeeper.lms import probe
from turnkeeper.sessions import MemoryStore

IDS = Path(__file__).parent / "public_ids" / "mtragun.txt"
STEPS = ("reformulate", "expand", "cite", "carry_forward")


def digest(searched: Searched) -> str:
    """Return the digest of what a turn is made of; labels and gold do not reach the LM."""
    task = searched.task
    parts = [task.replayed, task.query, [(p.doc_id, p.title, p.text) for p in searched.passages]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def take(steps: Mapping[str, Any], searched: Searched) -> Taken:
    """Replay what was said before, take the turn, and return what came of it."""
    others = {name: step for name, step in steps.items() if name != "cite"}
    talk, task = Conversation(MemoryStore(), answerer=steps["cite"], **others), searched.task
    replayed_calls = sum(
        talk.turn("turn", query, passages=(), given_answer=reply).lm_calls for query, reply in task.replayed
    )
    told = talk.turn("turn", task.query, passages=searched.passages)
    return Taken(
        id=task.id,
        input_digest=digest(searched),
        status=told.status,
        kind=told.kind,
        standalone_query=told.standalone_query,
        answer=told.answer,
        cited=told.cited,
        context=tuple(passage.doc_id for passage in searched.passages),
        dropped=told.dropped,
        fallbacks=tuple(step.name for step in told.steps if step.fallback),
        warnings=tuple(dict.fromkeys(notice.code for notice in told.warnings)),
        violations=tuple(dict.fromkeys(violation.code for violation in told.violations)),
        lm_calls=told.lm_calls + replayed_calls,
        latency_ms=round(told.latency_ms, 1),
    )


def kept_row(line: Any) -> dict[str, Any] | None:
    """Return a line of an earlier run if it can be used: well formed, and the LM did not fail."""
    try:
        row = Taken.model_validate(line)
    except ValidationError:
        return None
    return None if row.lm_failed else row.model_dump(mode="json")


def asked(turns: Sequence[Searched], file: RunFile, steps: Mapping[str, Any]) -> list[Taken]:
    """Take the turns that the file does not hold yet, and return all of them in order."""
    known = {one.task.id: file.kept.get((one.task.id, digest(one))) for one in turns}
    done = sum(row is not None for row in known.values())
    file.start()
    if done:
        note(f"reused {done} of {len(turns)} turns of {file.path}")
    taken = []
    with Progress("unanswerable turns", len(turns)) as progress:
        for one in turns:
            row = known[one.task.id]
            if row is None:
                made = take(steps, one)
                file.append(made.model_dump(mode="json"))
                done += 1
                progress.update(done, text=made.status)
            else:
                made = Taken.model_validate(row)
            taken.append(made)
    here = {one.id for one in taken}  # what they were with another context is of no use beside these
    others = [row for row in file.kept.values() if row["id"] not in here]
    file.finish([*(one.model_dump(mode="json") for one in taken), *others])
    return taken


def loaded(options: argparse.Namespace, lm: Any) -> tuple[dict[str, Any], str]:
    """Return the four programs and the name of their LM. Raises `SetupError` when it cannot answer."""
    if lm is None:
        with Progress("weights", None, unit="MB") as progress:
            lm = resolve_lm(options.lm, api_base=options.api_base, progress=progress.update)
    probe(lm)
    return {name: load(name, lm=lm, program=options.program) for name in STEPS}, lm.model


def measure(options: argparse.Namespace, lm: Any) -> int:
    """Do what the options say and print the figures; 1 when the LM failed on a turn."""
    for source in filter(None, (options.tasks, options.ids, options.rewrites)):
        refuse_same(source, options.out)
    tasks = named(read_tasks(options.tasks), options.ids)[: options.rows]
    queries, unwritten = queries_of(tasks, options.rewrites)
    turns = search(tasks, options.pool, queries, count=options.k, context_weight=options.context_weight)
    steps, model = loaded(options, lm)
    programs = {name: str(step.program_id or "zero-shot") for name, step in steps.items()}
    settings = {"benchmark": "unanswerable_turns", "model": model, **programs}
    with RunFile(options.out, settings, overwrite=options.overwrite, kept_row=kept_row) as file:
        try:
            taken = asked(turns, file, steps)
        except KeyboardInterrupt:
            note(f"what is done is kept in {file.path}; the same command goes on")
            raise
    found = {
        **figures(turns, taken),
        "model": model,
        "programs": programs,
        "k": options.k,
        "context_weight": options.context_weight,
        "searched_by": "the last message" if options.rewrites is None else "standalone queries",
        "without_rewrite": None if options.rewrites is None else unwritten,
    }
    if options.json:
        print_json(found)
    else:
        print("\n".join(table(found)))
    return 1 if found["lm_failures"] else 0


def write_ids(options: argparse.Namespace) -> int:
    """Draw the ids and write them, once."""
    ids = draw(read_tasks(options.tasks))
    try:
        with options.ids.open("x", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{name}\n" for name in ids)
    except FileExistsError:
        raise InputError(f"--ids {options.ids}: is there already; the turns are drawn once") from None
    except OSError as error:
        raise InputError(f"--ids {options.ids}: {error.strerror}") from None
    note(f"{len(ids)} ids in {options.ids}")
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, required=True, help="JSONL rows")
    parser.add_argument("--pool", type=Path, help="folder of passages")
    parser.add_argument("--out", type=Path, help="JSONL, one row a turn; resumed")
    parser.add_argument("--ids", type=Path, default=IDS, help="ids of the turns, one a line")
    parser.add_argument("--draw", action="store_true", help="write --ids and stop")
    parser.add_argument("--rows", type=int, help="the first so many turns, of both kinds")
    parser.add_argument("--rewrites", type=Path, help="output rows of turnkeeper run reformulate")
    parser.add_argument("--k", type=int, default=3, help="passages a turn")
    parser.add_argument("--context-weight", type=float, default=0.3, help="of the user's message before")
    parser.add_argument("--lm", default="embedded")
    parser.add_argument("--api-base")
    parser.add_argument("--program", default="auto")
    parser.add_argument("--overwrite", action="store_true", help="throw away what --out holds")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object on stdout")
    options = parser.parse_args(arguments)
    if not options.draw and (options.pool is None or options.out is None):
        parser.error("--pool and --out are required")
    if options.k < 1 or (options.rows is not None and options.rows < 1):
        parser.error("--k and --rows must be at least 1")
    if not 0 <= options.context_weight <= 10:
        parser.error("--context-weight must be from 0 to 10")
    return options


def main(arguments: Sequence[str] | None = None, lm: Any = None) -> int:
    """Run the benchmark; return the exit code."""
    options = parse(arguments)
    try:
        return write_ids(options) if options.draw else measure(options, lm)
    except TurnkeeperError as error:
        note(f"unanswerable_turns: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
