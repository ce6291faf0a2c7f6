"""One step of a smoke in a process of its own: a plan on standard input, lines of JSON on a pipe.

Nothing is printed on standard output by this code: what the tree and its packages print goes there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regreach.probe.inside.stand_in import Finder
else:
    from _regreach_probe.stand_in import Finder

from . import machine
from .consumer import Construction
from .script import load_script
from .stood_in import GuardedGround

Plan = dict[str, Any]
Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """Do the step that the plan names and tell its result; ``REGREACH_SMOKE_FD`` is where to."""
    plan: Plan = json.loads(sys.stdin.readline())
    pipe = int(os.environ.pop("REGREACH_SMOKE_FD"))
    os.set_inheritable(pipe, False)  # it is to close when this process ends, whoever it has started
    with os.fdopen(pipe, "w", encoding="utf-8") as out:

        def say(document: dict[str, Any]) -> None:
            out.write(f"{plan['token']} {json.dumps(document)}\n")
            out.flush()

        say({"result": _step(plan, say)})


def _step(plan: Plan, say: Say) -> dict[str, Any]:
    # the working folder is an empty one, and the tree comes before an installed release of it
    sys.path[:] = [plan["import_root"], *(path for path in sys.path if path)]
    if plan["step"] == "machine":
        return machine.report(plan, lambda: load_script(plan))
    ground = GuardedGround(plan["package"], plan["absent"])
    sys.meta_path.append(Finder(ground, plan["stand_in"]))
    script = load_script(plan)
    construction = Construction(plan, script)
    result = construction.attempt(plan["shapes"][0])
    if result["ok"] and plan["step"] != "construct":
        from .forward import ForwardStep  # it needs numpy, which only the forward does

        result |= ForwardStep(plan, script, construction, ground, say).run()
    return {**result, "stood_in": sorted(ground.stood_in)}
