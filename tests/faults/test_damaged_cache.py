"""A cache whose files were damaged or exchanged: that is found out, the answer is right, and it is made anew."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab import AUDIT, CHECK, Lab, cache_files
from regreach.supply import cache as cache_module

FLIPS = 2
"""For each kind of file and of damage it is damaged so many times."""


def flipped(data: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(chance.choice([1, 10, 300])):
        damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def flipped_at_the_head(data: bytes, chance: random.Random) -> bytes:
    """What says how the rest is to be read."""
    return flipped(data[:100], chance) + data[100:]


def shortened(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def emptied(data: bytes, chance: random.Random) -> bytes:
    return b""


def moved(data: bytes, chance: random.Random) -> bytes:
    """Blocks in another order, as a disk may have them after a loss of power."""
    blocks = [data[i : i + 512] for i in range(0, len(data), 512)]
    chance.shuffle(blocks)
    return b"".join(blocks)


def zeroed(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    size = min(4096, len(data) - start)
    return data[:start] + bytes(size) + data[start + size :]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    for arguments in (CHECK, AUDIT):
        lab.run(*arguments)
    shutil.copytree(lab.cache, lab.folder / "sound")
    return lab


@pytest.fixture(scope="module")
def expected(filled: Lab) -> dict[tuple[str, ...], bytes]:
    return {arguments: filled.uncached(*arguments).out for arguments in (CHECK, AUDIT)}


@pytest.fixture
def lab(filled: Lab) -> Lab:
    """Give a tree whose cache is full and sound."""
    restore(filled)
    return filled


def restore(lab: Lab) -> None:
    shutil.rmtree(lab.cache)
    shutil.copytree(lab.folder / "sound", lab.cache)


DAMAGES = [flipped, flipped_at_the_head, shortened, emptied, moved, zeroed]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_damage(
    lab: Lab,
    expected: dict[tuple[str, ...], bytes],
    damage: Callable[[bytes, random.Random], bytes],
) -> None:
    """`audit` reads the facts, `check` the results."""
    chance = random.Random(damage.__name__)
    for arguments, files in ((AUDIT, "facts/*"), (CHECK, "results/*")):
        for _ in range(FLIPS):
            restore(lab)
            found = list(lab.cache.glob(files))
            assert found
            for file in found:
                file.write_bytes(damage(file.read_bytes(), chance))
            done = lab.run(*arguments)
            assert (done.code, done.out) == (1, expected[arguments])
    # at the latest the next run has it whole again
    lab.run(*AUDIT)
    assert sound(lab)
    assert lab.run(*CHECK).out == expected[CHECK]
    assert "remembered" in lab.run(*CHECK, "--stats").err


def sound(lab: Lab) -> bool:
    (file,) = lab.cache.glob("facts/*.sqlite")
    database = sqlite3.connect(file)
    try:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        database.close()


def by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def by_full_folder(file: Path) -> None:
    by_folder(file)
    (file / "within").write_text("")


def by_link_to_nothing(file: Path) -> None:
    file.unlink()
    file.symlink_to("nowhere")


def by_link_to_itself(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.name)


def by_link_to_zeros(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def by_pipe(file: Path) -> None:
    """Whoever opens it waits for a writer."""
    file.unlink()
    os.mkfifo(file)


EXCHANGES = [by_folder, by_full_folder, by_link_to_nothing, by_link_to_itself, by_link_to_zeros]
EXCHANGES += [by_pipe] * hasattr(os, "mkfifo")


@pytest.mark.parametrize("exchange", EXCHANGES, ids=lambda exchange: str(exchange.__name__))
def test_other_things_than_files(
    lab: Lab, expected: dict[tuple[str, ...], bytes], exchange: Callable[[Path], None]
) -> None:
    for file in list(cache_files(lab)):
        exchange(file)
    for arguments in (AUDIT, CHECK, CHECK):
        done = lab.run(*arguments)
        assert (done.code, done.out) == (1, expected[arguments])


def test_links_to_files_of_the_user_are_not_written_through(lab: Lab, tmp_path: Path) -> None:
    """Nothing outside of the cache changes."""
    mine = tmp_path / "mine"
    for file in list(cache_files(lab)):
        shutil.copy(file, mine.with_name(file.name))
        mine.with_name(file.name).write_text("mine")
        file.unlink()
        file.symlink_to(mine.with_name(file.name))
    lab.run(*AUDIT)
    lab.run(*CHECK)
    assert {file.read_text() for file in tmp_path.iterdir()} == {"mine"}


def test_the_result_of_another_question(lab: Lab) -> None:
    """A file that holds another result, whole and unchanged, is not taken for this one."""
    other = (*CHECK, "--select", "RR102")
    expected = lab.uncached(*other)
    (first,) = lab.cache.glob("results/*.json")
    assert lab.run(*other).out == expected.out
    (second,) = set(lab.cache.glob("results/*.json")) - {first}
    shutil.copy(first, second)
    done = lab.run(*other)
    assert (done.code, done.out) == (expected.code, expected.out)


def versions(lab: Lab) -> Iterator[Callable[[], object]]:
    """Yield ways in which another version's cache may look."""
    (database,) = lab.cache.glob("facts/*.sqlite")
    (result,) = lab.cache.glob("results/*.json")
    number = cache_module.FACTS_VERSION
    assert str(number) in database.name
    yield lambda: database.rename(database.with_name(f"facts-{number + 1}.sqlite"))

    def other_layout() -> None:
        connection = sqlite3.connect(database)
        with connection:
            connection.execute("ALTER TABLE facts ADD COLUMN more")
            connection.execute("PRAGMA user_version = 99")
        connection.close()

    yield other_layout

    def older_layout() -> None:
        connection = sqlite3.connect(database)
        with connection:
            connection.execute("ALTER TABLE facts RENAME COLUMN used TO stamp")
        connection.close()

    yield older_layout
    yield lambda: result.write_bytes(b"0" * 32 + b"\n" + result.read_bytes().partition(b"\n")[2])


def test_another_version(lab: Lab, expected: dict[tuple[str, ...], bytes]) -> None:
    for i in range(len(list(versions(lab)))):
        restore(lab)
        list(versions(lab))[i]()
        for arguments in (AUDIT, CHECK):
            done = lab.run(*arguments)
            assert (done.code, done.out) == (1, expected[arguments])
        (current,) = lab.cache.glob(f"facts/facts-{cache_module.FACTS_VERSION}.sqlite")
        connection = sqlite3.connect(current)
        assert connection.execute("SELECT count(used) FROM facts").fetchone()[0] > 10
        connection.close()
