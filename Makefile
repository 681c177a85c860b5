PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROFILE ?= quick
NEWEST ?= python3.14

.PHONY: setup test test-slow test-lowest test-newest check format reproduce bench clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reproduce: setup
	$(BIN)/armwise reproduce --profile $(PROFILE)

test: check
	$(BIN)/python -m pytest -n auto --dist worksteal

test-slow: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

test-lowest:
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python \
	  --resolution lowest-direct --editable ".[test]"
	.venv-lowest/bin/python -m pytest -n auto --dist worksteal

test-newest:
	$(NEWEST) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --upgrade --editable ".[test]"
	.venv-newest/bin/python -m pytest -n auto --dist worksteal

bench: setup
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/bench.py $(BENCH)

clean:
	rm -rf $(VENV) .venv-lowest .venv-newest reproduction build dist
