"""``python -m tests.discover [NAME ...]``: precision and recall on published packages.

They are fetched from the package index (once, into the user's cache; several hundred megabytes) and read, not run.
Ends with 1 when something else is found or missed than ``truth.toml`` knows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from regreach.discover.opened import Asked, discovered

from .truth import judged, markdown, packages


def main(names: Sequence[str]) -> int:
    """Judge the packages whose requirement begins with one of the names; all without any."""
    results = []
    for entry in packages():
        if names and not entry["requirement"].startswith(tuple(names)):
            continue
        begun = time.monotonic()
        found, _ = discovered(Asked(entry["requirement"], package=entry.get("package")))
        result = judged(entry, found)
        result.seconds = time.monotonic() - begun
        results.append(result)
        print(f"{entry['requirement']}: {result.seconds:.1f} s", file=sys.stderr)
        for surprise in result.surprises:
            print(f"    {surprise}", file=sys.stderr)
    print(markdown(results))
    return int(any(result.surprises for result in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
