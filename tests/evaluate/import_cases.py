# ruff: noqa: E501
"""Small packages whose imports were once predicted wrongly."""

from __future__ import annotations

from collections.abc import Mapping

Files = Mapping[str, str]

# Found by the property test and made small.
CASES: dict[str, Files] = {
    "a name that is bound nowhere": {"p/__init__.py": "", "p/a.py": "K = 1\nL = M\n"},
    "a name that is bound later": {
        "p/__init__.py": "from p import a\nK = 1\n",
        "p/a.py": "def f():\n    return K\nimport p.b\nK = 2\n",
        "p/b.py": "from p.a import f\nL = f()\n",
    },
    "a local name hides the global one": {"p/a.py": "K = 1\ndef f():\n    K = K\nf()\n"},
    "del of what is not bound": {"p/a.py": "del K\n", "p/b.py": "def f():\n    del K\nf()\n"},
    "an attribute that a module has not yet": {
        "p/__init__.py": "import p.a\nK = 1\n",
        "p/a.py": "import p\nL = p.K\n",
        "p/b.py": "import p.c\n",
        "p/c.py": "import p\nL = p.c.K\n",
        "p/d.py": "import p.a\nL = p.a.M\n",
    },
    "an attribute that a class has not": {"p/a.py": "class A:\n    K = 1\nL = A.K\nM = A.L\n"},
    "an attribute that a constant has not": {
        "p/__init__.py": "a = 0\n",
        "p/a.py": "import p.a as m\nm.f()\n",  # m is p's constant, for the module is not bound yet
        "p/b.py": "K = None\nK.f()\n",
    },
    "operands that do not fit": {
        "p/a.py": "__all__ = ()\n__all__ += ['K']\n",
        "p/b.py": "K = 'a' + 1\n",
        "p/c.py": "K = 1 / 0\n",
        "p/d.py": "K = []\nK += (1,)\nL = [1] + (2,)\n",
        "p/e.py": "K = '%s-%d' % ('a', 1)\nL = None + (1,)\n",
    },
    "files that do not parse": {
        "p/__init__.py": "",
        "p/a.py": "if True:\nK = 1\n",
        "p/b.py": "K = (\n",
        "p/c.py": "try:\n    import p.a\nexcept SyntaxError:\n    K = 1\n",
        "p/d.py": "K = 1\nreturn K\n",
    },
    "messages of exceptions": {
        "p/__init__.py": "class E(ImportError):\n    pass\n",
        "p/a.py": "raise ImportError('no')\n",
        "p/b.py": "raise KeyError('no')\n",
        "p/c.py": "raise ValueError('no', 1)\n",
        "p/d.py": "from p import E\nraise E('no')\n",
        "p/e.py": "from p import E\nraise E\n",
    },
    "__import__": {
        "p/__init__.py": "",
        "p/a/__init__.py": "",
        "p/a/b.py": "K = 1\n",
        "p/b.py": "K = __import__('p.a.b')\n",
        "p/c.py": "K = __import__('p.a', fromlist=['b', 'c'])\n",
        "p/d.py": "K = __import__('p.a', None, None, ('b',), 0)\n",
        "p/e.py": "K = __import__('p.a', fromlist=[])\n",
    },
    "import_module of a relative name": {
        "p/__init__.py": "",
        "p/a.py": "import importlib\nK = importlib.import_module('.b', __package__)\n",
        "p/b.py": "",
        "p/c/__init__.py": "import importlib\nK = importlib.import_module('..b', __name__)\n",
        "p/d.py": "import importlib\nK = importlib.import_module('..b', package=__package__)\n",
    },
    "sys.modules": {
        "p/__init__.py": "",
        "p/a.py": "import sys\nK = 'p.b' in sys.modules\nL = sys.modules.get('p.b')\n",
        "p/b.py": "import p.a, sys\nK = sys.modules['p.a'].L\n",
        "p/c.py": "import sys\nK = 'p.no' in sys.modules\nL = sys.modules['p.no']\n",
        "p/d.py": "import sys\nK = sys.modules['p.d']\n",
    },
    "a hook that raises": {
        "p/__init__.py": "def __getattr__(name):\n    raise AttributeError(f'no {name} here')\n",
        "p/a.py": "import p\nK = p.K\n",
        "p/b.py": "from p import K\n",
        "p/c.py": "import p\nK = getattr(p, 'K', 1)\nL = hasattr(p, 'K')\n",
    },
    "a hook is asked before the next name is loaded": {
        "p/__init__.py": "def __getattr__(name):\n    if name == 'K':\n        import p.a\n        return 1\n    raise AttributeError(name)\n",
        "p/a.py": "",
        "p/b.py": "",
        "p/c.py": "from p import K, b\n",
    },
    "pkgutil passes over folders without __init__": {
        "p/__init__.py": "",
        "p/a.py": "import importlib, pkgutil, p\nfor i in pkgutil.iter_modules(p.__path__, 'p.'):\n    importlib.import_module(i.name)\n",
        "p/b/c.py": "",
        "p/d/__init__.py": "",
    },
    "walk_packages imports a package after yielding it": {
        "p/__init__.py": "import importlib, pkgutil\nfor _, name, ispkg in pkgutil.walk_packages(__path__, 'p.'):\n    importlib.import_module(name)\n",
        "p/a.py": "",
        "p/b/__init__.py": "",
        "p/b/c.py": "",
        "p/d.py": "",
    },
    "walk_packages with another prefix": {
        "p/__init__.py": "import pkgutil\nK = [name for _, name, _ in pkgutil.walk_packages(__path__)]\n",
        "p/a/__init__.py": "raise ValueError\n",
        "p/a/b.py": "",
        "p/c.py": "",
    },
    "walk_packages passes over a failed import": {
        "p/__init__.py": "import pkgutil\nK = [name for _, name, _ in pkgutil.walk_packages(__path__, 'p.')]\n",
        "p/a/__init__.py": "raise ImportError('no')\n",
        "p/a/b.py": "",
        "p/c.py": "",
    },
    "a loaded module is found without its parents": {
        "p/__init__.py": "",
        "p/a/__init__.py": "from p.a import b\nraise ValueError\n",
        "p/a/b.py": "K = 1\n",
        "p/c.py": "try:\n    import p.a\nexcept ValueError:\n    pass\nfrom p.a.b import K\n",
        "p/d.py": "try:\n    import p.a\nexcept ValueError:\n    pass\nfrom p.a import b\n",
    },
    "a star import of a name that is not there": {
        "p/a.py": "__all__ = ['K', 'L']\nK = 1\n",
        "p/b.py": "from p.a import *\n",
    },
    # one machine runs all imports of a package: a module may be replayed where it was not recorded
    "a submodule that somebody else loaded": {
        "p/a.py": "import p.b\nimport p.c\n",
        "p/b.py": "",
        "p/c.py": "import p\nK = hasattr(p, 'b')\n",
        "p/d.py": "import p.c\n",
        "p/e.py": "import p.c\nimport p.b\n",
    },
    "a star import of a package that has got more submodules": {
        "p/__init__.py": "",
        "p/a.py": "import p.b\nimport p.c\n",
        "p/b.py": "",
        "p/c.py": "from p import *\n",
        "p/d.py": "import p.c\n",
    },
    "a registry that others have filled": {
        "p/__init__.py": "",
        "p/a.py": "REG = {}\nITEMS = [0]\nclass Pool:\n    size = 0\npool = Pool()\nK = 0\n",
        "p/b.py": "from p.a import *\nREG['b'] = 1\nITEMS.append(1)\nPool.size += 1\npool.size += 1\n",
        "p/c.py": "from p.a import *\nL = ('b' in REG, len(REG), len(ITEMS), Pool.size, pool.size)\n",
        "p/d.py": "import p.b\nimport p.c\nimport p.a\np.a.K = 5\nimport p.e\n",
        "p/e.py": "from p.a import K, REG\nif 'b' in REG:\n    raise KeyError('b')\n",
        "p/f.py": "import p.e\nimport p.c\n",
    },
}
