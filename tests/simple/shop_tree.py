"""Small trees with simple registries, written as texts, and a pack for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from regreach.model import Audit, Finding
from regreach.request import Request
from regreach.run import analyse, check

PACK = """\
format = 1
name = "shop"
package = "shop"
ignored_paths = ["*/tests/*"]
process_roots = ["shop.server"]

[assumptions]
environment_closed = true

[platforms.till.values]
"device.kind" = "till"
"""

HANDLERS = """
[[simple_registries]]
id = "shop.handlers"
containers = ["shop.registry:HANDLERS"]
lookups = ["shop.registry:find"]
registrars = [{ function = "shop.registry:handles" }]
"""

OPS = """
[[simple_registries]]
id = "shop.ops"
prefix = "device.ops.shop"
registrars = [{ function = "shop.registry:handles" }]
"""

CARD = 'from shop.registry import handles\n@handles("card")\ndef pay(): ...\n'

REGISTRY = """\
    HANDLERS = {}

    def handles(name, *, doubled=False):
        def decorator(handler):
            HANDLERS[name] = handler
            return handler
        return decorator

    def find(name):
        return HANDLERS[name]
    """


def written(folder: Path, files: Mapping[str, str], pack: str = HANDLERS) -> Path:
    """Write a tree: paths in the package ``shop`` with their contents, beside the registry itself."""
    for name, text in {"__init__.py": "", "registry.py": REGISTRY, **files}.items():
        path = folder / "tree" / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    (folder / "pack.toml").write_text(PACK + pack, encoding="utf-8")
    return folder


def audited(folder: Path) -> tuple[Audit, tuple[Finding, ...]]:
    """Return the audit and findings of a tree that was written; ``check`` must find the same."""
    request = Request(str(folder / "tree"), pack=str(folder / "pack.toml"), keep=False)
    result = analyse(request)
    assert check(request).findings == result.findings
    return result.audit, result.findings


def told(findings: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    """Return findings as rule, key and place."""
    return [(f.rule, (f.key or ("",))[0], str(f.spot)) for f in findings]


def executed(folder: Path, code: str) -> object:
    """Run code in a fresh process in which the tree can be imported; return what it prints as JSON."""
    ran = subprocess.run(
        [sys.executable, "-c", f"import json\n{dedent(code)}"],
        cwd=folder / "tree",
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)
