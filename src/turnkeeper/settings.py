"""The only module that reads the environment.

Values are read at each call, so a test or an application may change them at run time.
"""

from __future__ import annotations

import os
from pathlib import Path


def _flag(name: str, default: bool) -> bool:
    value = os.environ.get(name)
    return default if value is None else value.strip().lower() not in {"", "0", "false", "no", "off"}


def cache_dir() -> Path:
    """Folder for weights and digests: `TURNKEEPER_CACHE`, `$XDG_CACHE_HOME/turnkeeper` or `~/.cache/turnkeeper`."""
    named = os.environ.get("TURNKEEPER_CACHE")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base).expanduser() if base else Path.home() / ".cache") / "turnkeeper"


def weights_path(model: str) -> Path | None:
    """The file that the user names for a model: `TURNKEEPER_WEIGHTS_<MODEL>`, or `TURNKEEPER_WEIGHTS` for the default.

    Args:
        model: The catalogue name, for example `smollm2-135m`; upper-cased with `-` and `.` as `_`.
    """
    suffix = model.upper().replace("-", "_").replace(".", "_")
    named = os.environ.get(f"TURNKEEPER_WEIGHTS_{suffix}") or (
        os.environ.get("TURNKEEPER_WEIGHTS") if model == "qwen2.5-coder-1.5b" else None
    )
    return Path(named).expanduser() if named else None


def offline() -> bool:
    """Whether no download may be tried: `TURNKEEPER_OFFLINE` (or `HF_HUB_OFFLINE` for the hub alone)."""
    return _flag("TURNKEEPER_OFFLINE", False)


def hub_offline() -> bool:
    """Whether the Hugging Face hub must not be asked."""
    return offline() or _flag("HF_HUB_OFFLINE", False)


def programs_dir() -> Path | None:
    """Folder of compiled programs that comes before `./optimized`: `TURNKEEPER_PROGRAMS`."""
    named = os.environ.get("TURNKEEPER_PROGRAMS")
    return Path(named).expanduser() if named else None


def log_text() -> bool:
    """Whether events may hold text of users, documents and models: `TURNKEEPER_LOG_TEXT`, on by default."""
    return _flag("TURNKEEPER_LOG_TEXT", True)


def api_key_set(variable: str) -> bool:
    """Whether a key is present in the environment; the key itself is never read here."""
    return bool(os.environ.get(variable))


def threads() -> int:
    """Threads for the embedded model: `TURNKEEPER_THREADS`, else the cores this process may use."""
    named = os.environ.get("TURNKEEPER_THREADS")
    if named and named.isdigit() and int(named) > 0:
        return int(named)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def lm_deadline() -> float:
    """Seconds that one call of the embedded model may take: `TURNKEEPER_LM_DEADLINE`, 120 by default."""
    named = os.environ.get("TURNKEEPER_LM_DEADLINE")
    try:
        seconds = float(named) if named else 0.0
    except ValueError:
        seconds = 0.0
    return seconds if seconds > 0 else 120.0


def weights_variable(model: str) -> str:
    """The variable that names a file for this model, for messages; see `weights_path`."""
    return "TURNKEEPER_WEIGHTS_" + model.upper().replace("-", "_").replace(".", "_")


def tracking_uri() -> str:
    """Where MLflow keeps runs: `MLFLOW_TRACKING_URI`, else `sqlite:///mlflow.db` in the working folder."""
    return os.environ.get("MLFLOW_TRACKING_URI") or "sqlite:///mlflow.db"


def prepare_mlflow() -> None:
    """Turn off what MLflow reports and prints, and bound its patience with a server that is gone.

    It reads the environment when it is imported, and at each request; what the user has set stays. With its own bounds
    one request may take ten minutes, and the addresses of runs that it prints would break output for machines.
    """
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "30")


def sessions_store() -> str:
    """Where commands look for sessions: `TURNKEEPER_SESSIONS` (a file or a URL), else `turnkeeper.db` here."""
    return os.environ.get("TURNKEEPER_SESSIONS") or "turnkeeper.db"


def editor() -> str:
    """The command of the user's editor: `VISUAL`, else `EDITOR`, else that of the system."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
