"""How the names of archives end that can be a target."""

from __future__ import annotations

ZIP_SUFFIXES = (".whl", ".zip")
TAR_SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
ARCHIVES = ZIP_SUFFIXES + TAR_SUFFIXES
