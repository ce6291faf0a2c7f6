"""Where the cache lies."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest
from regreach.tree.user_cache import cache_root, make_cache


def test_the_users_cache_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("REGREACH_CACHE_DIR", raising=False)
    assert cache_root() == platformdirs.user_cache_path("regreach", appauthor=False)
    monkeypatch.setenv("REGREACH_CACHE_DIR", str(tmp_path / "a"))
    assert cache_root() == tmp_path / "a"
    assert cache_root(tmp_path / "b") == tmp_path / "b"
    assert not any(tmp_path.iterdir())


def test_the_marks_of_a_cache_are_left_alone_once_written(tmp_path: Path) -> None:
    make_cache(tmp_path, "facts")
    (tmp_path / ".gitignore").write_text("mine", encoding="utf-8")
    assert make_cache(tmp_path, "facts") == tmp_path / "facts"
    assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == "mine"
