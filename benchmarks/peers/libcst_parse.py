"""Parse every Nth file of a tree with libcst and do nothing with it: ``python libcst_parse.py TREE N``.

Prints as JSON the bytes that were parsed and that there are, and the seconds that parsing them took.
"""

import json
import sys
import time
from pathlib import Path

import libcst

tree, every = sys.argv[1:]
files = sorted(Path(tree).rglob("*.py"))
total = sum(file.stat().st_size for file in files)
parsed = failed = 0
wall, cpu = time.perf_counter(), time.process_time()
for file in files[:: int(every)]:
    data = file.read_bytes()
    parsed += len(data)
    try:
        libcst.parse_module(data)
    except libcst.ParserSyntaxError:
        failed += 1
print(
    json.dumps(
        {
            "files": len(files[:: int(every)]),
            "failed": failed,
            "parsed": parsed,
            "total": total,
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
        }
    )
)
