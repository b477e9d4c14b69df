# The targets are the README's commands and those of the checks; each does all the set-up it needs.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

# Real transcripts that `prove` attacks besides the generated ones, where they are there.
TRANSCRIPTS ?= ../shared/data/sgd.jsonl

.DEFAULT_GOAL := help
FUZZ   ?= 60

.PHONY: help demo test prove prove-all check format bench floors record-histories rights fuzz lock freeze clean

help: ## lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# A virtual environment of the project's own, from the pinned and hashed requirements.
$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	@echo "Setting up $(VENV) with the pinned requirements: a minute or two, once."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP) ## three agents, one person: who is asked what, and what the database knows
	@$(BIN)/answer-ledger demo

# The tests that prove the guarantees take as long as all the rest: two processes at the same time.
GUARANTEES := tests/proof tests/deletion tests/isolation tests/oracle tests/core
test: $(STAMP) ## the whole suite, on the PostgreSQL of the wheel
	@told=$$(mktemp); \
	$(BIN)/python -m pytest $(GUARANTEES) >$$told 2>&1 & guarantees=$$!; \
	$(BIN)/python -m pytest $(addprefix --ignore=,$(GUARANTEES)); rest=$$?; \
	wait $$guarantees; guarantees=$$?; \
	echo "the guarantees:"; cat $$told; rm -f $$told; \
	exit $$((rest | guarantees))

prove: $(STAMP) ## the page of evidence: what lasts shows no origin, the wall is whole, no reply is an oracle
	@$(BIN)/answer-ledger prove $(addprefix --transcripts ,$(wildcard $(TRANSCRIPTS)))

prove-all: $(STAMP) ## the same with 10,000 histories (about half an hour)
	@$(BIN)/answer-ledger prove --histories 10000 $(addprefix --transcripts ,$(wildcard $(TRANSCRIPTS)))

check: $(STAMP) ## format, lint, types, direction of imports, SQL
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/squawk --config squawk.toml schema/*.sql schema/migrations/*.sql

format: $(STAMP) ## write the format that `check` asks for
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

record-histories: $(STAMP) ## 200 random histories with crashes and restores against the record (minutes)
	RECORD_HISTORIES=200 $(BIN)/python -m pytest tests/record/test_histories.py

bench: $(STAMP) ## the tables of speed, of the gate and of the registry (both need ../shared/data), of what timing shows
	$(BIN)/python -m benchmarks.hot_path
	$(BIN)/python -m benchmarks.physical_order
	$(BIN)/python -m benchmarks.gate
	$(BIN)/python -m benchmarks.registry
	$(BIN)/python -m benchmarks.oracle_timing

floors: $(STAMP) ## what the gate, the registry and a replay reach on ../shared/data has not fallen
	$(BIN)/python -m pytest benchmarks

rights: $(STAMP) ## write docs/reference/rights.md: every right of every role, read from a database made for it
	$(BIN)/python -m ledger.db.rights > docs/reference/rights.md.new
	mv docs/reference/rights.md.new docs/reference/rights.md

$(VENV)/.fuzzer: requirements/fuzz.txt $(STAMP)
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps --requirement requirements/fuzz.txt
	@touch $@

fuzz: $(VENV)/.fuzzer ## a coverage-guided fuzzer on gate, labels and prompt block, FUZZ=60 seconds each (x86-64 Linux)
	@for target in gate label prompt; do $(BIN)/python -m tests.fuzz $$target -max_total_time=$(FUZZ) -max_len=400 -timeout=10 -verbosity=0 || exit 1; done

lock: ## pin the requirements, with hashes and without addresses (needs uv)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements/runtime.txt
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements/dev.txt

# Until the first release the schema is still in one piece; afterwards a change is a new migration.
freeze: ## write the first migration from the schema files, and the hashes of what is released
	cat schema/[01][0-9]_*.sql > schema/migrations/0001_initial.sql
	cd schema/migrations && sha256sum 0*.* > released.sha256

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
