"""What a rule is: a code, a page, and a pure function from an ``Audit`` to findings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from regreach.model import Audit, Finding, Severity

Check = Callable[[Audit], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``page`` is its documentation in Markdown; ``check`` must not depend on anything else.

    ``by_key`` says that what it finds about a key depends on the cells of that key's selector value and
    on the call sites at which the key arrives, and on nothing else of an audit.
    ``final`` says that a quick analysis finds what a full one does: its errors call for no second look.
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
    final: bool = False


class Fingerprint(str):
    """An identity of a finding; ``parts`` is what it was made of beside the rule, for people to read."""

    parts: tuple[str, ...] = ()


def fingerprint(rule: str, *parts: str) -> Fingerprint:
    """Return an identity of a finding that survives line moves: rule, registry, key, module."""
    text = "\0".join((rule, *parts)).encode(errors="surrogatepass")
    made = Fingerprint(hashlib.sha256(text).hexdigest()[:16])
    made.parts = parts
    return made


def told_apart(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with no fingerprint twice: the second of a kind, by its place, gets one of its own.

    A rule need not tell apart what only lines tell apart, as two imports of one module in one function.
    """
    seen: dict[str, int] = {}
    result = []
    for finding in sorted(findings, key=lambda f: (f.spot.path, f.spot.line, f.column)):
        count = seen[finding.fingerprint] = seen.get(finding.fingerprint, 0) + 1
        if count == 1:
            result.append(finding)
            continue
        own = finding.fingerprint
        parts = own.parts if isinstance(own, Fingerprint) else (own,)
        result.append(
            replace(finding, fingerprint=fingerprint(finding.rule, *parts, f"number {count}"))
        )
    return result


def key_text(key: tuple[str, ...]) -> str:
    """Return a key as it is written in code: ``("none", "triton")``, on one line."""
    quoted = ", ".join(f'"{_in_quotes(part)}"' for part in key)
    return f"({quoted})" if len(key) != 1 else f"({quoted},)"


def _in_quotes(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
