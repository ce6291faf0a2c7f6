"""``bisect``: the commit since which a key is broken, or mended, found by analysing revisions.

git chooses which revision is the best to look at, as for ``git bisect``; nothing is checked out.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from regreach.errors import ConfigError, TargetError
from regreach.explain.keys import near_text
from regreach.history.import_changes import ImportChange, import_change
from regreach.history.key_state import Key, KeyState, is_weaker, key_state, state_text
from regreach.history.repository import Commit, Repository
from regreach.plugins import load_plugins
from regreach.request import Request
from regreach.rule import Rule, key_text
from regreach.run import Sources, common_sources, opened
from regreach.tree.paths import one_line

_Say = Callable[[str], None]
_GOLDEN = 0.6180339887
# So many analyses are freed at a time: each leaves about 100 MB, and a quarter of its time to free that.
_TOGETHER = 3


@dataclass(frozen=True, slots=True)
class Range:
    """What is searched: ``good`` and ``bad`` are revisions; see the options of ``regreach bisect``."""

    key: Key
    good: str
    bad: str
    first_parent: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The commit that made the difference; several when those between could not be analysed.

    ``broke`` says whether it broke the key (or mended it). ``sign`` is what tells the two apart: codes of
    findings, or reach. ``before`` and ``after`` are the states of the commit's first parent and its own,
    ``imports`` what became of the imports; all None where there are several commits.
    ``analysed`` counts revisions, of ``commits`` that touch the package; ``seconds`` is what it took.
    """

    key: Key
    broke: bool
    sign: str
    commits: tuple[Commit, ...]
    parent: Commit | None
    before: KeyState | None
    after: KeyState | None
    imports: ImportChange | None
    skipped: tuple[tuple[Commit, str], ...]
    analysed: int
    candidates: int
    seconds: float
    notes: tuple[str, ...] = ()


def bisect(request: Request, wanted: Range, on_progress: _Say | None = None) -> Found:
    """Find the commit between two revisions that broke or mended a key.

    A key is broken where a finding of ``request.select`` (by default: any of severity error) is about it;
    where that is the same at both ends, where it is weaker than at the good one.

    Raises ConfigError for ends that do not differ, and TargetError.
    """
    begun = time.monotonic()
    repository = Repository(request.target, "bisect")
    rules, only = _rules(request, wanted.key)
    with common_sources(request, revisions=True) as sources:
        bench = _Bench(
            repository, request, wanted.key, rules, only, sources, on_progress or (lambda _: None)
        )
        try:
            found = _Search(repository, bench, wanted).run()
        finally:
            gc.unfreeze()
    return replace(found, seconds=time.monotonic() - begun)


def _rules(request: Request, key: Key) -> tuple[list[Rule], Key | None]:
    """Return the rules that say whether a key is broken, and the key if they need to know no other."""
    chosen = load_plugins().selected(request.select, request.ignore)
    if not request.select:
        return [rule for rule in chosen if rule.severity == "error"], key
    return chosen, key if all(rule.by_key for rule in chosen) else None


class _Bench:
    """Where revisions are analysed, each once."""

    def __init__(
        self,
        repository: Repository,
        request: Request,
        key: Key,
        rules: Sequence[Rule],
        only: Key | None,
        sources: Sources,
        say: _Say,
    ) -> None:
        self._repository = repository
        self._request = replace(request, only=only)
        self._key = key
        self._rules = rules
        self._sources = sources
        self._say = say
        self._looked_at: set[tuple[str, ...]] = set()
        self._runs = 0
        self._states: dict[tuple[str, bool], KeyState | str] = {}
        self._by_contents: dict[tuple[bool, tuple[str, ...]], KeyState] = {}
        self.places: set[str] = set()  # where the package lies, from the top of the repository
        self.linked: set[str] = set()  # where links lead that lie in it

    @property
    def analysed(self) -> int:
        """How many revisions were analysed, those that hold the same package counting as one."""
        return len(self._looked_at)

    def state(self, commit: str, *, quick: bool = False) -> KeyState | str:
        """Return how it stands with the key in a revision, or why that cannot be told.

        ``quick`` is for those on the way, of which only the sign is of interest.
        """
        found = self._states.get((commit, False)) or self._states.get((commit, quick))
        if found is None:
            contents = self._contents(commit)
            known = self._by_contents.get((False, contents))
            known = known or self._by_contents.get((quick, contents))
            found = known or self._judged(commit, quick)
            self._states[commit, quick] = found
            contents = self._contents(commit)  # where the package lies may be known only now
            if known is None:
                self._looked_at.add(contents if any(contents) else (commit,))
            if isinstance(found, KeyState) and any(contents):
                self._by_contents[quick, contents] = found
        return found

    def _contents(self, commit: str) -> tuple[str, ...]:
        """Return what identifies the package in a revision: others that hold the same need no analysis."""
        return self._repository.contents(commit, sorted(self.places | self.linked))

    def _judged(self, commit: str, quick: bool) -> KeyState | str:
        self._runs += 1
        self._say(f"analysing {commit[:12]}, revision {self.analysed + 1}")
        if self._runs % _TOGETHER == 0:
            gc.collect()
            gc.freeze()  # what there is now outlives the search
        try:
            return self._analysed(commit, quick)
        except TargetError as error:
            return str(error)

    def _analysed(self, commit: str, quick: bool) -> KeyState:
        request = replace(self._request, rev=commit, quick=quick)
        with opened(request, None, self._sources) as analysis:
            tree = analysis.program.tree
            self.places.add("/".join(filter(None, (tree.inside, tree.import_root, tree.package))))
            self.linked.update(tree.linked)
            return key_state(analysis, self._key, self._rules)

    def imports(self, old: str, new: str, before: KeyState, after: KeyState) -> ImportChange:
        """Return what became of the imports that lead to the key from one revision to another."""
        request = replace(self._request, quick=True)
        with (
            opened(replace(request, rev=old), None, self._sources) as was,
            opened(replace(request, rev=new), None, self._sources) as now,
        ):
            key_state(was, self._key, ())  # the run leaves behind by which lines modules are loaded
            return import_change(was, now, before.cell, after.cell)


@dataclass(frozen=True, slots=True)
class _Sign:
    """What tells a revision before the change from one after it."""

    words: str
    broke: bool
    has_changed: Callable[[KeyState], bool]


class _Search:
    """One search, from the two ends to the commit."""

    def __init__(self, repository: Repository, bench: _Bench, wanted: Range) -> None:
        self._repository = repository
        self._bench = bench
        self._wanted = wanted
        self._notes: list[str] = []
        self._why: dict[str, str] = {}  # of revisions that could not be analysed

    def run(self) -> Found:
        """Search. Raises ConfigError and TargetError.

        A quick analysis will do for the ends and on the way; what is found is looked at in full, and if
        that says something else, all is.
        """
        old, new = self._ends()
        noted = list(self._notes)
        with suppress(ConfigError):
            sign = self._sign(old, new, quick=True)
            found = self._run(old, new, sign, quick=True)
            ends = (found.before, found.after)
            if None not in ends and [sign.has_changed(e) for e in ends if e] == [False, True]:
                return found
        self._why.clear()
        self._notes = noted
        return self._run(old, new, self._sign(old, new, quick=False), quick=False)

    def _run(self, old: Commit, new: Commit, sign: _Sign, *, quick: bool) -> Found:
        places = sorted(self._bench.places)
        if len(places) > 1:
            self._note(f"the package has moved: {', '.join(places)}")
        changed, unchanged = new.hash, [old.hash]
        candidates: list[str] | None = None
        while True:
            paths = sorted(self._bench.places | self._bench.linked)
            left = self._repository.between(
                changed, unchanged, paths, first_parent=self._wanted.first_parent
            )
            candidates = left if candidates is None else candidates
            open_ones = [each for each in left if each != changed and each not in self._why]
            if not open_ones:
                break
            commit = open_ones[_away(len(open_ones), sum(each in self._why for each in left))]
            state = self._state_of(commit, quick=quick)
            if state is None:
                continue
            if sign.has_changed(state):
                changed = commit
            else:
                unchanged.append(commit)
        suspects = [each for each in left if each in self._why]
        return self._found(sign, changed, suspects, len(candidates))

    def _ends(self) -> tuple[Commit, Commit]:
        """Return the two ends, the older first."""
        wanted, repository = self._wanted, self._repository
        good, bad = repository.commit(wanted.good), repository.commit(wanted.bad)
        if good == bad:
            raise ConfigError(
                f"{one_line(wanted.good)} and {one_line(wanted.bad)} are the same commit, {good}"
            )
        base = repository.merge_base(good.hash, bad.hash)
        if base in (good, bad):
            return (good, bad) if base == good else (bad, good)
        shallow = "; the clone is shallow: git fetch --unshallow" if repository.is_shallow else ""
        if base is None:
            raise ConfigError(f"{good} and {bad} have no common ancestor{shallow}")
        # as for git: where their common ancestor is like the one, the way to the other is searched
        self._note(f"{good} is no ancestor of {bad}: the search begins at their merge base, {base}")
        return base, bad

    def _sign(self, old: Commit, new: Commit, *, quick: bool) -> _Sign:
        """Return what has changed between the ends. Raises ConfigError when nothing has."""
        was, now = self._end_state(old, quick=quick), self._end_state(new, quick=quick)
        key = key_text(self._wanted.key)
        if not was.is_known and not now.is_known:
            near = near_text(dict.fromkeys((*now.near, *was.near)))
            raise ConfigError(f"no registry has the key {key}, neither at {old} nor at {new}{near}")
        self._tolerated = was.unread | now.unread
        if bool(was.findings) != bool(now.findings):
            broke = bool(now.findings)
            self._check_names(old, new, broke)
            codes = ", ".join(dict.fromkeys(f.rule for f in (*was.findings, *now.findings)))
            return _Sign(codes, broke, lambda state: bool(state.findings) == broke)
        if was.findings:
            codes = ", ".join(dict.fromkeys(f.rule for f in now.findings))
            raise ConfigError(
                f"{key} is broken at both ends, {old} and {new} ({codes}): give a revision at which it is not"
            )
        sign = "reach" if was.cells or now.cells else "registrations"
        if is_weaker(was, now):
            self._check_names(old, new, True)
            return _Sign(sign, True, lambda state: is_weaker(was, state))
        if is_weaker(now, was):
            self._check_names(old, new, False)
            return _Sign(sign, False, lambda state: not is_weaker(now, state))
        there = f"reach {was.cell.reach}" if was.cell is not None else state_text(was)
        raise ConfigError(
            f"{key} is the same at both ends, {old} and {new}: {there}, and nothing is found"
        )

    def _check_names(self, old: Commit, new: Commit, broke: bool) -> None:
        """Note it when the revision that was called good is the one that is not."""
        good = self._repository.commit(self._wanted.good)
        if good in (old, new) and (good == new) == broke:
            bad = new if good == old else old
            self._note(
                f"{good}, given as good, is the worse of the two, and {bad} the better:"
                f" this is the commit that {'broke' if broke else 'mended'} it"
            )

    def _end_state(self, commit: Commit, *, quick: bool) -> KeyState:
        state = self._bench.state(commit.hash, quick=quick)
        if isinstance(state, str):
            raise TargetError(f"{commit} cannot be analysed: {state}")
        return state

    def _state_of(self, commit: str, *, quick: bool) -> KeyState | None:
        """Return the state at a revision; None, with a reason noted, where it cannot be told."""
        state = self._bench.state(commit, quick=quick)
        if isinstance(state, KeyState):
            unread = sorted(state.unread - self._tolerated)
            if not unread:
                return state
            state = f"{unread[0]} was not read"
        self._why[commit] = state
        return None

    def _found(self, sign: _Sign, changed: str, suspects: list[str], candidates: int) -> Found:
        repository, bench = self._repository, self._bench
        suspects = repository.newest_first(changed, set(suspects))
        skipped = repository.newest_first(changed, self._why)
        skipped += [each for each in self._why if each not in skipped]  # tried on another branch
        commits = [repository.commit(each) for each in (changed, *suspects)]
        before: KeyState | None = None
        after: KeyState | None = None
        parent = imports = None
        hashes = [] if suspects else repository.parents(commits[0])
        if hashes:
            parent = repository.commit(hashes[0])
            was, now = bench.state(parent.hash), bench.state(changed)
            if isinstance(was, KeyState) and isinstance(now, KeyState):
                before, after = was, now
                if was.cells or now.cells:
                    imports = bench.imports(parent.hash, changed, was, now)
        return Found(
            self._wanted.key,
            sign.broke,
            sign.words,
            tuple(commits),
            parent,
            before,
            after,
            imports,
            tuple((repository.commit(each), self._why[each]) for each in skipped),
            bench.analysed,
            candidates,
            0.0,
            tuple(self._notes),
        )

    def _note(self, text: str) -> None:
        self._notes.append(text)


def _away(count: int, skipped: int) -> int:
    """Return which of the commits left to look at next: away from those that could not be analysed.

    They mostly stand side by side, so that the next best commit is the worst choice (git does so, too).
    """
    return int(count * (skipped * _GOLDEN % 1) ** 1.5)
