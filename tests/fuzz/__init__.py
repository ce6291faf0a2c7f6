"""Fuzzing: generated sources and trees, and what regreach makes of them beside what CPython does."""
