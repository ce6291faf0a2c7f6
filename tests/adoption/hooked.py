"""A repository whose commits are checked by pre-commit with the hooks of this one, as its users have it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from command_line import ROOT, with_cache
from tree_making import Files, git, write

# What is built and installed; a checkout has more, and an unpacked sdist no git history.
_INSTALLED = ("linter", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
# What pip and git say when the index cannot be reached.
_UNREACHABLE = re.compile(
    r"NewConnectionError|Max retries exceeded|ConnectTimeout|ReadTimeout|ProxyError"
    r"|Temporary failure in name resolution|\(from versions: none\)"
)


@dataclass(frozen=True)
class Ended:
    code: int
    text: str  # without colours


@dataclass(frozen=True)
class Hooks:
    """This repository as a clone with one commit, and where pre-commit keeps its environments."""

    clone: Path
    home: Path

    @property
    def rev(self) -> str:
        return git(self.clone, "rev-parse", "HEAD")

    def config(self, **hook: Any) -> str:
        hooks = [{"id": "regreach", **hook}]
        return yaml.safe_dump(
            {"repos": [{"repo": str(self.clone), "rev": self.rev, "hooks": hooks}]}
        )

    def environment(self) -> dict[str, str]:
        """The environment of a user's shell: nothing of these tests leads to regreach's sources."""
        left_out = re.compile(r"GIT_|PYTHON|PRE_COMMIT|VIRTUAL_ENV|SKIP$")
        env = {key: value for key, value in os.environ.items() if not left_out.match(key)}
        env |= {"PRE_COMMIT_HOME": str(self.home), "PRE_COMMIT_COLOR": "never"}
        env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1"}
        return with_cache(env)


def clone_here(folder: Path) -> Path:
    """Commit what lies in this working tree to a repository of its own."""
    folder.mkdir()
    for name in _INSTALLED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message=all")
    return folder


def why_unreachable(text: str) -> str | None:
    """Return the words that say that the package index was not reached."""
    found = _UNREACHABLE.search(text)
    return found.group() if found else None


@dataclass(frozen=True)
class Hooked:
    """A repository with the hooks installed."""

    folder: Path
    hooks: Hooks
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def made(cls, folder: Path, hooks: Hooks, files: Files, config: str) -> Hooked:
        write(folder, {**files, ".pre-commit-config.yaml": config})
        git(folder, "init", "--quiet", "--initial-branch=main")
        git(folder, "config", "user.name", "A")
        git(folder, "config", "user.email", "a@example.org")
        made = cls(folder, hooks, hooks.environment())
        assert made.pre_commit("install").code == 0
        git(folder, "add", "--all")
        return made

    def pre_commit(self, *arguments: str) -> Ended:
        return self._run(sys.executable, "-m", "pre_commit", *arguments)

    def commit(self) -> Ended:
        """Commit what is staged, as a user does."""
        return self._run("git", "commit", "--message=change")

    def head(self) -> str:
        return git(self.folder, "rev-parse", "HEAD")

    def _run(self, *command: str) -> Ended:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Ended(done.returncode, done.stdout)
