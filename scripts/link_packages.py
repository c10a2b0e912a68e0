"""Link the mapped folders into one tree, build/typing/turnkeeper, for tools that follow folders and no import hooks.

mypy and import-linter are such tools:
`MYPYPATH=build/typing mypy --strict -p turnkeeper`, `PYTHONPATH=build/typing lint-imports`.
"""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "typing"

shutil.rmtree(TREE, ignore_errors=True)
for package, folder in re.findall(r'^"(turnkeeper[\w.]*)" = "([\w/]+)"$', (ROOT / "pyproject.toml").read_text(), re.M):
    target = TREE.joinpath(*package.split("."))
    target.mkdir(parents=True, exist_ok=True)
    for item in (ROOT / folder).iterdir():
        if item.name != "__pycache__":
            (target / item.name).symlink_to(item)
