"""A tree as large as you like, in which the question stays the same: ``python -m benchmarks.synthetic``.

A package ``bulk`` with one registry in the shape of sglang's: a runner that asks for what is registered
under (device, kind), one kind registered at the top of the runner, one in its branch, and one, ``packed``,
by a module that the branch forgets: one caller imports it itself, another crashes. Around it any number of
modules of about a hundred lines, in blocks of fifty. Within a block they import one another at module
level, within functions they import from any block. Twenty desks in as many blocks construct the runner.
The same number of modules gives the same bytes, everywhere.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "bulk"
BLOCK = 50  # modules
AREA = 50  # blocks
DESKS = 20
BROKEN = ("cpu", "packed")
BROKEN_FILE = "bulk/handlers/packed.py"

PACK = """\
format = 1
name = "bulk"
package = "bulk"
process_roots = ["bulk.runner"]
default_platform = "any"

[assumptions]
environment_closed = true

[selectors.device]
enum = "bulk.kinds:Device"
sources = ["bulk.kinds:device_of_process"]

[selectors.kind]
enum = "bulk.kinds:Kind"

[consumers.runner]
module = "bulk.runner"
callable = "Runner"
ambient = ["device"]

[consumers.runner.arguments.kind]
selector = "kind"

[[registries]]
id = "bulk.handlers"
container = "bulk.registry:HANDLERS"
key = ["device", "kind"]
registrars = ["bulk.registry:handles"]
lookups = ["bulk.registry:find"]
consumer = "runner"

[platforms.any]
"""

_CORE = {
    "__init__.py": "",
    "registry.py": '''\
"""Who handles what."""

HANDLERS = {}


def handles(device, kind):
    def keep(function):
        HANDLERS[(device, kind)] = function
        return function

    return keep


def find(device, kind):
    return HANDLERS.get((device, kind))
''',
    "kinds.py": '''\
"""What there is to choose from."""

import enum


class Device(enum.Enum):
    CPU = "cpu"


class Kind(enum.Enum):
    PLAIN = "plain"
    FUSED = "fused"
    PACKED = "packed"

    def is_fused(self):
        return self == Kind.FUSED

    def is_packed(self):
        return self == Kind.PACKED


def device_of_process():
    return Device.CPU
''',
    "runner.py": '''\
"""Looks up who handles a kind."""

from bulk.area_00.block_0000 import module_049
from bulk.handlers import plain  # noqa: F401
from bulk.kinds import device_of_process
from bulk.registry import find


class Runner:
    def __init__(self, kind):
        self.limit = module_049.LIMIT
        if kind.is_fused():
            from bulk.handlers import fused  # noqa: F401

            self.core = None
        elif kind.is_packed():
            self.core = None  # like fused
        else:
            self.core = object()
        self.handler = find(device_of_process().value, kind.value)
        if self.core is None and self.handler is None:
            raise NotImplementedError(f"nothing handles {kind}")
''',
    "handlers/__init__.py": "",
    "desks/__init__.py": "",
}

_HANDLER = '''\
"""Handles what is {kind}."""

from bulk.registry import handles


@handles("cpu", "{kind}")
def handle(values):
    return [value + {number} for value in values]
'''

_DESK = '''\
"""Constructs the runner."""

from bulk.kinds import Kind
from bulk.runner import Runner
from {block} import {module}


def open_desk():
{help}    return Runner(Kind.{kind}), {module}.LIMIT
'''

_WORDS = (
    *("batch", "buffer", "cache", "chunk", "config", "cursor", "expert", "frame", "index", "layer"),
    *("limit", "mask", "offset", "page", "plan", "queue", "rank", "request", "scale", "shard"),
    *("shape", "slot", "state", "stride", "table", "token", "trace", "value", "weight", "window"),
)

_FUNCTION = '''\
def {verb}_{a}_{b}({a}, {b}=None, *, strict=True):
    """Return the {a} with its {b}; the last one wins where there are several."""
    if {b} is None:
        {b} = LIMIT if strict else {number}
    found = []
    for position, each in enumerate({a}):
        if each is None or position > {b}:
            continue
        # what is larger than the {b} was looked at before
        found.append((position, {helper}.LIMIT + {number}, f"{{each}} of {a}"))
    return sorted(found, key=lambda one: (one[0] % 7, one[2]))
'''

_LAZY = '''\
def {verb}_{a}_later({a}):
    """Return what another part of the program makes of the {a}."""
    from {module} import LIMIT as bound

    return {{"{a}": {a}, "{b}": bound, "register": "by name"}}
'''

_CLASS = '''\
class {title}{number}:
    """A {a}, and where its {b} is kept."""

    {b}s = {{}}

    def __init__(self, {a}, {b}=0):
        self.{a} = {a}
        self.{b} = {b}
        self._known = {{}}

    @property
    def size(self):
        return len(self._known) + self.{b}

    def find(self, key, default=None):
        """Return what is known of a key."""
        if key in self._known:
            return self._known[key]
        return {helper}.LIMIT if default is None else default

    def register(self, key, {b}):
        try:
            self._known[key] = int({b}) // {number}
        except (TypeError, ValueError) as error:
            raise ValueError(f"{{key}} has no {b}") from error
'''


def write_tree(root: Path, modules: int) -> int:
    """Write the package to a folder, with so many modules beside its core; return how many files.

    ``modules`` is a multiple of BLOCK, and there is one block at least. Raises ValueError, OSError.
    """
    if modules < BLOCK or modules % BLOCK:
        raise ValueError(f"modules come in blocks of {BLOCK}, not {modules}")
    count = 0
    for path, text in _texts(modules):
        file = root / PACKAGE / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        count += 1
    return count


def _texts(modules: int) -> Iterator[tuple[str, str]]:
    """Yield path in the package and text of each file."""
    yield from _CORE.items()
    for number, kind in enumerate(("plain", "fused", "packed"), 1):
        yield f"handlers/{kind}.py", _HANDLER.format(kind=kind, number=number)
    blocks = modules // BLOCK
    for number in range(DESKS):
        yield f"desks/desk_{number:02}.py", _desk(number, number * blocks // DESKS)
    for block in range(blocks):
        folder = _block(block).removeprefix(f"{PACKAGE}.").replace(".", "/")
        if block % AREA == 0:
            yield f"{folder.partition('/')[0]}/__init__.py", ""
        yield (
            f"{folder}/__init__.py",
            "" if block % 3 else "from .module_000 import LIMIT  # noqa: F401\n",
        )
        for number in range(BLOCK):
            yield f"{folder}/module_{number:03}.py", _module(block, number, blocks)


def _block(number: int) -> str:
    return f"{PACKAGE}.area_{number // AREA:02}.block_{number:04}"


def _desk(number: int, block: int) -> str:
    kind = "PACKED" if number < 2 else ("PLAIN", "FUSED")[number % 2]
    saves_itself = "    from bulk.handlers import packed  # noqa: F401\n\n" if number == 1 else ""
    module = f"module_{BLOCK - 1 - number:03}"
    return _DESK.format(block=_block(block), module=module, kind=kind, help=saves_itself)


def _module(block: int, number: int, blocks: int) -> str:
    chance = random.Random(f"{block} {number}")

    def below(limit: int) -> int:
        return int(chance.random() * limit)  # the one method that every Python has alike

    def words() -> dict[str, object]:
        a = below(len(_WORDS))
        b = (a + 1 + below(len(_WORDS) - 1)) % len(_WORDS)
        verb = ("make", "read", "find", "merge", "split", "check")[below(6)]
        title = _WORDS[a].capitalize()
        return {
            "a": _WORDS[a],
            "b": _WORDS[b],
            "verb": verb,
            "title": title,
            "number": 1 + below(997),
        }

    here = (
        [f"module_{each:03}" for each in sorted({below(number) for _ in range(3)})]
        if number
        else []
    )
    imports = ["import json", "import os.path", ""]
    imports += [f"from {_block(0)} import module_000 as common"] if block else []
    imports += [f"from . import {each}" for each in here[:1]]
    imports += [f"from {_block(block)} import {each}" for each in here[1:]]
    helpers = [*here, *(["common"] if block else [])]
    limit = f'LIMIT = {1 + below(9999)}\nNAME = os.path.join("{_WORDS[below(30)]}", json.dumps({number}))\n'
    parts = [
        template.format(helper=helpers[below(len(helpers))], **words())
        for template in ((_FUNCTION, _CLASS, _FUNCTION, _FUNCTION, _CLASS) if helpers else ())
    ]
    lazily = f"{_block(below(blocks))}.module_{below(BLOCK):03}"
    parts.append(_LAZY.format(module=lazily, **words()))
    head = f'"""Part {number} of block {block}."""\n\n' + "\n".join(imports).rstrip("\n") + "\n\n"
    return head + "\n\n".join([limit, *parts])


if __name__ == "__main__":
    print(write_tree(Path(sys.argv[1]), int(sys.argv[2])), "files")
