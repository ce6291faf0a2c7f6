# Two commands for people and one for machines; all need only Python (3.10 or newer), git and make.
#   make audit   what regreach says of a real release, fetched from the package index
#   make test    lint, types and tests
#   make truth   execute releases (their code is run) and compare; takes an hour
#   make mutants execute mutants of a release and compare; takes an hour
#   make bench   how long regreach takes on real releases, beside other tools; a quarter of an hour
#   make discover-truth   what `regreach discover` finds in published packages (fetches 700 MB); minutes
#   make fuzz    generated sources and trees beside CPython; minutes (ARGS='--seconds 600 --seed 1')
# Variables: PYTHON=python3.12 (what the environment is made with), VENV=.venv, RELEASE=name==1.0,
# TRUTH="0.5.15:cuda 0.5.16:hip".

PYTHON ?= python3
VENV ?= .venv
RELEASE ?= sglang==0.5.15
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

# A stamp says what the environment holds. It is younger than pyproject.toml while that is still true.
MADE := $(VENV)/made-with
INSTALLED := $(VENV)/installed
DEVELOPER := $(VENV)/installed-for-development

.DEFAULT_GOAL := help
.PHONY: help audit truth mutants bench fuzz discover-truth test lint format clean FORCE
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

audit: $(INSTALLED)
	@$(BIN)/regreach audit "$(RELEASE)" --exit-zero $(ARGS)

# The tree's imports need PyTorch to compute with: an environment of its own holds it.
TRUTH_VENV ?= .truth
TRUTH ?= $(foreach release,0.5.5 0.5.8 0.5.10 0.5.12 0.5.13 0.5.14 0.5.15 0.5.15.post1 0.5.16 0.5.17 0.5.20 0.5.23,$(release):cuda) \
  $(foreach release,0.5.10 0.5.15 0.5.16,$(release):hip $(release):npu)

truth: $(INSTALLED) $(TRUTH_VENV)/installed
	@failed=; for each in $(TRUTH); do \
	  "$(BIN)/regreach" probe "sglang==$${each%:*}" --platform "$${each#*:}" \
	    --python "$(TRUTH_VENV)/bin/python" --compare || failed="$$failed $$each"; \
	done; test -z "$$failed" || { echo "not as it was:$$failed"; exit 1; }

mutants: $(DEVELOPER) $(TRUTH_VENV)/installed
	@$(BIN)/python -m tests.mutation "$(RELEASE)" --python "$(TRUTH_VENV)/bin/python" $(ARGS)

bench: $(DEVELOPER)
	@$(BIN)/python -m benchmarks $(ARGS)

fuzz: $(DEVELOPER)
	@$(BIN)/python -m tests.fuzz $(ARGS)

discover-truth: $(DEVELOPER)
	@$(BIN)/python -m tests.discover $(ARGS)

$(TRUTH_VENV)/installed: tests/truth/requirements.txt
	$(PYTHON) -m venv --clear "$(TRUTH_VENV)"
	"$(TRUTH_VENV)/bin/python" -m pip install --quiet -r tests/truth/requirements.txt
	@touch $@

test: lint
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile $(ARGS)

lint: $(DEVELOPER)
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy

format: $(DEVELOPER)
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

clean:
	rm -rf "$(VENV)" build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find linter rules tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Another PYTHON than the one that the environment was made with makes a new environment.
ifneq ($(shell cat "$(MADE)" 2>/dev/null),$(PYTHON))
$(MADE): FORCE
endif
FORCE:

# Options that pip needs to know about groups of dependencies came with pip 25.1.
$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit("regreach needs Python 3.10 or newer: make PYTHON=..." if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv --clear "$(VENV)"
	$(PIP) install --quiet --upgrade "pip>=25.1"
	@echo "$(PYTHON)" > $@

$(INSTALLED): pyproject.toml $(MADE)
	$(PIP) install --quiet --editable .
	@touch $@

$(DEVELOPER): pyproject.toml $(INSTALLED)
	$(PIP) install --quiet --group dev
	@touch $@
