"""Several runs at once: each says what it would alone, and what they keep together is sound."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab import AUDIT, CHECK, Lab, ended
from regreach.supply.cache import MODULE, FactsCache


@pytest.mark.parametrize("count", [2, 8])
def test_on_one_empty_cache(tmp_path: Path, count: int) -> None:
    lab = Lab(tmp_path)
    expected = {arguments: lab.uncached(*arguments).out for arguments in (CHECK, AUDIT)}
    kinds = [CHECK if i % 4 else AUDIT for i in range(1, count + 1)]
    running = [lab.start(*arguments) for arguments in kinds]
    for arguments, process in zip(kinds, running, strict=True):
        done = ended(process)
        assert (done.code, done.out) == (1, expected[arguments])
        assert "error:" not in done.err
    (file,) = lab.cache.glob("facts/*.sqlite")
    database = sqlite3.connect(file)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
    assert not list(lab.cache.rglob("*.regreach"))
    assert "remembered" in lab.run(*CHECK, "--stats").err
    assert lab.run(*CHECK).out == expected[CHECK]


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="there is no such signal")
def test_beside_one_that_stopped_while_it_was_writing(tmp_path: Path) -> None:
    """It holds the database; to wait for it is not worth more than some seconds, once."""
    lab = Lab(tmp_path)
    expected = lab.run(*AUDIT)
    (file,) = lab.cache.glob("facts/*.sqlite")
    script = (
        "import os, signal, sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('BEGIN EXCLUSIVE')\n"
        "print('holds', flush=True)\n"
        "os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    other = subprocess.Popen([sys.executable, "-c", script, str(file)], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"holds\n"
        began = time.monotonic()
        done = lab.run(*AUDIT)
        took = time.monotonic() - began
    finally:
        other.kill()
        other.communicate()
    assert (done.code, done.out) == (expected.code, expected.out)
    assert took < 30  # to wait for each file in turn took more than a minute


WRITER = """
import os, sys
from pathlib import Path
from regreach.supply.cache import MODULE, FactsCache
cache = FactsCache(Path(sys.argv[1]), 600_000)
for _ in range(60):
    cache.write({os.urandom(32): {MODULE: os.urandom(5_000)} for _ in range(20)})
"""


def test_room_is_made_while_another_reads(tmp_path: Path) -> None:
    """What is read is as it was written, or gone; the file stays below its bound."""
    folder = tmp_path / "facts"
    cache = FactsCache(folder, 600_000)
    wanted = {os.urandom(32): {MODULE: os.urandom(1_000)} for _ in range(40)}
    cache.write(wanted)
    (file,) = folder.glob("*.sqlite")
    root = Path(__file__).parent.parent.parent / "linter"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    counts = []
    while writer.poll() is None:
        found = cache.read(list(wanted))
        assert found.items() <= wanted.items()
        counts.append(len(found))
        assert file.stat().st_size <= 600_000
    assert writer.communicate()[1] == b""
    assert counts[0] == len(wanted)
    assert not cache.read(list(wanted))  # they were used least recently
