"""The smoke stage: a registration looked up and run for real, before and after its fix.

``run.py`` is the way in, ``judge.py`` says what counts as confirmed; ``inside`` runs in processes of its own.
"""
