"""A real PostgreSQL server for the tests: started from Debian's binaries as an unprivileged user, and stopped."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(programs / program), "-D", str(home / "data"), *arguments],
            check=True,
            capture_output=True,
            cwd=home,
            timeout=300,
            **({"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}),
        )

    try:
        run("initdb", "-U", name, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        options = f"-c listen_addresses= -c unix_socket_directories={home} -c shared_buffers=16MB"
        # its log goes to a file: a server that held our pipe open would keep `run` waiting
        run("pg_ctl", "-w", "-t", "240", "-l", str(home / "log"), "-o", options, "start")
        try:
            yield f"postgresql://{name}@/postgres?host={home}"
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _unprivileged() -> pwd.struct_passwd | None:
    if os.getuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]
