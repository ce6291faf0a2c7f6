"""``check`` without an analysis, where nothing that one depends on has changed since the last."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import regreach
from regreach.code_stamps import code_stamps
from regreach.model import Audit, Detail, Doubt, Finding, Problem, Related, Spot, Suppressed
from regreach.pack import Pack
from regreach.plugins import load_plugins
from regreach.request import Found, Request, Result, opened_tree
from regreach.rule import Rule
from regreach.supply.memory import Made, Memory, stamps

_T = TypeVar("_T")
_Say = Callable[[str], None]


def analysed(request: Request, on_progress: _Say | None = None) -> Result:
    """Return what ``analyse`` returns, which is imported only for that: it takes as long as all else here."""
    from regreach.run import analyse

    return analyse(request, on_progress)


def _checked_anew(request: Request, on_progress: _Say | None = None) -> Result:
    from regreach.run import check

    return check(request, on_progress)


def checked(request: Request, on_progress: _Say | None = None) -> Found:
    """Return what ``run.check`` returns, or what it found when nothing that it depends on has changed.

    What is remembered has of the audit only what ``check`` prints. Only results of
    folders are kept, in the user's cache, and only where it shows when the code of a rule changes.
    Raises ConfigError and TargetError.
    """
    is_folder = request.rev is None and os.path.isdir(request.target)  # noqa: PTH112
    if not request.keep or not is_folder or isinstance(request.pack, Pack):
        return _checked_anew(request, on_progress)
    rules = tuple(load_plugins().selected(request.select, request.ignore))
    code = code_stamps(rules)
    if code is None:
        return analysed(request, on_progress)
    with opened_tree(request, on_progress) as (tree, pack, _):
        memory = Memory(_key(request, pack, code), request.cache_dir)
        kept = memory.recall(tree)
        if kept is not None:
            return _found(kept, rules)
        taken, before = time.time_ns(), stamps(tree)
    result = _checked_anew(request, on_progress)
    program = result.analysis.program
    made = Made(_document(result), program.data(), program.consulted)
    memory.keep(program.tree, before, taken, made)
    return result


def _key(request: Request, pack: Pack, code: str) -> str:
    """Return a digest of all that decides about a result beside the tree."""
    plain = dataclasses.replace(request, cache_dir=None, jobs=None)
    parts = [
        f"{regreach.__version__} {version('libcst')} {sys.version} {Path.cwd()}",
        json.dumps(_canonical(plain), sort_keys=True),
        json.dumps(_canonical(pack), sort_keys=True),
        code,
    ]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _canonical(value: object) -> Any:
    """Return a value as JSON can hold it, the same for equal values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _canonical(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return [type(value).__name__, fields]
    if isinstance(value, Mapping):
        return sorted([_canonical(k), _canonical(v)] for k, v in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(json.dumps(_canonical(each), sort_keys=True) for each in value)
    if isinstance(value, (list, tuple)):
        return [_canonical(each) for each in value]
    if value is None or isinstance(value, (str, int, float)):
        return value
    return repr(value)


def _document(result: Result) -> Any:
    audit = result.audit
    return {
        "findings": [dataclasses.asdict(each) for each in result.findings],
        "suppressed": [dataclasses.asdict(each) for each in result.suppressed],
        "problems": [dataclasses.asdict(each) for each in audit.problems],
        "notes": list(audit.notes),
        "blocked": list(audit.blocked),
        "doubtful": [dataclasses.asdict(each) for each in audit.doubtful],
        "head": {
            name: getattr(audit, name)
            for name in ("source", "root", "package", "modules", "platform")
        },
    }


def _found(kept: Any, rules: tuple[Rule, ...]) -> Found:
    problems = tuple(_made(Problem, each, spot=_spot) for each in kept["problems"])
    audit = Audit(
        **kept["head"],
        registries=(),
        call_sites=(),
        eager=(),
        imported_first={},
        problems=problems,
        notes=tuple(kept["notes"]),
        blocked=tuple(kept["blocked"]),
        doubtful=tuple(Doubt(**each) for each in kept["doubtful"]),
    )
    suppressed = tuple(
        _made(Suppressed, each, finding=_finding, spot=_spot) for each in kept["suppressed"]
    )
    return Found(audit, tuple(map(_finding, kept["findings"])), suppressed, rules)


def _finding(kept: Mapping[str, Any]) -> Finding:
    return _made(
        Finding,
        kept,
        spot=_spot,
        key=lambda key: None if key is None else tuple(key),
        details=lambda found: tuple(Detail(**each) for each in found),
        related=lambda found: tuple(_made(Related, each, spot=_spot) for each in found),
    )


def _spot(kept: Mapping[str, Any]) -> Spot:
    return Spot(**kept)


def _made(cls: Callable[..., _T], kept: Mapping[str, Any], **fields: Callable[[Any], Any]) -> _T:
    return cls(**{**kept, **{name: make(kept[name]) for name, make in fields.items()}})
