"""Tests of `regreach discover`, and what it finds in published packages."""
