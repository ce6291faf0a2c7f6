"""``regreach smoke``: a registration looked up and run for real."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regreach.errors import ConfigError, TargetError
from regreach.fixes.copy import edited_copy
from regreach.fixes.mending import mend
from regreach.model import Audit
from regreach.pack import Pack, Platform
from regreach.probe.files import importable
from regreach.probe.plan import Limits, consumer_of, plan_of
from regreach.request import Request, opened_tree
from regreach.smoke.declared import Smoke
from regreach.smoke.judge import (
    is_environments_fault,
    missing_package,
    objections,
    told,
    told_whole,
)
from regreach.smoke.steps import Interpreter, Result, run_step

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How a smoke is run, beside the target.

    ``python`` is the interpreter that has the GPU's packages, ``timeout`` the seconds that each of its
    processes may take, ``repetitions`` how many forwards the median time is of, ``seed`` the first seed of
    the random inputs.
    """

    key: tuple[str, ...]
    python: str
    timeout: float = 3600.0
    confirm: bool = False
    repetitions: int = 50
    seed: int = 0


@dataclass(slots=True)
class TreeRun:
    """What one tree did: constructed, and if that worked, run and timed."""

    construct: Result
    forward: Result | None = None
    timing: Result | None = None
    objections: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Return whether the function was found, and computes what it should."""
        return bool(self.construct["ok"]) and self.forward is not None and not self.objections


@dataclass(slots=True)
class Smoked:
    """A finished smoke. ``before`` is the tree as it is, with ``--confirm`` only; ``run`` is what counts.

    ``refused`` says why there is no run of a mended tree, ``edits`` are the lines that mended it.
    """

    source: str
    package: str
    smoke: Smoke
    machine: Result
    run: TreeRun | None = None
    before: TreeRun | None = None
    edits: tuple[str, ...] = ()
    refused: str | None = None
    stood_in: list[str] = field(default_factory=list)

    @property
    def confirmed(self) -> bool:
        """Return whether all is as it should be."""
        return self.refused is None and self.run is not None and self.run.passed


def smoke(request: Request, options: Options, on_progress: Progress) -> Smoked:
    """Run the smoke that the pack declares for a key. THE TREE'S CODE IS EXECUTED.

    Raises ConfigError for a key without a smoke, TargetError for a tree that cannot be read and for a
    machine that cannot run it, saying what it lacks.
    """
    with opened_tree(request, on_progress) as (tree, pack, platform):
        declared = _declared(pack, options.key)
        with importable(tree) as root:
            stage = _Stage(pack, platform, declared, options, on_progress)
            machine = stage.machine(root)
            smoked = Smoked(tree.source, tree.package, declared, machine, stood_in=stage.stood_in)
            if not options.confirm:
                smoked.run = stage.run(root)
                return smoked
            smoked.before = TreeRun(stage.step("construct", root))
        if smoked.before.construct["ok"]:
            smoked.refused = "as it is the tree finds the function: there is nothing to confirm"
            return smoked
        if smoked.before.construct.get("died"):
            smoked.refused = (
                f"as it is the tree fails of nothing that it says: {told(smoked.before.construct)}"
            )
            return smoked
        mended = mend(request, keys={declared.key}, kinds={"add-import"}, on_progress=on_progress)
        smoked.edits = tuple(dict.fromkeys(f"{m.path}:{m.line}  {m.added}" for m in mended.mended))
        expected = _expected(mended.before, declared, tree.import_root)
        if mended.edits and expected not in (None, told(smoked.before.construct)):
            smoked.refused = (
                f"as it is the tree fails of {told(smoked.before.construct)}, where the look-up that"
                f" fix mends ends in {expected}"
            )
            return smoked
        if not mended.edits:
            left = mended.left[0].why if mended.left else "it is not what a rule with a fix finds"
            smoked.refused = f"{told(smoked.before.construct)} is not mended by fix: {left}"
            return smoked
        with tempfile.TemporaryDirectory(prefix="regreach-mended-") as folder:
            root = edited_copy(tree, mended.edits, Path(folder))
            smoked.run = stage.run(root.resolve())
        return smoked


def _expected(audit: Audit, smoke: Smoke, import_root: str) -> str | None:
    """Return how the analysis says that constructing the consumer for the key ends; None when it is ok."""
    for registry in audit.registries:
        for cell in registry.cells:
            if (registry.id, cell.key) == (smoke.registry, smoke.key) and cell.exception:
                at = cell.raised_at
                path = (
                    at.path.removeprefix(f"{import_root}/")
                    if at and import_root
                    else at and at.path
                )
                return f"{cell.exception} at {path}:{at.line}" if at else cell.exception
    return None


def _declared(pack: Pack, key: Sequence[str]) -> Smoke:
    found = next((s for s in pack.smokes if s.key == tuple(key)), None)
    if found is None:
        known = "; ".join(",".join(s.key) for s in pack.smokes) or "none"
        raise ConfigError(
            f"the pack {pack.name!r} declares no smoke for {','.join(key)}; it has: {known}"
        )
    return found


class _Stage:
    """The steps for one key on this machine."""

    def __init__(
        self, pack: Pack, platform: Platform, smoke: Smoke, options: Options, say: Progress
    ) -> None:
        self._pack = pack
        self._platform = platform
        self._smoke = smoke
        self._options = options
        self._say = say
        self._interpreter = Interpreter(options.python, options.timeout)
        self.stood_in: list[str] = []

    def machine(self, root: Path) -> Result:
        """Return what this machine is. Raises TargetError when the smoke cannot run on it."""
        found = self._run("machine", root)
        if found.get("died") or "packages" not in found:
            raise TargetError(f"{self._options.python}: {found['message']}")
        if found["missing"]:
            needs = self._smoke.all_needs
            advice = "; ".join(f"{name} ({needs[name]})" for name in found["missing"])
            no_gpu = self._smoke.device == "cuda" and found["driver"] is None
            raise TargetError(
                f"cannot run here: {'there is no NVIDIA GPU (nvidia-smi names none), and ' * no_gpu}"
                f"{self._options.python} lacks {advice}; --python takes another interpreter"
            )
        if self._smoke.device == "cuda" and found["gpu"] is None:
            raise TargetError(
                "cannot run here: PyTorch sees no GPU; run this on a machine with an NVIDIA GPU and a"
                " build of PyTorch for it"
            )
        if not found["path"]["runs"]:
            path = found["path"]
            would = f"this would be {path['name']}: " if path["name"] else ""
            raise TargetError(f"cannot run here: {would}{path['why']}")
        return found

    def run(self, root: Path) -> TreeRun:
        """Construct, run and time in a process each; stop at the first that fails."""
        run = TreeRun(self.step("construct", root))
        if run.construct["ok"]:
            # a process that died tells nothing of what it had done
            run.forward = {"shapes": [], "faults": [], **self.step("forward", root)}
            if run.forward["ok"]:
                run.timing = self.step("time", root)
            run.objections = tuple(objections(self._smoke, run.forward, run.timing))
        else:
            run.objections = (told_whole(run.construct),)
        return run

    def step(self, step: str, root: Path) -> Result:
        """Run a step. What the tree cannot be imported without is stood in for, if it may be.

        Raises TargetError when it fails for what is installed here.
        """
        package = self._pack.location.name
        while True:
            result = self._run(step, root)
            missing = missing_package(result, package)
            may = missing is not None and missing not in (*self._smoke.all_needs, *self.stood_in)
            if missing is None or not may or missing in self._platform.absent:
                break
            self.stood_in.append(missing)
        if is_environments_fault(result, package):
            raise TargetError(
                f"cannot run here: {told_whole(result)}; this is for what is installed"
                f" for {self._options.python}, not for the registration"
            )
        return result

    def _run(self, step: str, root: Path) -> Result:
        self._say(f"{step}: starting a process")
        return run_step(self._interpreter, self._plan(step, root), self._say)

    def _plan(self, step: str, root: Path) -> dict[str, Any]:
        smoke, pack = self._smoke, self._pack
        registry = next(r for r in pack.registries if r.id == smoke.registry)
        plan = plan_of(pack, self._platform, root, Limits(self._options.python))
        return {
            **{name: plan[name] for name in ("package", "import_root", "absent", "selectors")},
            "step": step,
            "registry": next(r for r in plan["registries"] if r["id"] == registry.id),
            "consumer": consumer_of(pack.consumers[registry.consumer]),
            "key": list(smoke.key),
            "choice": dict(zip(registry.key, smoke.key, strict=True)),
            "script": str(smoke.script_file(pack.source)),
            "device": smoke.device,
            "needs": list(smoke.all_needs),
            "shapes": [dict(shape) for shape in smoke.shapes],
            "stand_in": self.stood_in,
            "seed": self._options.seed,
            "repetitions": self._options.repetitions,
        }
