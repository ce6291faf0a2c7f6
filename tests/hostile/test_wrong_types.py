"""Each value of a configuration, a pack and a baseline replaced by each value of another type."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from command_line import BUG, files_of, run
from hostile_making import in_its_own_words
from regreach.config import read_config
from regreach.config.config_file import ConfigFile
from regreach.errors import ConfigError, TargetError
from regreach.pack import Pack, load_pack
from regreach.plugins import load_plugins
from regreach.policy.baseline import read_baseline
from regreach.request import Request
from regreach.run import analyse
from shop_example import PACK, SHOP
from tree_making import write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# One value of each type that TOML has, empty ones, and those that are nearly right.
VALUES: tuple[Any, ...] = (
    *(True, False, 0, -1, 2**70, 1.5, float("nan"), float("-inf"), "", " ", "x", "\0", "\ud7ff\n"),
    *("../..", "/", "a:b:c", ":", "[", "(?P<", "*" * 50, "é" * 5000),
    *([], [[]], [1], [""], ["x", 1], [{}], {}, {"": {}}, {"x": 1}, {"x": {"y": []}}),
    *(date(2026, 1, 1), time(1, 2), datetime(2026, 1, 1, 1)),
)
CONFIG = """
pack = "sglang"
platform = "cuda"
env = { A = "1" }
absent = ["deep_ep"]
select = ["RR101"]
ignore = ["RR102"]
baseline = "known.toml"
fail-on = "error"
jobs = 2
offline = false
cache = true
severity = { RR101 = "info" }
per-path-ignores = { "sglang/**" = ["RR101"] }
"""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value in a document, tables and lists included."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(min(2, len(value))):
            yield from places(value[index], (*path, index))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a document with one value replaced."""
    result = copy.deepcopy(document)
    inner = result
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = copy.deepcopy(value)
    return result


def try_all(document: Any, read: Callable[[Any], object], name: str) -> int:
    """Read each variant; count those that are refused: each in lines that name the file."""
    read(document)
    refused = 0
    for path in places(document):
        for value in VALUES:
            try:
                read(changed(document, path, value))
            except ConfigError as error:
                refused += 1
                for line in error.args:
                    assert str(line).startswith(f"{name}: "), (path, value, line)
                    assert len(str(line).splitlines()) == 1, (path, value, line)
        for key in ("", "x y", "no-such-key", "\n"):
            if isinstance(path[-1], str):
                moved = changed(document, (*path[:-1], key), 1)
                try:
                    read(moved)
                except ConfigError:
                    refused += 1
    return refused


def test_configuration(tmp_path: Path) -> None:
    plugins = load_plugins()

    def read(table: Any) -> object:
        file = ConfigFile("c.toml", "", str(tmp_path), table, None, _nothing)
        settings, wrong = read_config(file, plugins)
        if wrong:
            raise ConfigError(*wrong)
        return settings

    assert try_all(tomllib.loads(CONFIG), read, "c.toml") > 400


def _nothing(path: str) -> bytes:
    raise ConfigError(f"{path} is not there")


def pack_of(document: Any) -> Pack:
    """Read a pack from what its text would say."""
    with patch("regreach.pack._parsed", lambda *_: document):
        return load_pack("", "p.toml")


def test_packs() -> None:
    assert try_all(tomllib.loads(PACK), pack_of, "p.toml") > 1500


def test_baselines(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    assert run("baseline", BUG, "--output", str(known)).code == 0

    def read(document: Any) -> object:
        with patch("regreach.policy.baseline.tomllib.loads", lambda _: document):
            return read_baseline(known.read_bytes(), "b.toml")

    assert try_all(tomllib.loads(known.read_text()), read, "b.toml") > 200


def test_packs_that_are_taken_can_be_used(tmp_path: Path) -> None:
    """What is right by itself may be wrong for the tree: that is told, or shows in the result."""
    write(tmp_path, SHOP)
    document = tomllib.loads(PACK)
    taken = []
    for path in places(document):
        for value in VALUES:
            with suppress(ConfigError):
                taken.append((path, value, pack_of(changed(document, path, value))))
    assert len(taken) > 300
    for path, value, pack in random.Random(6).sample(taken, 120):
        try:
            analyse(Request(str(tmp_path), pack=pack, keep=False, jobs=1))
        except (ConfigError, TargetError) as error:
            says = str(error)
        else:
            says = "nothing"
        assert len(says.splitlines()) == 1, (path, value)


def test_a_configuration_that_names_odd_files(tmp_path: Path) -> None:
    tree = write(tmp_path, files_of("bug"))
    for key in ("pack", "baseline"):
        for name in (
            "/dev/zero",
            "/dev/stdin",
            "/",
            ".",
            "sglang/__init__.py",
            "\\u0000",
            "a" * 5000,
        ):
            (tree / "regreach.toml").write_text(f'{key} = "{name}"\n')
            done = run("check", str(tree))
            in_its_own_words(done)
            assert done.code in (2, 3), (key, name, done)


@pytest.mark.parametrize("link", [False, True])
def test_a_tree_does_not_say_where_a_baseline_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: bool
) -> None:
    tree = write(tmp_path / "tree", files_of("bug"))
    monkeypatch.chdir(tree)
    if link:
        (tree / "regreach-baseline.toml").symlink_to("../outside.toml")
    else:
        (tree / "regreach.toml").write_text("baseline = '../outside.toml'\n")
    done = run("baseline")
    assert (done.code, "--output" in done.err) == (2, True), done
    assert not (tmp_path / "outside.toml").exists()
    assert run("baseline", "--output", "../outside.toml").code == 0
    assert (tmp_path / "outside.toml").exists()
