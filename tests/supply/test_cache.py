"""The database: its keys, its bound, and that what is in it is only read as it was written."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
import regreach
from regreach.supply import cache as cache_module
from regreach.supply.cache import MODULE, FactsCache
from regreach.supply.facts_supply import FactsSupply

DAY = 24 * 60 * 60


@pytest.fixture
def cache(tmp_path: Path) -> FactsCache:
    return FactsCache(tmp_path / "facts")


def database(folder: Path) -> Path:
    (found,) = folder.glob("*.sqlite")
    return found


def change(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(database(folder))
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGREACH_CACHE_DIR", str(tmp_path / "named"))
    for cache, root in (
        (FactsCache.of_user(), tmp_path / "named"),
        (FactsCache.of_user(tmp_path / "chosen"), tmp_path / "chosen"),
    ):
        assert not root.exists()
        assert cache.read([b"k"]) == {}
        assert not root.exists()
        cache.write({b"k": {MODULE: b"v"}})
        assert cache.read([b"k"]) == {b"k": {MODULE: b"v"}}
        assert {p.name for p in root.iterdir()} == {"CACHEDIR.TAG", ".gitignore", "facts"}
        assert [p.suffix for p in (root / "facts").iterdir()] == [".sqlite"]


def test_parts_are_added_and_replaced(cache: FactsCache) -> None:
    cache.write({b"a": {MODULE: b"1", 0: b"2"}, b"b": {MODULE: b""}})
    cache.write({b"a": {0: b"3", 1: b"4"}})
    assert cache.read([b"a", b"b", b"c"]) == {
        b"a": {MODULE: b"1", 0: b"3", 1: b"4"},
        b"b": {MODULE: b""},
    }


def test_many_keys(cache: FactsCache) -> None:
    keys = [os.urandom(32) for _ in range(2500)]
    cache.write({key: {MODULE: key} for key in keys})
    assert cache.read(keys) == {key: {MODULE: key} for key in keys}


def test_key_is_of_content_and_makers(
    cache: FactsCache, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = cache.key(b"import a\n")
    assert cache.key(b"import a\n") == key != cache.key(b"import b\n")
    makers = cache_module._makers
    for name, value in (
        ("regreach.__version__", regreach.__version__ + "x"),
        ("regreach.supply.cache.FACTS_VERSION", cache_module.FACTS_VERSION + 1),
        ("regreach.supply.cache.version", lambda _: "0.0"),
        ("sys.version", "4.0"),
        ("regreach.facts.__path__", [str(tmp_path)]),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(name, value)
            makers.cache_clear()
            assert cache.key(b"import a\n") != key, name
    makers.cache_clear()
    assert cache.key(b"import a\n") == key


def test_facts_of_another_version_are_not_found(
    cache: FactsCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    supply = FactsSupply(cache)
    supply.facts("a.py", b"import a\n")
    supply.close()
    monkeypatch.setattr(cache_module, "_makers", lambda: b"another version")
    supply = FactsSupply(cache)
    supply.facts("a.py", b"import a\n")
    assert not cache.read([cache.key(b"import a\n")])
    supply.close()
    assert cache.read([cache.key(b"import a\n")])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE facts SET blob = substr(blob, 1, length(blob) - 1)",
        "UPDATE facts SET blob = CAST(blob AS TEXT)",
        "UPDATE facts SET blob = 7",
        "UPDATE facts SET part = part + 1",
        "UPDATE facts SET part = 'x'",
        "UPDATE facts SET key = x'62'",
    ],
)
def test_changed_rows_are_not_read(statement: str, cache: FactsCache, tmp_path: Path) -> None:
    cache.write({b"a": {MODULE: b"1234"}})
    change(tmp_path / "facts", statement)
    assert cache.read([b"a", b"b"]) == {}


def test_bound(tmp_path: Path) -> None:
    bound = 1024 * 1024
    cache = FactsCache(tmp_path / "facts", bound)
    for round_ in range(60):
        new = {os.urandom(32): {MODULE: os.urandom(100 + 211 * i)} for i in range(30)}
        cache.write(new)
        assert cache.read(list(new)) == new, round_
        assert database(tmp_path / "facts").stat().st_size <= bound


def test_more_than_the_bound_at_once(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "facts", 256 * 1024)
    cache.write({bytes([i]): {MODULE: os.urandom(10_000)} for i in range(50)})
    cache.write({b"k": {MODULE: b"small"}})
    assert cache.read([b"k"]) == {b"k": {MODULE: b"small"}}


def test_what_is_used_stays_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000_000
    monkeypatch.setattr("time.time", lambda: float(now))
    cache = FactsCache(tmp_path / "facts", 1024 * 1024)
    for name in (b"old", b"used"):
        cache.write({name: {MODULE: bytes(300_000)}})
        now += 10
    now += 2 * DAY
    cache.read([b"used"])
    cache.write({})
    for i in range(2):
        now += 10
        cache.write({b"new%d" % i: {MODULE: bytes(300_000)}})
    assert set(cache.read([b"old", b"used", b"new0", b"new1"])) == {b"used", b"new0", b"new1"}


def test_nothing_is_written_for_what_was_used_today(cache: FactsCache, tmp_path: Path) -> None:
    cache.write({b"a": {MODULE: b"1"}})
    before = database(tmp_path / "facts").stat().st_mtime_ns
    cache.read([b"a"])
    cache.write({})
    assert database(tmp_path / "facts").stat().st_mtime_ns == before


def test_locked_by_another(
    cache: FactsCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_PATIENCE", 0.05)
    cache.write({b"a": {MODULE: b"1"}})
    other = sqlite3.connect(database(tmp_path / "facts"), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert cache.read([b"a"]) == {}
    cache.write({b"b": {MODULE: b"2"}})
    other.execute("ROLLBACK")
    other.close()
    assert FactsCache(tmp_path / "facts").read([b"a", b"b"]) == {b"a": {MODULE: b"1"}}


def test_interpreter_without_sqlite(cache: FactsCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "sqlite3", None)
    cache.write({b"a": {MODULE: b"1"}})
    assert cache.read([b"a"]) == {}
