"""`turnkeeper evaluate`: a program on the rows of a golden set, with intervals; resumable."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import AdapterOption, ApiBaseOption, BehaviourArgument, FormOption, LmOption, ThreadsOption
from ._render import command, note, print_json, safe

if TYPE_CHECKING:
    from ..behaviours import Behaviour, GoldenRow
    from ..evaluation import Evaluation, Journal
    from ..evaluation.flakiness import Flakiness
    from ..evaluation.summary import Summary
    from ._evaluation import Target


@command
def evaluate(
    behaviour: BehaviourArgument,
    split: Annotated[str, typer.Option("--split", help="train, dev or test.")] = "dev",
    golden: Annotated[Path | None, typer.Option("--golden", help="Folder of SPLIT.jsonl; the shipped set.")] = None,
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    program: Annotated[
        str, typer.Option("--program", help="auto, zero-shot, copy (returns the query), or the path of an artifact.")
    ] = "auto",
    form: FormOption = None,
    adapter: AdapterOption = None,
    bare: Annotated[bool, typer.Option("--bare", help="Without checks, retry and fallback.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="JSONL: one scored row a line, for `compare`.")] = None,
    threads: ThreadsOption = 1,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, max=100, help="Runs, to see what sampling changes; 2 or more say so.")
    ] = 1,
    temperature: Annotated[
        float | None, typer.Option("--temperature", min=0, max=5, help="Of the LM; 0 if left out.")
    ] = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="The first so many rows only.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="The summary as one JSON object on stdout.")] = False,
) -> None:
    """Score a program on a golden set. The same command goes on where an earlier one stopped (with --out).

    With --repeat the figures are those of the first run, and what the runs do not agree on is told; later runs go to
    files of their own, `OUT-2.jsonl` and so on.

    Exit code 1 when a row failed or the run was interrupted: the figures then are those of the other rows.
    """
    from ..behaviours import find
    from ..evaluation.flakiness import flakiness
    from ..evaluation.keys import code_digest
    from ..evaluation.summary import summarize
    from ._evaluation import refuse_other, target
    from ._files import refuse_same

    data = find(behaviour)
    if out is not None:
        refuse_same(Path(), out)
    wanted = data.load(split, golden)[:rows]
    chosen = target(behaviour, lm=lm, program=program, bare=bare, api_base=api_base, form=form, adapter=adapter,
                    temperature=temperature)  # fmt: skip
    about = {"behaviour": behaviour, "split": split, "golden_sha256": data.digest(split, golden), **chosen.about}
    if out is not None:
        for number in range(repeat):
            refuse_other(_place(out, number), about)
    # Compared with no earlier file: the same command after a change of the code makes the same evaluation anew.
    about["code"] = code_digest()[:12]
    runs = _runs(data, chosen, wanted, threads, out, about, repeat)
    done, last = runs[0], runs[-1]
    summary = summarize(done.rows)
    steady = flakiness([run.rows for run in runs]) if repeat > 1 else None
    if json_:
        more = {} if steady is None else {"flakiness": steady.as_json()}
        print_json({**about, "complete": done.complete, "stopped": done.stopped, **summary.as_json(), **more})
    else:
        _show(behaviour, summary, len(wanted), bare)
        if steady is not None:
            _show_flakiness(steady)
    if last.stopped == "interrupted":
        again = "the same command goes on" if out is not None else "with --out the same command would go on"
        count = sum(len(run.rows) for run in runs)
        note(f"turnkeeper: interrupted after {count} of {len(wanted) * repeat} rows; {again}")
        raise typer.Exit(130)
    if any(not run.complete or run.errors for run in runs):
        raise typer.Exit(1)


def _runs(
    behaviour: Behaviour,
    chosen: Target,
    rows: list[GoldenRow],
    threads: int,
    out: Path | None,
    about: dict[str, Any],
    repeat: int,
) -> list[Evaluation]:
    """Return the runs that were made; the last one may have been interrupted."""
    runs: list[Evaluation] = []
    with _journal(out) as journal:
        for number in range(repeat):
            place = None if out is None else _place(out, number)
            runs.append(_run(behaviour, chosen, rows, threads, place, about, journal, number))
            if runs[-1].stopped == "interrupted":
                break
    return runs


def _place(out: Path, number: int) -> Path:
    """Return the file of a run: OUT, then OUT with the number of the run."""
    return out.with_name(f"{out.stem}-{number + 1}{out.suffix}") if number else out


def _run(
    behaviour: Behaviour,
    chosen: Target,
    rows: list[GoldenRow],
    threads: int,
    out: Path | None,
    about: dict[str, Any],
    journal: Journal | None,
    rollout: int,
) -> Evaluation:
    from ..evaluation import evaluate as run
    from ._evaluation import write_about
    from ._files import atomic_lines
    from ._progress import Progress

    with Progress(f"evaluate {behaviour.name}" + (f", run {rollout + 1}" if rollout else ""), len(rows)) as progress:
        scores: list[float] = []

        def told(scored: Any, done: int, total: int) -> None:
            if scored.score is not None:
                scores.append(scored.score)
            progress.update(done, text=f"mean {sum(scores) / len(scores):.3f}" if scores else "")

        done = run(
            chosen.program, rows, behaviour.metric, lm=chosen.lm, adapter=chosen.adapter, bare=chosen.bare,
            journal=journal, threads=threads, on_row=told, behaviour=behaviour, rollout=rollout,
        )  # fmt: skip
    if out is not None and done.rows:
        with atomic_lines(out) as write:
            for row in done.rows:
                write(row.model_dump(mode="json"))
        write_about(out, about)
    return done


def _journal(out: Path | None) -> Any:
    if out is None:
        none: Journal | None = None
        return nullcontext(none)
    from ..compiling.journal import JsonlJournal

    return JsonlJournal(out.with_name(out.name + ".journal"))


def _show(behaviour: str, summary: Summary, total: int, bare: bool) -> None:
    from ._evaluation import interval, share, table

    echo = typer.echo
    echo(f"{behaviour}: " + ("bare, no fallbacks" if bare else f"fallback rate {share(summary.fallback_rate)}"))
    echo(
        f"  {summary.rows} of {total} rows, {summary.errors} errors (not in the means), {summary.reused} reused; "
        f"{summary.lm_calls} LM calls, {summary.prompt_tokens} + {summary.completion_tokens} tokens, "
        f"median {summary.latency_ms:.0f} ms a row"
    )
    means = [("good", summary.good), *summary.components.items()]
    table(echo, ["", "mean [95 % interval]"], [[name, interval(found)] for name, found in means])
    for code, count in summary.codes.items():
        echo(f"  {code}: {count} rows")
    kinds = sorted(summary.kinds.items(), key=lambda item: item[1].mean)
    table(echo, ["kind", "rows", "score [95 % interval]"], [[k, f.rows, interval(f)] for k, f in kinds])


def _show_flakiness(found: Flakiness) -> None:
    from ._evaluation import number

    means = ", ".join(number(mean) for mean in found.means)
    typer.echo(f"{found.runs} runs of {found.rows} rows: means {means}; a row's score moves by {number(found.spread)}")
    typer.echo(
        f"  the same prediction in each run: {found.same} rows; good in each: {found.always}, "
        f"in some: {len(found.sometimes)}"
    )
    for row_id in found.sometimes[:_MOST_NAMED]:
        typer.echo(f"    {safe(row_id)}")


_MOST_NAMED = 8
