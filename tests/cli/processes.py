"""The `turnkeeper` command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# A shell that starts a job in the background makes its children ignore Ctrl-C: the handler is put back.
_SCRIPT = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from turnkeeper.cli import main
main()
"""


def start(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start `turnkeeper ARGUMENTS` in a folder; nothing of the network is asked but what the arguments name."""
    told = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "true", "NO_PROXY": "127.0.0.1", **environment}
    return subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, *map(str, arguments)], cwd=cwd, env=told, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process: subprocess.Popen[str], seconds: float = 240) -> tuple[int, str, str]:
    """Wait for a process; returns its exit code, stdout and stderr."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err
