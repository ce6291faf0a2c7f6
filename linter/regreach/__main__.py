"""``python -m regreach``."""

from regreach.cli import main

main()
