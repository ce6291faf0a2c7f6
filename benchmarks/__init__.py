"""Benchmarks of regreach beside other tools: ``make bench``."""
