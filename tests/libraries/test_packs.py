"""The packs for libraries that any package may use, on the projects that the libraries themselves have judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Done, fails, run
from regreach_rules import PACKS
from test_libraries import ALL, copied
from tree_making import Files, write


def checked(folder: Path, name: str, *options: str) -> Done:
    return run("check", str(folder), "--pack", name, "--package", ALL[name].package, *options)


@pytest.mark.parametrize("name", ALL)
def test_what_nothing_imports_is_found(name: str, tmp_path: Path) -> None:
    done = checked(copied(name, tmp_path / name, mended=False), name)
    heads = [line for line in done.out.splitlines() if not line.startswith(" ")]
    assert (done.code, len(heads)) == (1, 1), done
    assert heads[0].startswith(f"{ALL[name].orphan}:")
    assert ": RR101 " in heads[0]


@pytest.mark.parametrize("name", ALL)
def test_the_import_mends_it(name: str, tmp_path: Path) -> None:
    done = checked(copied(name, tmp_path / name, mended=True), name)
    assert done == Done(0, "", "no findings\n")


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("celery", {"mailer/config.py": 'imports = ("mailer.tasks.letters", "mailer.tasks.reports")\n'}),
        ("celery", {"mailer/more.py": "from mailer.celery import app\n\napp.autodiscover_tasks()\n"}),
        ("celery", {"mailer/worker.py": "import mailer.tasks.reports  # noqa: F401\n"}),
        ("celery", {"mailer/tasks/letters.py": "def late():\n    from mailer.tasks import reports\n"}),
        ("django", {"shop/settings.py": 'MIDDLEWARE = ["shop.receipts.Middleware"]\n'}),
        ("django", {"shop/models.py": "from shop import receipts  # noqa: F401\n"}),
        ("django", {"shop/receipts.py": "def send_receipt():\n    '''@receiver(order_paid)'''\n"}),
        ("alembic", {"store/models/users.py": "from store.models import orders  # noqa: F401\n"}),
        ("alembic", {"store/models/orders.py": "from store.other import Base\n\n\nclass Order(Base):\n    x = 1\n"}),
    ],
)  # fmt: skip
def test_other_ways_to_be_loaded(name: str, files: Files, tmp_path: Path) -> None:
    folder = write(copied(name, tmp_path / name, mended=False), files)
    assert checked(folder, name) == Done(0, "", "no findings\n")


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        (
            "celery",
            "mailer/tasks/more.py",
            "from mailer.celery import app\n\n\n@app.task\ndef more():\n    pass\n",
        ),
        (
            "celery",
            "mailer/tasks/more.py",
            "import celery\n\n\n@celery.shared_task(bind=True)\ndef more(self):\n    pass\n",
        ),
        (
            "django",
            "shop/more.py",
            "from django import dispatch\n\nfrom shop.signals import order_paid\n\n\n"
            "@dispatch.receiver([order_paid])\ndef more(**_):\n    pass\n",
        ),
        (
            "alembic",
            "store/more.py",
            "from store import base\n\n\nclass More(base.Base):\n    __tablename__ = 'more'\n",
        ),
    ],
)
def test_other_forms_of_registration(name: str, path: str, text: str, tmp_path: Path) -> None:
    folder = write(copied(name, tmp_path / name, mended=True), {path: text})
    done = checked(folder, name)
    assert done.code == 1, done
    assert done.out.startswith(f"{path}:")
    assert done.out.splitlines()[0].partition("RR101 ")[2].startswith('"more" is registered here')


def test_without_a_root_nothing_is_judged_and_that_is_said(tmp_path: Path) -> None:
    folder = copied("alembic", tmp_path / "alembic", mended=False)
    (folder / "store" / "migrations" / "env.py").unlink()
    done = checked(folder, "alembic")
    assert (done.code, done.out) == (0, "")
    assert "note: this tree has none of the roots of sqlalchemy.models" in done.err


def test_the_package_is_named(tmp_path: Path) -> None:
    folder = copied("celery", tmp_path / "celery", mended=False)
    target = str(folder)
    says = "pack celery: is for any package: say of which with --package, or with `package` in a configuration file"
    assert fails(run("check", target, "--pack", "celery"), 2) == says
    says = "the package must be one top-level name, not 'a.b'"
    assert fails(run("check", target, "--pack", "celery", "--package", "a.b"), 2) == says
    says = "pack sglang: is of the package 'sglang'; only a pack for any package can be of 'mailer'"
    assert fails(run("check", target, "--pack", "sglang", "--package", "mailer"), 2) == says
    known = ", ".join(sorted(PACKS))
    says = f"no installed pack is of the package 'mailer'; name one for any with --pack; installed are: {known}"
    assert fails(run("check", target, "--package", "mailer"), 2) == says
    assert "no package 'letter' in" in fails(
        run("check", target, "--pack", "celery", "--package", "letter"), 3
    )
    (folder / "regreach.toml").write_text('pack = "celery"\npackage = "mailer"\n', encoding="utf-8")
    assert run("check", target).out == checked(folder, "celery").out
    row = next(
        line for line in run("config", target).out.splitlines() if line.startswith("package ")
    )
    assert row.split()[1] == '"mailer"'
    assert row.endswith("regreach.toml: package")


def test_a_pack_of_ones_own_for_any_package(tmp_path: Path) -> None:
    """Begun from an installed one, as the documents say."""
    folder = copied("celery", tmp_path / "celery", mended=False)
    own = tmp_path / "own.toml"
    text = run("pack", "show", "celery").out
    own.write_text(
        text.replace('"{package}.worker",', '"{package}.tasks.reports",'), encoding="utf-8"
    )
    done = run("check", str(folder), "--pack", str(own), "--package", "mailer")
    assert done == Done(0, "", "no findings\n")
    checked_pack = run("pack", "check", str(own), str(folder), "--package", "mailer")
    assert "this tree has no module 'mailer.celery_app'" in checked_pack.out
    assert checked_pack.code == 0


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("celery", [("mailer/tasks/__init__.py", True, ["letters.send"])]),
        ("django", [("shop/apps.py", True, ["take_from_stock"])]),
        (
            "alembic",
            [
                ("store/migrations/env.py", False, ["users"]),
                ("store/models/__init__.py", True, ["users"]),
            ],
        ),
    ],
)
def test_the_imports_that_must_not_be_lost(
    name: str, listed: list[tuple[str, bool, list[str]]], tmp_path: Path
) -> None:
    folder = str(copied(name, tmp_path / name, mended=False))
    options = ("--pack", name, "--package", ALL[name].package)
    document = run("side-effects", folder, *options, "--format", "json", "-q").json()
    found = [
        (each["path"], each["direct"], [e["key"] for e in each["entries"] if e["lost"]])
        for each in document["imports"]
    ]
    assert found == listed
    assert "without it    nothing loads" in run("side-effects", folder, *options).out
    assert list(document["per_file_ignores"]) == [path for path, _, _ in listed]
