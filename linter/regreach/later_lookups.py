"""What the finished consumer looks up: its use, run for each value of the argument that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from regreach.evaluate.attributes import get_attribute
from regreach.evaluate.frames import Place
from regreach.evaluate.iteration import enum_members
from regreach.evaluate.values import OPEN, UNKNOWN, Class, Const, Instance, Module, Value
from regreach.init_path import InitPath, InitRun, Key
from regreach.pack import Registry, Use

Asked = dict[str, dict[Key, dict[Place, None]]]  # by registry and key: the lines that ask, in order


def keys_asked_later(
    path: InitPath, use: Use, runs: Mapping[Key, InitRun], registries: Sequence[Registry]
) -> Asked:
    """Return the keys that are looked up in each registry by the consumer's use.

    Each value of the consumer's own selector counts that can be constructed and found no entry: with
    one, it is used instead.
    """
    session = path.session
    asked: Asked = {registry.id: {} for registry in registries}
    representative: dict[str, Key] = {}
    for pair, run in runs.items():
        if run.outcome == "ok" and "yes" not in run.at_lookup.values():
            representative.setdefault(pair[-1], pair)
    with session.attempt():
        # by the time that something is used, what makes its argument is there
        session.import_module(use.enum.partition(":")[0])
        cls = session.resolve(use.enum)
        members = enum_members(cls) if isinstance(cls, Class) and cls.is_enum else ()
        for pair in representative.values() if members else ():
            with session.attempt():
                consumer = path.construct(pair).value
                for member in members:
                    with session.attempt(), _watching(path, registries, asked):
                        _use_once(path, use, consumer, member)
    return asked


def _use_once(path: InitPath, use: Use, consumer: Value, member: Value) -> None:
    session = path.session
    machine = session.machine
    argument = Instance(Class(Module("builtins"), "object"))
    machine.heap.write(argument, OPEN, UNKNOWN)
    machine.heap.write(argument, use.attribute, member)
    session.call_with_unknown(
        get_attribute(machine, session.frame, consumer, use.method), [argument]
    )


@contextmanager
def _watching(path: InitPath, registries: Sequence[Registry], asked: Asked) -> Iterator[None]:
    """Note the keys of look-ups; those that are not constants cannot be told."""

    def noting(registry: Registry) -> Callable[[Sequence[Value]], None]:
        def note(arguments: Sequence[Value]) -> None:
            # a class method is given its class first
            parts = [a.value for a in arguments if isinstance(a, Const)]
            if len(parts) == len(registry.key) and all(isinstance(p, str) for p in parts):
                places = asked[registry.id].setdefault(tuple(map(str, parts)), {})
                places[machine.place(machine.frames[-1])] = None

        return note

    machine = path.session.machine
    before = machine.watches
    machine.watches = {lookup: noting(r) for r in registries for lookup in r.lookups}
    try:
        yield
    finally:
        machine.watches = before
