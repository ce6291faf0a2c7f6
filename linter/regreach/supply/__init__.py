"""The facts of many modules, soon: parsed by several processes, and kept from run to run.

All of it is about time only. Whatever is not predicted, not kept or damaged is parsed when it is
asked for, with the same result.
"""
