"""What CPython does: small packages and functions, run in fresh processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SERVER = Path(__file__).with_name("cpython_server.py")
# The place of a module's file ends the message of an ImportError; regreach's message names no files.
_PLACE = re.compile(r" \((?:/[^)]*|unknown location)\)$")


class CPython:
    """One server process; each case runs in a fork of it, without site packages and user settings."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def import_in_orders(
        self, files: Mapping[str, str], top: str, orders: Sequence[Sequence[str]]
    ) -> list[list[dict[str, Any]]]:
        """For each order, import its modules in a fresh process; return what each import leaves."""
        answer = self._ask({"files": files, "top": top, "orders": orders})
        for steps in answer:
            for step in steps:
                step["ended"] = _PLACE.sub("", step["ended"])
        return answer  # type: ignore[no-any-return]

    def evaluate(self, source: str, expressions: Sequence[str]) -> list[list[Any]]:
        """Run a module and evaluate expressions in it: `["value", …]` or `["raised", …]` for each."""
        return self._ask({"source": source, "calls": expressions})  # type: ignore[no-any-return]

    def execute(
        self, text: str, outside: Sequence[Mapping[str, str]], head: str = ""
    ) -> list[dict[str, Any]]:
        """Run a text as the package `p`, with `p.head`, once for each set of expressions for `outside`."""
        request = {"text": text, "outside": outside, "head": head}
        return self._ask(request)  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the server process."""
        self._process.communicate()

    def _ask(self, request: Mapping[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
