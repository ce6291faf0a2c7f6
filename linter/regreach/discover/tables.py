"""Tables: dictionaries that are written down whole, from names to what other modules define."""

from __future__ import annotations

from collections.abc import Iterator

from regreach.discover.found import FoundRegistry
from regreach.discover.importing import Importing
from regreach.discover.reads import Reads
from regreach.discover.uses import Uses


def tables_of(uses: Uses, reads: Reads, importing: Importing) -> Iterator[FoundRegistry]:
    """Yield the tables of a tree."""
    return iter(())
