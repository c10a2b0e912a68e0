"""The release gate: every committed artifact against today's code, golden set and thresholds; an LM only when asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..behaviours import DEFAULT, Behaviour, GoldenRow, find
from ..data._golden import SPLITS
from ..errors import InputError, TurnkeeperError
from ..loading import build
from ..optimized import Artifact, find_artifacts, read_artifact
from ._faults import faults, leaked_demos
from ._live import Live, ask_again
from .records import FIGURES, PREDICTIONS, Recorded, moved, recorded, replay
from .scored import Scored
from .summary import names_of, value_of
from .thresholds import Thresholds

_TOLERANCE = 1e-6
_MOST_NAMED = 4
Again = Callable[[Artifact, Sequence[GoldenRow]], "Sequence[Scored] | None"]


class Finding(NamedTuple):
    """Why an artifact does not pass.

    Attributes:
        artifact: Path of its state file.
        field: What is wrong: a field of the manifest, or a metric.
        message: One sentence, with the numbers.
        remedy: What to run.
    """

    artifact: Path
    field: str
    message: str
    remedy: str


class Checked(NamedTuple):
    """One artifact, checked.

    Attributes:
        rows: Replayed rows, or those that the LM answered again; empty for a program without recorded predictions.
        notes: What was not checked, and why; what moved when the LM was asked again.
        live: Recorded and new answers side by side, when the LM was asked again.
    """

    artifact: Path
    rows: list[Scored]
    findings: list[Finding]
    notes: list[str]
    live: Live | None = None


class _Today(NamedTuple):
    """What artifacts are held against."""

    behaviour: Behaviour
    test: dict[str, GoldenRow]
    dev: list[GoldenRow]
    digests: dict[str, str]
    thresholds: Thresholds
    again: Again | None
    remedy: str


def gate(
    folder: Path,
    *,
    behaviour: str = DEFAULT,
    golden_dir: Path | None = None,
    thresholds: Thresholds | None = None,
    live: Again | None = None,
) -> list[Checked]:
    """Check every artifact of a behaviour in a programs folder.

    Args:
        folder: Holds `<behaviour>/<slug>.json`.
        behaviour: Its stem.
        golden_dir: Golden set; the shipped one by default. A split that an own set does not have is not checked.
        thresholds: Lowest means; none when left out.
        live: Asks the LM for the recorded test rows again (for all test rows when none are recorded); returns None
            when the artifact is for another LM. The new answers are held against the record, then the thresholds.

    Raises:
        InputError: The golden set cannot be read, or the folder holds no artifact of the behaviour.
    """
    find(behaviour)  # an unknown one is told before an empty folder
    paths = find_artifacts(folder, behaviour)
    if not paths:
        raise InputError(f"{folder}: holds no {behaviour} program; compile one, or name another folder")
    today = _today(behaviour, golden_dir, thresholds, live)
    return [_check(path, today) for path in paths]


def gate_one(path: Path, *, golden_dir: Path | None = None, thresholds: Thresholds | None = None) -> Checked:
    """Check one program, wherever it lies, as a program of the behaviour that its manifest names.

    Args:
        path: Its state file.
        golden_dir: As in `gate`.
        thresholds: As in `gate`.

    Raises:
        InputError: The path is no artifact, its behaviour is not known, or the golden set cannot be read.
        IntegrityError: The state's bytes are not those the manifest was written for.
    """
    return _check(path, _today(read_artifact(path).manifest.behaviour, golden_dir, thresholds, None))


def _today(behaviour: str, golden_dir: Path | None, thresholds: Thresholds | None, live: Again | None) -> _Today:
    golden = find(behaviour)
    there = [s for s in SPLITS if golden_dir is None or (golden_dir / f"{s}.jsonl").is_file()]
    if not there:
        raise InputError(f"{golden_dir}: holds none of {', '.join(f'{s}.jsonl' for s in SPLITS)}")
    return _Today(
        golden,
        {row.id: row for row in golden.load("test", golden_dir)} if "test" in there else {},
        golden.load("dev", golden_dir) if "dev" in there else [],
        {split: golden.digest(split, golden_dir) for split in there},
        thresholds or Thresholds({}, {}),
        live,
        f"turnkeeper compile {behaviour}",
    )


def _check(path: Path, today: _Today) -> Checked:
    found = Checked(path, [], [], [])
    try:
        artifact = read_artifact(path)
        entries = recorded(artifact.manifest.metrics, str(path))
    except TurnkeeperError as error:
        found.findings.append(Finding(path, "artifact", str(error), today.remedy))
        return found
    if artifact.manifest.behaviour != today.behaviour.name:
        message = f"is a {artifact.manifest.behaviour} program in the folder of {today.behaviour.name}"
        found.findings.append(Finding(path, "behaviour", message, "mv, into the folder of its behaviour"))
        return found
    stale, program = _stale_fingerprint(artifact, today)
    wrong = faults(artifact)
    if program is not None:
        splits = {"dev": today.dev, "test": list(today.test.values())}
        wrong += leaked_demos(program, artifact.manifest.form, today.behaviour, splits)
    found.findings.extend([*stale, *(Finding(path, fault.field, fault.message, today.remedy) for fault in wrong)])
    found.findings.extend(_stale_digests(artifact, today, found.notes))
    if entries:
        found.findings.extend(_replayed(artifact, entries, today, found.rows))
    else:
        found.notes.append("no recorded predictions: fingerprint and digests only")
    if today.again is not None and stale:
        found.notes.append("its fingerprint is stale: not asked again")
    elif today.again is not None:
        found = _asked_again(artifact, found, today)
    if found.rows:
        found.findings.extend(_below(path, found.rows, today, found.notes))
    return found


def _asked_again(artifact: Artifact, found: Checked, today: _Today) -> Checked:
    """Ask the LM for the rows of a program again; its answers take the place of the record."""
    assert today.again is not None
    wanted = [today.test[row.id] for row in found.rows] or list(today.test.values())
    answers = today.again(artifact, wanted)
    if answers is None:
        found.notes.append(f"compiled for {artifact.manifest.lm.model}: not asked again")
        return found
    failed = [row.error or "no score" for row in answers if row.score is None]
    if failed:
        message = f"{len(failed)} of {len(answers)} rows were not answered ({failed[0]} for one)"
        found.findings.append(Finding(artifact.path, "live", message, "the same command when the LM answers"))
    live = ask_again(artifact.path, found.rows, answers, today.behaviour) if found.rows else None
    if live is None:
        found.notes.append(f"asked for the first time: {len(answers)} rows, nothing recorded to compare with")
    elif live.worse:
        found.findings.append(Finding(artifact.path, "live", live.sentence(), today.remedy))
    else:
        found.notes.append(live.sentence())
    return found._replace(rows=list(answers), live=live)


def _stale_fingerprint(artifact: Artifact, today: _Today) -> tuple[list[Finding], Any]:
    """Return why the program cannot be built any more, or the program."""
    try:
        return [], build(artifact)
    except TurnkeeperError as error:
        message = str(error).removeprefix(f"{artifact.path}: ").removesuffix("; compile it again")
        return [Finding(artifact.path, "fingerprint", message, today.remedy)], None


def _stale_digests(artifact: Artifact, today: _Today, notes: list[str]) -> list[Finding]:
    findings = []
    for split, digest in artifact.manifest.golden_sha256.items():
        now = today.digests.get(split)
        if now is None:
            notes.append(f"the golden set has no {split} split: its digest is not checked")
        elif now != digest:
            message = f"the {split} rows are not those it was made with (digest {digest[:12]}, now {now[:12]})"
            remedy = f"{today.remedy}, or name its golden set with --golden"
            findings.append(Finding(artifact.path, f"golden_sha256.{split}", message, remedy))
    return findings


def _replayed(artifact: Artifact, entries: Sequence[Recorded], today: _Today, rows: list[Scored]) -> list[Finding]:
    """Score the recorded predictions again into `rows`; report rows that are gone or new and figures that moved."""
    path, place, findings = artifact.path, f"metrics.{PREDICTIONS}", []
    ids = {entry.id for entry in entries}
    if len(ids) < len(entries):
        message = f"{len(entries) - len(ids)} of {len(entries)} recorded rows stand there a second time"
        findings.append(Finding(path, place, message, today.remedy))
    gone, new = sorted(ids - today.test.keys()), sorted(today.test.keys() - ids)
    if gone:
        message = f"{len(gone)} recorded rows are not in the test split ({gone[0]} for one)"
        findings.append(Finding(path, place, message, today.remedy))
    if new:
        message = f"{len(new)} rows of the test split have no recorded prediction ({new[0]} for one)"
        findings.append(Finding(path, place, message, today.remedy))
    rows.extend(replay(entry, today.test[entry.id], today.behaviour) for entry in entries if entry.id in today.test)
    figures = [] if gone else moved(artifact.manifest.metrics, rows)
    if figures:
        named = "; ".join(f"{f.field} was {f.before:.4f}, is {f.now:.4f}" for f in figures[:_MOST_NAMED])
        more = f" and {len(figures) - _MOST_NAMED} more" if len(figures) > _MOST_NAMED else ""
        message = f"checks or golds changed the scores of the recorded predictions: {named}{more}"
        findings.append(Finding(path, f"metrics.{FIGURES}", message, f"{today.remedy}, or undo the change"))
    return findings


def _below(path: Path, rows: Sequence[Scored], today: _Today, notes: list[str]) -> list[Finding]:
    scored = [row for row in rows if row.score is not None]
    checks: list[tuple[str, list[float], float]] = []
    for name, least in today.thresholds.components.items():
        if name == "good":
            checks.append((name, [float(row.good) for row in scored], least))
        else:
            known = scored if name in names_of(scored) else []
            checks.append((name, [value_of(row, name) for row in known], least))
    for kind, least in today.thresholds.kinds.items():
        checks.append((f"kinds.{kind}", [value_of(row, "score") for row in scored if row.kind == kind], least))
    notes.extend(f"no row for the threshold of `{name}`: not checked" for name, values, _ in checks if not values)
    means = [(name, math.fsum(values) / len(values), len(values), least) for name, values, least in checks if values]
    return [
        Finding(
            path,
            name,
            f"the mean of {count} rows is {mean:.4f}, below the threshold {least:g}",
            f"{today.remedy}, or undo the change that lowered it",
        )
        for name, mean, count, least in means
        if mean < least - _TOLERANCE
    ]
