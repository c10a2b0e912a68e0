"""What loading, compiling, evaluating, the gate and tracking need to know of a behaviour: one entry for all.

Nothing here imports DSPy or pydantic: the command line asks for names before it knows whether it needs a program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from pathlib import Path

GOOD = 0.6
"""From this score on a prediction that breaks no rule is good, in every behaviour: each metric is scaled so that it is.

One number for all, since a file of scored rows says its scores and not how its metric was built."""


class GoldenRow(Protocol):
    """A row of any golden set: what all have in common. What a behaviour asks and expects is its own."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def family(self) -> str: ...
    def model_dump(self, *, mode: str = "python") -> dict[str, Any]: ...


class Demo(Protocol):
    """A complete demo: every input and output field of the signature of its predictor is filled."""

    @property
    def predictor(self) -> str: ...
    @property
    def fields(self) -> dict[str, Any]: ...


class Shown(NamedTuple):
    """A golden row for a reader.

    Attributes:
        query: What the user asked.
        gold: What a good answer says, in the terms of `Behaviour.said`.
        context: What led up to it, a line each, the newest last.
    """

    query: str
    gold: str
    context: tuple[str, ...]


class Column(NamedTuple):
    """A column of a served model (MLflow): what the guard takes, or a field of its result.

    Attributes:
        kind: "text", "texts" (a list), "turns" (role and content) or "json" (JSON text of any other value).
        required: Of an input: whether a row must have it.
    """

    name: str
    kind: Literal["text", "texts", "turns", "json"]
    required: bool = False


class Behaviour(NamedTuple):
    """One behaviour. Rows are those of its own golden set; every callable is pure but for `load`, `digest`, `apart`.

    Attributes:
        name: Its stem; also the `name` of its rules.
        forms: What its model may be asked for, the default first.
        program: A form -> the bare program, which takes `inputs(row)` by keyword.
        rules: Makes the rules that the guard follows.
        load: A split and a folder (None: the shipped set) -> rows.
        digest: The same -> digest of the rows.
        apart: A folder (None: the shipped set); raises `RowError` when a row of one split stands in another.
        asked: A row -> what an application would pass to the guard.
        demos: A row and a form -> complete demos.
        answered: A row and a prediction's fields -> the row with that prediction as its gold, or None when it has none.
        gold: A row -> the fields of the prediction that its gold is.
        copied: The program's inputs -> the fields of a prediction that costs nothing: the baseline to beat.
        fields: Fields of a prediction that are recorded and scored again, in order.
        said: Recorded fields -> the text that stands for the prediction in tables; equal texts count as unchanged.
        shown: A row -> what tables show of it.
        reflected: A row -> what an LM that reflects on an answer reads of it; as masked as the program's own inputs.
        metric: The five-argument metric; its result holds score, feedback, components (by name) and violations (codes).
        components: Names of the components; the gate takes thresholds of them.
        takes: What a released model takes of a row.
        gives: What it gives, beside what all behaviours do.
    """

    name: str
    forms: tuple[str, ...]
    program: Callable[[Any], Any]
    rules: Callable[[], Any]
    load: Callable[[str, Path | None], list[Any]]
    digest: Callable[[str, Path | None], str]
    apart: Callable[[Path | None], None]
    asked: Callable[[Any], dict[str, Any]]
    demos: Callable[[Any, Any], list[Any]]
    answered: Callable[[Any, dict[str, Any]], Any]
    gold: Callable[[Any], dict[str, Any]]
    copied: Callable[[Mapping[str, Any]], dict[str, Any]]
    fields: tuple[str, ...]
    said: Callable[[Mapping[str, Any]], str]
    shown: Callable[[Any], Shown]
    reflected: Callable[[Any], dict[str, str]]
    metric: Callable[..., Any]
    components: tuple[str, ...]
    takes: tuple[Column, ...]
    gives: tuple[Column, ...]

    @property
    def gated(self) -> frozenset[str]:
        """Names that a threshold of the gate may have."""
        return frozenset({"score", "good", *self.components})

    def inputs(self, row: Any) -> dict[str, Any]:
        """Return what the bare program is given for a row: the guard's view, with restricted terms masked."""
        return self.prepared(self.asked(row))

    def prepared(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the bare program is given when the guard is asked this; raises `InputError` as that would."""
        rules = self.rules()
        found: dict[str, Any] = rules.program_inputs(rules.prepare(asked, scrub=None, risk_level="normal"))
        return found
