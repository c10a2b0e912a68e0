"""What is in the repository is in the wheel, under one name."""

from __future__ import annotations

import fnmatch
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
CODE = {".py", ".pyc"}


def section(name: str) -> str:
    """The lines of one table of pyproject.toml (the standard library reads TOML from Python 3.11 on)."""
    return PYPROJECT.split(f"[{name}]\n", 1)[1].split("\n[", 1)[0]


MAPPED = dict(re.findall(r'^"(turnkeeper[\w.]*)" = "(.+)"$', section("tool.setuptools.package-dir"), re.M))
LISTED = set(re.findall(r'^  "([\w.]+)",$', section("tool.setuptools").split("packages = [")[1].split("]")[0], re.M))
GLOBS = {
    package: re.findall(r'"([^"]+)"', globs)
    for package, globs in re.findall(
        r'^"(turnkeeper[\w.]*)" = \[(.+)\]$', section("tool.setuptools.package-data"), re.M
    )
}


def package_folders() -> dict[str, Path]:
    return {
        ".".join((package, *init.parent.relative_to(ROOT / folder).parts)): init.parent
        for package, folder in MAPPED.items()
        for init in (ROOT / folder).rglob("__init__.py")
    }


def data_files() -> list[tuple[str, str]]:
    """(package, path inside it) of every file under the mapped folders that is no code."""
    return [
        (package, path.relative_to(ROOT / folder).as_posix())
        for package, folder in MAPPED.items()
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and path.suffix not in CODE and "__pycache__" not in path.parts
    ]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names in a wheel built from a copy, so that nothing stale in build/ can slip in."""
    copy, dist = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("dist")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    for folder in MAPPED.values():
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(dist)]
    subprocess.run([*command, str(copy)], check=True, capture_output=True, timeout=300)
    (built,) = dist.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_the_mapping_was_read() -> None:
    assert MAPPED["turnkeeper"] == "src/turnkeeper"
    assert {"turnkeeper.data", "turnkeeper.metrics", "turnkeeper.signatures"} <= MAPPED.keys()
    assert LISTED >= MAPPED.keys()


def test_every_package_folder_is_listed_and_every_listed_one_exists() -> None:
    assert set(package_folders()) == LISTED


def test_every_folder_with_python_files_is_a_package() -> None:
    folders = {path.parent for folder in MAPPED.values() for path in (ROOT / folder).rglob("*.py")}
    assert folders == set(package_folders().values())


@pytest.mark.parametrize(("package", "path"), data_files())
def test_every_data_file_matches_a_package_data_glob(package: str, path: str) -> None:
    depth = path.count("/")
    assert any(glob.count("/") == depth and fnmatch.fnmatch(path, glob) for glob in GLOBS.get(package, ()))


def test_the_wheel_installs_one_name(wheel: list[str]) -> None:
    assert {name.split("/")[0] for name in wheel if ".dist-info/" not in name} == {"turnkeeper"}


def test_the_wheel_holds_every_data_file(wheel: list[str]) -> None:
    expected = {f"{package.replace('.', '/')}/{path}" for package, path in data_files()}
    assert "turnkeeper/data/demo/conversation.jsonl" in expected
    assert expected <= set(wheel)


def test_the_wheel_holds_every_module(wheel: list[str]) -> None:
    expected = {
        f"{package.replace('.', '/')}/{path.name}"
        for package, folder in package_folders().items()
        for path in folder.glob("*.py")
    }
    assert expected <= set(wheel)


def test_the_version_stands_in_one_way() -> None:
    from turnkeeper import __version__

    assert f'\nversion = "{__version__}"\n' in PYPROJECT
