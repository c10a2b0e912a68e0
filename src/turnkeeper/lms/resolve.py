"""From a short text to an LM: `embedded`, `gguf:PATH`, or any model string of DSPy and LiteLLM."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, SetupError
from . import _remote, weights
from ._digest import sha256_of
from ._model import native, require_gguf
from .catalogue import DEFAULT_MODEL, find

if TYPE_CHECKING:
    import dspy

    from .engine import LlamaEngine

_REMOTE_RETRIES = 2
_REMOTE_SECONDS = 60.0
_FORMS = "`embedded`, `embedded:NAME`, `gguf:PATH`, or PROVIDER/MODEL such as `openai/gpt-4o-mini`"

_engines: dict[tuple[Path, tuple[tuple[str, Any], ...]], LlamaEngine] = {}
_engines_lock = threading.Lock()


def resolve_lm(
    spec: str | dspy.BaseLM | None = None,
    *,
    temperature: float = 0.0,
    max_tokens: int = 512,
    api_base: str | None = None,
    api_key: str | None = None,
    cache: bool = False,
    check: bool = True,
    progress: weights.Progress | None = None,
    engine_options: dict[str, Any] | None = None,
    **kwargs: Any,
) -> dspy.BaseLM:
    """Make the LM that a text names.

    Args:
        spec: `embedded` (also None), `embedded:NAME` (see `catalogue.MODELS`), `gguf:PATH`, or a model string such as
            `openai/gpt-4o-mini`, `ollama_chat/qwen3:4b`, `hosted_vllm/NAME`. An LM is returned as it is.
        temperature: Of every call, unless the call says otherwise.
        max_tokens: Of every answer, unless the call says otherwise.
        api_base: Address of a server; for model strings only.
        api_key: Key of the provider; from the environment when left out. Never part of a message or an artifact.
        cache: Whether DSPy may answer an identical request from its cache: a folder in the user's home that holds
            prompts and is read with pickle, hence off. Guards keep their own results of identical turns.
        check: Whether a server named by `api_base` (or on this machine) must answer a connection now.
        progress: Told about a download of weights: `progress(done_bytes, total_bytes, note)`.
        engine_options: Options of `LlamaEngine` (n_ctx, threads, max_contexts, reuse, deadline).
        **kwargs: Further options of `dspy.LM` (num_retries, timeout, callbacks, ...).

    Raises:
        InputError: The text names no LM.
        SetupError: Something must be installed, set or started first; the message says what.
        IntegrityError: Weights with another digest than the catalogue's.
    """
    if spec is not None and not isinstance(spec, str):
        return spec
    text = (spec or "embedded").strip()
    options = {"temperature": temperature, "max_tokens": max_tokens, "cache": cache, **kwargs}
    kind, _, rest = text.partition(":")
    if kind in {"embedded", "gguf"}:
        if api_base or api_key:
            raise InputError(f"`{text}` runs in this process: api_base and api_key do not apply")
        if kind == "gguf":
            return _gguf(rest, options, engine_options or {})
        return _embedded(rest or DEFAULT_MODEL, options, engine_options or {}, progress)
    if engine_options:
        raise InputError(f"engine_options are for embedded models, not for `{text}`")
    return _remote_lm(text, options, api_base, api_key, check)


def require_name(text: str) -> None:
    """Raise `InputError` when a text names no LM, whatever is installed, downloaded and running."""
    kind, _, rest = text.strip().partition(":")
    if kind == "embedded":
        find(rest or DEFAULT_MODEL)
    elif kind == "gguf" and not rest:
        raise InputError(f"unknown LM `{text}`; expected {_FORMS}")
    elif kind != "gguf":
        _provider(text.strip())


def probe(lm: dspy.BaseLM, seconds: float = 3.0) -> None:
    """Ask whether an LM can answer: the server of a remote one is there, the weights of an embedded one load.

    An LM without an address of its own passes.

    Raises:
        SetupError: Nothing answers, or llama.cpp refuses the file; the message says where and what to do.
    """
    load = getattr(getattr(lm, "engine", None), "load", None)
    if callable(load):
        load()
        return
    options = getattr(lm, "kwargs", {})
    api_base = options.get("api_base") or options.get("base_url") or _remote.default_base(lm.model.partition("/")[0])
    if isinstance(api_base, str) and isinstance(getattr(lm, "engine", "auto"), str):
        _remote.require_answer(api_base, lm.model, seconds)


def _embedded(name: str, options: dict[str, Any], engine_options: dict[str, Any], progress: Any) -> dspy.LM:
    entry = find(name)
    native()  # a missing extra is said before a gigabyte is fetched
    path = weights.pull(name, progress)
    return _local_lm(path, f"{entry.label}@sha256:{entry.sha256[:8]}", options, engine_options)


def _gguf(text: str, options: dict[str, Any], engine_options: dict[str, Any]) -> dspy.LM:
    path = Path(text).expanduser()
    try:
        found = bool(text) and path.is_file()
    except OSError:  # a name that is too long, say
        found = False
    if not found:
        raise SetupError(f"gguf:{text[:300]}: no such file; give the path of a GGUF file")
    require_gguf(path)
    native()
    label = re.sub(r"[^a-z0-9._-]+", "-", path.stem.lower()).strip("-") or "model"
    return _local_lm(path, f"{label}@sha256:{sha256_of(path)[:8]}", options, engine_options)


def _local_lm(path: Path, label: str, options: dict[str, Any], engine_options: dict[str, Any]) -> dspy.LM:
    import dspy

    from .engine import AsyncLlamaEngine

    engine = _shared_engine(path, engine_options)
    # A retry of a call that ran into its deadline would take as long again.
    options = {"num_retries": 0, **options}
    return dspy.LM(f"llama-cpp/{label}", engine=engine, async_engine=AsyncLlamaEngine(engine), **options)


def _shared_engine(path: Path, engine_options: dict[str, Any]) -> LlamaEngine:
    """One engine a file and options in this process: the weights are in memory once."""
    from .engine import LlamaEngine

    key = (path.resolve(), tuple(sorted(engine_options.items())))
    with _engines_lock:
        if key not in _engines:
            _engines[key] = LlamaEngine(path, **engine_options)
        return _engines[key]


def _remote_lm(model: str, options: dict[str, Any], api_base: str | None, api_key: str | None, check: bool) -> dspy.LM:
    provider = _provider(model)
    import dspy

    base = api_base or _remote.default_base(provider)
    key = _remote.key_for(provider, model, api_key, base)
    if check and base is not None:
        _remote.require_answer(base, model)
    connection = {"api_base": api_base, "api_key": key}
    options = {"num_retries": _REMOTE_RETRIES, "timeout": _REMOTE_SECONDS, **options}
    return dspy.LM(model, **options, **{name: value for name, value in connection.items() if value is not None})


def _provider(model: str) -> str:
    provider, slash, rest = model.partition("/")
    if not slash or not provider or not rest:
        raise InputError(f"unknown LM `{model}`; expected {_FORMS}")
    return provider
