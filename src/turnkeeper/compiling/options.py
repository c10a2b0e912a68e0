"""What a compile is asked to do, and the rows that it works on."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..adapters import adapter_names
from ..behaviours import DEFAULT, Behaviour, GoldenRow, find
from ..errors import InputError
from .budget import Limits, preset
from .parameters import model_of, options_of
from .registry import get_optimizer

_LEAST_ROWS = 6
_LEAST_CANDIDATES = 2
"""Beside the zero-shot programs: with fewer, a search says nothing."""


@dataclass(frozen=True)
class CompileOptions:
    """One compile.

    Attributes:
        optimizer: Its name in the registry.
        form: A form of the behaviour, or "auto" for all of them.
        adapter: An adapter's name, or "auto" for compact, chat and json.
        seed: Of every choice; the same seed gives the same artifact.
        budget: "light", "medium" or "heavy".
        candidates: Proposals at most, beside the zero-shot programs; the budget's number by default.
        golden: Folder of `<split>.jsonl` files; the shipped set by default.
        out: The programs folder that the artifact goes to.
        threads: Rows at a time.
        test: Whether the winner answers the test split once, for the record.
        slug: Name of the artifact; from LM and optimizer by default.
        journal: The journal's file; under `.turnkeeper` by default.
        parameters: The optimizer's own options.
        train_rows: Rows of train that the optimizer sees, all by default; see `train_rows`.
        replace: Whether the winner is written even where the artifact of that name did better on the same dev split.
    """

    behaviour: str = DEFAULT
    optimizer: str = "labeled"
    form: str = "auto"
    adapter: str = "auto"
    seed: int = 0
    budget: str = "light"
    candidates: int | None = None
    limits: Limits = field(default_factory=Limits)
    golden: Path | None = None
    out: Path = Path("optimized")
    threads: int = 1
    test: bool = True
    slug: str | None = None
    journal: Path | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    train_rows: int | None = None
    replace: bool = False

    def validated(self) -> Behaviour:
        """Return the behaviour; raises `InputError` that names the option and what it may be."""
        behaviour = find(self.behaviour)
        model = model_of(get_optimizer(self.optimizer))
        if model is not None:
            options_of(model, self.parameters)
        preset(self.budget)
        self.forms(behaviour)
        self.adapters()
        if self.candidates is not None and self.candidates < 1:
            raise InputError(f"--candidates {self.candidates}: must be 1 or more")
        if self.train_rows is not None and self.train_rows < 1:
            raise InputError(f"train_rows {self.train_rows}: must be 1 or more")
        if self.slug is not None and not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", self.slug):
            raise InputError(f"--slug {self.slug!r}: lower-case letters, digits, `.`, `_` and `-` only")
        if self.golden is not None and not self.golden.is_dir():
            raise InputError(f"--golden {self.golden}: is no folder")
        return behaviour

    def forms(self, behaviour: Behaviour) -> tuple[str, ...]:
        """Return the forms to search."""
        if self.form == "auto":
            return behaviour.forms
        if self.form not in behaviour.forms:
            raise InputError(f"--form {self.form!r}: must be auto or one of {', '.join(behaviour.forms)}")
        return (self.form,)

    def adapters(self) -> tuple[str, ...]:
        """Return the adapters to search."""
        if self.adapter == "auto":
            return ("compact", "chat", "json")
        if self.adapter not in adapter_names():
            raise InputError(f"--adapter {self.adapter!r}: must be auto or one of {', '.join(adapter_names())}")
        return (self.adapter,)

    def slug_for(self, model: str) -> str:
        """Return the artifact's name."""
        return self.slug or f"{lm_label(model)}-{self.optimizer}"

    def journal_for(self, model: str) -> Path:
        """Return the journal's file: one a behaviour, LM, optimizer and seed, so that the same command finds it."""
        return self.journal or Path(".turnkeeper", f"{self.behaviour}-{self.slug_for(model)}-{self.seed}.journal.jsonl")


def lm_label(model: str) -> str:
    """Return a model string as part of a file name: no digest, no path of our engine, no special characters."""
    name = model.removeprefix("llama-cpp/").partition("@")[0]
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-.") or "lm"


def train_rows(rows: Sequence[GoldenRow], options: CompileOptions) -> list[GoldenRow]:
    """Return the rows to learn from, in the order of the set: families in a fixed random order until they are enough.

    A smaller number gives a part of a larger one, and no seed changes the choice, so that a learning curve compares.

    Raises:
        InputError: There are not so many rows.
    """
    wanted = options.train_rows
    if wanted is None:
        return list(rows)
    if wanted > len(rows):
        raise InputError(f"train_rows {wanted}: the train split has {len(rows)} rows")
    families = sorted({row.family for row in rows})
    random.Random("train rows").shuffle(families)
    place = {family: number for number, family in enumerate(families)}
    order = sorted(range(len(rows)), key=lambda number: (place[rows[number].family], number))
    return [rows[number] for number in sorted(order[:wanted])]


def dev_rows(rows: Sequence[GoldenRow], options: CompileOptions, zero_shots: int = 1) -> list[GoldenRow]:
    """Return the rows that candidates are scored on: the preset's number, fewer when the calls would not do for it.

    The calls must do for the zero-shot programs and two candidates.

    Kinds take turns, so that each is there; the choice does not depend on the seed, so that runs compare.
    """
    wanted = preset(options.budget).rows or len(rows)
    calls = options.limits.calls
    if calls is not None:
        wanted = min(wanted, max(_LEAST_ROWS, calls // (zero_shots + _LEAST_CANDIDATES)))
    if wanted >= len(rows):
        return list(rows)
    rng = random.Random("dev rows")
    by_kind: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        by_kind.setdefault(row.kind, []).append(number)
    kinds = sorted(by_kind)
    rng.shuffle(kinds)
    for kind in kinds:
        rng.shuffle(by_kind[kind])
    chosen: list[int] = []
    while len(chosen) < wanted:
        for kind in kinds:
            if by_kind[kind] and len(chosen) < wanted:
                chosen.append(by_kind[kind].pop())
    return [rows[number] for number in sorted(chosen)]
