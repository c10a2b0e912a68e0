#!/usr/bin/env bash
# Build sdist and wheel, install the wheel in clean environments, use it from a folder that is not ours.
# usage: wheel_test.sh PYTHON   (an interpreter that has the package `build`)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
builder=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$builder" -m build --outdir "$work/dist" "$root" >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log"; exit 1; }
wheel=$(ls "$work"/dist/*.whl)

# An interpreter counts as found only if it runs: version managers put names on the path that lead nowhere.
runs() { "$@" -c 'import sys, venv, ensurepip' >/dev/null 2>&1; }
find_python() {
  if runs "python$1"; then
    command -v "python$1"
  elif command -v pyenv >/dev/null; then
    local exact
    exact=$(pyenv versions --bare 2>/dev/null | grep -E "^${1//./\\.}\.[0-9]+$" | tail -n 1)
    [ -n "$exact" ] && runs "$(pyenv prefix "$exact")/bin/python" && echo "$(pyenv prefix "$exact")/bin/python"
  fi
}

smoke() {
  echo "-- $("$1" --version)"
  "$1" -m venv "$2"
  "$2/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
  (cd "$work" && PATH="$2/bin:$PATH" "$2/bin/python" -I "$root/scripts/smoke.py")
}

smoke "$builder" "$work/venv"
own=$("$builder" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in 3.10 3.13; do
  [ "$version" = "$own" ] && continue
  other=$(find_python "$version" || true)
  if [ -n "$other" ]; then smoke "$other" "$work/venv-$version"; else echo "-- Python $version: not found, not tested"; fi
done
