"""What importing the sessions costs."""

from __future__ import annotations

import subprocess
import sys


def test_sessions_in_memory_need_no_database() -> None:
    code = (
        "import sys; from turnkeeper.sessions import MemoryStore; MemoryStore(); "
        "print(sorted(set(sys.modules) & {'sqlalchemy', 'alembic', 'psycopg', 'dspy'}))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_store_that_is_up_to_date_opens_without_alembic(tmp_path: object) -> None:
    code = (
        "import sys; from turnkeeper.sessions import open_store; open_store(sys.argv[1]).close(); "
        "print(sorted(set(sys.modules) & {'alembic'}))"
    )
    command = [sys.executable, "-c", code, f"{tmp_path}/sessions.db"]
    told = [subprocess.run(command, capture_output=True, text=True).stdout for _ in range(2)]
    assert told == ["['alembic']\n", "[]\n"]


def test_a_missing_driver_is_named_with_what_installs_it() -> None:
    for module, extra, where in (("sqlalchemy", "sessions", "x.db"), ("psycopg", "postgres", "postgresql:///x")):
        code = (
            f"import sys; sys.modules['{module}'] = None\n"
            "from turnkeeper.errors import SetupError\nfrom turnkeeper.sessions import open_store\n"
            f"try: open_store({where!r})\nexcept SetupError as error: print(error)"
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        assert f"pip install 'turnkeeper[{extra}]'" in said
