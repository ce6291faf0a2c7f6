"""Findings and audits as text and JSON."""
