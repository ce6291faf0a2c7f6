"""regreach: a static linter for decorator-registration bugs."""

__version__ = "0.1.0"
