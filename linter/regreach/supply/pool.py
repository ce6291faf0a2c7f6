"""Parsing in other processes, which this one does not wait for before it needs what they found."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress

from regreach.evaluate.session import with_deep_stack
from regreach.facts.blob import BlobError, pack_error, pack_facts, pack_skim
from regreach.facts.parse import ModuleFacts
from regreach.facts.skim import skimmed
from regreach.facts.source import SourceError
from regreach.supply.cache import MODULE, SKIM

File = tuple[str, bytes, frozenset[str] | None]
"""A name, the content, and if its lines may be enough what ``skim`` needs to know."""
Parts = dict[int, bytes]

# So much source is parsed in about a tenth of a second: next to it, sending costs nothing.
_LARGEST_CHUNK = 96 * 1024
_SMALLEST_CHUNK = 8 * 1024
_SAFE_PATH = "PYTHONSAFEPATH"
# The process that waits for nobody is the one that takes longest: it goes first where there are few cores.
_NICENESS = 5
_ENDING = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]


class ParsePool:
    """Processes that parse files; each gets a few at a time, in the order in which they were given.

    When they cannot be started, or one of them dies, what is missing is simply not there.
    """

    def __init__(self, files: Sequence[File], jobs: int, method: str | None = None) -> None:
        """Start parsing. ``method`` is how processes are started; None is what is best here."""
        self._places: dict[str, tuple[Future[list[Parts]], int]] = {}
        self._executor: ProcessPoolExecutor | None = None
        method = method or _start_method()
        if method is not None:
            others = set(multiprocessing.active_children())
            try:
                with _apart_from_current_folder(), _signals_held(method):
                    self._start(files, jobs, method)
            except Exception:  # what a system lacks shows in many ways
                self.close()
                for begun in set(multiprocessing.active_children()) - others:
                    begun.kill()  # nobody will tell it to end, and what it takes may be needed
                    begun.join()

    def _start(self, files: Sequence[File], jobs: int, method: str) -> None:
        context = multiprocessing.get_context(method)
        if method == "forkserver":
            context.set_forkserver_preload([__name__])
        self._jobs = jobs
        self._executor = ProcessPoolExecutor(jobs, context, _begin_worker)
        self._submit(self._executor, files)

    def add(self, files: Sequence[File]) -> None:
        """Parse these as well, after the others."""
        if self._executor is not None:
            with suppress(Exception):  # as when it is started
                self._submit(self._executor, files)

    def _submit(self, executor: ProcessPoolExecutor, files: Sequence[File]) -> None:
        for chunk in _chunks(files, self._jobs):
            future = executor.submit(_parse, [(data, skim) for _, data, skim in chunk])
            self._places |= {path: (future, i) for i, (path, _, _) in enumerate(chunk)}

    def take(self, path: str) -> Parts:
        """Wait for what was found in a file, or what is wrong with it, and return that as parts.

        There are none when it was not among the files, was taken before, or its process died.
        """
        future, index = self._places.pop(path, (None, 0))
        if future is None:
            return {}
        try:
            return future.result()[index]
        except Exception:  # a process that died, and whatever else its work can end with
            return {}

    def close(self) -> dict[str, Parts]:
        """Give up what is not parsed yet; return what is and was not taken."""
        if self._executor is not None:
            # to cancel each by itself would disturb the executor, should a process have died just now
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None
        left: dict[str, Parts] = {}
        for path, (future, index) in self._places.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                left[path] = future.result()[index]
        self._places.clear()
        return left


def _chunks(files: Sequence[File], jobs: int) -> Iterator[list[File]]:
    share = sum(_work(file) for file in files) // (jobs * 4)
    limit = min(_LARGEST_CHUNK, max(_SMALLEST_CHUNK, share))
    chunk: list[File] = []
    size = 0
    for file in files:
        if chunk and size + _work(file) > limit:
            yield chunk
            chunk, size = [], 0
        chunk.append(file)
        size += _work(file)
    if chunk:
        yield chunk


def _work(file: File) -> int:
    """Return how much source would take as long to be parsed."""
    _, data, skim = file
    return len(data) if skim is None else len(data) // 4


def _start_method() -> str | None:
    """Return how to start processes: the quickest way that no thread of this one can make hang.

    None when a new interpreter, which first looks for modules in the current folder, can be none.
    """
    methods = multiprocessing.get_all_start_methods()
    if sys.platform == "linux" and "fork" in methods and threading.active_count() == 1:
        return "fork"
    if sys.version_info < (3, 11):
        return None
    return "forkserver" if "forkserver" in methods else "spawn"


@contextmanager
def _apart_from_current_folder() -> Iterator[None]:
    """Let interpreters that are started import nothing from there: it may be what is audited."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


@contextmanager
def _signals_held(method: str) -> Iterator[None]:
    """Let no signal come to a process that was forked before it has handlers of its own."""
    if method != "fork":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker() -> None:
    gc.disable()  # syntax trees are freed by reference counts
    with suppress(OSError):
        os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    try:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    except RuntimeError:  # no more threads
        os._exit(1)


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers, which would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _parse(sources: list[tuple[bytes, frozenset[str] | None]]) -> list[Parts]:
    """Return what is found in each source; nothing for what this process cannot decide."""
    return with_deep_stack(lambda: [_parts(data, skim) for data, skim in sources])


def _parts(data: bytes, packages: frozenset[str] | None) -> Parts:
    parts: Parts = {}
    try:
        try:
            if packages is not None:
                skim = skimmed(data, packages)
                parts[SKIM] = pack_skim(packages, skim)
                if skim is not None:
                    return parts
            parts[MODULE] = pack_facts(ModuleFacts.read(data))
        except SourceError as error:
            parts[MODULE] = pack_error(error)
    except (BlobError, RecursionError, MemoryError):
        pass
    return parts
