"""A real PostgreSQL server for the tests: started from Debian's binaries as an unprivileged user, and stopped."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def binaries() -> Path | None:
    """The folder of the newest server's programs, or None."""
    on_path = shutil.which("initdb")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


@contextmanager
def server() -> Iterator[str]:
    """Start a server that listens on a socket in its own folder alone; the value is the URL of a database."""
    programs = binaries()
    assert programs, "no server to start"
    home = Path(tempfile.mkdtemp(prefix="tk-pg-"))  # short: the path of a socket is limited
    user = _unprivileged()
    if user:
        os.chown(home, user.pw_uid, user.pw_gid)
    name = user.pw_name if user else pwd.getpwuid(os.getuid()).pw_name

    as_user: dict[str, Any] = {"cwd": home}
    if user:
        as_user.update(user=user.pw_uid, group=user.pw_gid, extra_groups=[])
    data = str(home / "data")
    try:
        initdb = [str(programs / "initdb"), "-D", data, "-U", name, "--auth=trust", "--no-sync", "-E", "UTF8"]
        subprocess.run([*initdb, "--locale=C"], check=True, capture_output=True, timeout=300, **as_user)
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={home}", "-c", "shared_buffers=16MB"]
        with open(home / "log", "wb") as log:
            postgres = subprocess.Popen(
                [str(programs / "postgres"), "-D", data, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_parent,
                **as_user,
            )
        try:
            _wait(postgres, [str(programs / "pg_isready"), "-q", "-h", str(home)], home / "log")
            yield f"postgresql://{name}@/postgres?host={home}"
        finally:
            postgres.send_signal(signal.SIGQUIT)  # at once: what it holds is thrown away
            postgres.wait(timeout=240)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _end_with_parent() -> None:
    """Let the kernel end the server when this process is killed and can end nothing any more (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG


def _wait(postgres: subprocess.Popen[bytes], ready: list[str], log: Path) -> None:
    end = time.monotonic() + 240
    while subprocess.run(ready).returncode != 0:
        assert postgres.poll() is None, log.read_text(errors="replace")
        assert time.monotonic() < end, "the server does not become ready"
        time.sleep(0.1)


def _unprivileged() -> pwd.struct_passwd | None:
    if os.getuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]
