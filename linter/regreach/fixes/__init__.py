"""Edits of source files, on their bytes: what is not meant to change does not."""
