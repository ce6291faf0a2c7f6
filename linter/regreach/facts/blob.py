"""Facts as bytes, and back: what goes between processes and into the cache.

A blob is a pickle that holds nothing but plain data and the classes of ``ir.py``: reading one,
whoever wrote it, calls nothing else. The text itself is not in it.
"""

from __future__ import annotations

import copyreg
import io
import itertools
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, fields, is_dataclass
from operator import attrgetter
from typing import Any

from regreach.facts import ir
from regreach.facts.outline import FunctionSpan
from regreach.facts.parse import ModuleFacts
from regreach.facts.skim import Skim
from regreach.facts.source import SourceError

_PROTOCOL = 5
_CLASSES = [c for c in vars(ir).values() if isinstance(c, type) and is_dataclass(c)]
_NAMES: Mapping[tuple[str, str], Any] = {
    ("builtins", "complex"): complex,
    ("builtins", "Ellipsis"): ...,
    **{(c.__module__, c.__qualname__): c for c in _CLASSES},
}


class BlobError(Exception):
    """Bytes that are not what this module writes."""


def pack_facts(facts: ModuleFacts) -> bytes:
    """Return facts without the functions that were parsed later. Raises BlobError for what nests too deeply."""
    spans = facts.functions
    numbers = None if spans is None else tuple(itertools.chain(*map(astuple, spans)))
    return _pack(("facts", numbers, facts.body))


def pack_error(error: SourceError) -> bytes:
    """Return what is wrong with a file that has no facts."""
    return _pack(("error", error.message, error.line, error.column, error.kind, error.hint))


def pack_skim(packages: Iterable[str], skim: Skim | None) -> bytes:
    """Return what the lines of a file tell, which depends on ``packages``; None for nothing. Raises BlobError."""
    told = None if skim is None else (skim.body, skim.called)
    return _pack(("skim", tuple(sorted(packages)), told))


def unpack_skim(blob: bytes, packages: Iterable[str]) -> Skim | None:
    """Return what ``pack_skim`` was given. Raises BlobError, also if it was for other packages."""
    match _unpack(blob):
        case ("skim", tuple() as names, None | (tuple(), tuple()) as told):
            if names == tuple(sorted(packages)):
                return None if told is None else Skim(*told)
    raise BlobError("not what the lines of a file tell")


def pack_function(function: ir.FunctionDef) -> bytes:
    """Return a function with its body. Raises BlobError for one that nests too deeply."""
    return _pack(function)


def unpack_facts(blob: bytes, text: str, functions: Mapping[int, ir.FunctionDef]) -> ModuleFacts:
    """Return the facts of a text. Raises SourceError when it has none but that, and BlobError."""
    match _unpack(blob):
        case ("facts", None, tuple() as body):
            return ModuleFacts.known(text, body, None, {})
        case ("facts", tuple() as numbers, tuple() as body):
            spans = _spans(numbers, len(text))
            return ModuleFacts.known(text, body, spans, functions)
        case ("error", str(message), int(line), int(column), str(kind), str(hint)):
            raise SourceError(message, line, column, kind, hint)
    raise BlobError("no facts of a module")


def unpack_function(blob: bytes) -> ir.FunctionDef:
    """Return a function with its body. Raises BlobError."""
    function = _unpack(blob)
    if not isinstance(function, ir.FunctionDef):
        raise BlobError("no function")
    return function


def _spans(numbers: tuple[Any, ...], length: int) -> tuple[FunctionSpan, ...]:
    if len(numbers) % 4 or not all(type(n) is int and 0 <= n <= length + 1 for n in numbers):
        raise BlobError("no places of functions")
    each = iter(numbers)
    return tuple(itertools.starmap(FunctionSpan, zip(each, each, each, each, strict=True)))


def _pack(value: object) -> bytes:
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, _PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    try:
        pickler.dump(value)
    except (RecursionError, MemoryError) as error:
        raise BlobError(str(error)) from None
    return buffer.getvalue()


def _reducer(cls: Any) -> Callable[[Any], tuple[Any, tuple[Any, ...]]]:
    """Return how to take an object apart; its class is called with its fields to put it together.

    What ``dataclasses`` itself gives to frozen classes with slots takes three times as long.
    """
    names = [f.name for f in fields(cls)]
    values = attrgetter(*names)
    if len(names) == 1:
        return lambda node: (cls, (values(node),))
    return lambda node: (cls, values(node))


_REDUCERS = {**copyreg.dispatch_table, **{c: _reducer(c) for c in _CLASSES}}


def _unpack(blob: bytes) -> Any:
    try:
        return _Reader(io.BytesIO(blob)).load()
    except Exception as error:  # a damaged pickle can raise anything
        raise BlobError(str(error)) from None


class _Reader(pickle.Unpickler):
    """Reads pickles of plain data only."""

    def find_class(self, module: str, name: str) -> Any:
        found = _NAMES.get((module, name))
        if found is None:
            raise BlobError(f"{module}.{name} is not plain data")
        return found
