PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROFILE ?= quick

.PHONY: setup test test-slow check format reproduce bench clean

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

bench: setup
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/bench.py $(BENCH)

clean:
	rm -rf $(VENV) reproduction build dist
