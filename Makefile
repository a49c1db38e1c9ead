# Chores. CI calls `make test` and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

.PHONY: setup run test test-all bench claims check constraints docs clean java brokers demo

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "topicweave needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1); run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing topicweave and what its tests need into $(VENV) (once; Spark alone is about 450 MB) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

# Looked for first: Spark would be installed for nothing.
java:
	@java=java; [ -n "$$JAVA_HOME" ] && [ -x "$$JAVA_HOME/bin/java" ] && java="$$JAVA_HOME/bin/java"; \
	found=$$("$$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -1); \
	[ "$${found:-0}" -ge 17 ] || { echo "Spark needs Java 17 or newer, and $${found:+only Java }$${found:-no java} was found; install it (Debian, Ubuntu: apt-get install openjdk-17-jre-headless) or set JAVA_HOME."; exit 1; }

# mosquitto for the tests with real brokers: what is on PATH, or unpacked into .tools/ without touching the system.
brokers:
	@demo/get_mosquitto.sh

demo: setup brokers
	@$(BIN)/python -m demo

run: java setup
	@$(BIN)/topicweave design examples/brokers.csv --algorithm low --k 3 --out plan --overwrite

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Two processes. Which tests stay together, and what comes first, is said in tests/conftest.py. Bytecode is written even
# if the environment says otherwise: the tests start many processes, each of which would compile the package again.
test: java check
	@demo/get_mosquitto.sh || true
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses 2 --dist loadscope --no-loadscope-reorder

test-all: brokers
	@echo "make test-all takes more than an hour on two cores."
	@set -e; begun=$$(date +%s); \
	make test; \
	$(BIN)/python -m pytest -m slow; \
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/kernels tests/algorithms tests/test_reference.py --cov --cov-report=term:skip-covered; \
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest tests/kernels tests/algorithms tests/churn tests/content; \
	echo "make test-all took $$(( ($$(date +%s) - begun) / 60 )) minutes."

bench: setup
	$(BIN)/python -m benchmarks

claims: java setup
	$(BIN)/python -m experiments run
	$(BIN)/python -m experiments report

# The newest versions that the lower bounds of pyproject.toml allow; written down only if the tests pass with them.
NEWEST := build/newest
# Debian 12 has Python 3.11.2, on which the newest soupsieve (of the docs) does not install; there pip chooses.
NOT_ON_3_11_2 := s/^soupsieve==.*/&; python_full_version >= "3.11.5"/
constraints: java
	rm -rf $(NEWEST)
	$(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(NEWEST)/.ready
	$(MAKE) VENV=$(NEWEST) test
	{ sed -n '/^#/p' constraints.txt; $(NEWEST)/bin/python -m pip freeze --exclude-editable | sed '$(NOT_ON_3_11_2)'; } > $(NEWEST)/constraints.txt
	mv $(NEWEST)/constraints.txt constraints.txt

docs: setup
	$(BIN)/sphinx-build -W -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf $(VENV) .tools demo-out build dist docs/_build plan .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache \
	  .coverage* *.egg-info spark-warehouse metastore_db derby.log
