"""Compare common approaches to query reformulation with turnkeeper: one run, one model, the same turns and histories.

usage: python benchmarks/side_by_side.py (--tasks FILE.jsonl | --golden SPLIT) --out FILE.jsonl
           [--ids FILE] [--rows N] [--seed N] [--approaches NAME,NAME] [--program auto|PATH] [--overwrite]

A row of --tasks has id or task_id, history, query and human_rewrite, official_rewrite or gold, and may have family or
conversation_id. Every approach gets the last six messages, cut as turnkeeper cuts them for its own prompts; temperature
0 everywhere, and the common approaches may write 120 tokens.

Approaches run one after the other, each over all turns in order, so that each has its warm prefix as in service: the
engine keeps a llama.cpp context for each fixed beginning of a prompt. For DSPy and turnkeeper that is instruction and
demos, for the history in one message the instruction; the history as chat roles changes with every turn, so its short
instruction is read anew each time. The weights are loaded before the first turn. Seconds compare only within one run,
and only where the load averages below the table are alike; a run that was resumed mixes those of several times.

A reply that cannot be parsed, an empty one and a prompt that does not fit fall back to the raw query and are counted
in the first column. `residual`, `answered` and `invented` (a content word in neither query nor history) are the checks
of turnkeeper itself, and its guarded program returns nothing that breaks them but the raw query: read its figures there
together with its fallback rate. The checks overlook some answers; the reference's line says how often they object to a
person's rewrite, which may also use words of messages that the cut left out.

Rows of --out are kept and not asked again, except those of a changed turn, prompt or code of turnkeeper and those where
the LM itself failed; another LM or compiled program needs another --out. Exit code 1 when it failed, 2 for bad input.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from _approaches import Approach, approaches, ask, compiled_program
from _approaches_table import Column, Row, error_lines, load_line, table
from _approaches_tasks import Chosen, Task, choose, golden_tasks, left_out_lines, named, read_tasks
from pydantic import ValidationError

from turnkeeper.cli._files import refuse_same
from turnkeeper.cli._progress import Progress
from turnkeeper.cli._render import note
from turnkeeper.cli._runfile import RunFile
from turnkeeper.data.reformulate import SPLITS
from turnkeeper.errors import InputError, TurnkeeperError
from turnkeeper.lms import resolve_lm
from turnkeeper.lms.resolve import probe

COPY = "copy"
Digests = Mapping[tuple[str, str], str]
"""(approach, id of the turn) -> digest of all that the answer depends on."""


def chosen_tasks(options: argparse.Namespace) -> Chosen:
    """Return the turns that the options name."""
    rows = read_tasks(options.tasks) if options.tasks else golden_tasks(options.golden)
    if options.ids:
        rows = named(rows, options.ids)
    return choose(rows, count=options.rows, seed=options.seed)


def chosen_approaches(every: Sequence[Approach], names: str | None) -> list[Approach]:
    """Return the approaches that a comma-separated text names, all by default, in the order of the table.

    The copy is always among them: it costs nothing, and the others are measured against it.
    """
    wanted = {name.strip() for name in names.split(",")} if names else {approach.name for approach in every}
    unknown = sorted(wanted - {approach.name for approach in every})
    if unknown:
        there = ", ".join(approach.name for approach in every)
        raise InputError(f"--approaches: no approach {unknown[0]!r}; there is: {there}")
    return [approach for approach in every if approach.name in wanted | {COPY}]


def digest(approach: Approach, task: Task) -> str:
    """Return the digest of an approach and a turn, without the references: they do not reach the LM."""
    parts = [approach.name, approach.identity, [turn.model_dump() for turn in task.history], task.query]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def kept_row(line: Any, digests: Digests) -> dict[str, Any] | None:
    """Return a line of an earlier run if it still holds: well formed, no LM error, and of today's prompt."""
    try:
        row = Row.model_validate(line)
    except ValidationError:
        return None
    today = digests.get((row.approach, row.id), row.input_digest)  # what this run does not ask for stays as it is
    return row.model_dump() if row.error is None and row.input_digest == today else None


def measure(approach: Approach, task: Task, input_digest: str) -> Row:
    """Ask an approach about a turn."""
    load = os.getloadavg()[0]
    said, usage = ask(approach, task.history, task.query)
    return Row(
        approach=approach.name,
        id=task.id,
        input_digest=input_digest,
        prediction=said.text,
        fallback=said.fallback,
        error=said.error,
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        answer_tokens=usage.completion_tokens,
        seconds=round(usage.latency_ms / 1000, 4),
        load=round(load, 2),
    )


def run(tasks: Sequence[Task], compared: Sequence[Approach], file: RunFile, digests: Digests, lm: Any) -> list[Column]:
    """Ask what the file does not hold yet, approach by approach, and return all rows."""
    known = {key: file.kept.get((key[1], value)) for key, value in digests.items()}
    reused = sum(row is not None for row in known.values())
    file.start()
    if reused:
        note(f"reused {reused} of {len(digests)} rows of {file.path}")
    if any(known[approach.name, task.id] is None for approach in compared if approach.asks for task in tasks):
        probe(lm)
    done, columns = reused, []
    with Progress("side by side", len(digests)) as progress:
        for approach in compared:
            rows = []
            for task in tasks:
                key = approach.name, task.id
                found = known[key]
                if found is None:
                    row = measure(approach, task, digests[key])
                    file.append(row.model_dump())
                    done += 1
                    progress.update(done, text=approach.title)
                else:
                    row = Row.model_validate(found)
                rows.append(row)
            columns.append(Column(approach.title, approach.asks, rows))
    return columns


def report(chosen: Chosen, columns: Sequence[Column], source: str, model: str, program: str) -> str:
    """Return the table in Markdown, with what it was measured on above and the load averages below."""
    turns, conversations = len(chosen.tasks), len({task.family for task in chosen.tasks})
    return "\n".join(
        [
            f"{turns} turns of {conversations} conversations from {source}; LM {model}; compiled program {program}.",
            *left_out_lines(chosen.left_out),
            "",
            table(chosen.tasks, columns),
            "",
            f"{load_line(columns)} {os.cpu_count()} cores.",
            *error_lines(columns),
        ]
    )


def compare(options: argparse.Namespace, lm: Any = None) -> int:
    """Do what the options say and print the report; 1 when the LM failed on a turn."""
    for source in filter(None, (options.tasks, options.ids, Path(__file__))):
        refuse_same(source, options.out)
    chosen = chosen_tasks(options)
    # Bare and guarded ask the same, and each has to pay for it.
    lm = (resolve_lm("embedded") if lm is None else lm).copy(cache=False)
    compiled = compiled_program(lm, options.program)
    compared = chosen_approaches(approaches(lm, compiled), options.approaches)
    digests = {(a.name, task.id): digest(a, task) for a in compared for task in chosen.tasks}
    settings = {"benchmark": "side_by_side", "model": lm.model, "program": compiled.program_id}
    with RunFile(
        options.out, settings, overwrite=options.overwrite, kept_row=partial(kept_row, digests=digests)
    ) as file:
        try:
            columns = run(chosen.tasks, compared, file, digests, lm)
        except KeyboardInterrupt:
            note(f"what is done is kept in {file.path}; the same command goes on")
            raise
    source_name = options.tasks.name if options.tasks else f"the golden {options.golden} set"
    print(report(chosen, columns, source_name, lm.model, compiled.program_id))
    return 1 if error_lines(columns) else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tasks", type=Path, help="JSONL rows")
    source.add_argument("--golden", choices=SPLITS, help="a split of the shipped golden set")
    parser.add_argument("--ids", type=Path, help="ids of the rows to take, one a line")
    parser.add_argument("--rows", type=int, help="size of a sample; all rows by default")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--out", type=Path, required=True, help="JSONL, one row an approach and turn; resumed")
    parser.add_argument("--approaches", help="names, separated by commas; all by default")
    parser.add_argument("--program", default="auto", help="the compiled program: auto, or the path of an artifact")
    parser.add_argument("--overwrite", action="store_true", help="throw away what --out holds")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None, lm: Any = None) -> int:
    """Run the benchmark; `lm` is the embedded model by default."""
    try:
        return compare(parse(arguments), lm)
    except TurnkeeperError as error:
        note(f"side_by_side: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
