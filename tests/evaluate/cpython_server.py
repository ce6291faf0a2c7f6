"""Runs small packages in CPython: one forked process for each case. Started by `cpython.py`, by its path.

Reads requests, one JSON object a line, from standard input, and answers each with one line.
"""

import importlib
import importlib.util
import json
import os
import pkgutil
import shutil
import sys
import tempfile
import types
import typing

# loaded before the fork, so that no case pays for them
PRELOADED = (importlib.util, pkgutil, typing, __import__("contextlib"), __import__("enum"))


def encoded(value, top):
    """Return a value as JSON that `abstract.py` makes of the abstract value, too."""
    if value is None or isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return ["const", repr(value)]
    if isinstance(value, types.ModuleType):
        inside = value.__name__.partition(".")[0] == top
        return ["module", value.__name__] if inside else ["other"]
    if type(value) in (tuple, list):
        return [type(value).__name__, [encoded(v, top) for v in value]]
    if isinstance(value, types.FunctionType):
        return ["function", value.__qualname__]
    if isinstance(value, type) and value.__module__.partition(".")[0] == top:
        names = {k: encoded(v, top) for k, v in vars(value).items() if not k.startswith("__")}
        return ["class", value.__qualname__, names]
    return ["other"]


def described(error):
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def imported(folder, top, names):
    """Import modules one after the other; return how each import ends and what is there after it."""
    sys.path.insert(0, folder)
    steps = []
    for name in names:
        try:
            importlib.import_module(name)
            ended = "ok"
        except BaseException as error:
            ended = described(error)
        loaded = [m for m in sys.modules if m.partition(".")[0] == top]
        bound = {
            m: {k: encoded(v, top) for k, v in vars(sys.modules[m]).items() if not k.startswith("__")}
            for m in loaded
            if isinstance(sys.modules[m], types.ModuleType)
        }
        steps.append({"ended": ended, "loaded": loaded, "bound": bound})
    return steps


def called(source, calls):
    """Run a module's text and evaluate expressions in it; return the value or the exception of each."""
    namespace = {"__name__": "p"}
    exec(compile(source, "<p>", "exec", dont_inherit=True), namespace)
    results = []
    for expression in calls:
        try:
            results.append(["value", encoded(eval(expression, namespace), "p")])
        except Exception as error:
            results.append(["raised", described(error)])
    return results


def in_fork(action):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            sys.stdout = sys.stderr = open(os.devnull, "w")
            answer = json.dumps(action())
            with os.fdopen(write, "w") as pipe:
                pipe.write(answer)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def main():
    sys.dont_write_bytecode = True
    for line in sys.stdin:
        request = json.loads(line)
        if "source" in request:
            answer = in_fork(lambda: called(request["source"], request["calls"]))
        else:
            folder = tempfile.mkdtemp(prefix="regreach-")
            try:
                for path, text in request["files"].items():
                    full = os.path.join(folder, path)
                    os.makedirs(os.path.dirname(full), exist_ok=True)
                    with open(full, "w", encoding="utf-8") as file:
                        file.write(text)
                answer = [
                    in_fork(lambda names=names: imported(folder, request["top"], names))
                    for names in request["orders"]
                ]
            finally:
                shutil.rmtree(folder)
        print(json.dumps(answer), flush=True)


main()
