"""What is made of findings: their severity, where they do not count, and which are suppressed.

Rules judge an audit and know nothing of this; ``settle`` comes after them. Nothing here prints.
"""

from __future__ import annotations

from regreach.policy.baseline import Baseline, Entry, read_baseline
from regreach.policy.path_ignores import PathIgnores
from regreach.policy.settle import EVERYTHING, Policy, Settled, settle

__all__ = [
    "EVERYTHING",
    "Baseline",
    "Entry",
    "PathIgnores",
    "Policy",
    "Settled",
    "read_baseline",
    "settle",
]
