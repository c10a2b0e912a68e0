"""`turnkeeper run conversation`: whole conversations, one a row; resumable, and no row is ever lost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._render import note, print_json

if TYPE_CHECKING:
    from ..conversation import Conversation
    from ..data.conversation import ConversationRow
    from ..data.rows import BadRow, Row
    from ._runfile import RunFile

_FIELDS = frozenset("id turns ok warnings fallback lm_calls latency_ms input_digest error".split())


def run_conversations(
    in_: Path,
    out: Path,
    *,
    lm: str,
    api_base: str | None,
    program: str,
    risk_level: str,
    overwrite: bool,
    json_: bool,
) -> int:
    """Play every row of a file; return the exit code. See `run` for what it means.

    Raises:
        InputError: The files cannot be used.
        SetupError: The LM cannot answer.
    """
    from .._secrets import mask_addresses
    from ..data.conversation import ConversationRow
    from ..data.rows import BadRow, Row, read
    from ._batch import error_row
    from ._runfile import RunFile

    source = [row if isinstance(row, BadRow) else _playable(row, in_) for row in read(in_, ConversationRow)]
    good = [row for row in source if isinstance(row, Row)]
    settings: dict[str, str | None] = {"behaviour": "conversation", "lm": lm, "program": program}
    settings |= {"risk_level": risk_level, "api_base": None if api_base is None else mask_addresses(api_base)}
    with RunFile(out, settings, overwrite=overwrite, kept_row=_kept) as file:
        done = {
            row.line: {**there, **_extras(row)}
            for row in good
            if (there := file.kept.get((row.id, row.digest()))) is not None
        }
        reused = len(done)
        if reused:
            note(f"reused {reused} of {len(good)} rows of {out}")
        if reused < len(good):
            steps = load_steps(lm, api_base, program, risk_level)
            file.start(program_id=", ".join(f"{name} {one.program_id}" for name, one in steps.items()))
            _play_all(good, steps, risk_level, file, str(in_), done)
        else:
            file.start()
        rows = [error_row(r.id, r.error) if isinstance(r, BadRow) else done[r.line] for r in source]
        file.finish(rows)
    summary = _summary(rows, reused=reused, bad=len(source) - len(good))
    _report(summary, json_)
    return 2 if summary["bad_rows"] else 1 if summary["failed_rows"] or summary["lm_errors"] else 0


def _playable(row: Row[ConversationRow], file: Path) -> Row[ConversationRow] | BadRow:
    """Return a row, or a bad one in its place where a turn or a search of it would be refused once it is played."""
    from .._turn.given import asked_of
    from ..data.conversation import UserTurn
    from ..data.rows import BadRow
    from ..errors import InputError, RowError
    from ..retrieval._conditions import conditions
    from ..retrieval.request import SearchRequest

    field = ""
    try:
        for place, given in enumerate(row.data.metadata_filters):
            field = f"metadata_filters.{place}.value"
            conditions(SearchRequest(filters=(given,)))
        for place, step in enumerate(row.data.turns):
            if isinstance(step, UserTurn):
                field = f"turns.{place}.user"
                asked_of(row.id, step.user, None, None, "default", None, None, ())
    except InputError as error:
        return BadRow(row.line, row.id, RowError(str(error), file=str(file), line=row.line, field=field))
    return row


def load_steps(lm: str, api_base: str | None, program: str, risk_level: str) -> dict[str, Any]:
    """Load the four programs; a path as `program` is a folder of compiled programs of each behaviour."""
    from . import _behaviours

    names = ("reformulate", "expand", "cite", "carry_forward")
    return {
        name: _behaviours.load_program(name, lm=lm, program=program, risk_level=risk_level, api_base=api_base)
        for name in names
    }


def conversation_of(steps: Mapping[str, Any], **options: Any) -> Conversation:
    """Return a conversation of loaded programs whose sessions end with it."""
    from ..conversation import Conversation
    from ..sessions import MemoryStore

    cite = steps["cite"]
    others = {name: step for name, step in steps.items() if name != "cite"}
    return Conversation(MemoryStore(), answerer=cite, **others, **options)


def _play_all(
    rows: list[Row[ConversationRow]],
    steps: dict[str, Any],
    risk_level: str,
    file: RunFile,
    source: str,
    done: dict[int, dict[str, Any]],
) -> None:
    from ._progress import Progress

    turns = 0
    try:
        with Progress("run conversation", len(rows)) as progress:
            progress.update(len(done))
            for row in rows:
                if row.line in done:
                    continue
                played = _play(row, steps, risk_level, source)
                file.append(played)
                done[row.line] = {**played, **_extras(row)}
                turns += len(played.get("turns", ()))
                progress.update(len(done), text=f"{turns} turns")
    except KeyboardInterrupt:
        note(f"{len(done)} of {len(rows)} rows are kept in {file.path}; the same command goes on")
        raise


def _play(row: Row[ConversationRow], steps: dict[str, Any], risk_level: str, source: str) -> dict[str, Any]:
    from .._turn.playing import Player, trace_of
    from ..errors import IntegrityError, RowError, SetupError, TurnkeeperError
    from ._batch import error_row

    data = row.data
    started = time.perf_counter()
    turns: list[dict[str, Any]] = []
    talk = conversation_of(
        steps,
        convention=data.convention or "source_tag",
        risk_level=risk_level,
        domain_context=data.domain_context,
    )
    try:
        turns.extend(trace_of(result) for result in Player(talk, data, "row").play())
    except (SetupError, IntegrityError):
        raise
    except Exception as error:  # one row's failure must not cost the others
        told = str(error) if isinstance(error, TurnkeeperError) else f"unexpected {type(error).__name__}"
        failed = error_row(row.id, RowError(told, file=source, line=row.line))
        return {**failed, "turns": turns, "input_digest": row.digest()}
    return {
        "id": row.id,
        "turns": turns,
        "ok": not any(turn["fallback"] for turn in turns),
        "fallback": any(turn["fallback"] for turn in turns),
        "lm_calls": sum(turn["lm_calls"] for turn in turns),
        "latency_ms": round((time.perf_counter() - started) * 1000, 1),
        "input_digest": row.digest(),
    }


def _kept(found: Any) -> dict[str, Any] | None:
    """Return a row of an earlier run, extras aside, or None: damaged, failed, or made while the LM was away."""
    if not isinstance(found, dict) or "error" in found or not isinstance(found.get("turns"), list):
        return None
    if not all(isinstance(turn, dict) for turn in found["turns"]) or _lm_failed(found):
        return None
    return {name: found[name] for name in found if name in _FIELDS}


def _extras(row: Row[Any]) -> dict[str, Any]:
    return {name: value for name, value in row.extras().items() if name not in _FIELDS and name != "error"}


def _lm_failed(row: dict[str, Any]) -> bool:
    return any(w.get("code") == "lm_error" for turn in row.get("turns", ()) for w in turn.get("warnings", ()))


def _summary(rows: list[dict[str, Any]], *, reused: int, bad: int) -> dict[str, Any]:
    turns = [turn for row in rows for turn in row.get("turns", ())]
    latencies = sorted(turn["latency_ms"] for turn in turns)
    fallbacks = sum(turn["fallback"] for turn in turns)
    return {
        "fallback_rate": round(fallbacks / len(turns), 4) if turns else None,
        "fallbacks": fallbacks,
        "rows": len(rows),
        "turns": len(turns),
        "bad_rows": bad,
        "failed_rows": sum("error" in row for row in rows) - bad,
        "lm_errors": sum(map(_lm_failed, rows)),
        "reused": reused,
        "lm_calls": sum(turn["lm_calls"] for turn in turns),
        "most_lm_calls": max((turn["lm_calls"] for turn in turns), default=0),
        "median_latency_ms": latencies[len(latencies) // 2] if latencies else None,
    }


def _report(summary: dict[str, Any], json_: bool) -> None:
    if json_:
        print_json(summary)
        return
    rate = "no turn" if summary["fallback_rate"] is None else f"{summary['fallback_rate']:.1%}"
    note(f"conversation: fallback rate {rate} ({summary['fallbacks']} of {summary['turns']} turns)")
    note(f"  {summary['rows']} rows, {summary['reused']} reused, {summary['lm_calls']} LM calls")
    if summary["median_latency_ms"] is not None:
        note(f"  median turn {summary['median_latency_ms']:.0f} ms, at most {summary['most_lm_calls']} LM calls")
    if summary["bad_rows"] or summary["failed_rows"]:
        note(f"  {summary['bad_rows']} bad rows, {summary['failed_rows']} failed rows: see `error` in their rows")
    if summary["lm_errors"]:
        note(f"  {summary['lm_errors']} rows whose LM call failed: the same command asks them again")
