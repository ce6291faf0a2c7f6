"""Registrars of a library, whose keys begin with a namespace, and uses by attribute or ``getattr``."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop_tree import audited, told, written

OPS = """
[[simple_registries]]
id = "shop.ops"
prefix = "device.ops.shop"
doubled = "first"

[[simple_registries.registrars]]
function = "device.library:custom_op"
strip = "shop::"

[[simple_registries.registrars]]
function = "device.library:define"
strip = "shop::"
until = "("

[[simple_registries.registrars]]
function = "device.library:Library.define"
owner = "{0}::"
strip = "shop::"
until = "("
"""
SERVER = "import shop.pay\n"

REGISTERED = {
    "a decorator": 'import device\n@device.library.custom_op("shop::pay")\ndef f(x): ...\n',
    "by an import": 'from device.library import custom_op as op\n@op("shop::pay")\ndef f(x): ...\n',
    "with more arguments": (
        'import device\n@device.library.custom_op("shop::pay", mutates_args=())\ndef f(x): ...\n'
    ),
    "a text over lines": (
        'import device\n@device.library.custom_op(\n    "shop::"\n    "pay",\n)\ndef f(x): ...\n'
    ),
    "a text with a constant": (
        'import device\nNAME = "pay"\n@device.library.custom_op(f"shop::{NAME}")\ndef f(x): ...\n'
    ),
    "a signature": 'import device\ndevice.library.define("shop::pay(Tensor x) -> Tensor")\n',
    "a method": (
        'from device.library import Library\nLIB = Library("shop", "FRAGMENT")\n'
        'LIB.define("pay(Tensor x) -> Tensor")\n'
    ),
    "a method of an object that is imported": (
        'from shop.lib import LIB\nLIB.define("pay(Tensor x) -> Tensor")\n'
    ),
}
OTHER = {
    "another namespace": 'import device\n@device.library.custom_op("till::pay")\ndef f(x): ...\n',
    "no namespace": 'import device\n@device.library.custom_op("pay")\ndef f(x): ...\n',
    "another library": (
        'from device.library import Library\nLIB = Library("till", "FRAGMENT")\n'
        'LIB.define("pay(Tensor x) -> Tensor")\n'
    ),
    "another class": (
        'from other import Library\nLIB = Library("shop", "FRAGMENT")\nLIB.define("pay(Tensor x)")\n'
    ),
    "another word": 'import device\ndevice.library.define("shop::paying(Tensor x) -> Tensor")\n',
    "another function": 'import device\n@device.other.custom_op("shop::pay")\ndef f(x): ...\n',
}
LIB = 'from device.library import Library\nLIB = Library("shop", "FRAGMENT")\n'


def tree(pay: str, use: str = "device.ops.shop.pay(1)") -> dict[str, str]:
    using = f"import device\nimport shop.pay\ndef run():\n    return {use}\n"
    return {"server.py": "import shop.use\n", "use.py": using, "pay.py": pay, "lib.py": LIB}


@pytest.mark.parametrize("case", REGISTERED)
def test_what_registers(case: str, tmp_path: Path) -> None:
    audit, findings = audited(written(tmp_path, tree(REGISTERED[case]), OPS))
    assert [e.key for r in audit.simple_registries for e in r.entries] == ["pay"]
    assert findings == ()


@pytest.mark.parametrize("case", OTHER)
def test_what_does_not(case: str, tmp_path: Path) -> None:
    files = tree(OTHER[case]) | {"cash.py": REGISTERED["a decorator"].replace("pay", "cash")}
    files["server.py"] = "import shop.use, shop.cash\n"
    _, findings = audited(written(tmp_path, files, OPS))
    assert told(findings) == [("RR104", "pay", "shop/use.py:4")]


PAY = REGISTERED["a decorator"]
USED = {
    "an attribute": "device.ops.shop.cash(1)",
    "an overload": "device.ops.shop.cash.default(1)",
    "getattr": 'getattr(device.ops.shop, "cash")(1)',
    "not called": "device.ops.shop.cash",
}
ASKED = {
    "another": "device.ops.till.cash(1)",
    "with a default": 'getattr(device.ops.shop, "cash", None)',
    "after asking": 'hasattr(device.ops.shop, "cash") and device.ops.shop.cash(1)',
    "a name that is not known": "getattr(device.ops.shop, device.name())",
    "a text": '"device.ops.shop.cash"',
    "a dunder": "device.ops.shop.__name__",
}


@pytest.mark.parametrize("case", USED)
def test_what_is_used(case: str, tmp_path: Path) -> None:
    _, findings = audited(written(tmp_path, tree(PAY, USED[case]), OPS))
    assert told(findings) == [("RR104", "cash", "shop/use.py:4")]


@pytest.mark.parametrize("case", ASKED)
def test_what_is_not(case: str, tmp_path: Path) -> None:
    _, findings = audited(written(tmp_path, tree(PAY, ASKED[case]), OPS))
    assert findings == ()


ALIASES = {
    "at the margin": (
        "import device\nOPS = device.ops.shop\ndef run():\n    return OPS.cash(1)\n",
        4,
    ),
    "with a type": (
        "import device\nOPS: object = device.ops.shop\ndef run():\n    OPS.cash(1)\n",
        4,
    ),
    "in a function": ("import device\ndef run():\n    ops = device.ops.shop\n    ops.cash(1)\n", 4),
    "by getattr": (
        'import device\nOPS = device.ops.shop\ndef run():\n    getattr(OPS, "cash")(1)\n',
        4,
    ),
}
NO_ALIASES = {
    "of another function": (
        "import device\ndef run():\n    ops = device.ops.shop\n    ops.pay(1)\n"
        "def other(ops):\n    ops.cash(1)\n"
    ),
    "bound to two": (
        "import device\nOPS = device.ops.shop\nOPS = device.ops.till\ndef run():\n    OPS.cash(1)\n"
    ),
}


@pytest.mark.parametrize("case", ALIASES)
def test_another_name(case: str, tmp_path: Path) -> None:
    text, line = ALIASES[case]
    _, findings = audited(written(tmp_path, tree(PAY) | {"use.py": text}, OPS))
    assert told(findings) == [("RR104", "cash", f"shop/use.py:{line}")]


@pytest.mark.parametrize("case", NO_ALIASES)
def test_no_other_name(case: str, tmp_path: Path) -> None:
    files = tree(PAY) | {"use.py": NO_ALIASES[case]}
    files["server.py"] = "import shop.use, shop.pay\n"
    _, findings = audited(written(tmp_path, files, OPS))
    assert findings == ()


def test_an_operator_of_two_modules(tmp_path: Path) -> None:
    files = tree(PAY) | {"server.py": "import shop.use, shop.cash\n"}
    files["cash.py"] = REGISTERED["a signature"]
    _, findings = audited(written(tmp_path, files, OPS))
    assert told(findings) == [("RR105", "pay", "shop/pay.py:2")]


@pytest.mark.parametrize(
    ("registrar", "says"),
    [
        ('owner = "{0}::"', "owner is for methods: the function must be 'module:Class.method'"),
        ('strip = "a b"', "strip must not have white space in it"),
        ('until = " "', "until must not have white space in it"),
    ],
)
def test_a_registrar_that_is_wrong(registrar: str, says: str, tmp_path: Path) -> None:
    from regreach.errors import ConfigError

    pack = f"""
[[simple_registries]]
id = "shop.ops"
registrars = [{{ function = "device.library:custom_op", {registrar} }}]
"""
    with pytest.raises(ConfigError) as raised:
        audited(written(tmp_path, tree(PAY), pack))
    assert str(raised.value).endswith(f"simple_registries[0].registrars[0].{says}")
