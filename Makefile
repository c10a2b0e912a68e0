# demo: see it work.  test, lint, gate, wheel-test: what CI runs (.ci/run).  A second run installs nothing again.
# spark-test: 200 rows through two Spark workers; needs java, and brings 485 MB that no other target does.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# llama.cpp is compiled on installation; without this, by one core.
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
SUPPORTED = 'import sys; sys.exit("turnkeeper needs Python 3.10 or newer, and %s is %d.%d; say make PYTHON=python3.12" % (sys.executable, *sys.version_info[:2]) if sys.version_info < (3, 10) else 0)'

.PHONY: demo test lint gate wheel-test spark-test clean

demo: $(VENV)/.embedded
	@$(BIN)/turnkeeper models pull >/dev/null
	@$(BIN)/turnkeeper demo

test: $(VENV)/.dev
	@$(BIN)/turnkeeper models pull >/dev/null
	@$(BIN)/turnkeeper models pull smollm2-135m >/dev/null
	$(BIN)/python -m pytest -q

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/link_packages.py
	MYPYPATH=build/typing $(BIN)/mypy --strict -p turnkeeper
	PYTHONPATH=build/typing $(BIN)/lint-imports --no-cache

gate: $(VENV)/.dev
	$(BIN)/turnkeeper gate

wheel-test: $(VENV)/.dev
	scripts/wheel_test.sh $(BIN)/python

spark-test: $(VENV)/.dev
	$(PIP_INSTALL) -e '.[spark]'
	$(BIN)/python -m pytest -q -rs tests/compiling/test_spark.py

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.python:
	@test -x $(BIN)/python || $(PYTHON) -c $(SUPPORTED)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c $(SUPPORTED)
	@touch $@

$(VENV)/.embedded: pyproject.toml | $(VENV)/.python
	@echo "installing turnkeeper; llama.cpp is compiled from source, which takes some minutes"
	$(PIP_INSTALL) -e '.[embedded]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.python
	@echo "installing turnkeeper for development; llama.cpp is compiled from source, which takes some minutes"
	$(PIP_INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.embedded
