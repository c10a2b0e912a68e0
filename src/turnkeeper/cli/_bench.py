"""`turnkeeper bench`: public benchmarks, from files that the user has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import AdapterOption, ApiBaseOption, FormOption, LmOption, ThreadsOption
from ._render import command, print_json

if TYPE_CHECKING:
    from ._bench_predict import Predicted
    from ._bench_report import Measured

bench = typer.Typer(
    help="Measure on public benchmarks, from files that you have.", no_args_is_help=True, rich_markup_mode=None
)

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="As published, or trimmed JSONL.")]
SetOption = Annotated[str | None, typer.Option("--set", help="The set, when FILE does not show it.")]
IdsOption = Annotated[
    str | None,
    typer.Option(
        "--ids",
        help="A file of ids, or all; by default the fixed ids that FILE holds, or those that a fixed rule draws.",
    ),
]
RowsOption = Annotated[int | None, typer.Option("--rows", min=1, help="The first so many rows only.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="JSONL of predictions, to go on with; as of `run`.")]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Throw away what --out holds.")]
PredictionsOption = Annotated[
    Path | None, typer.Option("--predictions", help="Measure these output rows of `run`; no LM is asked.")
]
ProgramOption = Annotated[
    str, typer.Option("--program", help="auto, zero-shot, copy (the user's words), or the path of an artifact.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="The figures as one JSON object on stdout.")]


@bench.command()
@command
def rewrite(
    file: FileArgument,
    set_: SetOption = None,
    ids: IdsOption = None,
    rows: RowsOption = None,
    predictions: PredictionsOption = None,
    program: ProgramOption = "auto",
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    form: FormOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = 1,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    json_: JsonOption = False,
) -> None:
    """Compare standalone queries with rewrites: people's (CANARD, QReCC, TREC CAsT), the data set's own LLM's (MTRAG).

    Exit code 1 when a row has no answer or its LM failed: it counts as an empty answer, or a fallback.
    """
    from ..evaluation.public_rewrites import RewriteScore, score_rewrite
    from ._bench_predict import Options, answers_for, query_of
    from ._bench_report import Measured
    from ._bench_rows import as_rows, chosen, list_name, public_set

    source = public_set(file, set_, "rewrite")
    listed = chosen(source.read(file), file, source, ids)
    turns = [turn for turn in listed if turn.history and turn.rewrite][:rows]
    left_out = {
        "nothing said before": sum(not turn.history for turn in listed),
        "no rewrite in the set": sum(bool(turn.history) and not turn.rewrite for turn in listed),
    }
    options = Options(lm, api_base, program, form, adapter, threads, out, overwrite)
    answers, about = answers_for("reformulate", as_rows("reformulate", turns), predictions, options, file)
    texts = {"copy": [turn.query for turn in turns], "ours": [query_of(answer) for answer in answers]}
    scores = {
        arm: [score_rewrite(turn, text) for turn, text in zip(turns, some, strict=True)] for arm, some in texts.items()
    }
    _finish(
        Measured(
            "rewrite", source, about, [turn.conversation for turn in turns],
            {arm: _columns(RewriteScore._fields, some) for arm, some in scores.items()},
            [("ours", "copy")], answers, _some(left_out),
        ),
        file, list_name(listed, source, ids), json_,
    )  # fmt: skip


@bench.command()
@command
def exclusions(
    file: FileArgument,
    set_: SetOption = None,
    ids: IdsOption = None,
    rows: RowsOption = None,
    predictions: PredictionsOption = None,
    program: Annotated[
        str, typer.Option("--program", help="detector (no LM), or a program of expand: auto, zero-shot, a path.")
    ] = "detector",
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    form: FormOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = 1,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    json_: JsonOption = False,
) -> None:
    """Compare the exclusions found in queries with those of QUEST and ExcluIR; on NevIR, every one is wrong."""
    from ..errors import InputError
    from ..evaluation.public_exclusions import ExclusionScore, score_exclusions
    from ._bench_predict import Options, answers_for, phrases_of
    from ._bench_report import Measured
    from ._bench_rows import as_rows, chosen, list_name, public_set

    source = public_set(file, set_, "exclusions")
    listed = chosen(source.read(file), file, source, ids)
    queries = listed[:rows]
    inputs = as_rows("expand", queries)
    answers: list[Predicted] = []
    if program == "detector" and predictions is None:
        from ._behaviours import detected

        if out is not None:
            raise InputError("--out is for the predictions of a program; the detector asks nobody")
        about: dict[str, Any] = {"program": program}
        found = [detected(row)["negation_constraints"] for row in inputs]
    else:
        options = Options(lm, api_base, program, form, adapter, threads, out, overwrite)
        answers, about = answers_for("expand", inputs, predictions, options, file)
        found = [phrases_of(answer) for answer in answers]
    scores = [score_exclusions(query, phrases) for query, phrases in zip(queries, found, strict=True)]
    columns = _columns(ExclusionScore._fields, scores)
    known = {name: some for name, some in columns.items() if any(value is not None for value in some)}
    _finish(
        Measured("exclusions", source, about, [query.family for query in queries], {"ours": known}, [], answers, {}),
        file, list_name(listed, source, ids), json_,
    )  # fmt: skip


@bench.command()
@command
def retrieval(
    file: FileArgument,
    pool: Annotated[Path, typer.Option("--pool", help="Folder of passages_DOMAIN.jsonl.gz or DOMAIN.jsonl.")],
    set_: SetOption = None,
    ids: IdsOption = None,
    rows: RowsOption = None,
    predictions: PredictionsOption = None,
    program: ProgramOption = "auto",
    context_weight: Annotated[
        float, typer.Option("--context-weight", min=0.0, max=10.0, help="Of the previous question's scores.")
    ] = 0.3,
    lm: LmOption = "embedded",
    api_base: ApiBaseOption = None,
    form: FormOption = None,
    adapter: AdapterOption = None,
    threads: ThreadsOption = 1,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    json_: JsonOption = False,
) -> None:
    """BM25 nDCG@5 and recall@5 on MTRAG: last turn, data set's own LLM rewrite, ours; each with and without context."""
    from ..data.public import read_pool
    from ..errors import InputError
    from ..evaluation.public_retrieval import LEG, RetrievalScore, score_retrieval
    from ._bench_predict import Options, answers_for, query_of
    from ._bench_report import Measured
    from ._bench_rows import as_rows, chosen, list_name, public_set

    source = public_set(file, set_, "rewrite")
    listed = chosen(source.read(file), file, source, ids)
    turns = [turn for turn in listed if turn.history and turn.gold_passages and turn.domain][:rows]
    if not turns:
        raise InputError(f"{file}: {source.name} has no turn with relevant passages; MTRAG has")
    left_out = {
        "nothing said before": sum(not turn.history for turn in listed),
        "no relevant passages": sum(bool(turn.history) and not (turn.gold_passages and turn.domain) for turn in listed),
    }
    options = Options(lm, api_base, program, form, adapter, threads, out, overwrite)
    answers, about = answers_for("reformulate", as_rows("reformulate", turns), predictions, options, file)
    arms = {"last turn": {turn.id: turn.query for turn in turns}}
    unwritten = sum(not turn.rewrite for turn in turns)
    if unwritten < len(turns):  # a turn without a rewrite searches with the user's words there
        arms["data set's own LLM rewrite"] = {turn.id: turn.rewrite or turn.query for turn in turns}
        about["without_rewrite"] = unwritten or None
    arms["ours"] = {turn.id: query_of(answer) or turn.query for turn, answer in zip(turns, answers, strict=True)}
    found = dict(score_retrieval(turns, arms, lambda domain: read_pool(pool, domain), context_weight=context_weight))
    names = [name + leg for name in arms for leg in ("", LEG)]
    columns = {name: _columns(RetrievalScore._fields, [found[turn.id][name] for turn in turns]) for name in names}
    pairs = [("ours", "last turn"), (f"ours{LEG}", f"last turn{LEG}"), (f"ours{LEG}", "ours")]
    _finish(
        Measured(
            "retrieval", source, {**about, "context_weight": context_weight}, [turn.conversation for turn in turns],
            columns, pairs, answers, _some(left_out),
        ),
        file, list_name(listed, source, ids), json_,
    )  # fmt: skip


@bench.command()
@command
def sets(json_: JsonOption = False) -> None:
    """List the sets that are known: what each file must look like, where it comes from, its licence and citation."""
    from ..data.public import DRAWS, FIXED, SETS

    for one in SETS.values():
        fixed, rule = len(FIXED.get(one.name, ())), DRAWS.get(one.name)
        if json_:
            told = {name: getattr(one, name) for name in ("name", "title", "task", "provenance", "licence", "citation")}
            print_json({**told, "files": dict(one.files), "fixed_ids": fixed, "fixed_rule": rule and rule._asdict()})
            continue
        rows = f"the {rule.rows} smallest SHA-256 of '{rule.seed}:<id>'" if rule else f"{fixed} fixed ids"
        typer.echo(f"{one.name} ({one.task}, {rows}): {one.title}")
        typer.echo(f"  {one.provenance}\n  Licence: {one.licence}\n  Cite: {one.citation}")
        for name, form in one.files.items():
            typer.echo(f"  {name}: {form}")


def _columns(names: tuple[str, ...], scores: list[Any]) -> dict[str, list[float | None]]:
    return {name: [getattr(score, name) for score in scores] for name in names}


def _some(counts: dict[str, int]) -> dict[str, int]:
    return {reason: count for reason, count in counts.items() if count}


def _finish(found: Measured, file: Path, ids: str, json_: bool) -> None:
    from ._bench_report import report

    report(found, file, ids, json_)
    if any(answer.missing or answer.lm_error for answer in found.answers):
        raise typer.Exit(1)
