"""Mutation tests: what regreach says of mutants of a tree is what they do."""
