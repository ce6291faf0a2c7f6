"""What a run of one registration on a GPU needs: see docs/smokes.md.

These files are imported by processes of the smoke stage, in an interpreter that need not have regreach;
they may count on numpy, and inside functions on what the pack's smoke says it needs.
"""
