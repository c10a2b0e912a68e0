"""`turnkeeper compile`: search for a better program, and write it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import ApiBaseOption, BehaviourArgument, LmOption, ThreadsOption
from ._render import command, note

if TYPE_CHECKING:
    from ..compiling.budget import Budget
    from ..compiling.journal import JsonlJournal
    from ..compiling.options import CompileOptions
    from ..compiling.outcome import Outcome


@command
def compile_(
    behaviour: BehaviourArgument,
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    optimizer: Annotated[
        str, typer.Option("--optimizer", help="labeled, bootstrap, bootstrap-rs, mipro or gepa.")
    ] = "labeled",
    form: Annotated[
        str, typer.Option("--form", help="Of the behaviour, as referents or rewrite; auto for each.")
    ] = "auto",
    adapter: Annotated[str, typer.Option("--adapter", help="compact, chat, json, or auto for all three.")] = "auto",
    golden: Annotated[
        Path | None, typer.Option("--golden", help="Folder of train.jsonl, dev.jsonl, test.jsonl.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Programs folder.")] = Path("optimized"),
    budget: Annotated[str, typer.Option("--budget", help="light, medium or heavy: candidates and dev rows.")] = "light",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same artifact.")] = 0,
    threads: ThreadsOption = 1,
    teacher: Annotated[
        str | None, typer.Option("--teacher", help="LM that bootstraps demos; --lm if left out.")
    ] = None,
    reflection_lm: Annotated[
        str | None, typer.Option("--reflection-lm", help="Large LM that proposes instructions (mipro, gepa).")
    ] = None,
    candidates: Annotated[
        int | None, typer.Option("--candidates", help="Candidates at most, beside zero-shot; the budget's number.")
    ] = None,
    max_calls: Annotated[int | None, typer.Option("--max-calls", help="LM calls at most.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="Tokens at most.")] = None,
    max_seconds: Annotated[float | None, typer.Option("--max-seconds", help="Seconds at most.")] = None,
    max_usd: Annotated[float | None, typer.Option("--max-usd", help="Dollars at most.")] = None,
    price_in: Annotated[float | None, typer.Option("--price-in", help="Dollars a million prompt tokens.")] = None,
    price_out: Annotated[float | None, typer.Option("--price-out", help="Dollars a million answer tokens.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="NAME=JSON for the optimizer, as sizes=[4,8]; repeatable.")
    ] = None,
    slug: Annotated[str | None, typer.Option("--slug", help="Name of the artifact.")] = None,
    journal: Annotated[Path | None, typer.Option("--journal", help="File of scored rows, to go on with.")] = None,
    test: Annotated[bool, typer.Option("--test/--no-test", help="Answer the test split once, for the record.")] = True,
    track: Annotated[bool, typer.Option("--track/--no-track", help="Log to MLflow.")] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Worst-case calls, tokens and minutes, and stop.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="The outcome as one JSON object on stdout.")] = False,
) -> None:
    """Compile a behaviour for an LM. The same command goes on where an earlier one stopped.

    Exit code 1 when nothing better than zero-shot was found; nothing is overwritten then. Ctrl-C keeps the best so far.
    """
    from ..compiling.budget import Limits
    from ..compiling.options import CompileOptions
    from ..compiling.plan import golden_set
    from ._compile_report import show, show_forecast

    options = CompileOptions(
        behaviour=behaviour,
        optimizer=optimizer,
        form=form,
        adapter=adapter,
        seed=seed,
        budget=budget,
        candidates=candidates,
        limits=Limits(max_calls, max_tokens, max_seconds, max_usd),
        golden=golden,
        out=out,
        threads=threads,
        test=test,
        slug=slug,
        journal=journal,
        parameters=dict(_parameter(text) for text in option or []),
    )
    golden_set(options)  # a bad row is said before weights are fetched or a server is asked
    resolved = resolve(lm, api_base)
    if dry_run:
        from ..compiling.forecast import forecast

        show_forecast(forecast(options, resolved), json_)
        return
    others = {name: resolve(spec, None) if spec else None for name, spec in (("t", teacher), ("r", reflection_lm))}
    outcome = run_compile(
        options, resolved, teacher=others["t"], reflection_lm=others["r"], track=track, prices=(price_in, price_out)
    )
    show(outcome, json_)
    if outcome.search.stopped == "interrupted":
        raise typer.Exit(130)
    if outcome.artifact is None:
        raise typer.Exit(1)


def resolve(spec: str, api_base: str | None) -> Any:
    """Return an LM whose calls are counted one by one; missing weights are fetched, with a progress line."""
    from .. import resolve_lm
    from ._progress import Progress

    with Progress("weights", None, unit="MB") as progress:
        return resolve_lm(spec, api_base=api_base, cache=False, progress=progress.update)


def run_compile(
    options: CompileOptions,
    lm: Any,
    *,
    teacher: Any = None,
    reflection_lm: Any = None,
    track: bool = True,
    tags: Mapping[str, str] | None = None,
    prices: tuple[float | None, float | None] = (None, None),
    experiment: str | None = None,
    journal: JsonlJournal | None = None,
    quiet: Callable[[Budget], None] | None = None,
    after: Callable[[Outcome], Mapping[str, float]] | None = None,
) -> Outcome:
    """Compile with a progress bar and, when asked for, MLflow.

    Args:
        tags: Of its MLflow run.
        experiment: Of MLflow; the behaviour's own by default.
        journal: An open one that several compiles share.
        quiet: Leaves the bar out, since several compiles run, and is given the budget, by which this one can be halted.
        after: Called with an outcome that was not interrupted; the figures that it returns go to the same MLflow run.
    """
    from contextlib import ExitStack

    from .._secrets import mask_addresses
    from ..compiling.budget import Budget as Counted
    from ..compiling.compiler import compile_program
    from ..compiling.outcome import Observer
    from ..compiling.prices import usd_of
    from ._compile_progress import CompileProgress

    lms = [one for one in (lm, teacher, reflection_lm) if one is not None]
    dollars = usd_of(lms, *prices) if options.limits.usd is not None or None not in prices else None
    limits = Counted(options.limits, usd_of=dollars)
    with ExitStack() as stack:
        observers: list[Observer] = []
        if quiet is None:
            observers.append(stack.enter_context(CompileProgress(limits)))
        else:
            quiet(limits)
        tracker = None
        if track:
            from ..tracking import MlflowObserver

            _quiet_mlflow()
            tracker = stack.enter_context(MlflowObserver(experiment=experiment, tags=tags, on_problem=_untracked))
            observers.append(tracker)
        outcome = compile_program(
            options, lm, teacher=teacher, reflection_lm=reflection_lm, budget=limits, observers=tuple(observers),
            journal=journal,
        )  # fmt: skip
        if after is not None and outcome.search.stopped != "interrupted":
            found = after(outcome)
            if tracker is not None and tracker.run_id:
                tracker.figures(found)
    if tracker is not None and tracker.run_id and not tracker.problem:
        note(f"MLflow run {tracker.run_id} in {mask_addresses(tracker.uri)}")
    return outcome


def _untracked(problem: str) -> None:
    note(f"MLflow: {problem}; the compile goes on without it")


def _quiet_mlflow() -> None:
    """Leave out what MLflow logs: steps of its tables, and tracebacks of what the observer tells in one line."""
    import logging

    from .. import settings

    settings.prepare_mlflow()
    try:
        import mlflow  # noqa: F401
    except ImportError:
        return  # the observer says what to install
    logging.getLogger("mlflow").setLevel(logging.CRITICAL)


def _parameter(text: str) -> tuple[str, Any]:
    from ..errors import InputError

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InputError(f"--option {text!r}: NAME=VALUE is expected")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
