"""A tree and its facts, as the abstract machine asks for them; each file is read and parsed once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import TracebackType

from regreach.errors import TargetError
from regreach.evaluate.world import Sources
from regreach.facts import ir
from regreach.facts.parse import ModuleFacts
from regreach.facts.skim import Skim
from regreach.facts.source import UNKNOWN_KIND, SourceError
from regreach.supply.cache import FactsCache
from regreach.supply.consulted import Consulted
from regreach.supply.facts_supply import FactsSupply, FilesRead
from regreach.supply.scans import Answer, Question, calls, imports
from regreach.tree import Tree, TreeProblem


class Program:
    """The modules of a tree with their facts, read on demand.

    ``broken`` maps the path of each file that was needed and could not be parsed to the error.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        cache: FactsCache | None = None,
        jobs: int = 1,
        supply: FactsSupply | None = None,
    ) -> None:
        """Take a tree. With a cache or more than one job, ``prefetch`` saves time; ``close`` then.

        A ``supply`` that several programs share is in place of both, and its owner's to close.
        """
        self.tree = tree
        self._shares = supply is not None
        self._supply = supply if supply is not None else FactsSupply(cache, jobs)
        self.broken: dict[str, SourceError] = {}
        self.consulted = Consulted()
        self._facts: dict[str, ModuleFacts | None] = {}
        self._hidden = tree.hidden()
        self._bytes: dict[str, bytes] = {}
        self._words: dict[bytes, frozenset[str]] = {}

    @property
    def files_read(self) -> FilesRead:
        """How many files were parsed so far, for whatever tree of this program."""
        return self._supply.files_read

    def with_contents(self, contents: Mapping[str, bytes]) -> Program:
        """Return the program with other bytes in these files, by path; what is known of the rest is kept.

        It is valid while this one is open, and need not be closed.
        """
        other = copy.copy(self)
        other.tree = self.tree.with_contents(contents)
        other._bytes = {**self._bytes, **contents}
        other._words = {}
        other.broken = {p: error for p, error in self.broken.items() if p not in contents}
        other._facts = dict(self._facts)
        for name, module in self.tree.modules.items():
            if module.path is not None and module.path in contents:
                other._facts[name] = other._read(module.path, contents[module.path])
        return other

    def _read(self, path: str, data: bytes) -> ModuleFacts | None:
        try:
            return ModuleFacts.read(data)
        except SourceError as error:
            self.broken[path] = error
            return None

    def prefetch(
        self,
        modules: Iterable[str],
        skim: Iterable[str] = (),
        packages: frozenset[str] = frozenset(),
    ) -> None:
        """Begin to get the facts of these modules, which will probably be asked for in this order.

        Of those to ``skim`` what the lines tell, if that is enough.

        Processes may be started, so threads should not have been.
        """
        if self._supply.prepares:
            self._supply.prepare(self._files(modules), self._files(skim), packages)

    def _files(self, modules: Iterable[str]) -> dict[str, bytes]:
        new = (module for module in modules if module not in self._facts)
        files = {self.path(module): self._source(module) for module in new}
        return {path: data for path, data in files.items() if path and data}

    def close(self) -> None:
        """Keep in the cache what was found, and end what prefetching has begun."""
        if not self._shares:
            self._supply.close()

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def has(self, module: str) -> bool:
        """Return whether the tree has this module."""
        return module in self.tree.modules or self.hidden(module) is not None

    def hidden(self, module: str) -> TreeProblem | None:
        """Return what hides a module whose file, or a folder above it, could not be taken in, if anything."""
        if not self._hidden or module in self.tree.modules:
            return None
        parts = module.split(".")
        names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((self._hidden[name] for name in names if name in self._hidden), None)

    def is_package(self, module: str) -> bool:
        """Return whether this module of the tree is a package; one that is hidden may be."""
        found = self.tree.modules.get(module)
        return found.is_package if found is not None else self.hidden(module) is not None

    def package_of(self, module: str) -> str:
        """Return the package to which a module's relative imports are relative: itself if it is one."""
        return module if self.is_package(module) else module.rpartition(".")[0]

    def is_namespace(self, module: str) -> bool:
        """Return whether this module of the tree is a package without a file of its own."""
        found = self.tree.modules.get(module)
        return found is not None and found.path is None

    def children(self, package: str) -> Sequence[str]:
        """Return the modules directly below a package, sorted as pkgutil yields them."""
        return self.tree.submodules(package)

    def path(self, module: str) -> str | None:
        """Return the path of a module's file; None for a namespace package."""
        found = self.tree.modules.get(module)
        return found.path if found is not None else None

    def facts(self, module: str) -> ModuleFacts | None:
        """Return a module's facts, None when it has no source. Raises SourceError."""
        hidden = self.hidden(module)
        if hidden is not None:
            raise SourceError(hidden.reason, kind=UNKNOWN_KIND)
        self.consulted.whole.add(module)
        if module not in self._facts:
            self._facts[module] = self._parse(module)
        path = self.path(module)
        if path is not None and path in self.broken:
            raise self.broken[path]
        return self._facts[module]

    def body(self, module: str) -> ir.Body | None:
        """Return the statements of a module, None when it has no source. Raises SourceError."""
        facts = self.facts(module)
        return facts.body if facts is not None else None

    def skim(self, module: str, packages: frozenset[str]) -> Skim | None:
        """Return what the lines of a module tell, see ``facts.skim``; None where it is to be parsed."""
        try:
            return self._supply.skim(self.source(module), packages)
        except SourceError:
            return None  # who asks for its facts will be told

    def not_read(self, module: str) -> str | None:
        """Return the path of a module's file, and why it could not be read or parsed; None if it could."""
        hidden = self.hidden(module)
        if hidden is not None:
            return f"{hidden.path}: {hidden.reason}"
        path = self.path(module)
        return f"{path}: {self.broken[path].told}" if path in self.broken else None

    def is_known(self, module: str) -> bool:
        """Return whether a module's facts were asked for before."""
        return module in self._facts

    def readable_facts(self, module: str) -> ModuleFacts | None:
        """Return a module's facts, None also when its file does not parse (it is in ``broken`` then)."""
        try:
            return self.facts(module)
        except SourceError:
            return None

    def source(self, module: str) -> bytes:
        """Return the bytes of a module's file; empty when it has none or cannot be read."""
        self.consulted.whole.add(module)
        return self._source(module)

    def _source(self, module: str) -> bytes:
        found = self.tree.modules.get(module)
        if found is None or found.path is None or found.is_extension:
            return b""
        if found.path not in self._bytes:
            try:
                self._bytes[found.path] = self.tree.read(found.path)
            except TargetError as error:
                self.broken[found.path] = SourceError(str(error), kind=UNKNOWN_KIND)
                self._bytes[found.path] = b""
        return self._bytes[found.path]

    def imported_names(self, module: str, package: str) -> Sequence[str]:
        """Return what a module's import lines seem to import, each once; see ``import_lines``."""
        names = self._supply.imported_names(self._source(module), package)
        self.consulted.asked.setdefault(module, {})[imports(package)] = list(names)
        return names

    def ask(self, module: str, question: Question) -> Answer:
        """Return what the bytes of a module answer, see ``scans``."""
        found = self._supply.answer(question, self._source(module))
        self.consulted.asked.setdefault(module, {})[question] = found
        return found

    def data(self) -> dict[str, bytes]:
        """Return the bytes that were read, by module."""
        paths = {name: module.path for name, module in self.tree.modules.items()}
        return {n: self._bytes[p] for n, p in paths.items() if p is not None and p in self._bytes}

    def contents(self, path: str) -> bytes:
        """Return what was read of a file, by path: not what it may have become since. Raises TargetError."""
        found = self._bytes.get(path)
        return self.tree.read(path) if found is None else found

    def parsed(self) -> list[str]:
        """Return the modules whose facts were asked for, sorted: all that the analysis has looked into."""
        return sorted(module for module, facts in self._facts.items() if facts is not None)

    def not_read_with(self, words: Collection[bytes]) -> dict[str, bool]:
        """Return the paths of files that were not read and have one of the words, or may have.

        The value says whether a program may be able to read the file all the same.
        """
        found = {p.path: True for p in self._hidden.values() if p.may_have(words)}
        for path, error in self.broken.items():
            source, readable = self._bytes.get(path, b""), error.kind == UNKNOWN_KIND
            if (readable and not source) or any(word in source for word in words):
                found[path] = readable
        return found

    def mentioning(self, *words: bytes) -> list[str]:
        """Return the modules whose bytes contain one of the words, sorted by name."""
        found = frozenset[str]().union(*map(self._having, words))
        self.consulted.mentioned[words] = found
        return sorted(found)

    def calling(self, name: str) -> list[str]:
        """Return the modules in which something of a name seems to be called, sorted by name."""
        question = calls(name)
        return [module for module in self.mentioning(name.encode()) if self.ask(module, question)]

    def _having(self, word: bytes) -> frozenset[str]:
        """Return the modules whose bytes contain a word; each is looked for once."""
        known = self._words.get(word)
        if known is None:
            known = frozenset(
                name for name in self.tree.modules if self._supply.has(self._source(name), word)
            )
            self._words[word] = known
        return known

    def inside(self, package: str) -> Sequence[str]:
        """Return a package and all modules below it."""
        prefix = f"{package}."
        return [name for name in self.tree.modules if name == package or name.startswith(prefix)]

    def line(self, module: str, number: int) -> str:
        """Return the logical line that begins on a line, as one line; empty when there is none."""
        facts = self.readable_facts(module)
        return facts.statement_text(number) if facts is not None else ""

    def _parse(self, module: str) -> ModuleFacts | None:
        found = self.tree.modules[module]
        if found.path is None or found.is_extension:
            return None
        data = self._source(module)
        if found.path in self.broken:
            return None
        try:
            return self._supply.facts(found.path, data)
        except SourceError as error:
            self.broken[found.path] = error
            return None


class View:
    """A program in which modules say something else than they do; for the abstract machine."""

    def __init__(self, program: Program, facts: Callable[[str], ModuleFacts | None]) -> None:
        self.has, self.is_package = program.has, program.is_package
        self.is_namespace, self.children = program.is_namespace, program.children
        self.facts = facts

    def body(self, module: str) -> ir.Body | None:
        """Return what is run when a module is loaded; None as for ``facts``. Raises SourceError."""
        facts = self.facts(module)
        return facts.body if facts is not None else None


class Partly:
    """Sources of which only some modules are run; the others are there, and may hold anything."""

    def __init__(self, sources: Sources, run: Collection[str]) -> None:
        self._sources, self._run = sources, run
        self.has, self.is_package = sources.has, sources.is_package
        self.is_namespace, self.children = sources.is_namespace, sources.children

    def facts(self, module: str) -> ModuleFacts | None:
        """Return the facts of a module that is run. Raises SourceError."""
        return self._sources.facts(module) if module in self._run else None

    def body(self, module: str) -> ir.Body | None:
        """Return what is run when a module is loaded; None as for ``facts``. Raises SourceError."""
        return self._sources.body(module) if module in self._run else None
