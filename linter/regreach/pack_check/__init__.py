"""Whether a pack fits a tree: which of its names are not there."""
