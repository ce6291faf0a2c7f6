"""Registries that no pack describes: found by what the functions of a tree do with what they are given.

Nothing here knows a name of a framework. A registrar is a function that keeps its argument in a container
which lives as long as the process; all else (registrations, look-ups, consumers) follows from that.
"""
