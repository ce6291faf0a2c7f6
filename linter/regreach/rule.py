"""What a rule is: a code, a page, and a pure function from an ``Audit`` to findings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from regreach.model import Audit, Finding, Severity

Check = Callable[[Audit], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``page`` is its documentation in Markdown; ``check`` must not depend on anything else.

    ``by_key`` says that what it finds about a key depends on the cells of that key's selector value and
    on the call sites at which the key arrives, and on nothing else of an audit.
    ``mended`` says whether its findings may have a ``fix`` that ``regreach fix`` knows how to make.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    page: str
    check: Check
    mended: Literal["no", "on request", "yes"] = "no"
    by_key: bool = False


def fingerprint(rule: str, *parts: str) -> str:
    """Return an identity of a finding that survives line moves: rule, registry, key, module."""
    return hashlib.sha256("\0".join((rule, *parts)).encode()).hexdigest()[:16]


def key_text(key: tuple[str, ...]) -> str:
    """Return a key as it is written in code: ``("none", "triton")``."""
    quoted = ", ".join(f'"{part}"' for part in key)
    return f"({quoted})" if len(key) != 1 else f"({quoted},)"
