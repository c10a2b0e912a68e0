"""`turnkeeper.load`: from a behaviour's name to a ready, guarded program."""

from __future__ import annotations

from os.path import isdir  # of a name that can be none it says no, where a Path raises
from pathlib import Path
from typing import Any

import dspy

from . import settings
from .adapters import adapter_names, get_adapter
from .behaviours import find, names
from .errors import InputError
from .lms import resolve_lm
from .modules._guard import Guard, RiskLevel, Scrub
from .optimized import (
    Artifact,
    find_artifacts,
    fingerprint,
    fingerprint_mismatch,
    ordered_demos,
    read_artifact,
    require_fit,
    shipped_dir,
)
from .signatures.types import Notice

ZERO_SHOT = "zero-shot"
AUTO = "auto"


def load(
    behaviour: str,
    lm: Any = None,
    *,
    program: str | Path | None = None,
    risk_level: RiskLevel = "normal",
    scrub: Scrub | None = None,
    form: str | None = None,
    adapter: str | None = None,
    cache_size: int = 256,
) -> Guard[Any, Any]:
    """Return a behaviour ready to run: compiled for this LM where an artifact exists, else zero-shot with a notice.

    Programs are looked for in `TURNKEEPER_PROGRAMS`, then `./optimized`, then the shipped ones; in the first folder
    that has one for this LM, the best dev score wins. No global DSPy configuration is read or written.

    Args:
        behaviour: Its stem, for example "reformulate".
        lm: What `resolve_lm` takes; the embedded model by default.
        program: "auto" (the default), "zero-shot", the path of an artifact's `<slug>.json`, or a folder of programs.
        risk_level: "high" asks a person where "normal" guesses.
        scrub: Hook applied to every history text before any prompt.
        form: Form of a zero-shot program; an artifact knows its own.
        adapter: Adapter of a zero-shot program; an artifact knows its own.
        cache_size: Results of identical turns kept in memory; 0 for none.

    Raises:
        InputError: Unknown behaviour, or an artifact that does not fit the program; the message names the field.
        SetupError: The LM needs an extra, a key or a server.
    """
    entry = find(behaviour)
    # The guard caches results itself; DSPy's disk cache would keep prompts in the user's home, and unpickles.
    resolved = resolve_lm(lm, cache=False)
    artifact = _artifact(behaviour, resolved.model, program)
    if artifact is None:
        bare = entry.program(form or entry.forms[0])
        notices: tuple[Notice, ...] = (
            ()
            if program == ZERO_SHOT
            else (
                Notice(code="zero_shot", message=f"No compiled {behaviour} program for {resolved.model}; zero-shot."),
            )
        )
        return Guard(
            entry.rules(), bare, lm=resolved, adapter=_adapter(adapter or "compact", "adapter"), risk_level=risk_level,
            scrub=scrub, notices=notices, cache_size=cache_size,
        )  # fmt: skip
    return Guard(
        entry.rules(),
        build(artifact),
        lm=resolved.copy(temperature=artifact.manifest.temperature),
        adapter=_adapter(artifact.manifest.adapter, f"{artifact.path}: field `adapter`"),
        program_id=artifact.program_id,
        risk_level=risk_level,
        scrub=scrub,
        cache_size=cache_size,
    )


def build(artifact: Artifact) -> dspy.Module:
    """Return the bare program of an artifact. Raises `InputError` when the signatures have changed since."""
    manifest = artifact.manifest
    if manifest.behaviour not in names():
        raise InputError(f"{artifact.path}: field `behaviour`: unknown {manifest.behaviour!r}")
    _adapter(manifest.adapter, f"{artifact.path}: field `adapter`")
    program: dspy.Module = find(manifest.behaviour).program(manifest.form)
    now = fingerprint({name: predictor.signature for name, predictor in program.named_predictors()})
    difference = fingerprint_mismatch(manifest.fingerprint, now)
    if difference:
        raise InputError(f"{artifact.path}: {difference}; compile it again")
    for name in sorted(set(now) ^ (set(artifact.state) - {"metadata"})):
        problem = "is missing from the state" if name in now else "is no predictor of the program"
        raise InputError(f"{artifact.path}: predictor `{name}` {problem}")
    for name, predictor in program.named_predictors():
        held = artifact.state[name]
        require_fit(held, predictor.signature, f"{artifact.path}: predictor `{name}`")
        # Not the predictor's own load_state: it sets any attribute that a state names, addresses of servers included.
        predictor.signature = predictor.signature.load_state(held["signature"])
        predictor.demos = ordered_demos(held, predictor.signature)
    return program


def _adapter(name: str, place: str) -> dspy.Adapter:
    try:
        return get_adapter(name)
    except KeyError:
        raise InputError(f"{place}: unknown {name!r}; there are: {', '.join(adapter_names())}") from None


def _artifact(behaviour: str, model: str, program: str | Path | None) -> Artifact | None:
    if program == ZERO_SHOT:
        return None
    if program is not None and program != AUTO and not isdir(program):
        chosen = read_artifact(Path(str(program)))
        if chosen.manifest.behaviour != behaviour:
            raise InputError(f"{program}: is a {chosen.manifest.behaviour} program, not a {behaviour} one")
        return chosen
    named = None if program is None or program == AUTO else Path(program)
    for folder in [named] if named else filter(None, (settings.programs_dir(), Path("optimized"), shipped_dir())):
        fitting = [a for a in map(read_artifact, find_artifacts(folder, behaviour)) if a.manifest.lm.model == model]
        if fitting:
            return max(
                fitting, key=lambda a: (a.manifest.dev_score if a.manifest.dev_score is not None else -1.0, a.path.name)
            )
    if named is not None:
        raise InputError(f"{named}: holds no {behaviour} program for {model}")
    return None
