"""What the processes of the probe need to know: a pack and a platform as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regreach.evaluate.values import MISSING, Const, Raised, Tuple, Value
from regreach.pack import Consumer, Pack, Platform, Registry


@dataclass(frozen=True, slots=True)
class Limits:
    """How the processes run: the interpreter, the seconds that each may take, how many at once."""

    python: str
    timeout: float = 60.0
    jobs: int = 1


def plan_of(pack: Pack, platform: Platform, import_root: Path, limits: Limits) -> dict[str, Any]:
    """Return what ``inside/server.py`` reads first."""
    return {
        "package": pack.location.name,
        "import_root": str(import_root),
        "absent": sorted(platform.absent),
        "facts": {path: _fact(value) for path, value in platform.values.items()},
        "forgiven": list(pack.forgiven),
        "timeout": limits.timeout,
        "selectors": {
            name: {"enum": s.enum, "sources": list(s.sources)} for name, s in pack.selectors.items()
        },
        "registries": [_registry(r) for r in pack.registries],
    }


def consumer_of(consumer: Consumer) -> dict[str, Any]:
    """Return a consumer as a case names it."""
    return {
        "name": consumer.name,
        "module": consumer.module,
        "callable": consumer.callable,
        "selectors": dict(consumer.selectors),
        "ambient": list(consumer.ambient),
        "made": {
            parameter: {
                "class": made.cls,
                "fields": {k: _field(v) for k, v in made.fields.items()},
            }
            for parameter, made in consumer.made.items()
        },
    }


def _registry(registry: Registry) -> dict[str, Any]:
    return {
        "id": registry.id,
        "consumer": registry.consumer,
        "container": registry.container,
        "lookups": list(registry.lookups),
    }


def _fact(value: Value) -> list[Any]:
    if isinstance(value, Raised):
        return ["raise", value.name, value.message]
    return ["missing"] if value is MISSING else ["value", _plain(value)]


def _field(value: Value) -> list[Any]:
    return ["value", _plain(value)] if isinstance(value, (Const, Tuple)) else ["object"]


def _plain(value: Value) -> Any:
    if isinstance(value, Tuple):
        return [_plain(item) for item in value.items]
    assert isinstance(value, Const), "a pack gives constants and lists of them"
    return value.value
