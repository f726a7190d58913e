# Everything that a person or CI runs. Each target sets up what it needs in .venv first; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
ROOTS := engine proto bots ladder server tests
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.set-up
COMPILED := $(VENV)-compiled
RIVALS := $(VENV)-rivals
SOURCES := $(shell find engine proto bots ladder server -name '*.py' ! -name '*_pb2*' ! -path '*/build/*') $(shell find proto -name '*.proto')
PROTOS := $(shell find proto/agon -name '*.proto')
GENERATED := $(VENV)/.generated
# One more than the cores of a small machine: many tests wait for other processes.
WORKERS ?= 2

export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Many tests start processes: their modules are compiled once.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup proto demo test check format bench rivals chaos balance compiled golden clean

help: ## List the targets.
	@grep -hE '^[a-z]+:.*?## ' $(MAKEFILE_LIST) | sed -E 's/:.*?## /\t/' | expand -t 10

setup: $(SETUP) $(GENERATED) ## Make the virtual environment with everything in it.

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Agon needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python's venv module is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }

$(SETUP): pyproject.toml | $(VENV)/bin/python
	@echo "setting up $(VENV) (a minute or two) ..."
	@$(BIN)/python -m pip install --quiet 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --editable '.[server,rate]' --group dev
	@touch $@

# An editable install does not see an edited .proto, so make does.
$(GENERATED): $(PROTOS) proto/generate.py | $(SETUP)
	@$(BIN)/python proto/generate.py
	@touch $@

proto: setup ## Generate the protobuf modules after an edit of a .proto file.
	@$(BIN)/python proto/generate.py

demo: setup ## Start a server and five house bots, play rated ladders of Ephyran, print the standings (GAME=name).
	@$(BIN)/agon demo --game $(or $(GAME),ephyran)

test: setup ## Run all tests.
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

check: setup ## Check format, lint, types, imports and the protobuf contract.
	@$(BIN)/ruff format --check . || { echo "run make format" >&2; exit 1; }
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@cd proto && $(CURDIR)/$(BIN)/buf lint && echo "buf: the contract is clean"

format: setup ## Format the code.
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

bench: setup compiled rivals ## Measure speed and memory; print tables and write bench-results/*.json.
	@code=0; $(BIN)/python -m tests.bench || code=1; $(COMPILED)/bin/python -m tests.bench engine codec referee journal || code=1; exit $$code

rivals: $(RIVALS)/.set-up ## Install the public engines that make bench compares with, in .venv-rivals.

# What cannot be installed is said, here and by the benchmark, which leaves it out; the next run tries again.
$(RIVALS)/.set-up: tests/bench/rivals.txt | $(VENV)/bin/python
	@echo "installing public engines into $(RIVALS) (a minute or so) ..."
	@$(PYTHON) -m venv $(RIVALS)
	@all=1; for rival in open_spiel rlcard catanatron; do \
		$(RIVALS)/bin/python -m pip install --quiet --constraint tests/bench/rivals.txt $$rival || { echo "not installed: $$rival" >&2; all=0; }; \
	done; if [ $$all = 1 ]; then touch $@; fi

chaos: setup ## Kill servers, bots and the store while matches are played; nothing may be lost (ARGS="--seed 1").
	@$(BIN)/python -m tests.chaos $(ARGS)

balance: setup ## Measure by self-play how balanced a game's cards and quests are (ARGS="--help").
	@$(BIN)/python -m tests.balance $(ARGS)

compiled: $(COMPILED)/.set-up ## Install a build whose hot modules are compiled, in .venv-compiled.

$(COMPILED)/.set-up: $(SOURCES) pyproject.toml | $(VENV)/bin/python
	@command -v cc >/dev/null || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -qq && apt-get install -y -qq gcc libc6-dev python3-dev; \
		else echo "compiling needs a C compiler and Python's headers; on Debian: apt-get install gcc python3-dev" >&2; exit 1; fi; }
	@echo "compiling into $(COMPILED) (a minute or two) ..."
	@$(PYTHON) -m venv $(COMPILED)
	@$(COMPILED)/bin/python -m pip install --quiet 'pip>=25.1'
	@AGON_COMPILE=1 $(COMPILED)/bin/python -m pip install --quiet '.[server,rate]' --group dev
	@touch $@

golden: setup ## Write the golden playthroughs anew (GAME=name for one game).
	@$(BIN)/python tests/golden/generate.py $(GAME)

clean: ## Remove what the targets made; data folders of servers stay.
	@rm -rf $(VENV) $(COMPILED) $(RIVALS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache agon-demo bench-results
	@find proto/agon -name '*_pb2*.py*' -delete
	@find $(ROOTS) -name __pycache__ -prune -exec rm -rf {} +
