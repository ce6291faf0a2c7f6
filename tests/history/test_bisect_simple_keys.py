"""``regreach bisect`` for keys of simple registries: what broke one that only its own name leads to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from command_line import run
from tree_making import git

PACK = """\
format = 1
name = "shop"
package = "shop"
process_roots = ["shop.server"]

[[simple_registries]]
id = "shop.handlers"
containers = ["shop.registry:HANDLERS"]
lookups = ["shop.registry:find"]
registrars = [{ function = "shop.registry:handles" }]
choices = ["shop.options:CHOICES"]

[platforms.till]
"""
FIRST = {
    "__init__.py": "",
    "options.py": 'CHOICES = ["card"]\n',
    "registry.py": """\
HANDLERS = {}
def handles(name):
    def decorator(handler):
        HANDLERS[name] = handler
        return handler
    return decorator
def find(name):
    return HANDLERS[name]
""",
    "server.py": "from shop import registry\nimport shop.card\n",
    "card.py": 'from shop.registry import handles\n@handles("card")\ndef pay(): ...\n',
    "cash.py": 'from shop.registry import handles\n@handles("cash")\ndef pay(): ...\n',
}
CHANGES: dict[str, Mapping[str, str]] = {
    "notes": {"notes.py": "NUMBER = 1\n"},
    "no import": {"server.py": "from shop import registry\n"},
    "more notes": {"notes.py": "NUMBER = 2\n"},
    "imported again": {"server.py": "import shop.registry, shop.card, shop.cash\n"},
    "last notes": {"notes.py": "NUMBER = 3\n"},
    "no cash": {"cash.py": "", "notes.py": ""},
}


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A repository, and its commits by their messages."""
    root = tmp_path / "repository"
    (root / "shop").mkdir(parents=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    at = {}
    for message, files in {"first": FIRST, **CHANGES}.items():
        for name, text in files.items():
            (root / "shop" / name).write_text(text, encoding="utf-8")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", f"--message={message}")
        at[message] = git(root, "rev-parse", "HEAD")
    (tmp_path / "pack.toml").write_text(PACK, encoding="utf-8")
    return root, at


def bisected(made: tuple[Path, dict[str, str]], key: str, good: str, bad: str) -> dict[str, object]:
    root, at = made
    ends = ("--good", at[good], "--bad", at[bad], "--pack", str(root.parent / "pack.toml"))
    done = run("bisect", key, str(root), *ends, "--format", "json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    names = {commit: message for message, commit in at.items()}
    commits = [names[commit["commit"]] for commit in document["commits"]]
    states = [[e["path"] for e in document[side]["entries"]] for side in ("before", "after")]
    return {
        "commits": commits,
        "entries": states,
        "told by": document["told_by"],
        "change": document["change"],
    }


def test_what_a_finding_tells(repository: tuple[Path, dict[str, str]]) -> None:
    """Nothing loads the module any more: the entry is there before and after."""
    found = bisected(repository, "card", "first", "more notes")
    assert found == {
        "commits": ["no import"],
        "entries": [["shop/card.py"], ["shop/card.py"]],
        "told by": "RR101",
        "change": "broke",
    }
    assert bisected(repository, "card", "last notes", "no import")["commits"] == ["imported again"]


def test_what_only_the_registration_tells(repository: tuple[Path, dict[str, str]]) -> None:
    found = bisected(repository, "cash", "imported again", "no cash")
    assert found == {
        "commits": ["no cash"],
        "entries": [["shop/cash.py"], []],
        "told by": "registrations",
        "change": "broke",
    }


def test_a_key_that_is_not_there_or_the_same(repository: tuple[Path, dict[str, str]]) -> None:
    root, at = repository
    ends = ("--good", at["imported again"], "--bad", at["last notes"])
    pack = ("--pack", str(root.parent / "pack.toml"))
    done = run("bisect", "crad", str(root), *ends, *pack)
    assert done.code == 2
    assert 'no registry has the key ("crad",)' in done.err
    assert done.err.rstrip().endswith("near are: card")
    done = run("bisect", "cash", str(root), *ends, *pack)
    assert done.code == 2
    assert "registered at shop/cash.py:2 (reach process), and nothing is found" in done.err
