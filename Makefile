PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROFILE ?= quick
NEWEST ?= python3.14

.PHONY: setup test test-slow test-lowest test-newest test-browser browser vendor check format \
  reproduce docs bench clean

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

# The tests of the lab in a browser run in processes of their own: playwright keeps an event loop
# running, in which asyncio's tests cannot run. Where there is no browser, they say so.
TESTS := $(BIN)/python -m pytest -n auto --dist worksteal
IN_BROWSER := tests/lab/browser

test: check
	$(TESTS) --ignore $(IN_BROWSER)
	$(TESTS) -rs $(IN_BROWSER)

test-slow: setup
	$(TESTS) -m slow --ignore $(IN_BROWSER)
	$(TESTS) -m slow -rs $(IN_BROWSER)

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

# What the tests in a browser need besides: a browser, and axe-core, which is never shipped.
AXE := axe-core-4.14.0
.browser/package/axe.min.js:
	mkdir -p .browser
	cd .browser && npm pack --silent $(subst core-,core@,$(AXE)) \
	  || { echo "axe-core cannot be fetched: that needs npm and a network, once."; exit 1; }
	cd .browser && tar xzf $(AXE).tgz package/axe.min.js

browser: .browser/package/axe.min.js
	command -v chromium || { apt-get update && \
	  apt-get install -y --no-install-recommends chromium fonts-dejavu-core; }

test-browser: setup browser
	ARMWISE_BROWSER=required $(TESTS) $(IN_BROWSER)

# The library that the lab draws lines with; vendor.json states its version and hashes.
UPLOT := uplot-1.6.32
VENDOR := src/armwise/lab/static/vendor
vendor:
	mkdir -p .browser
	cd .browser && npm pack --silent $(subst -,@,$(UPLOT)) && tar xzf $(UPLOT).tgz
	cp .browser/package/dist/uPlot.iife.min.js .browser/package/dist/uPlot.min.css $(VENDOR)
	cp .browser/package/LICENSE $(VENDOR)/uPlot.LICENSE
	cd $(VENDOR) && sha256sum uPlot.*

# The documentation site: build/site/index.html. Nothing but pip asks another host.
docs: setup
	$(BIN)/python docs/site/build.py

bench: setup
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/bench.py $(BENCH)

clean:
	rm -rf $(VENV) .venv-lowest .venv-newest reproduction build dist
