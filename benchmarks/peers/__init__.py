"""What runs of other tools' libraries: programs of their own, so that their start counts."""
