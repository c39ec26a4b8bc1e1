# SPDX-License-Identifier: Apache-2.0
"""Runs whose zygote has packages loaded: they give what cold ones give, share no randomness, and a package that cannot be
had that way does no harm."""

import os
import shutil
import subprocess
import tempfile
import time

from feed import Feed
from same import comparable, run_warm

PYTHON = "/usr/bin/python3"
# Told without words that would make it a program of another kind.
LOADED = "import sys\nm = getattr(sys, 'mod' + 'ules')\nprint([n for n in ('numpy', 'pandas', 'scipy', 'sympy') if n in m])\n"

NUMPY = {
    "arrays": "import numpy as np; print(np.arange(12).reshape(3, 4) @ np.ones(4), np.__version__)",
    "an import in a function": "def f():\n    import numpy\n    return numpy.zeros(2)\nprint(f())",
    "linear algebra": "import numpy as np\na = np.random.default_rng(1).random((500, 500))\nb = a @ a\n"
    "print(np.allclose(np.linalg.inv(a) @ a, np.eye(500)), b.sum().round(3), np.linalg.eigvalsh(a + a.T)[-1].round(6))",
    "an exception": "import numpy as np\nprint('before')\nnp.ones(3) + np.ones(4)",
    "an error of a decomposition": "import numpy as np\nnp.linalg.inv(np.zeros((2, 2)))",
    "a warning": "import numpy as np\nprint(np.log(np.zeros(1)))",
    "warnings": "import numpy, warnings; print(warnings.filters)",
    "warnings as errors": "import warnings\nwarnings.simplefilter('error')\nimport numpy as np\nnp.log(0)",
    "errstate": "import numpy as np; print(np.geterr(), np.get_printoptions()['precision'])",
    "exit status": "import numpy; raise SystemExit(5)",
    "exit at once": "import numpy, os; print(1, flush=True); os._exit(3)",
    "the end": "import atexit, numpy\natexit.register(print, 'end')\nf = open('kept.txt', 'w'); f.write('kept')\nprint('begin')",
    "what C has written": "import ctypes, numpy\nctypes.CDLL(None).printf(b'from C\\n')",
    "seeds": "import numpy as np, random\nnp.random.seed(5); random.seed(5)\nprint(np.random.rand(3), random.random(), np.random.default_rng(1).random())",
    "path": "import numpy, sys; print(sys.path, sys.argv, sys.executable)",
    "path before": "import sys; print(sys.path)\nimport numpy",
    "site": "import numpy, site; print(site.getsitepackages(), site.ENABLE_USER_SITE)",
    "builtins": "import numpy, builtins; print(sorted(dir(builtins)), repr(exit), repr(quit))",
    "environment": "import numpy, os; print(sorted((k, v) for k, v in os.environ.items() if k not in ('PATH', '_')))",
    "main": "import numpy\nprint(__name__, __file__, sorted(globals()))",
    "where it is": "import numpy, platform, tempfile, os; print(platform.node(), platform.platform(), tempfile.gettempdir(), os.getcwd())",
    "threads": "import numpy as np, threading\nt = threading.Thread(target=lambda: print(np.ones((200, 200)).dot(np.ones(200)).sum()))\n"
    "t.start(); t.join()\nprint(threading.active_count(), threading.main_thread().native_id == threading.get_native_id())",
    "a pool of threads": "import numpy as np\nfrom concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(3) as p: print(list(p.map(lambda n: np.ones((n, n)).sum(), range(5))))",
    "threads of the library": "import numpy as np, os\nnp.ones((300, 300)) @ np.ones((300, 300)); print(len(os.listdir('/proc/self/task')))",
    "a fork": "import numpy as np, os\np = os.fork()\nif not p:\n    print(np.ones((50, 50)).dot(np.ones(50)).sum(), flush=True); os._exit(4)\n"
    "print(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]))",
    "processes": "import multiprocessing as m, numpy as np\ndef f(x): return np.arange(x).sum()\n"
    "if __name__ == '__main__':\n    with m.Pool(2) as p: print(p.map(f, range(4)))",
    "children": "import numpy, subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'import numpy; print(numpy.ones(2))'], capture_output=True, text=True).stdout)",
    "types of ctypes": "import ctypes, numpy as np\na = np.arange(3.0)\np = a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)); print(p[2])\n"
    "print(np.ctypeslib.as_array((ctypes.c_int * 2)(7, 8)))",
    "files": "import numpy as np\nnp.save('a.npy', np.eye(2)); print(np.load('a.npy'), np.loadtxt('data.csv', delimiter=',', skiprows=1))",
    "descriptors": "import numpy, os; print(len(os.listdir('/proc/self/fd')))",
    "the log": "import logging, numpy\nlogging.basicConfig(format='%(message)s %(relativeCreated)d')\n"
    "r = logging.makeLogRecord({}); import time; print(0 <= time.time() - logging._startTime < 60)",
    "frames": "import numpy, sys; print(sys._getframe(0).f_back)",
    "out of memory": "import numpy as np\nx = [np.ones(1 << 20) for _ in range(1000)]",
    "a module that is missing": "import numpy\nimport nothing_of_this_name",
    "a syntax error": "import numpy\nprint(1\n",
    "more packages": "import numpy, dateutil, six; print(dateutil.__name__, six.__name__)",
    "a chart": "import numpy as np\nimport matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\nplt.plot(np.arange(3)); plt.title('T'); plt.show()",
}
PANDAS = {
    "frames": "import pandas as pd\nf = pd.DataFrame({'a': [1, 2, 1], 'b': [1.5, 2, 4]})\nprint(f.groupby('a')['b'].agg(['mean', 'max']), f.describe(), f.dtypes)",
    "a table": "import pandas as pd\nf = pd.read_csv('data.csv')\nprint(f.to_json(), f.merge(f, on='a'), f.pivot_table(index='a', values='b'))\nf.to_csv('new.csv')",
    "dates": "import pandas as pd\ns = pd.Series(range(4), index=pd.date_range('2020-02-28', periods=4, tz='Europe/Berlin'))\nprint(s.resample('2D').sum(), s.index.tz)",
    "options": "import pandas as pd\nprint(pd.get_option('display.width'), pd.get_option('mode.chained_assignment'))",
    "an exception of pandas": "import pandas as pd\npd.DataFrame({'a': [1]})['b']",
    "a warning of pandas": "import pandas as pd\nf = pd.DataFrame({'a': [1, 2]})\ng = f[f.a > 1]\ng['a'] = 5\nprint(g)",
    "shown": "import pandas as pd\ndisplay(pd.DataFrame({'a': [1]}))",
    "modules": "import pandas, sys, warnings; print(sys.path, warnings.filters)",
}
MORE = {
    "pyarrow behind pandas": "import os, pandas as pd, pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq\n"
    "t = pa.table({'a': list(range(100000))}); pq.write_table(t, 'a.parquet')\n"
    "print(pd.read_parquet('a.parquet').a.sum(), pc.sum(t['a']), pd.Series(['x', 'y']).str.upper().sum())\n"
    "print(pa.default_memory_pool().backend_name, os.environ.get('JE_ARROW_MALLOC_CONF'))",
    "scipy": "from scipy import integrate, optimize, stats\nprint(round(stats.norm.cdf(1), 9), optimize.brentq(lambda x: x * x - 2, 0, 2), integrate.quad(lambda x: x, 0, 1))",
    "scipy in Fortran": "import numpy as np\nfrom scipy.integrate import odeint\nprint(odeint(lambda y, t: y * y, [1.0], np.linspace(0, 2, 5), mxstep=5)[0])",
    "sympy": "from sympy import *\nx = symbols('x'); print(solve(x**2 - 2, x), integrate(sin(x) * x, x), diff(exp(x) * x), Dummy())",
    "sympy and pandas": "import sympy, pandas; print(sympy.Rational(1, 3), pandas.Series([1]).sum())",
}
FILES = {"data.csv": "a,b\n1,2\n3,4\n"}
MORE_MEMORY = {"files": FILES, "pids": 40, "memory": 400 << 20}


def installed(*names):
    code = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(n) is None for n in sys.argv[1:]))"
    return subprocess.run([PYTHON, "-c", code, *names]).returncode == 0


def same(tap, feed, name, code, **more):
    cold = feed.run(code, warm=False, **more)
    warm = run_warm(feed, code, **more)
    a, b = comparable(cold), comparable(warm)
    if cold["verdict"]["allowed"]:
        tap.ok(warm["taken"] != "cold", name + ": warm", feed.stats())
    tap.ok(a == b, name + ": the same", *["%s: cold %r" % (k, a[k]) for k in a if a[k] != b[k]],
           *["%s: warm %r" % (k, b[k]) for k in a if a[k] != b[k]])
    return warm


def zygotes(feed, wanted, seconds=90):
    """How many there are, once that many have been started."""
    end = time.monotonic() + seconds
    while feed.stats()["zygotes"] < wanted and time.monotonic() < end:
        time.sleep(0.05)
    return feed.stats()["zygotes"]


def test_kinds(tap):
    with Feed() as feed:
        tap.equal(run_warm(feed, LOADED)["stdout"], "[]\n", "a program without packages has none")
        tap.equal(run_warm(feed, LOADED + "import numpy\n")["stdout"], "['numpy']\n", "one that imports numpy has it")
        tap.equal(zygotes(feed, 2), 2, "of another zygote")
        tap.equal(run_warm(feed, LOADED)["stdout"], "[]\n", "and the first still has none")
        run_warm(feed, "# import numpy, of all\nprint(1)")
        tap.equal(run_warm(feed, LOADED + "import pandas as pd\n")["stdout"], "['numpy', 'pandas']\n", "one that imports pandas has both")
        tap.equal(zygotes(feed, 3), 3, "there is a zygote for each list, and no more")
        stats = feed.stats()
        tap.equal((stats["died"], stats["problem"]), (0, ""), "nothing went wrong")


def test_same(tap, programs, **more):
    with Feed() as feed:
        for name, code in programs.items():
            same(tap, feed, name, code, **dict(MORE_MEMORY, **more))


def test_random(tap):
    programs = {"numpy.random": "import numpy as np; print(np.random.rand(), np.random.randint(1 << 30))",
                "a generator": "import numpy as np; print(np.random.default_rng().random())",
                "random": "import numpy, random; print(random.random())"}
    if installed("sympy"):
        programs["sympy's own"] = "from sympy.core.random import rng; print(rng.random())"
    with Feed() as feed:
        for name, code in programs.items():
            results = [run_warm(feed, code) for _ in range(4)]
            tap.equal(len({r["stdout"] for r in results}), 4, name + " is different in each", *results)
            tap.ok(all(r["taken"] != "cold" and r["success"] for r in results), name + ": warm")


def test_variables(tap):
    """Those that are read at import are honoured."""
    count = "import numpy as np, os\nnp.ones((500, 500)) @ np.ones((500, 500))\nprint(len(os.listdir('/proc/self/task')))\n"
    with Feed() as feed:
        same(tap, feed, "threads asked for", count + LOADED, env=["OPENBLAS_NUM_THREADS=2", "OMP_NUM_THREADS=2"])
        same(tap, feed, "threads asked for by the program",
             "import os\nos.environ.update(OPENBLAS_NUM_THREADS='2', OMP_NUM_THREADS='2')\n" + count)
        same(tap, feed, "two processors", count, cpu_milli=2000)
        inner = run_warm(feed, LOADED + "import numpy\n", cpu_milli=2000)
        tap.equal(inner["stdout"], "['numpy']\n", "a library that ends its threads at a fork is loaded before")
        same(tap, feed, "another variable", "import numpy, os; print(os.environ['COLOUR'])", env=["COLOUR=red"])
        same(tap, feed, "a time zone", "import numpy, time; print(time.tzname, time.localtime(0).tm_hour)", env=["TZ=America/New_York"])
        same(tap, feed, "a time zone alone", "import time; print(time.tzname, time.localtime(0).tm_hour)", env=["TZ=America/New_York"])


def test_files(tap):
    """What lies beside a program comes before what is installed, loaded or not."""
    says = "print('mine', __name__)\ndef f(): return 1\n"
    with Feed() as feed:
        for name in ("numpy.py", "queue.py", "random.py", "json/__init__.py", "pandas.py"):
            module = name.partition(".")[0].partition("/")[0]
            same(tap, feed, name, "import numpy, %s as m; print(m.f())\n" % module, files={name: says})
        same(tap, feed, "a helper", "import numpy, helper; print(helper.f())", files={"helper.py": says, "json/data.txt": "", "random.csv": ""})
        result = run_warm(feed, LOADED + "import numpy\n", files={"helper.py": says, "random.csv": ""})
        tap.equal(result["stdout"], "['numpy']\n", "with other files beside it, the package is loaded before")


# ---- packages that cannot be loaded before ----

def make_python(folder, packages):
    """A virtual environment with these, each of one file."""
    version = subprocess.run([PYTHON, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
    site = os.path.join(folder, "lib", version.stdout.strip(), "site-packages")
    os.makedirs(site)
    os.makedirs(os.path.join(folder, "bin"))
    os.symlink(PYTHON, os.path.join(folder, "bin", "python3"))
    with open(os.path.join(folder, "pyvenv.cfg"), "w") as f:
        f.write("home = /usr/bin\ninclude-system-site-packages = false\n")
    for name, text in packages.items():
        os.makedirs(os.path.join(site, name))
        with open(os.path.join(site, name, "__init__.py"), "w") as f:
            f.write(text)
    for top, _, _ in os.walk(folder):
        os.chmod(top, 0o755)


ARROW = """
import ctypes, threading, time
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
if b'background_thread:false' not in (getenv(b'JE_ARROW_MALLOC_CONF') or b''):
    threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
class Later:
    def __str__(self):
        return repr(getenv(b'JE_ARROW_MALLOC_CONF'))
x = Later()
"""
FAKES = {
    "that is quiet": ("x = 1\n", ["numpy"]),
    "that has a thread": ("import threading, time\nthreading.Thread(target=time.sleep, args=(3,), daemon=True).start()\nx = 1\n", []),
    "that has Arrow's allocator": (ARROW, ["numpy"]),
    "that says something": ("print('hello from numpy')\nx = 1\n", []),
    "that warns": ("import warnings\nwarnings.warn('old', DeprecationWarning, stacklevel=2)\nx = 1\n", []),
    "that keeps a file open": ("f = open('/etc/passwd' if 0 else '/dev/null')\nx = 1\n", []),
    "that fails": ("raise RuntimeError('not here')\n", []),
    "that ends": ("raise SystemExit(3)\n", []),
}


def test_fakes(tap):
    for name, (text, loaded) in FAKES.items():
        folder = tempfile.mkdtemp(prefix="warm-modules-")
        try:
            make_python(folder, {"numpy": text})
            with Feed(path=os.path.join(folder, "bin")) as feed:
                same(tap, feed, "a package " + name, "print('begin')\nimport numpy\nprint(numpy.x)\n")
                result = run_warm(feed, LOADED + "try:\n    import numpy\nexcept BaseException: pass\n")
                tap.equal(result["stdout"].splitlines()[:1], [repr(loaded)], "a package %s: loaded before or not" % name, result)
                tap.equal(feed.stats()["problem"], "", "a package %s: no problem" % name)
        finally:
            shutil.rmtree(folder)


def test_slow(tap):
    """While a zygote takes long to start, what others' runs have taken is made anew."""
    folder = tempfile.mkdtemp(prefix="warm-modules-")
    try:
        make_python(folder, {"numpy": "import sys, time\ntime.sleep(8 if 'numpy' in sys.argv else 0)\n"})
        with Feed(path=os.path.join(folder, "bin")) as feed:
            feed.warm_up()
            feed.run("import numpy")
            begin, ready = time.monotonic(), 0
            while ready < 5 and time.monotonic() < begin + 7:
                before = feed.stats()["hits"]
                feed.run("pass")
                ready += feed.stats()["hits"] - before
                time.sleep(0.1)
            tap.ok(ready == 5 and feed.stats()["started"] == 1, "a slow zygote keeps no jail from being made", ready, feed.stats())
    finally:
        shutil.rmtree(folder)


def test_absent(tap):
    folder = tempfile.mkdtemp(prefix="warm-modules-")
    try:
        make_python(folder, {})
        with Feed(path=os.path.join(folder, "bin")) as feed:
            same(tap, feed, "a plain program", "print(1)")
            same(tap, feed, "an absent package", "import numpy")
            tap.equal(zygotes(feed, 1), 1, "no zygote for what is not installed")
    finally:
        shutil.rmtree(folder)


def test(tap):
    test_absent(tap)
    test_fakes(tap)
    test_slow(tap)
    if not installed("numpy", "pandas", "matplotlib"):
        tap.skip("packages", "needs python3-numpy, python3-pandas and python3-matplotlib")
        return
    test_kinds(tap)
    test_same(tap, NUMPY)
    test_same(tap, PANDAS)
    for name, code in MORE.items():
        if installed(name.partition(" ")[0]):
            test_same(tap, {name: code}, memory=512 << 20)
        else:
            tap.skip(name, "no %s on this machine" % name.partition(" ")[0])
    test_random(tap)
    test_variables(tap)
    test_files(tap)
