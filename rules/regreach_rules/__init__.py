"""The rules and packs that ship with regreach, found through the entry-point group ``regreach.rules``."""
