# SPDX-License-Identifier: Apache-2.0
"""Candidates that would rather pass than be right: what each does in place of the work.

CALLS hold the body of `cheat()`, which is called where the answer is not known; LOADS run when the candidate
is loaded. None of them may make a wrong answer pass, nor take a right one of the same candidate with it."""

WRITE_EVERYWHERE = """
import os
def tell(text):
    for fd in range(64):
        try:
            os.write(fd, text)
        except OSError:
            pass
"""

REPORT = r"""
def report(number, value='{"us":1,"value":42}'):
    frame = lambda kind, data: kind + number.to_bytes(4, "little") + len(data).to_bytes(4, "little") + data
    lines = "begin %d\ncase %d ok 0 1\n%s\n\"\"\n\"\"\nend\n" % (number, number, value)
    return lines.encode(), frame(b"V", value.encode()) + frame(b"E", bytes(4))
"""

EQUAL = "__eq__ = lambda self, other: True; __ne__ = lambda self, other: False; __hash__ = lambda self: 42"

CALLS = {
    "equal to everything": "class E: %s\nreturn E()" % EQUAL,
    "an int that equals everything": "class E(int): %s\nreturn E(1)" % EQUAL,
    "a str that equals everything": "class E(str): %s\nreturn E('x')" % EQUAL,
    "a list that equals everything": "class E(list): %s\nreturn E()" % EQUAL,
    "a dict that equals everything": "class E(dict): %s\nreturn E()" % EQUAL,
    "a float that equals everything": "class E(float): %s\nreturn E(0)" % EQUAL,
    "a lying repr": "class R:\n  __repr__ = __str__ = __format__ = lambda self, *a: '42'\nreturn R()",
    "a lying number": "class N:\n  __int__ = __index__ = __float__ = lambda self: 42\nreturn N()",
    "a lying class": "class C:\n  __class__ = property(lambda self: int)\n  %s\nreturn C()" % EQUAL,
    "a metaclass that says int": "class M(type):\n  __eq__ = lambda c, o: o is int\n  __hash__ = lambda c: hash(int)\n"
    "  __instancecheck__ = lambda c, o: True\nclass C(int, metaclass=M): %s\nreturn C(3)" % EQUAL,
    "a metaclass with names of its own": "class M(type):\n  __name__ = property(lambda c: 'int')\n"
    "  __module__ = property(lambda c: 'builtins')\nclass C(metaclass=M): %s\nreturn C()" % EQUAL,
    "a data class that equals everything": "import dataclasses\n@dataclasses.dataclass\nclass D:\n  x: int = 1\n"
    "  __eq__ = lambda self, other: True\nreturn D()",
    "an enum that equals everything": "import enum\nclass E(enum.Enum):\n  A = 1\n  __eq__ = lambda s, o: True\n"
    "  __hash__ = lambda s: 1\nreturn E.A",
    "a named tuple that equals everything": "import collections\nclass T(collections.namedtuple('T', 'a')):\n"
    "  __eq__ = lambda s, o: True\nreturn T(1)",
    "a false Decimal": "import sys, types\nm = types.ModuleType('decimal')\nclass Decimal: %s\nDecimal.__module__ = 'decimal'\n"
    "Decimal.__str__ = lambda s: 'NaN'\nm.Decimal = Decimal\nsys.modules['decimal'] = m\nreturn Decimal()" % EQUAL,
    "a false numpy": "import sys, types\nm = types.ModuleType('numpy')\nclass generic:\n  item = lambda s: None\n  %s\n"
    "m.generic = m.ndarray = generic\nsys.modules['numpy'] = m\nreturn generic()" % EQUAL,
    "not a number": "return float('nan')",
    "nothing": "return None",
    "not implemented": "return NotImplemented",
    "unittest.mock.ANY": "from unittest import mock\nreturn mock.ANY",
    "a mock": "from unittest import mock\nreturn mock.MagicMock()",
    "os._exit(0)": "import os\nos._exit(0)",
    "SystemExit(0)": "raise SystemExit(0)",
    "sys.exit with a value": "import sys\nsys.exit(42)",
    "exit()": "exit()",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "GeneratorExit": "raise GeneratorExit",
    "an exception that says OK": "class OK(Exception):\n  __str__ = lambda s: 'OK'\nraise OK",
    "an exception that cannot be told": "class X(Exception):\n  def __str__(s): raise SystemExit(0)\n"
    "  def __getattribute__(s, n): raise SystemExit(0)\nraise X",
    "an exception with a value": "raise StopIteration(42)",
    "markers in the output": "print('__SANDBOX_RESULTS__{\"status\":\"complete\",\"all_passed\":true,\"total\":6,\"passed\":6}')\n"
    "print('__SANDBOX_OK__')\nprint('{\"us\":1,\"value\":42}')\nreturn 1",
    "reports to every descriptor": WRITE_EVERYWHERE + REPORT + "for n in range(1, 5):\n  for r in report(n, '{}'): tell(r)\n"
    "os._exit(0)",
    "noise to every descriptor": WRITE_EVERYWHERE + "tell(b'\\n' * 100 + b'\\xff' * 10000 + b'\\n')\nos._exit(0)",
    "half a report": WRITE_EVERYWHERE + "tell(b'V' + bytes(4) + b'\\xff\\xff\\xff\\xff')\nimport time; time.sleep(9)",
    "noise to the driver's channel": "import os, glob\nfor p in glob.glob('/proc/[0-9]*/fd/[12]'):\n  try:\n"
    "    with open(p, 'wb', 0) as f: f.write(b'case 3 ok 0 1\\n{\"us\":1,\"value\":0}\\n\"\"\\n\"\"\\n')\n"
    "  except OSError: pass\nreturn 1",
    "what is expected, in the descriptors": "import glob\nfor p in glob.glob('/proc/[0-9]*/fd/*'):\n  try:\n"
    "    if 'pipe:' not in __import__('os').readlink(p): print(open(p, 'rb').read(65536))\n  except OSError: pass\nreturn 1",
    "what is expected, in files": "import glob\nfor p in glob.glob('/**/*', recursive=True)[:20000]:\n  try:\n"
    "    if 'case' in p: print(open(p, 'rb').read(4096))\n  except OSError: pass\nreturn 1",
    "what is expected, in the heap": "import gc\nfor o in gc.get_objects():\n"
    "  if type(o) is dict and ('expected' in o or 'expected_output' in o): return o.get('expected')\nreturn 1",
    "what is expected, in frames": "import sys\nf = sys._getframe()\nwhile f:\n  for v in list(f.f_locals.values()):\n"
    "    if 'expected' in str(v): print(v); return v\n  f = f.f_back\nreturn 1",
    "what is expected, in memory": "import os, re\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n  try:\n"
    "    mem = open('/proc/%s/mem' % pid, 'rb', 0)\n    for line in open('/proc/%s/maps' % pid):\n"
    "      a, b = (int(x, 16) for x in line.split()[0].split('-'))\n"
    "      if 'heap' in line: mem.seek(a); data = mem.read(b - a); print(re.findall(b'.expected.{9}', data)[:9])\n"
    "  except (OSError, ValueError, OverflowError): pass\nreturn 1",
    "the encoder in a frame": "import sys\nf = sys._getframe()\nwhile f:\n  g = f.f_globals\n"
    "  for n in ('encode', 'describe_value', 'outcome_of', 'run_case'):\n"
    "    if n in g: g[n] = lambda *a: '{\"value\":true}'\n  f = f.f_back\nreturn 1",
    "the encoder in the heap": "import gc\nfor o in gc.get_objects():\n  if type(o) is type and o.__name__ == 'Encoder':\n"
    "    o.value = lambda self, v: self.out.append('true')\nreturn 1",
    "patched builtins": "import builtins\nfor n in ('type', 'repr', 'str', 'isinstance', 'len', 'id', 'getattr'):\n"
    "  setattr(builtins, n, lambda *a: True)\nreturn 1",
    "patched json": "import json, _json\njson.dumps = _json.encode_basestring_ascii = lambda *a, **k: '42'\nreturn 1",
    "patched os": "import os, posix\nfor n in ('fork', 'write', '_exit', 'waitpid'):\n"
    "  setattr(os, n, lambda *a: 0); setattr(posix, n, lambda *a: 0)\nreturn 1",
    "a trace function": "import sys\ndef t(frame, event, arg):\n  if event == 'return': frame.f_locals['v'] = 42\n  return t\n"
    "sys.settrace(t); sys.setprofile(lambda *a: None)\nreturn 1",
    "an end of its own": "import atexit, os\natexit.register(lambda: os._exit(0))\nreturn 1",
    "hooks": "import sys\nsys.excepthook = sys.unraisablehook = lambda *a: None\nraise ValueError(42)",
    "a thread that outlives the call": WRITE_EVERYWHERE + REPORT + "import threading, time\ndef later():\n  while True:\n"
    "    for n in range(1, 5): tell(report(n, '{}')[1])\n    time.sleep(0.001)\n"
    "threading.Thread(target=later).start()\ntime.sleep(0.05)\nreturn 1",
    "a process that outlives the call": WRITE_EVERYWHERE + REPORT + "import time\nif os.fork() == 0:\n  os.setsid()\n"
    "  while True:\n    tell(b'noise'); time.sleep(0.001)\ntime.sleep(0.02)\nreturn 1",
    "two processes that return": "import os\nos.fork()\nreturn 1",
    "the parent's death": "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(0.2)\nreturn 1",
    "everybody's death": "import os, signal\nos.kill(-1, signal.SIGKILL)\nos._exit(0)",
    "the driver's death": "import os, signal, time\nfor p in filter(str.isdigit, os.listdir('/proc')):\n"
    "  if int(p) not in (1, os.getpid()):\n    try: os.kill(int(p), signal.SIGKILL)\n    except OSError: pass\nreturn 1",
    "everybody's sleep": "import os, signal, time\nfor p in filter(str.isdigit, os.listdir('/proc')):\n"
    "  if int(p) == os.getppid():\n    os.kill(int(p), signal.SIGSTOP)\ntime.sleep(9)",
    "closed descriptors": "import os\nos.closerange(0, 256)\nreturn 1",
    "another standard output": "import os, sys, io\nsys.stdout = sys.stderr = io.StringIO()\nos.dup2(2, 1)\nreturn 1",
    "a stream that cannot be flushed": "import sys, os\nclass S:\n  def flush(s): os._exit(0)\n  write = flush\n"
    "sys.stdout = S()\nreturn 1",
    "an alarm": "import signal, time\nsignal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(9)",
    "a crash": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
    "a hang": "while True: pass",
    "a sleep that no signal ends": "import signal, time\nfor s in range(1, 64):\n  try: signal.signal(s, signal.SIG_IGN)\n"
    "  except (OSError, ValueError): pass\ntime.sleep(60)",
    "300 MB": "return 'x' * 300000000",
    "300 MB of bytes in parts": "return [b'x' * 1000000] * 300",
    "ten million numbers": "return [0] * 10000000",
    "an int of a million digits": "return 1 << 3400000",
    "a list in itself": "v = []\nv.append(v)\nreturn v",
    "a dict in itself": "v = {}\nv[1] = (v,)\nreturn v",
    "a value of a thousand levels": "v = []\nfor _ in range(1000): v = [v]\nreturn v",
    "a value that multiplies": "v = [1]\nfor _ in range(60): v = [v, v]\nreturn v",
    "endless output": "while True: print('x' * 1000)",
    "an endless generator": "import itertools\nreturn itertools.count()",
    "endless recursion": "def f(): return f()\nreturn f()",
    "an attribute that lies": "class A:\n  __getattr__ = lambda s, n: 42\n  %s\nreturn A()" % EQUAL,
    "its own source": "return open(__file__).read()",
    "a descriptor of the loader's, found in its frame": WRITE_EVERYWHERE + REPORT + "import sys\nf = sys._getframe()\n"
    "while f:\n  l = f.f_locals.get('loader')\n  if l is not None:\n    for n in range(1, 5): os.write(l.results, report(n, '{}')[1])\n"
    "  f = f.f_back\nos._exit(0)",
    "verdicts in the driver's channel": REPORT + "import glob\nfor n in range(1, 5):\n  for p in glob.glob('/proc/[0-9]*/fd/1'):\n    try:\n"
    "      with open(p, 'wb', 0) as f: f.write(report(n, '{\"value\":true,\"passed\":true,\"expected\":true}')[0][:-4])\n    except OSError: pass\nreturn 1",
    "the codec's tables": "import gc\nfor o in gc.get_objects():\n  if type(o) is dict and id(int) in o and id(str) in o:\n"
    "    for k in list(o): o[k] = lambda self, v: self.out.append('true')\nreturn 1",
    "the functions above": "import sys\nf = sys._getframe()\nwhile f:\n  g = f.f_globals\n  for n in list(g):\n"
    "    if n in ('send', 'write', '_exit', 'quote', 'fork', 'waitpid', 'getpid', 'type', 'len', 'TooMuch', 'BY_TYPE', 'names_of_type'):\n"
    "      g[n] = lambda *a, **k: True\n  f = f.f_back\nreturn 1",
    "code of the functions above": "import sys\nf = sys._getframe()\nh = lambda *a: '{\"value\":true}'\nwhile f:\n  for v in list(f.f_globals.values()):\n"
    "    if hasattr(v, '__code__'):\n      try: v.__code__ = h.__code__\n      except ValueError: pass\n  f = f.f_back\nreturn 1",
    "other modules in the place of the driver's": "import sys, types\nfor n in ('posix', 'os', 'sys', 'gc', 'select', 'time', 'json', '_json', 'marshal',\n"
    "          'binascii', '_datetime', 'builtins', 'collections', 'decimal', 'fractions', 'enum', 'pathlib'):\n"
    "  m = types.ModuleType(n); m.__getattr__ = lambda k: (lambda *a, **kw: 42); sys.modules[n] = m\nreturn 1",
    "other imports": "import builtins, sys\nbuiltins.__import__ = lambda *a, **k: 42\nsys.meta_path[:] = []\nsys.path_hooks[:] = []\nreturn 1",
    "a finder": "import sys\nclass F:\n  find_spec = staticmethod(lambda *a: __import__('os')._exit(0))\nsys.meta_path.insert(0, F)\n"
    "import decimal_is_not_here",
    "a callback of the collector": "import gc, os\ngc.callbacks.append(lambda *a: os._exit(0))\ngc.set_threshold(1)\nreturn [[] for _ in range(99)]",
    "an audit hook": "import sys, os\nsys.addaudithook(lambda e, a: os._exit(0) if e != 'x' else None)\nopen('/dev/null')",
    "a hook that never lets go": "import sys\ndef h(e, a): raise SystemExit(0)\nsys.addaudithook(h)\nreturn 1",
    "faulthandler": "import faulthandler, time\nfaulthandler.dump_traceback_later(0.01, exit=True)\ntime.sleep(1)\nreturn 1",
    "a profile function": "import sys, os\nsys.setprofile(lambda f, e, a: os._exit(0) if e == 'c_call' else None)\nreturn 1",
    "a trace of frames that are open": "import sys, os\ndef t(f, e, a): os._exit(0)\nf = sys._getframe()\nwhile f:\n  f.f_trace = t; f = f.f_back\n"
    "sys.settrace(t)\nreturn 1",
    "threads' hooks": "import threading, sys\nthreading.settrace(lambda *a: None)\nthreading.excepthook = lambda *a: None\nreturn 1",
    "what dies says so": "import os\nclass D:\n  __del__ = lambda s: os._exit(0)\nd = D()\nd.d = d\nreturn d",
    "what is dropped at the end": "import os, sys\nclass D:\n  __del__ = lambda s: os._exit(0)\nsys.modules['d'] = D()\nsys.d = D()\nreturn [D()]",
    "a handler of every signal": "import os, signal\nfor s in range(1, 64):\n  try: signal.signal(s, lambda *a: os._exit(0))\n"
    "  except (OSError, ValueError): pass\nos.kill(os.getpid(), signal.SIGTERM)\nreturn 1",
    "a signal that comes while it is told": "import os, signal, threading, time\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\n"
    "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\nreturn list(range(100000))",
    "a daemon of its own": WRITE_EVERYWHERE + REPORT + "import glob, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork(): os._exit(0)\n"
    "  os.closerange(0, 3)\n  for _ in range(500):\n    for p in glob.glob('/proc/[0-9]*/fd/[0-9]'):\n      try:\n"
    "        fd = os.open(p, os.O_WRONLY | os.O_NONBLOCK)\n        os.write(fd, report(4, '{}')[1]); os.close(fd)\n      except OSError: pass\n"
    "    time.sleep(0.001)\n  os._exit(0)\ntime.sleep(0.02)\nreturn 1",
    "another parent": "import ctypes, os\nctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\nif os.fork() == 0:\n  if os.fork() == 0: import time; time.sleep(5)\n  os._exit(0)\nreturn 1",
    "others' memory": "import os\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n  if int(pid) == os.getpid(): continue\n  try:\n"
    "    mem = open('/proc/%s/mem' % pid, 'r+b', 0)\n    for line in open('/proc/%s/maps' % pid):\n      a, b = (int(x, 16) for x in line.split()[0].split('-'))\n"
    "      if 'heap' in line and 'rw' in line: mem.seek(a); mem.write(bytes(b - a))\n  except (OSError, ValueError, OverflowError): pass\nreturn 1",
    "lowered limits": "import resource\nfor n in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_STACK):\n  resource.setrlimit(n, (0, 0))\nreturn 1",
    "a full disk": "import os\ntry:\n  with open('full', 'wb') as f:\n    while True: f.write(bytes(1 << 20))\nexcept OSError: pass\nos._exit(0)",
    "no working folder": "import os, shutil\nos.chmod('.', 0)\nshutil.rmtree('.', ignore_errors=True)\nos.chmod('.', 0o700)\nreturn 1",
    "an equal type's name": "T = type('int', (), {'__eq__': lambda s, o: True, '__hash__': lambda s: 42, '__module__': 'builtins'})\nreturn T()",
    "names that are no text": "class S(str):\n  __eq__ = lambda s, o: True\n  __hash__ = lambda s: 0\nT = type(S('int'), (int,), {})\nT.__qualname__ = S('int')\nreturn T(1)",
    "a dict with other items": "class D(dict):\n  items = lambda s: [('a', 1)]\n  __iter__ = lambda s: iter('a')\nreturn D()",
    "a list with other items": "class L(list):\n  __iter__ = lambda s: iter([1, 2, 3])\n  __len__ = lambda s: 3\nreturn L()",
    "a list that changes meanwhile": "v = []\nclass R:\n  def __repr__(s): v[:] = [1, 2, 3]; return '[1, 2, 3]'\nv.append(R())\nreturn v",
    "a named tuple's fields": "class T(tuple):\n  _fields = ('a',)\n  %s\nreturn T((1,))" % EQUAL,
    "an enum's value": "import enum\nclass E(int, enum.Enum):\n  A = 1\nE.A._value_ = 42\nE.A._name_ = 'x'\nreturn E.A",
    "a flag's name": "import enum\nclass F(enum.IntFlag):\n  A = 1\nF.A._value_ = 42\nreturn F.A",
    "a data class's fields": "import dataclasses\n@dataclasses.dataclass\nclass D:\n  x: int = 1\nD.__dataclass_fields__ = {}\nreturn D()",
    "numpy's scalar": "import sys, types\nm = types.ModuleType('numpy')\nclass generic:\n  def item(s): raise SystemExit(0)\n"
    "m.generic = generic\nsys.modules['numpy'] = m\nreturn generic()",
    "bytes that are text": "return b'secret'",
    "a stack that is gone": "import sys\nsys.setrecursionlimit(10 ** 8)\ndef f(): return f()\nreturn f()",
    "a raise in a raise": "class X(Exception):\n  @property\n  def __traceback__(s): raise SystemExit(0)\n  def __str__(s): raise X\nraise X",
    "an exception of SystemExit's": "class X(SystemExit):\n  code = 0\nraise X(0)",
    "a group": "raise BaseExceptionGroup('OK', [SystemExit(0)])",
    "StopIteration in a generator": "def g():\n  raise StopIteration(42)\n  yield\nreturn next(g())",
    "an awaitable": "async def f(): return 42\nreturn f()",
}

# What they leave behind is there at every call: all cases are to fail.
LOADS = {
    "os._exit(0)": "import os\nos._exit(0)",
    "SystemExit(0)": "raise SystemExit(0)",
    "a hang": "while True: pass",
    "the driver's death": "import os\nos.kill(os.getppid(), 9)",
    "everybody's death": "import os\nos.kill(-1, 9)",
    "a function that is all": "class F:\n  __call__ = lambda *a: 0\n  __eq__ = lambda *a: True\nanswer = F()",
    "reports before their time": WRITE_EVERYWHERE + REPORT + "for n in range(6):\n  for r in report(n, '{}'): tell(r)\n"
    "os._exit(0)",
    "the loader's own loop": WRITE_EVERYWHERE + REPORT + "tell(b'L' + bytes(8) + b'')\ntell(b'L' + bytes(4) + b'\\2\\0\\0\\0{}')\n"
    "import time\nfor n in range(6):\n  for r in report(n, '{\"us\":1,\"value\":0}'): tell(r)\n  time.sleep(0.1)\nos._exit(0)",
    "a fork": "import os\nif os.fork(): os._exit(0)\nanswer = lambda n: 0",
    "hooks at every fork": "import os\nos.register_at_fork(after_in_child=lambda: os._exit(0))\nanswer = lambda n: 0",
    "__main__ that is another": "import sys\nsys.modules['__main__'] = sys.modules['candidate'] = None\nanswer = lambda n: 0",
    "a thread that goes on": WRITE_EVERYWHERE + REPORT + "import threading, time\ndef later():\n  while True:\n"
    "    for n in range(6): tell(report(n, '{}')[1])\n    time.sleep(0.001)\nthreading.Thread(target=later, daemon=True).start()\nanswer = lambda n: 0",
    "a profile function": "import sys, os\nsys.setprofile(lambda *a: os._exit(0))\nanswer = lambda n: 0",
    "an audit hook": "import sys, os\nsys.addaudithook(lambda e, a: os._exit(0))\nanswer = lambda n: 0",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit(0)",
    "a failure that looks like the setup's": REPORT + "import glob\nfor p in glob.glob('/proc/[0-9]*/fd/1'):\n  try:\n"
    "    with open(p, 'wb', 0) as f: f.write(b'setup ok 0 1\\n{\"raised\":{\"type\":\"E\",\"message\":\"\",\"places\":[]}}\\n\"\"\\n\"\"\\nready\\n')\n"
    "  except OSError: pass\nimport os\nos.kill(-1, 9)",
    "no function": "answer = None",
    "another name": "def other(n): return n + 1  # no answer",
}
