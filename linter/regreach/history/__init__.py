"""Two revisions beside each other, and the commit between them that made the difference.

Revisions are read from git's objects: nothing is checked out, and the repository is not written to.
"""
