# The habits of this project. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
FOLDER := examples/household
# One more than there are cores: a test often waits, for a disk or another program.
SIDE_BY_SIDE := -n $$((1 + $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN))) --dist worksteal
PAGE := src/manole/serve/http/web/index.html
TYPES := web/src/api/schema.d.ts
DESCRIBED := src/manole/agent/events.py $(wildcard src/manole/serve/http/*.py src/manole/serve/http/routes/*.py)
PAGE_SOURCES := $(shell find web -path web/node_modules -prune -o -type f -print)

# Compiled modules are kept, whatever the shell says: tests are collected in half the time.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup dev web demo check test needs needs-node soak test-page test-colqwen test-cluster test-leann fuzz fuzz-deep lint format audit bench bench-peer docs lock train release clean

help: ## list these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(BIN)/manole ## make .venv with the manole program in it, and its page where Node is at hand
	@if $(PYTHON) tests/browsers.py node 2>/dev/null; then $(MAKE) --no-print-directory --silent web; \
		else echo 'Without the page of `manole serve`, which Node 20 with npm builds: `make web`, once they are there.'; fi

$(BIN)/manole: locks/runtime.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
		|| { echo 'Python 3.11 to 3.14 is needed: make setup PYTHON=python3.12'; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 2; }
	@echo 'Installing what Manole needs (about 1.1 GB on disk) ...'
	@$(PIP) -r locks/runtime.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
	@touch $@

web: $(PAGE) ## build the page that `manole serve` opens

$(PAGE): $(PAGE_SOURCES) $(TYPES) web/node_modules/.package-lock.json
	@cd web && said=$$(npm run --silent build -- --logLevel warn 2>&1) || { echo "$$said"; exit 2; }

# What the page knows of the server's answers is made of the server's own description.
$(TYPES): $(DESCRIBED) web/openapi.py web/make_types.mjs web/node_modules/.package-lock.json $(BIN)/manole
	@$(BIN)/python web/openapi.py | (cd web && node make_types.mjs)

web/node_modules/.package-lock.json: web/package-lock.json
	@cd web && npm ci --silent && touch node_modules/.package-lock.json

dev: setup $(VENV)/.dev ## add what tests, lint and docs need

$(VENV)/.dev: locks/dev.txt
	@$(PIP) -r locks/dev.txt
	@touch $@

demo: setup ## set up, fetch the models, index the example folder, ask three questions
	@$(PYTHON) examples/make_household.py --dates-only
	@$(BIN)/manole models fetch
	@$(BIN)/manole index $(FOLDER)
	@$(BIN)/python examples/demo.py $(FOLDER)

check: needs-node dev web ## in two minutes: style, types, data flow, and what needs no server, model or browser
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target check-code check-tests

check-code:
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy
	@cd web && npm run --silent check && npm run --silent test

check-tests:
	@$(BIN)/python -m pytest -m 'pure or store' $(SIDE_BY_SIDE)

test: needs dev web ## set up and run the whole suite, real model and real browser included
	@cd web && npm run --silent test
	@$(BIN)/python -m pytest -m 'not model' $(SIDE_BY_SIDE) || { \
		grep -qvE '"tests/web/|^[{}]' .pytest_cache/v/cache/lastfailed && exit 1; \
		echo "Browser tests that failed, once more, alone:"; \
		$(BIN)/python -m pytest -m browser --last-failed --last-failed-no-failures none; }
	@$(BIN)/python -m pytest -m model

needs: ## what is missing on this machine for the tests, and how to install it
	@$(PYTHON) tests/browsers.py

needs-node:
	@$(PYTHON) tests/browsers.py node

soak: needs dev web ## an hour of kills, power cuts and random requests, many rounds each
	@SOAK=1 $(BIN)/python -m pytest tests/hostile tests/index/store/test_stores.py tests/index/sync/test_sync.py \
		tests/index/store/test_row_changes.py tests/index/graph/test_map_kept.py tests/serve/test_openapi.py

test-page: dev web ## the page alone
	@cd web && npm run --silent test
	@$(BIN)/python -m pytest tests/web

fuzz: dev ## thousands of random inputs for the tests that take any
	@$(BIN)/python -m pytest --hypothesis-profile fuzz $$(grep -rl 'from hypothesis import.*given' tests plugins)

fuzz-deep: dev ## ten minutes of fuzzing guided by coverage (atheris, in .venv-fuzz)
	@test -x .venv-fuzz/bin/python || $(PYTHON) -m venv .venv-fuzz
	@.venv-fuzz/bin/python -m pip install --quiet --require-hashes -r tests/fuzz/requirements.txt
	@.venv-fuzz/bin/python -m pip install --quiet --no-deps --no-build-isolation --no-index -e .
	@for target in extraction ignore protocol dates lines filters; do mkdir -p .fuzz/$$target; \
		.venv-fuzz/bin/python tests/fuzz/deep.py $$target .fuzz/$$target -max_total_time=100 -timeout=20 || exit 1; done

lint: dev web audit ## style, types, the one-way data flow, careless code, known weaknesses
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@cd web && npm run --silent check
	@$(BIN)/bandit --quiet --recursive -ll --skip B104,B314,B608 src plugins/*/manole_*

audit: dev ## known weaknesses of the pinned dependencies (asks the package index)
	@$(BIN)/python locks/audit.py locks/runtime.txt

format: dev ## put the code into the project's style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: dev ## measure; docs/benchmarks.md says which table comes from which program
	@$(BIN)/python -m benchmarks

test-colqwen: ## the extra `colqwen` with tiny weights (PyTorch: gigabytes, in .venv-colqwen)
	@test -x .venv-colqwen/bin/python || $(PYTHON) -m venv .venv-colqwen
	@.venv-colqwen/bin/python -m pip install --quiet --require-hashes -r plugins/colqwen/tests/requirements.txt
	@.venv-colqwen/bin/python -m pip install --quiet --no-deps --no-build-isolation --no-index -e .
	@.venv-colqwen/bin/python -m pytest plugins/colqwen/tests

test-cluster: ## the extra `cluster` on a real cluster on this machine (Ray, SeaweedFS, in .venv-cluster)
	@test -x .venv-cluster/bin/python || $(PYTHON) -m venv .venv-cluster
	@.venv-cluster/bin/python -m pip install --quiet --require-hashes -r plugins/cluster/tests/requirements.txt
	@.venv-cluster/bin/python -m pip install --quiet --no-deps --no-build-isolation --no-index -e .
	@.venv-cluster/bin/python -m pytest plugins/cluster/tests
	@.venv-cluster/bin/python -m pytest plugins/postgres/tests

test-leann: ## the extra `leann` and the contract of stores (in .venv-leann)
	@test -x .venv-leann/bin/python || $(PYTHON) -m venv .venv-leann
	@.venv-leann/bin/python -m pip install --quiet --require-hashes -r locks/dev.txt
	@.venv-leann/bin/python -m pip install --quiet --require-hashes --no-deps -r plugins/leann/tests/requirements.txt
	@.venv-leann/bin/python -m pip install --quiet --no-deps --no-build-isolation --no-index -e .
	@.venv-leann/bin/python -m pytest plugins/leann/tests

test-gpu: dev ## an engine on a real Vulkan device, or on Mesa's software renderer (tests_gpu/README.md)
	@$(BIN)/python -m pytest tests_gpu

bench-peer: dev ## add LlamaIndex, which benchmarks/answers.py compares with
	@$(PIP) -r benchmarks/requirements.txt

docs: dev ## build the documentation into site/
	@$(BIN)/python tests/seeds/table.py > docs/seeds.md
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

lock: dev ## resolve the lock files anew
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade pyproject.toml \
		--group build -o locks/runtime.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade pyproject.toml \
		--group build --group test --group lint --group docs -c locks/runtime.txt -o locks/dev.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade benchmarks/requirements.in \
		-c locks/dev.txt -o benchmarks/requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade pyproject.toml \
		plugins/colqwen/tests/requirements.in --group build --group test -o plugins/colqwen/tests/requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade pyproject.toml \
		plugins/cluster/tests/requirements.in --group build --group test -o plugins/cluster/tests/requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade pyproject.toml \
		tests/fuzz/requirements.in --group build -c locks/runtime.txt -o tests/fuzz/requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade --no-deps \
		plugins/leann/tests/requirements.in -o plugins/leann/tests/requirements.txt

	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links --upgrade training/requirements.in \
		-c locks/runtime.txt -o training/requirements.txt

train: ## teach the parser of questions anew (PyTorch, in .venv-training): two hours on two cores
	@test -x .venv-training/bin/python || $(PYTHON) -m venv .venv-training
	@.venv-training/bin/python -m pip install --quiet --require-hashes -r training/requirements.txt
	@.venv-training/bin/python training/train.py build/parser
	@.venv-training/bin/python training/export.py build/parser

release: dev web ## write dist/: sdist, wheel, bill of materials, checksums (signed: docs/install.md)
	@$(BIN)/python locks/release.py dist

clean: ## remove everything that can be made again
	rm -rf $(VENV) .venv-training .venv-colqwen .venv-cluster .venv-leann .venv-fuzz .fuzz web/node_modules $(dir $(PAGE)) build dist site .pytest_cache .mypy_cache .ruff_cache
