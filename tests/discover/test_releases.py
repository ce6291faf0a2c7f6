"""`regreach discover` on a published package: what was read in its sources, see ``truth.toml``."""

from __future__ import annotations

import pytest
from regreach.discover.opened import Asked, discovered
from regreach.errors import TargetError

from .truth import judged, packages

SMALL = ("timm", "mmengine", "lm-eval", "celery")


@pytest.mark.release
@pytest.mark.parametrize("name", SMALL)
def test_truth(name: str) -> None:
    (entry,) = (e for e in packages() if e["requirement"].startswith(f"{name}=="))
    try:
        found, _ = discovered(Asked(entry["requirement"], package=entry.get("package")))
    except TargetError as error:
        pytest.skip(str(error))
    assert judged(entry, found).surprises == []
