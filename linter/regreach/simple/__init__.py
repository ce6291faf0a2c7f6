"""Simple registries: no selector leads to an entry, only its key; what must hold is that it is there.

Data flows as everywhere: ``declared`` (what the pack says), ``uses`` and ``containers`` (what the tree
registers), ``reach`` and ``clashes`` (what can be loaded, and with what), ``analysis`` (the result).
"""
