"""Registrations that real libraries miss, in tiny projects: what happens there, and that an import mends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

PROJECTS = Path(__file__).parent / "projects"


@dataclass(frozen=True)
class Project:
    """A project that runs a library, what ``run.py`` prints in it, and the line that mends it."""

    needs: tuple[str, ...]
    package: str
    prints: str
    mended_prints: str
    path: str
    old: str
    new: str
    orphan: str  # the file that registers and that nothing imports


CELERY = Project(
    ("celery",),
    "mailer",
    "sent to Ann\nNotRegistered: 'reports.build'\n",
    "sent to Ann\nreport of May\n",
    "mailer/tasks/__init__.py",
    "import letters",
    "import letters, reports",
    "mailer/tasks/reports.py",
)
DJANGO = Project(
    ("django",),
    "shop",
    "taken from stock\n",
    "receipt sent, taken from stock\n",
    "shop/apps.py",
    "import stock",
    "import receipts, stock",
    "shop/receipts.py",
)
ALEMBIC = Project(
    ("alembic", "sqlalchemy"),
    "store",
    "op.drop_table('orders')\n",
    "nothing\n",
    "store/models/__init__.py",
    "import users",
    "import orders, users",
    "store/models/orders.py",
)
ALL = {"celery": CELERY, "django": DJANGO, "alembic": ALEMBIC}


def copied(name: str, where: Path, *, mended: bool) -> Path:
    """Copy a project, with the line that mends it or without."""
    shutil.copytree(PROJECTS / name, where, ignore=shutil.ignore_patterns("__pycache__"))
    if mended:
        project = ALL[name]
        file = where / project.path
        text = file.read_text(encoding="utf-8")
        assert project.old in text
        file.write_text(text.replace(project.old, project.new), encoding="utf-8")
    return where


@pytest.fixture(params=[False, True], ids=["as it is", "mended"])
def mended(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("name", ALL)
def test_what_the_library_does(name: str, mended: bool, tmp_path: Path) -> None:
    project = ALL[name]
    lacking = [need for need in project.needs if find_spec(need) is None]
    if lacking:
        pytest.skip(
            f"not installed: {', '.join(lacking)} (the group `libraries` of pyproject.toml)"
        )
    folder = copied(name, tmp_path / name, mended=mended)
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines(keepends=True) if "Generating" not in line]
    assert "".join(lines) == (project.mended_prints if mended else project.prints)
    if name == "celery":
        assert ("Received unregistered task of type 'reports.build'" in done.stderr) != mended
