"""Build grimp's graph of a package: ``python grimp_graph.py TREE PACKAGE CACHE``.

Prints as JSON how many modules and imports it has, and whether the package was imported on the way.
"""

import json
import sys

import grimp

tree, package, cache = sys.argv[1:]
sys.path.insert(0, tree)
graph = grimp.build_graph(package, cache_dir=cache)
print(
    json.dumps(
        {
            "modules": len(graph.modules),
            "imports": graph.count_imports(),
            "executed": package in sys.modules,
        }
    )
)
