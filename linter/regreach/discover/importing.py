"""Who imports the modules that register: while they are imported themselves, later, in a loop, or nobody."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from regreach.discover.candidates import Words
from regreach.discover.found import Place, Registering, Registration
from regreach.graph import ImportGraph
from regreach.model import Spot
from regreach.program import Program
from regreach.supply.scans import matches

_SCANS = (b"iter_modules", b"walk_packages")
_DYNAMIC = (b"import_module", b"__import__", b"import_submodules", b"lazy_import")
_FILES = rb"\b(?:listdir|glob|rglob|iterdir|scandir|walk)\b"
_DYNAMICALLY = re.compile(rb"\b(?:import_module|__import__|__getattr__|lazy\w*)\b")
_LITERAL = re.compile(rb"""["']([^\W\d][\w.]*)["']""")
_SCANNING = re.compile(rb"\ndef[ \t]+(\w+)\((?:(?!\n\S).|\n)*?\b(?:iter_modules|walk_packages)\b")


class Importing:
    """Answers for the modules of one tree."""

    def __init__(self, program: Program, modules: Collection[str], words: Words) -> None:
        self._program, self._modules, self._words = program, modules, words
        self._graph = ImportGraph(program)
        self._eager: dict[str, list[str]] = {}
        for module in sorted(modules):
            package = program.package_of(module)
            for name in program.imported_names(module, package):
                self._eager.setdefault(name, []).append(module)
        self.scanned = self._scanned()
        self._known: dict[str, tuple[str, tuple[str, ...]]] = {}

    def _scanned(self) -> dict[str, Place]:
        """Return the packages over whose modules some loop runs that imports them, and where it stands."""
        found: dict[str, Place] = {}
        program = self._program
        by_file = matches(_FILES, *_DYNAMIC)
        dynamic = {m for word in _DYNAMIC for m in self._words.of(word.decode())}
        listing = {m for m in dynamic if program.ask(m, by_file) is True}
        for module in sorted({m for w in _SCANS for m in self._words.of(w.decode())} | listing):
            data, path = b"\n" + program.source(module), program.path(module)
            if path is None:
                continue
            loop = re.search(rb"\b(?:iter_modules|walk_packages)\b[ \t]*\(|%b" % _FILES, data)
            line = data.count(b"\n", 0, loop.start()) if loop is not None else 1
            place = Place(module, Spot(path, line, _line(data, line)))
            package = program.package_of(module)
            if any(
                word in data for word in (b"__path__", b"__file__", b"__name__", b"__package__")
            ):
                found.setdefault(package, place)
            named = {m[1] for m in _LITERAL.finditer(data)}
            for function in _SCANNING.findall(data):
                word = function.decode()
                call = re.compile(rb"""\b%b\(\s*["']([\w.]+)["']""" % re.escape(function))
                for other in self._words.of(word):
                    named |= set(call.findall(program.source(other)))
            for literal in sorted(named):
                name = literal.decode("utf-8", "replace")
                for full in (name, f"{package}.{name}"):
                    if program.is_package(full) and full.count(".") and program.has(full):
                        found.setdefault(full, place)
        return found

    def scan_of(self, module: str) -> Place | None:
        """Return the loop that imports a module, if one does."""
        package = module.rpartition(".")[0]
        while package:
            place = self.scanned.get(package)
            if place is not None and place.path != module:
                return place
            package = package.rpartition(".")[0]
        return None

    def of(self, module: str) -> tuple[str, tuple[str, ...]]:
        """Return how a module is imported, and by whom."""
        if module not in self._known:
            self._known[module] = self._of(module)
        return self._known[module]

    def _of(self, module: str) -> tuple[str, tuple[str, ...]]:
        if module.rpartition(".")[2] == "__main__":
            return "main", ()
        eager = [m for m in self._eager.get(module, ()) if m != module]
        if self._program.is_package(module):
            prefix = f"{module}."
            below = {m for name, ms in self._eager.items() if name.startswith(prefix) for m in ms}
            eager += [m for m in below if not m.startswith(prefix) and m != module]
        if eager:
            return "eager", tuple(sorted(set(eager)))
        scan = self.scan_of(module)
        if scan is not None:
            return "scan", (scan.path,)
        edges = [e for e in self._graph.importers(module) if e.importer in self._modules]
        kinds = {e.kind for e in edges}
        later = tuple(sorted({e.importer for e in edges if e.kind != "type-checking"}))
        if "eager" in kinds:
            return "eager", later
        if later:
            return "lazy", later
        if self._program.is_package(module):
            inside = [m for m in self._program.inside(module) if m != module]
            ways = {self.of(m)[0] for m in inside}
            for way in ("eager", "scan", "lazy", "name"):
                if way in ways:
                    return way, tuple(sorted({b for m in inside for b in self.of(m)[1]}))
        named = self._named(module)
        return ("name", named) if named else ("nobody", ())

    def _named(self, module: str) -> tuple[str, ...]:
        """Return the modules in which a text names a module: in full, or from a package around it."""
        found = {m for m in self._program.mentioning(module.encode()) if self._quotes(m, module)}
        package = module.rpartition(".")[0]
        while package:
            inner = module[len(package) + 1 :]
            if self._quotes(package, inner) and (
                _DYNAMICALLY.search(self._program.source(package))
            ):
                found.add(package)
            package = package.rpartition(".")[0]
        return tuple(sorted(m for m in found if m in self._modules and m != module))

    def _quotes(self, module: str, text: str) -> bool:
        """Return whether a text stands in a module that is this, or begins so and goes on to a name in it."""
        name = text.encode()
        pattern = rb"""["']\.*%b(?:["':]|\.\w+["'])""" % re.escape(name)
        return self._program.ask(module, matches(pattern, name)) is True

    def registering(self, registrations: Iterable[Registration]) -> list[Registering]:
        """Return the modules that register, sorted, each with its importers."""
        counts: dict[str, int] = {}
        paths: dict[str, str] = {}
        for each in registrations:
            counts[each.module] = counts.get(each.module, 0) + 1
            paths[each.module] = each.spot.path
        return [
            Registering(module, paths[module], counts[module], *self.of(module))
            for module in sorted(counts)
        ]


def _line(data: bytes, number: int) -> str:
    lines = data.split(b"\n", number + 1)
    return lines[number].strip().decode("utf-8", "replace") if number < len(lines) else ""
