"""Which keys are registered, in whatever form that is written; CPython says the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop_tree import HANDLERS, audited, executed, written

FORMS = {
    "decorator": ('@handles("a")\ndef f(): ...', ["a"]),
    "keyword": ('@handles(doubled=True, name="a")\ndef f(): ...', ["a"]),
    "called": ('def f(): ...\nhandles("a")(f)', ["a"]),
    "stacked": ('@handles("a")\n@handles("b")\nclass F: ...', ["a", "b"]),
    "constant": ('NAME = "a"\n@handles(NAME)\ndef f(): ...', ["a"]),
    "constant of another": ("from shop.names import A\n@handles(A)\ndef f(): ...", ["from names"]),
    "f-string": ('KIND = "x"\n@handles(f"{KIND}-y")\ndef f(): ...', ["x-y"]),
    "enum": ("from shop.names import Kind\n@handles(Kind.CARD.value)\ndef f(): ...", ["card"]),
    "alias": ('from shop.registry import handles as on\n@on("a")\ndef f(): ...', ["a"]),
    "module": ('import shop.registry\n@shop.registry.handles("a")\ndef f(): ...', ["a"]),
    "re-exported": ('from shop.api import handles as h\n@h("a")\ndef f(): ...', ["a"]),
    "item": ('from shop.registry import HANDLERS\nHANDLERS["a"] = 1', ["a"]),
    "update": ('from shop.registry import HANDLERS\nHANDLERS.update({"a": 1}, b=2)', ["a", "b"]),
    "other": ('def handles(name):\n    return lambda f: f\n@handles("a")\ndef f(): ...', []),
    "in a string": ('"""\n@handles("a")\ndef f(): ...\n"""', []),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, tmp_path: Path) -> None:
    text, keys = FORMS[form]
    own = form in ("other", "item", "update", "alias", "module", "re-exported")
    files = {
        "server.py": "from shop import entries\n",
        "names.py": 'import enum\nA = "from names"\nclass Kind(enum.Enum):\n    CARD = "card"\n',
        "api.py": "from shop.registry import *\n",
        "entries.py": text if own else f"from shop.registry import handles\n{text}",
    }
    if form == "in a string":
        files["entries.py"] = text
    audit, findings = audited(written(tmp_path, files))
    (registry,) = audit.simple_registries
    assert sorted(str(entry.key) for entry in registry.entries) == keys
    assert {entry.reach for entry in registry.entries} <= {"process"}
    assert registry.open == ""
    assert not findings
    said = executed(
        tmp_path,
        "import shop.server, shop.registry\nprint(json.dumps(sorted(shop.registry.HANDLERS)))",
    )
    assert said == keys


@pytest.mark.parametrize(
    "text",
    [
        'for name in ("a", "b"):\n    @handles(name)\n    def f(): ...',
        "import sys\n@handles(sys.argv[0])\ndef f(): ...",
        'NAME = "a"\n@handles(NAME)\ndef f(): ...\nNAME = "b"\n@handles(NAME)\ndef g(): ...',
        "def register(name):\n    handles(name)(print)",
        "ALL = ['a']\n@handles(*ALL)\ndef f(): ...",
    ],
)
def test_a_key_that_is_not_known_opens_the_registry(text: str, tmp_path: Path) -> None:
    files = {
        "server.py": "from shop import entries\nCHOICES = ['a', 'none']",
        "entries.py": f"from shop.registry import handles\n{text}\n",
    }
    folder = written(tmp_path, files, f'{HANDLERS}choices = ["shop.server:CHOICES"]\n')
    audit, findings = audited(folder)
    assert "a key is not known: shop/entries.py" in audit.simple_registries[0].open
    assert not findings


def test_attributes_of_classes_and_own_names_are_keys(tmp_path: Path) -> None:
    pack = """
[[simple_registries]]
id = "shop.classes"
lookups = ["shop.registry:find"]
registrars = [
  { function = "shop.registry:by_attribute", attribute = "kind" },
  { function = "shop.registry:by_name", key = "name", named = true },
]
"""
    files = {
        "registry.py": """\
            HANDLERS = {}
            def by_attribute(cls):
                HANDLERS[cls.kind] = cls
                return cls
            def by_name(f=None, *, name=None):
                def decorator(f):
                    HANDLERS[name or f.__name__] = f
                    return f
                return decorator if f is None else decorator(f)
            def find(name): return HANDLERS[name]
            """,
        "server.py": """\
            from shop.registry import by_attribute, by_name
            @by_attribute
            class Card:
                kind = "card"
            @by_name
            def cash(): ...
            @by_name(name="cheque")
            def paper(): ...
            @by_name()
            def voucher(): ...
            def coin(): ...
            by_name(coin)
            """,
    }
    audit, _ = audited(written(tmp_path, files, pack))
    (registry,) = audit.simple_registries
    keys = sorted(str(entry.key) for entry in registry.entries)
    said = "import shop.server, shop.registry\nprint(json.dumps(sorted(shop.registry.HANDLERS)))"
    assert keys == executed(tmp_path, said) == ["card", "cash", "cheque", "coin", "voucher"]


LOOPS: dict[str, tuple[str, str, list[str] | None]] = {
    "a list of another module": ("from shop.names import NAMES", "for name in NAMES:", ["a", "b"]),
    "a dict": ('NAMES = {"a": 1, "b": 2}', "for name in NAMES:", ["a", "b"]),
    "a name of the module": ("import shop.names", "for name in shop.names.NAMES:", ["a", "b"]),
    "an inner loop": (
        "from shop.names import NAMES",
        "for _ in (1, 2):\n  for name in NAMES:",
        ["a", "b"],
    ),
    "another loop's name": (
        "from shop.names import NAMES",
        "for name in NAMES:\n  for _ in (1, 2):",
        None,
    ),
    "what is not known": ("import os\nNAMES = os.listdir()", "for name in NAMES:", None),
    "a list that is made there": ("NAMES = ['a']", "for name in [*NAMES, 'b']:", None),
    "another name by then": (
        "from shop.names import NAMES",
        "for name in NAMES:\n    name += '!'",
        None,
    ),
    "a part of it": ("NAMES = ['ab']", "for name, _ in NAMES:", None),
}


@pytest.mark.parametrize("case", LOOPS)
@pytest.mark.parametrize("filled", ["HANDLERS[name] = 1", "HANDLERS.setdefault(name, 1)"])
def test_keys_from_a_loop(case: str, filled: str, tmp_path: Path) -> None:
    """The keys are the texts of the list; where they are not seen, the registry is open."""
    above, loop, keys = LOOPS[case]
    files = {
        "server.py": "from shop import entries\n",
        "names.py": 'NAMES = ["a", "b"]\n',
        "entries.py": f"from shop.registry import HANDLERS\n{above}\n{loop}\n    {filled}\n",
    }
    audit, findings = audited(written(tmp_path, files))
    (registry,) = audit.simple_registries
    expected: list[str | None] = [*keys] if keys else [None]
    assert [entry.key for entry in registry.entries] == expected
    assert registry.open == ("" if keys else f"a key is not known: shop/entries.py:{_line(files)}")
    assert not findings
    if keys:
        code = (
            "import shop.server, shop.registry\nprint(json.dumps(sorted(shop.registry.HANDLERS)))"
        )
        assert executed(tmp_path, code) == keys


def _line(files: dict[str, str]) -> int:
    lines = files["entries.py"].splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.lstrip().startswith("HANDLERS"))


def test_calls_that_register_elsewhere(tmp_path: Path) -> None:
    """A call that gives the parameter, by its name or its place, counts for nothing."""
    files = {
        "registry.py": """\
            HANDLERS = {}
            def handles(name, handler=None, into=None):
                (HANDLERS if into is None else into)[name] = handler
                return lambda handler: handler
            def find(name): return HANDLERS[name]
            """,
        "server.py": """\
            from shop.registry import handles
            OTHER = {}
            handles("a", 1)
            handles("b", 2, OTHER)
            handles("c", into=OTHER)
            @handles("d", into=OTHER)
            def d(): ...
            """,
    }
    pack = HANDLERS.replace(':handles"', ':handles", unless = "into"')
    audit, findings = audited(written(tmp_path, files, pack))
    (registry,) = audit.simple_registries
    assert not findings
    assert [entry.key for entry in registry.entries] == ["a"]
    code = "import shop.server, shop.registry\nprint(json.dumps(sorted(shop.registry.HANDLERS)))"
    assert executed(tmp_path, code) == ["a"]
