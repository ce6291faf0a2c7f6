"""Run-time truth: the tree's own modules executed, in fresh processes, with stand-ins for what is missing.

This is the judge of all verdicts, and the only part that runs a tree's code. ``inside`` is what runs
in those processes: it needs the standard library only, since their interpreter may be another one.
"""
