"""Blobs: nothing but data comes out of them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable

import pytest
from regreach.facts import ir
from regreach.facts.blob import BlobError, pack_facts, pack_function, unpack_facts, unpack_function
from regreach.facts.parse import ModuleFacts

TEXT = "import a\ndef f(x=1j):\n    return [x, ..., 'é', b'b']\n"


class Command:
    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.reduced = function, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.reduced


@pytest.mark.parametrize("name", ["system", "popen"])
def test_code_is_not_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    command = pickle.dumps(Command(getattr(os, name), "true"))
    monkeypatch.setattr(os, name, called.append)
    for payload in (command, pickle.dumps(("facts", None, (Command(eval, "1"),)))):
        with pytest.raises(BlobError):
            unpack_facts(payload, "", {})
        with pytest.raises(BlobError):
            unpack_function(payload)
    assert not called


@pytest.mark.parametrize("name", ["Literal", "Body", "annotations", "dataclass", "EllipsisType"])
def test_only_classes_are_taken_from_ir(name: str) -> None:
    with pytest.raises(BlobError):
        unpack_function(f"cregreach.facts.ir\n{name}\n.".encode())


@pytest.mark.parametrize(
    "value",
    [
        (),
        ("facts",),
        ("facts", (), []),
        ("facts", (1, 2, 3), ()),
        ("facts", (1, 2, 3, 1000), ()),
        ("facts", (1, 2, 3, "4"), ()),
        ("facts", (1, 2, -3, 4), ()),
        ("error", "message", 1),
        ("error", b"message", 1, 1, "SyntaxError"),
        ir.Const(1),
        None,
    ],
)
def test_other_data_is_refused(value: object) -> None:
    with pytest.raises(BlobError):
        unpack_facts(pickle.dumps(value), "x = 1\n", {})


def test_what_is_cut_off_is_refused() -> None:
    facts = ModuleFacts(TEXT)
    sound = pack_facts(facts)
    for length in range(len(sound)):
        with pytest.raises(BlobError):
            unpack_facts(sound[:length], TEXT, {})
    sound = pack_function(facts.function(0))
    for length in range(len(sound)):
        with pytest.raises(BlobError):
            unpack_function(sound[:length])


def test_too_deep_to_be_packed() -> None:
    node: ir.Expr = ir.Name("a")
    for _ in range(200_000):
        node = ir.Not(node)
    with pytest.raises(BlobError):
        pack_function(ir.FunctionDef(1, "f", (), (), (ir.ExprStmt(1, node),), None, False))
    while isinstance(node, ir.Not):  # or else its end would be as deep
        node = node.value
