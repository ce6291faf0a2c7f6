"""Edits that mend findings: made in memory, judged by a second analysis, then shown or written."""
