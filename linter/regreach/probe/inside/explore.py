"""A call site executed: the function around it is called with stand-ins, once for each way through it.

Where the code asks a stand-in for a decision, both answers are tried, each in a fork of its own. So
a path is one that some arguments and attributes may bring about; there may be more than are tried.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from . import cases
from .forks import Result, forked
from .stand_in import Ground, StandIn

_MAX_PATHS = 64
Script = list[bool]


class Exploring:
    """Where a path is: what was decided, and what arrived."""

    def __init__(
        self,
        ground: Ground,
        plan: cases.Plan,
        case: Mapping[str, Any],
        choice: Mapping[str, str],
        seen: Collection[str],
    ) -> None:
        self.ground = ground
        self.plan = plan
        self.case = case
        self.choice = choice
        self.seen = seen
        self.asked: set[str] = set()
        self.arrivals: dict[str, Result] = {}


def explore(plan: cases.Plan, ground: Ground, case: Mapping[str, Any]) -> Result:
    """Run the paths for one choice of the process after the other; say what arrives at which line.

    A choice beside the first that differs in what the function does not ask for is not tried.
    """
    arrivals: dict[str, Result] = {}
    endings: dict[str, int] = {}
    cut = False
    until = time.monotonic() + plan["timeout"] * 0.9
    for text in case["choices"]:
        choice = {**case["ambient"], case["own"]: text}
        results, complete = _paths(plan, ground, case, choice, arrivals, until)
        cut = cut or not complete
        for result in results:
            ending = result["exception"] or ("ended" if result["ok"] else result["message"])
            endings[ending] = endings.get(ending, 0) + 1
        if not any(result.get("asked") for result in results):
            break
    return {"ok": True, "arrivals": list(arrivals.values()), "endings": endings, "cut": cut}


def _paths(
    plan: cases.Plan,
    ground: Ground,
    case: Mapping[str, Any],
    choice: Mapping[str, str],
    arrivals: dict[str, Result],
    until: float,
) -> tuple[list[Result], bool]:
    """Run the paths for one choice, and add to the arrivals; say whether these are all paths."""
    results: list[Result] = []
    scripts: list[Script] = [[]]
    while scripts:
        left = until - time.monotonic()
        if len(results) >= _MAX_PATHS or left <= 0:
            return results, False
        script = scripts.pop()
        state = Exploring(ground, plan, case, choice, arrivals)
        (result,) = forked(functools.partial(_path, state, script), left, 1)
        results.append(result)
        arrivals.update(result.get("arrivals", {}))
        taken = result.get("taken", [])
        scripts += [[*taken[:i], not taken[i]] for i in range(len(script), len(taken))]
    return results, True


def _path(state: Exploring, script: Script) -> list[Result]:
    ground, plan, case = state.ground, state.plan, state.case
    ground.follow(script)
    for name, text in state.choice.items():
        for source in plan["selectors"][name]["sources"]:
            member = cases.member(plan, name, text)
            cases.replace_body(source, _answering(state, name, member))
    cases.replace_body(f"{case['consumer']['module']}:{_init_of(case)}", _arriving(state))
    ended = cases.attempted(plan, lambda: _call(state))
    result = {
        "exception": None,
        **ended,
        "taken": ground.taken,
        "asked": case["own"] in state.asked,
        "arrivals": state.arrivals,
    }
    return [result]


def _init_of(case: Mapping[str, Any]) -> str:
    return f"{case['consumer']['callable']}.__init__"


def _answering(
    state: Exploring, name: str, member: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def answer(*_: Any, **__: Any) -> Any:
        state.asked.add(name)
        return member

    return lambda original: answer


def _arriving(
    state: Exploring,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a construction be noted, and be tried in a fork, where it changes nothing here."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(original)

        def init(self: Any, *args: Any, **keywords: Any) -> None:
            frame = sys._getframe(2)  # 1 is the body that stands in for the real one
            given = dict(signature.bind_partial(self, *args, **keywords).arguments)
            module, line = str(frame.f_globals.get("__name__")), frame.f_lineno
            if module in state.case["sites"]:
                _arrive(state, module, line, given)
            if (module, line) == (state.case["module"], state.case["last"]):
                raise _Enough

        return init

    return make


class _Enough(BaseException):
    """What comes after the last site of a function does not matter to it."""


def _arrive(state: Exploring, module: str, line: int, given: Mapping[str, Any]) -> None:
    consumer = state.case["consumer"]
    (parameter, selector), *_ = consumer["selectors"].items()
    value = given.get(parameter)
    texts = [cases.text(value)]
    if isinstance(value, StandIn):
        texts = state.case["choices"]
    kept = list(given)[1:]  # without the consumer itself
    others = {k: given[k] for k in kept if k != parameter and k not in consumer["made"]}
    for text in texts:
        full = {**state.choice, selector: text}
        key = [full[name] for name in state.case["axes"]]
        # what is loaded and what is given decide how it ends
        situation = repr((module, line, key, others, hash(tuple(sys.modules))))
        if situation not in state.seen:
            run = functools.partial(_constructed, state, full, others)
            (result,) = forked(run, state.plan["timeout"], 1)
            state.arrivals[situation] = {"module": module, "line": line, "key": key, **result}


def _constructed(
    state: Exploring, choice: Mapping[str, str], others: Mapping[str, Any]
) -> list[Result]:
    """Construct the consumer as it is, with the arguments that are given there."""
    ground, plan, consumer = state.ground, state.plan, state.case["consumer"]
    decided = len(ground.decisions)
    ground.follow(None)
    cases.restore_bodies()
    before = cases.contents(plan)
    ended = cases.construct(plan, ground, consumer, choice, others)
    decisions = ground.decisions[decided:]
    kept = {k: v for k, v in ended.items() if k != "registries"}
    return [{**kept, "before": before, "decisions": decisions}]


def _call(state: Exploring) -> None:
    """Call the outermost function around the site, its receiver and its arguments unknown."""
    module, path = state.case["module"], state.case["function"]
    first, _, rest = path.partition(".")
    owner = vars(sys.modules[module])[first]
    ground = state.ground
    function: Any = owner
    receiver: list[Any] = []
    if isinstance(owner, type):
        found = inspect.getattr_static(owner, rest.partition(".")[0])
        function = getattr(found, "__func__", found)
        if isinstance(found, classmethod):
            receiver = [owner]
        elif not isinstance(found, staticmethod):
            receiver = [_instance(ground, owner)]
    function = inspect.unwrap(function)
    arguments, keywords = _unknown_arguments(ground, function, len(receiver))
    with contextlib.suppress(_Enough):
        function(*receiver, *arguments, **keywords)


def _unknown_arguments(
    ground: Ground, function: Any, skipped: int
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
    for parameter in list(inspect.signature(function).parameters.values())[skipped:]:
        name = parameter.name
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        given: Any = StandIn(ground, name)
        if parameter.default is not parameter.empty and not ground.decide(f"{name} is given"):
            given = parameter.default
        if parameter.kind is parameter.KEYWORD_ONLY:
            keywords[name] = given
        else:
            arguments.append(given)
    return arguments, keywords


def _instance(ground: Ground, cls: type) -> Any:
    """Return an instance whose constructor has not run: what it has not got is unknown."""

    def get(self: Any, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = StandIn(ground, f"self.{name}")
        object.__setattr__(self, name, value)
        return value

    space = {"__getattr__": get, "__setattr__": object.__setattr__, "__module__": cls.__module__}
    unmade: Any = type(cls)(cls.__name__, (cls,), space)
    unmade.__abstractmethods__ = frozenset()
    return object.__new__(unmade)
