"""What the evaluation commands share: programs by name, figures as text, tables without mark-up."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ._render import safe

if TYPE_CHECKING:
    from ..behaviours import GoldenRow
    from ..evaluation.statistics import Interval

COPY = "copy"


class Target(NamedTuple):
    """What is evaluated.

    Attributes:
        program: A bare module, or a guard.
        lm: Of the bare module; None for a guard, which has its own.
        about: What a sidecar says of it.
    """

    program: Any
    lm: Any
    adapter: Any
    bare: bool
    about: dict[str, Any]


def target(
    behaviour: str, *, lm: str, program: str, bare: bool, temperature: float | None = None, **options: str | None
) -> Target:
    """Return a program ready to be evaluated; `copy` needs no LM. `options` are those of `loaded`.

    With a `temperature` the LM samples by it, and each ask counts: no guard answers from its memory.
    """
    if program == COPY:
        return _copy(behaviour, bare)
    guard = loaded(behaviour, lm=lm, program=program, **options)
    if temperature is not None:
        guard.lm = guard.lm.copy(temperature=temperature)
    about = {
        "lm": guard.lm.model,
        "program": guard.program_id,
        "adapter": type(guard.adapter).__name__,
        "form": getattr(guard.program, "form", None),
        "bare": bare,
        "temperature": temperature,
    }
    if bare:
        return Target(guard.program, guard.lm, guard.adapter, True, about)
    return Target(guard, None, None, False, about)


def loaded(behaviour: str, *, lm: str, program: str, **options: str | None) -> Any:
    """Return a program whose every call reaches its LM; `options` are api_base, form and adapter."""
    from . import _behaviours

    guard = _behaviours.load_program(behaviour, lm=lm, program=program, risk_level="normal", cache_size=0, **options)
    # An answer from DSPy's cache costs no token and no time, and proves nothing of this machine.
    guard.lm = guard.lm.copy(cache=False)
    return guard


def _copy(behaviour: str, bare: bool) -> Target:
    from ..behaviours import find
    from ..evaluation.baselines import CopyQuery
    from ..modules._guard import Guard

    about = {"lm": None, "program": COPY, "adapter": None, "form": None, "bare": bare}
    if bare:
        return Target(CopyQuery(behaviour), None, None, True, about)
    rules = find(behaviour).rules()
    return Target(Guard(rules, CopyQuery(behaviour), lm=None, adapter=None, program_id=COPY), None, None, False, about)


def share(value: float) -> str:
    """Return a share as a percentage; a dash when it is not known."""
    return "-" if math.isnan(value) else f"{value:.1%}"


def number(value: float) -> str:
    """Return a score with three digits; a dash when it is not known."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def interval(found: Interval, *, sign: bool = False) -> str:
    """Return a mean and its interval, or the mean alone where the conversations are too few for one."""
    if math.isnan(found.mean):
        return "-"
    form = "+.3f" if sign else ".3f"
    if not found.known:
        return f"{found.mean:{form}}"
    return f"{found.mean:{form}} [{found.low:{form}}, {found.high:{form}}]"


def table(echo: Callable[[str], None], head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in columns, the first column to the left, the others to the right."""
    if not rows:
        return
    cells = [[safe(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        first, *rest = (
            cell.ljust(w) if not n else cell.rjust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        echo("  " + "  ".join([first, *rest]).rstrip())


def refuse_other(path: Path, about: Mapping[str, Any]) -> None:
    """Raise `InputError` when a file holds the evaluation of something else, or no evaluation."""
    from ..errors import InputError
    from ..evaluation.files import about_path, read

    if not path.exists():
        return
    there = read(path).about
    if not there:
        raise InputError(f"--out {path}: exists, and no {about_path(path).name} says of what; choose another --out")
    for name, value in about.items():
        if there.get(name) != value:
            raise InputError(
                f"--out {path}: holds another evaluation: {name} was {there.get(name)!r}, now {value!r}; "
                "choose another --out, or delete it"
            )


def write_about(path: Path, about: Mapping[str, Any]) -> None:
    """Write the sidecar of an evaluation file."""
    from ..evaluation.files import about_path
    from ._files import atomic_lines

    with atomic_lines(about_path(path)) as write:
        write(about)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def golden_rows(behaviour: str, folder: Path | None) -> dict[str, GoldenRow]:
    """Return the rows of all splits by id, dev first; an own set may lack splits."""
    from ..behaviours import find
    from ..errors import InputError

    load = find(behaviour).load
    splits = [s for s in ("dev", "test", "train") if folder is None or (folder / f"{s}.jsonl").is_file()]
    if not splits:
        raise InputError(f"--golden {folder}: holds no dev.jsonl, test.jsonl or train.jsonl")
    return {row.id: row for split in splits for row in load(split, folder)}


def model_of(spec: str) -> str:
    """Return the model string of an LM without loading it."""
    from .. import resolve_lm
    from ..lms.catalogue import DEFAULT_MODEL, find

    kind, _, name = spec.partition(":")
    if kind == "embedded":
        entry = find(name or DEFAULT_MODEL)
        return f"llama-cpp/{entry.label}@sha256:{entry.sha256[:8]}"
    return resolve_lm(spec).model if kind == "gguf" else spec


def spec_of(model: str) -> str:
    """Return what `--lm` takes for the model string of a manifest."""
    from ..lms.catalogue import MODELS

    return next((f"embedded:{name}" for name in MODELS if model_of(f"embedded:{name}") == model), model)
