"""`turnkeeper run`: a behaviour over the rows of a file; resumable, and no row is ever lost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import AdapterOption, ApiBaseOption, FormOption, LmOption, ThreadsOption
from ._render import command, note, print_json

if TYPE_CHECKING:
    from ..data.rows import Row
    from ._runfile import RunFile


@command
def run(
    behaviour: Annotated[str, typer.Argument(help="reformulate, expand or cite")],
    in_: Annotated[Path, typer.Option("--in", help="JSONL rows.")],
    out: Annotated[Path, typer.Option("--out", help="JSONL: one row a row, in the same order.")],
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    program: Annotated[str, typer.Option("--program", help="auto, zero-shot, or the path of an artifact.")] = "auto",
    form: FormOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = 1,
    risk_level: Annotated[str, typer.Option("--risk-level", help="normal or high.")] = "normal",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Throw away what --out holds.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="The summary as one JSON object on stdout.")] = False,
) -> None:
    """Run a behaviour over a file. The same command goes on where an earlier one stopped.

    Exit code 2 when a row of the input was bad, 1 when one failed for another reason (each has its error row) or when
    the LM failed on one (it holds the fallback, and the same command asks it again).
    """
    from .._secrets import mask_addresses
    from ..data.rows import BadRow, Row, read, row_model
    from ..errors import InputError
    from . import _behaviours
    from ._batch import error_row, kept_row, reused_row
    from ._files import refuse_same
    from ._runfile import RunFile

    if risk_level not in ("normal", "high"):
        raise InputError(f"--risk-level {risk_level!r}: must be normal or high")
    refuse_same(in_, out)
    refuse_same(in_, out.with_name(out.name + ".meta.json"))
    if behaviour == "conversation":
        from ._run_conversation import run_conversations

        if form is not None or adapter is not None:
            raise InputError("--form and --adapter are for one behaviour; a conversation runs all four")
        code = run_conversations(
            in_, out, lm=lm, api_base=api_base, program=program, risk_level=risk_level, overwrite=overwrite, json_=json_
        )
        if code:
            raise typer.Exit(code)
        return
    entry = _behaviours.find(behaviour)
    source = list(read(in_, row_model(behaviour)))
    good = [row for row in source if isinstance(row, Row)]
    settings: dict[str, str | None] = {"behaviour": behaviour, "lm": lm, "program": program, "risk_level": risk_level}
    settings |= {"form": form, "adapter": adapter}
    settings["api_base"] = None if api_base is None else mask_addresses(api_base)
    with RunFile(out, settings, overwrite=overwrite, kept_row=lambda row: kept_row(row, entry.result)) as file:
        kept = {row.line: file.kept.get((row.id, row.digest())) for row in good}
        done = {row.line: reused_row(there, row) for row in good if (there := kept[row.line]) is not None}
        reused = len(done)
        if reused:
            note(f"reused {reused} of {len(good)} rows of {out}")
        if reused < len(good):
            keeper = _behaviours.load_program(
                behaviour, lm=lm, program=program, risk_level=risk_level, api_base=api_base, form=form, adapter=adapter
            )
            file.start(**_found(keeper))
            _compute(behaviour, keeper, good, threads, file, str(in_), done)
        else:
            file.start()
        rows = [error_row(r.id, r.error) if isinstance(r, BadRow) else done[r.line] for r in source]
        file.finish(rows)
    summary = summarize(rows, reused=reused, bad=len(source) - len(good))
    _report(behaviour, summary, json_)
    if summary["bad_rows"]:
        raise typer.Exit(2)
    if summary["failed_rows"] or summary["lm_errors"]:
        raise typer.Exit(1)


def _found(keeper: Any) -> dict[str, str]:
    found = {
        "program_id": getattr(keeper, "program_id", None),
        "model": getattr(getattr(keeper, "lm", None), "model", None),
    }
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _compute(
    behaviour: str,
    keeper: Any,
    rows: list[Row[Any]],
    threads: int,
    file: RunFile,
    source: str,
    done: dict[int, dict[str, Any]],
) -> None:
    """Ask for the rows that are not done yet; what is done is in the file, whatever happens."""
    from . import _behaviours
    from ._batch import ask_all, output_row
    from ._progress import Progress

    entry = _behaviours.find(behaviour)
    todo = [row for row in rows if row.line not in done]
    fallbacks = sum(row["fallback"] for row in done.values())
    try:
        with Progress(f"run {behaviour}", len(rows)) as progress:
            progress.update(len(done))
            for answer in ask_all(lambda row: entry.ask(keeper, row), todo, threads):
                row = output_row(answer, entry.prediction, source)
                file.append(row)
                done[answer.row.line] = row
                fallbacks += row.get("fallback", False)
                progress.update(len(done), text=f"{fallbacks} fallbacks")
    except KeyboardInterrupt:
        note(f"{len(done)} of {len(rows)} rows are kept in {file.path}; the same command goes on")
        raise


def summarize(rows: list[dict[str, Any]], *, reused: int, bad: int) -> dict[str, Any]:
    """Count what came out; the fallback rate first, since a fallback can make everything else look won."""
    from ._batch import lm_failed

    answered = [row for row in rows if "prediction" in row]
    codes: Counter[str] = Counter()
    for row in answered:
        codes.update({violation["code"] for violation in row["violations"]})
    latencies = sorted(row["latency_ms"] for row in answered)
    fallbacks = sum(row["fallback"] for row in answered)
    return {
        "fallback_rate": round(fallbacks / len(answered), 4) if answered else None,
        "fallbacks": fallbacks,
        "rows": len(rows),
        "ok": sum(row["ok"] for row in answered),
        "bad_rows": bad,
        "failed_rows": len(rows) - len(answered) - bad,
        "lm_errors": sum(map(lm_failed, answered)),
        "reused": reused,
        "lm_attempts": sum(row["lm_attempts"] for row in answered),
        "median_latency_ms": latencies[len(latencies) // 2] if latencies else None,
        "by_code": dict(codes.most_common()),
    }


def _report(behaviour: str, summary: dict[str, Any], json_: bool) -> None:
    if json_:
        print_json(summary)
        return
    rate = "none answered" if summary["fallback_rate"] is None else f"{summary['fallback_rate']:.1%}"
    note(f"{behaviour}: fallback rate {rate} ({summary['fallbacks']} rows)")
    note(f"  {summary['ok']} of {summary['rows']} rows ok, {summary['reused']} reused")
    note(f"  {summary['lm_attempts']} LM attempts")
    if summary["median_latency_ms"] is not None:
        note(f"  median latency {summary['median_latency_ms']:.0f} ms")
    if summary["bad_rows"] or summary["failed_rows"]:
        note(
            f"  {summary['bad_rows']} bad rows, {summary['failed_rows']} failed rows: see `error` in their output rows"
        )
    if summary["lm_errors"]:
        note(f"  {summary['lm_errors']} rows whose LM call failed: the same command asks them again")
    for code, count in summary["by_code"].items():
        note(f"  {code}: {count} rows")
