"""The abstract run: module bodies and calls, executed in CPython's order on a small domain of values."""
