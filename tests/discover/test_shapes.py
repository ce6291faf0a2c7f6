"""`regreach discover`: each shape that a registry can have, and what looks like one and is none."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from command_line import run
from tree_making import write

Files = dict[str, str]
Found = dict[str, list[Any]]


def discovered(folder: Path, files: Files) -> Any:
    """What is printed as JSON of a package `shop` with these files."""
    package = {"__init__.py": "", **files}
    write(folder, {f"shop/{name}": dedent(text) for name, text in package.items()})
    done = run("discover", str(folder), "--format", "json", "--no-cache", "--jobs", "1")
    assert done.code == 0, done.err
    return done.json()


def keys_of(document: Any) -> Found:
    """The registries with the keys of their registrations, a key of one part as that."""
    return {
        each["container"]: [
            r["key"][0] if len(r["key"]) == 1 else r["key"] for r in each["registrations"]
        ]
        for each in document["registries"]
    }


SHAPES: dict[str, tuple[Files, Found]] = {
    "a decorator that keeps the name of what it decorates": (
        {
            "r.py": """\
                PATHS = {}
                def handles(kind):
                    def keep(cls):
                        PATHS[kind] = f"{cls.__module__}.{cls.__qualname__}"
                        return cls
                    return keep
                def find(kind):
                    return PATHS[kind]
                """,
            "a.py": 'from shop.r import handles\n@handles("cash")\nclass Cash: ...\n',
        },
        {"shop.r:PATHS": ["cash"]},
    ),
    "names of modules, registered by a function that the module calls": (
        {
            "r.py": """\
                class Handlers:
                    lazy = {}
                    @classmethod
                    def register_lazy(cls, name, module):
                        cls.lazy[name] = module
                """,
            "a.py": """\
                from shop.r import Handlers
                MODULES = {"cash": "till", "card": "terminal"}
                def register_all():
                    for name, file in MODULES.items():
                        Handlers.register_lazy(name, f"shop.{file}")
                register_all()
                """,
        },
        {"shop.r:Handlers.lazy": [None]},
    ),
    "a decorator with a key": (
        {
            "r.py": """\
                HANDLERS = {}
                def handles(kind, *, quick=False):
                    def keep(function):
                        HANDLERS[kind] = function
                        return function
                    return keep
                def find(kind):
                    return HANDLERS[kind]
                """,
            "a.py": """\
                from shop.r import handles
                CARD = "card"
                @handles("cash")
                @handles(kind=CARD, quick=True)
                def pay(): ...
                """,
        },
        {"shop.r:HANDLERS": ["cash", "card"]},
    ),
    "a decorator that wraps": (
        {
            "r.py": """\
                import functools
                TASKS: dict[str, object] = {}
                def task(name=None):
                    def decorate(function):
                        @functools.wraps(function)
                        def run(*args):
                            return function(*args)
                        TASKS[name or function.__name__] = run
                        return run
                    return decorate
                """,
            "a.py": """\
                from .r import task
                @task()
                def sweep(): ...
                @task("mop")
                def wipe(): ...
                """,
        },
        {"shop.r:TASKS": ["sweep", "mop"]},
    ),
    "a bare decorator, the name as key": (
        {
            "r.py": """\
                MODELS = {}
                def model(cls):
                    MODELS[cls.__name__] = cls
                    return cls
                """,
            "a.py": "from shop.r import model as entry\n@entry\nclass Small: ...\n",
        },
        {"shop.r:MODELS": ["Small"]},
    ),
    "an attribute of the class as key": (
        {
            "r.py": """\
                PARTS = {}
                def part(cls):
                    for kind in cls.kinds:
                        PARTS[kind] = cls
                    return cls
                """,
            "a.py": "from shop import r\n@r.part\nclass Wheel:\n    kinds = ('big', 'small')\n",
        },
        {"shop.r:PARTS": ["big", "small"]},
    ),
    "a list without keys, and a set of names": (
        {
            "r.py": """\
                HOOKS, NAMES = [], set()
                CHECKS = []
                OPS = set()
                def check(function):
                    CHECKS.append(function)
                    return function
                def op(function):
                    OPS.add("shop." + function.__name__)
                    return function
                """,
            "a.py": "from shop.r import check, op\n@check\ndef one(): ...\n@op\ndef two(): ...\n",
        },
        {"shop.r:CHECKS": [[]], "shop.r:OPS": ["two"]},
    ),
    "a function that is called": (
        {
            "r.py": """\
                FORMATS = {}
                def add_format(name, maker):
                    FORMATS[name] = maker
                """,
            "a.py": "from shop.r import add_format\nclass A: ...\nadd_format('a', A)\n",
        },
        {"shop.r:FORMATS": ["a"]},
    ),
    "one that says so, called in a function": (
        {
            "r.py": """\
                FORMATS = {}
                def register_format(name, maker):
                    FORMATS.setdefault(name, []).append(maker)
                """,
            "a.py": """\
                def setup():
                    from shop.r import register_format
                    register_format("a", A)
                class A: ...
                """,
        },
        {"shop.r:FORMATS": ["a"]},
    ),
    "a class that keeps entries for itself": (
        {
            "r.py": """\
                class Pool:
                    _entries: dict = {}
                    @classmethod
                    def register(cls, kind, size):
                        def keep(function):
                            key = (kind, size)
                            cls._entries[key] = function
                            return function
                        return keep
                    @classmethod
                    def get(cls, kind, size):
                        return cls._entries.get((kind, size))
                """,
            "a.py": "from shop.r import Pool\n@Pool.register('a', 3)\ndef one(): ...\n",
        },
        {"shop.r:Pool._entries": [["a", 3]]},
    ),
    "two objects of a class": (
        {
            "r.py": """\
                class Registry:
                    def __init__(self, name):
                        self._entries = {}
                    def _keep(self, name, thing):
                        self._entries[name] = thing
                    def register(self, name=None, thing=None):
                        if thing is not None:
                            self._keep(name or thing.__name__, thing)
                            return thing
                        def keep(thing):
                            self._keep(name or thing.__name__, thing)
                            return thing
                        return keep
                    def get(self, name):
                        return self._entries[name]
                """,
            "all.py": "from .r import Registry\nCARS = Registry('cars')\nSHIPS = Registry('ships')\n",
            "a.py": """\
                from shop.all import CARS, SHIPS
                @CARS.register()
                class Truck: ...
                SHIPS.register("boat", Truck)
                """,
        },
        {"shop.all:CARS._entries": ["Truck"], "shop.all:SHIPS._entries": ["boat"]},
    ),
    "an object that is a dictionary, called": (
        {
            "r.py": """\
                class Registry(dict):
                    def __call__(self, name):
                        def keep(thing):
                            self[name] = thing
                            return thing
                        return keep
                loaders = Registry()
                """,
            "a.py": "from shop.r import loaders\n@loaders('x')\ndef load(): ...\n",
        },
        {"shop.r:loaders": ["x"]},
    ),
    "a registrar that hands on": (
        {
            "r.py": """\
                ENTRIES = {}
                def _keep(name, thing):
                    ENTRIES[name] = thing
                def register(name):
                    return lambda thing: _keep(name, thing)
                def register_many(*names):
                    def keep(thing):
                        for name in names:
                            register(name)(thing)
                        return thing
                    return keep
                """,
            "a.py": """\
                import shop.r
                @shop.r.register_many("a", "b")
                def one(): ...
                shop.r.register("c")(one)
                """,
        },
        {"shop.r:ENTRIES": ["a", "b", "c"]},
    ),
    "through a re-export, a star and an alias": (
        {
            "__init__.py": "from .r import *\n",
            "r.py": """\
                ENTRIES = {}
                def register(name):
                    def keep(thing):
                        ENTRIES[name] = thing
                        return thing
                    return keep
                enter = register
                """,
            "a.py": "from shop import enter\n@enter('a')\ndef one(): ...\n",
        },
        {"shop.r:ENTRIES": ["a"]},
    ),
    "a member of an enum as key": (
        {
            "r.py": """\
                import enum
                class Kind(enum.Enum):
                    CASH = "cash"
                HANDLERS = {}
                def handles(kind):
                    def keep(thing):
                        HANDLERS[kind.value] = thing
                        return thing
                    return keep
                """,
            "a.py": "from shop.r import Kind, handles\n@handles(Kind.CASH)\ndef one(): ...\n",
        },
        {"shop.r:HANDLERS": ["cash"]},
    ),
    "classes below another": (
        {
            "r.py": """\
                LOADERS = {}
                class Loader:
                    def __init_subclass__(cls, **kwargs):
                        super().__init_subclass__(**kwargs)
                        LOADERS[cls.suffix] = cls
                """,
            "a.py": "from shop.r import Loader\nclass Text(Loader):\n    suffix = 'txt'\n",
        },
        {"shop.r:LOADERS": ["txt"]},
    ),
    "a loop over modules": (
        {
            "r.py": """\
                import importlib
                import pkgutil
                import shop.parts
                PARTS = {}
                def load():
                    for found in pkgutil.iter_modules(shop.parts.__path__):
                        module = importlib.import_module("shop.parts." + found.name)
                        PARTS[found.name] = module.Entry
                """,
            "parts/__init__.py": "",
        },
        {"shop.r:PARTS": []},
    ),
    "an object of a class that is not of the tree": (
        {
            "r.py": "from engine import Registry\nMODELS = Registry('model')\n",
            "a.py": """\
                from shop.r import MODELS
                @MODELS.register_module(name="net")
                class Net: ...
                @MODELS.register_module()
                class Other: ...
                """,
        },
        {"shop.r:MODELS": ["net", "Other"]},
    ),
    "handed to an object that is not of the tree": (
        {
            "r.py": """\
                from lib import Library
                ours = Library("shop")
                class Op:
                    def __init__(self, name, function):
                        self.name = name
                        self.function = function
                    def make(self):
                        register_op(self.name, self.function)
                def register_op(name, function, where=None):
                    there = where or ours
                    there.impl(name, function, "any")
                def op(name=None):
                    def keep(function):
                        return Op(name or function.__name__, function)
                    return keep
                """,
            "a.py": "from shop.r import op, register_op\n@op()\ndef add(): ...\nregister_op('sub', add)\n",
        },
        {"shop.r:ours": ["add", "sub"]},
    ),
    "open to others": (
        {
            "r.py": """\
                PLUGINS = {}
                def register_plugin(name, plugin):
                    PLUGINS[name] = plugin
                """
        },
        {"shop.r:PLUGINS": []},
    ),
}

NO_REGISTRY: dict[str, Files] = {
    "a cache of results": {
        "r.py": """\
            CACHE = {}
            def compute(key):
                if key not in CACHE:
                    CACHE[key] = slow(key)
                return CACHE[key]
            def slow(key): ...
            compute("a")
            """
    },
    "a cache of what is made of a key": {
        "r.py": """\
            POOLS = {}
            class Pool:
                def __init__(self, size): ...
            def pool(size):
                found = POOLS.get(size)
                if found is None:
                    found = POOLS[size] = Pool(size)
                return found
            SMALL = pool(3)
            """
    },
    "a decorator that remembers results": {
        "r.py": """\
            RESULTS = {}
            def remembered(function):
                def call(key):
                    if key not in RESULTS:
                        RESULTS[key] = function(key)
                    return RESULTS[key]
                return call
            @remembered
            def square(number): ...
            """
    },
    "a decorator that counts and times": {
        "r.py": """\
            import time
            TIMES, COUNTS = {}, {}
            SPENT = {}
            def timed(function):
                def call(*args):
                    begin = time.time()
                    result = function(*args)
                    SPENT[function.__name__] = time.time() - begin
                    return result
                return call
            @timed
            def work(): ...
            """
    },
    "a property with a setter, and a state": {
        "r.py": """\
            class Options:
                def __init__(self):
                    self._values = {}
                @property
                def size(self):
                    return self._values["size"]
                @size.setter
                def size(self, value):
                    self._values["size"] = value
                def set(self, name, value):
                    self._values[name] = value
            OPTIONS = Options()
            def main(arguments):
                OPTIONS.set("size", arguments.size)
            """
    },
    "a generic function": {
        "r.py": """\
            import functools
            @functools.singledispatch
            def show(thing): ...
            @show.register
            def _(thing: int): ...
            @show.register(str)
            def _(thing): ...
            """
    },
    "a dispatch by type": {
        "r.py": """\
            SHOW = {int: repr, str: str, float: repr}
            def show(thing):
                return SHOW[type(thing)](thing)
            """
    },
    "handlers of a log": {
        "r.py": """\
            import logging
            log = logging.getLogger(__name__)
            log.addHandler(logging.NullHandler())
            _warned = set()
            def warn_once(text):
                if text not in _warned:
                    _warned.add(text)
                    log.warning(text)
            def main():
                warn_once("old")
            """
    },
    "what a run collects": {
        "r.py": """\
            ROWS = []
            class Queue:
                def __init__(self):
                    self.waiting = []
                def put(self, item):
                    self.waiting.append(item)
                    return item
            def collect(row):
                ROWS.append(row)
            def main(rows):
                queue = Queue()
                for row in rows:
                    collect(row)
                    queue.put(row)
            """
    },
    "a container of one call": {
        "r.py": """\
            def table():
                entries = {}
                def entry(name):
                    def keep(function):
                        entries[name] = function
                        return function
                    return keep
                @entry("a")
                def one(): ...
                return entries
            """
    },
    "decorator text in a docstring": {
        "r.py": '''\
            """Use it so:

            @register("a")
            def one(): ...
            """
            '''
    },
    "what tests register": {
        "tests/__init__.py": "",
        "tests/test_r.py": """\
            ENTRIES = {}
            def register(name):
                def keep(thing):
                    ENTRIES[name] = thing
                    return thing
                return keep
            @register("a")
            def one(): ...
            """,
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shape(shape: str, tmp_path: Path) -> None:
    files, expected = SHAPES[shape]
    found = keys_of(discovered(tmp_path, files))
    assert {c: sorted(map(repr, k)) for c, k in found.items()} == {
        c: sorted(map(repr, k)) for c, k in expected.items()
    }


@pytest.mark.parametrize("shape", NO_REGISTRY)
def test_no_registry(shape: str, tmp_path: Path) -> None:
    document = discovered(tmp_path, NO_REGISTRY[shape])
    assert (keys_of(document), document["tables"]) == ({}, [])
