"""Wherever facts come from, they are the same."""

from __future__ import annotations

import functools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import active_children, get_all_start_methods
from pathlib import Path

import pytest
import regreach
from regreach.evaluate.session import with_deep_stack
from regreach.facts import ir, parse
from regreach.supply import facts_supply, pool
from regreach.supply.cache import FactsCache
from regreach.supply.facts_supply import FactsSupply
from sources import FUNCTIONS, all_facts, files

FILES = files()
METHODS = get_all_start_methods()


@pytest.fixture(scope="module")
def expected() -> Mapping[str, object]:
    return all_facts(FactsSupply(), FILES)


@pytest.fixture
def cache(tmp_path: Path) -> FactsCache:
    return FactsCache(tmp_path / "facts")


def database(cache_folder: Path) -> Path:
    (found,) = cache_folder.glob("*.sqlite")
    return found


def run(
    cache: FactsCache | None, jobs: int = 1, method: str | None = None, prepared: bool = True
) -> dict[str, object]:
    supply = FactsSupply(cache, jobs, method)
    if prepared:
        supply.prepare(FILES)
    found = all_facts(supply, FILES)
    supply.close()
    return found


@contextmanager
def no_parsing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.delattr(parse, "cst")
        patch.delattr(parse, "outline")
        yield


@pytest.mark.parametrize("method", METHODS)
def test_pool(method: str, expected: Mapping[str, object]) -> None:
    assert run(None, 2, method) == expected


def test_pool_is_what_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    supply = FactsSupply(None, 2, METHODS[0])
    supply.prepare(FILES)
    with no_parsing(monkeypatch):
        assert len(supply.facts(FUNCTIONS, FILES[FUNCTIONS]).body) == 5
    supply.close()


def test_pool_beside_a_thread(expected: Mapping[str, object]) -> None:
    """A process with threads is not forked (Python 3.12 and newer warn of that)."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert run(None, 2) == expected
    finally:
        done.set()
        thread.join()


def test_few_files_start_no_process() -> None:
    before = active_children()
    supply = FactsSupply(None, 2)
    supply.prepare(dict(list(FILES.items())[: facts_supply.FEW - 1]))
    assert active_children() == before


@pytest.mark.parametrize("depth", [500, 1_500])
def test_deep_nesting(depth: int, cache: FactsCache) -> None:
    """What a process cannot send, another finds out for itself."""
    source = b"A = " + b" + ".join([b"a"] * depth) + b"\n"

    def depth_found(supply: FactsSupply) -> int:
        (statement,) = supply.facts("deep.py", source).body
        assert isinstance(statement, ir.Assign)
        node, count = statement.value, 1
        while isinstance(node, ir.Binary):
            node, count = node.left, count + 1
        return count

    for _ in range(2):
        supply = FactsSupply(cache, 2)
        supply.prepare({"deep.py": source} | FILES)
        assert with_deep_stack(functools.partial(depth_found, supply)) == depth
        supply.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")
@pytest.mark.parametrize("method", METHODS)
def test_killed_workers(method: str, expected: Mapping[str, object]) -> None:
    supply = FactsSupply(None, 2, method)
    supply.prepare(FILES)
    children = active_children()
    assert children
    for child in children:
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
    assert all_facts(supply, FILES) == expected
    supply.close()


def test_processes_that_cannot_be_started(
    monkeypatch: pytest.MonkeyPatch, expected: Mapping[str, object]
) -> None:
    assert run(None, 2, "no such method") == expected

    def refuse(*_: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor.submit", refuse)
    assert run(None, 2) == expected


@pytest.mark.skipif("fork" not in METHODS, reason="needs processes as POSIX has them")
@pytest.mark.parametrize("method", METHODS)
def test_workers_end_with_a_parent_that_is_killed(method: str, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import multiprocessing, os, signal, sys\n"
        "from regreach.supply.pool import ParsePool\n"
        "if __name__ == '__main__':\n"
        "    source = b'x = (1, 2, 3)\\n' * 500\n"
        f"    pool = ParsePool([(str(i), source) for i in range(50)], 2, {method!r})\n"
        "    pool.take('0')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
        encoding="utf-8",
    )
    # standard output reaches its end when the last process that inherited it has ended
    done = subprocess.run(
        [sys.executable, str(script)], stdout=subprocess.PIPE, timeout=60, check=False
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("method", [None, *METHODS])
def test_nothing_is_imported_from_the_current_folder(method: str | None, tmp_path: Path) -> None:
    if sys.version_info < (3, 11) and method not in (None, "fork"):
        pytest.skip("this interpreter imports from there before anything can be done about it")
    for name in ("pickle", "signal", "threading", "runpy", "multiprocessing", "libcst"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')\n", encoding="utf-8")
    (tmp_path / "script").mkdir()
    script = tmp_path / "script" / "parent.py"
    script.write_text(
        "import sys, threading\n"
        f"sys.path += {[str(Path(__file__).parent), str(Path(regreach.__file__).parent.parent)]}\n"
        "from sources import files\n"
        "from regreach.supply.pool import ParsePool\n"
        "if __name__ == '__main__':\n"
        "    done = threading.Event()\n"
        "    threading.Thread(target=done.wait).start()\n"
        f"    pool = ParsePool(list(files().items()), 2, {method!r})\n"
        "    print(sum(pool.take(path) is not None for path in files()))\n"
        "    done.set()\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-W", "ignore", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == ("60\n" if method or sys.version_info >= (3, 11) else "0\n")
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("prepared", [True, False])
def test_cache(
    jobs: int,
    prepared: bool,
    cache: FactsCache,
    expected: Mapping[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert run(cache, jobs, prepared=prepared) == expected
    with no_parsing(monkeypatch):
        assert run(cache, jobs, prepared=prepared) == expected


def test_bodies_that_are_asked_for_later_are_added(
    cache: FactsCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wanted in range(3):
        supply = FactsSupply(cache)
        facts = supply.facts(FUNCTIONS, FILES[FUNCTIONS])
        assert sorted(facts.parsed) == list(range(wanted))
        facts.function(wanted)
        supply.close()
    with no_parsing(monkeypatch):
        facts = FactsSupply(cache).facts(FUNCTIONS, FILES[FUNCTIONS])
        assert facts.function(2)


def test_what_was_parsed_in_vain_is_kept(
    cache: FactsCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_SMALLEST_CHUNK", 10**9)
    monkeypatch.setattr(pool, "_LARGEST_CHUNK", 10**9)
    supply = FactsSupply(cache, 2, METHODS[0])
    supply.prepare(FILES)
    last = list(FILES)[-1]
    supply.facts(last, FILES[last])
    supply.close()
    with no_parsing(monkeypatch):
        assert FactsSupply(cache).facts(FUNCTIONS, FILES[FUNCTIONS]).body


def test_damage_is_a_miss(
    cache: FactsCache, tmp_path: Path, expected: Mapping[str, object]
) -> None:
    some = {path: data for path, data in FILES.items() if len(data) < 300}
    wanted = {path: expected[path] for path in some}

    def run_some() -> dict[str, object]:
        supply = FactsSupply(cache)
        found = all_facts(supply, some)
        supply.close()
        return found

    run_some()
    file = database(tmp_path / "facts")
    sound = file.read_bytes()
    chance = random.Random(1)
    for round_ in range(200):
        damaged = bytearray(sound)
        for _ in range(chance.choice([1, 10, 1000])):
            # the first pages say how the rest is to be read
            reach = chance.choice([100, 8192, len(damaged)])
            damaged[chance.randrange(reach)] ^= 1 << chance.randrange(8)
        if round_ % 5 == 0:
            del damaged[chance.randrange(len(damaged)) :]
        file.write_bytes(damaged)
        assert run_some() == wanted


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"hello\n" * 1000, None])
def test_foreign_content_is_replaced(
    content: bytes | None,
    cache: FactsCache,
    tmp_path: Path,
    expected: Mapping[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run(cache)
    file = database(tmp_path / "facts")
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    else:
        with sqlite3.connect(file) as foreign:
            foreign.execute("CREATE TABLE facts (x)")
        foreign.close()
    # the first run may find out, the second fills the cache
    assert run(cache) == expected
    assert run(cache) == expected
    with no_parsing(monkeypatch):
        assert run(cache) == expected


def test_folders_in_the_way(tmp_path: Path, expected: Mapping[str, object]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert run(FactsCache(tmp_path / "file" / "facts")) == expected
    cache = FactsCache(tmp_path / "facts")
    run(cache)
    file = database(tmp_path / "facts")
    file.unlink()
    file.mkdir()
    assert run(cache) == expected


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Whoever is root may write everywhere."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_read_only_folder(expected: Mapping[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folder = root / "facts"
        cache = FactsCache(folder)
        root.chmod(0o555)
        with as_ordinary_user():
            assert run(cache) == expected
            assert not list(root.iterdir())
        root.chmod(0o755)
        run(cache)
        database(folder).chmod(0o444)
        folder.chmod(0o555)
        content = database(folder).read_bytes()
        with as_ordinary_user():
            with no_parsing(monkeypatch):
                assert run(cache) == expected
            supply = FactsSupply(cache)
            supply.facts("new", b"import new\n")
            supply.close()
        assert database(folder).read_bytes() == content
        folder.chmod(0o755)


def test_two_processes_at_once(
    cache: FactsCache, tmp_path: Path, expected: Mapping[str, object]
) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from sources import FUNCTIONS, all_facts, files\n"
        "from regreach.supply.cache import FactsCache\n"
        "from regreach.supply.facts_supply import FactsSupply\n"
        "for _ in range(3):\n"
        "    supply = FactsSupply(FactsCache(Path(sys.argv[2])), 2)\n"
        "    supply.prepare(files())\n"
        "    all_facts(supply, files())\n"
        "    supply.close()\n"
    )
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", script, here, str(tmp_path / "facts")]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    assert run(cache) == expected
    assert [process.communicate()[1] for process in running] == [b"", b""]
    assert [process.returncode for process in running] == [0, 0]
    connection = sqlite3.connect(database(tmp_path / "facts"))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    assert run(cache) == expected
