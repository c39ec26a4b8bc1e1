# SPDX-License-Identifier: Apache-2.0
"""What kodeagent says: its import list, its scores, its words (K5 to K18)."""

from rows import KODEAGENT, PATTERNS, accepted, allowing, critical, minor, refused

KODEAGENT_ROWS = (
    # K5, K6: what may be imported; the user's list is added
    ("K5", KODEAGENT, "import re", accepted()),
    ("K5", KODEAGENT, "import ast, operator, random, re, time", accepted()),
    ("K5", KODEAGENT, "import os", refused("imports")),
    ("K5", allowing(KODEAGENT, "json"), "import json, re", accepted()),
    # K7: a module allows what is below it, not what is above
    ("K7", allowing(KODEAGENT, "os.path"), "import os", refused("imports")),
    ("K7", allowing(KODEAGENT, "os.path"), "import os.path", accepted()),
    ("K7", allowing(KODEAGENT, "collections"), "import collections.abc", accepted()),
    ("K7", allowing(KODEAGENT, "collections"), "from collections.abc import Mapping", accepted()),
    ("K7", KODEAGENT, "import regex", refused("imports")),
    ("K7", KODEAGENT, "from . import x", accepted()),
    ("K7", KODEAGENT, "import time as t, random as r", accepted()),
    # K8: the names of four builtins, called or not
    ("K8", KODEAGENT, "exec('1')", refused("imports", "Forbidden builtin: exec")),
    ("K8", KODEAGENT, "f = eval", refused("imports", "Forbidden builtin: eval")),
    ("K8", KODEAGENT, "__import__('os')", refused("imports", "Forbidden builtin: __import__")),
    ("K8", KODEAGENT, "x = [compile]", refused("imports", "Forbidden builtin: compile")),
    ("K8", KODEAGENT, "import os\nexec('1')", refused("imports", "Forbidden builtin: exec")),
    ("K8", KODEAGENT, "import re\nre.compile('x')", accepted()),
    ("K8", KODEAGENT, "import pandas\nx.eval()", refused("imports")),
    # K9: order of the stages
    ("K9", KODEAGENT, "import os\nx = (", refused("syntax")),
    # K13: how the score is told
    ("K13", KODEAGENT, "x = 1", accepted(reason="No suspicious patterns detected", risk=0)),
    ("K13", PATTERNS, "x = 1", accepted(reason="No suspicious patterns detected", risk=0)),
    ("K13", PATTERNS, "x.__dict__", accepted(risk=3)),
    ("K13", PATTERNS, "import os\nos.system('x')", refused("patterns")),
    ("K13", PATTERNS, "while True:\n    pass\nwhile True:\n    pass\n", accepted(risk=10)),
    ("K13", PATTERNS, "while True:\n    pass\n" * 4, refused("patterns", risk=20)),
    # K14: calls
    ("K14", PATTERNS, "import base64\nexec(base64.b64decode('eA=='))", refused("patterns")),
    ("K14", PATTERNS, "import re\nre.compile('x')", accepted(risk=0)),
    ("K14", PATTERNS, "b'x'.decode()", accepted(risk=0)),
    ("K14", PATTERNS, "import base64\nbase64.b64decode('eA==')", accepted(risk=5)),
    ("K14", PATTERNS, "bytes.fromhex('00')", accepted(risk=5)),
    ("K14", PATTERNS, "import binascii\nbinascii.unhexlify('00')", accepted(risk=5)),
    ("K14", PATTERNS, "import os\nos.getenv('X')", accepted(risk=7)),
    ("K14", PATTERNS, "f = b'00'\nbytes.fromhex(f)", minor(5, "Potential obfuscation: fromhex")),
    ("K14", PATTERNS, "import os\nos.getenv('X')", minor(7, "Environment variable access detected")),
    ("K14", PATTERNS, "exec('1')", critical(10, "Dangerous builtin: exec")),
    (
        "K14",
        PATTERNS,
        "eval(compile('1', '', 'eval'))",
        critical(20, "Dangerous builtin: eval", "Dangerous builtin: compile"),
    ),
    (
        "K14",
        PATTERNS,
        "import base64\nexec(base64.b64decode('eA=='))",
        critical(15, "Dangerous builtin: exec"),
    ),
    # K14 and K15: a call of os.system is both
    *(
        (
            "K15",
            PATTERNS,
            "import os%s.%s('x')" % (alias, name),
            critical(20, "System command execution: " + name, "Dangerous os.%s access" % name),
        )
        for alias in ("\nos", " as o\no")
        for name in ("system", "popen", "execv", "execl")
    ),
    *(
        ("K15", PATTERNS, "import os\nx = os." + name, critical(10, "Dangerous os.%s access" % name))
        for name in ("system", "popen", "environ", "execv", "execl", "remove", "rmdir", "unlink")
    ),
    # K15: attributes
    ("K15", PATTERNS, "import os\nos.environ", refused("patterns")),
    ("K15", PATTERNS, "import os\nos.remove('x')", refused("patterns")),
    ("K15", PATTERNS, "import os as o\no.system('x')", refused("patterns")),
    ("K15", PATTERNS, "f.__globals__", accepted(risk=3)),
    ("K15", PATTERNS, "x.__class__.__bases__", accepted(risk=6)),
    ("K15", PATTERNS, "x.__init__", accepted(risk=0)),
    (
        "K15",
        PATTERNS,
        "x.__class__.__bases__[0].__subclasses__()",
        minor(
            9,
            "Introspection detected: __subclasses__",
            "Introspection detected: __bases__",
            "Introspection detected: __class__",
        ),
    ),
    # K16: imports
    *(
        ("K16", PATTERNS, "import " + name, minor(5, "Process/thread module: " + name))
        for name in ("subprocess", "multiprocessing", "threading")
    ),
    *(
        ("K16", PATTERNS, "from %s import x" % name, minor(2, "Network module: from " + name))
        for name in ("socket", "urllib", "http")
    ),
    ("K16", PATTERNS, "import subprocess", accepted(risk=5)),
    ("K16", PATTERNS, "import threading", accepted(risk=5)),
    ("K16", PATTERNS, "from multiprocessing import Pool", accepted(risk=5)),
    ("K16", PATTERNS, "import socket", accepted(risk=2)),
    ("K16", PATTERNS, "import http", accepted(risk=2)),
    ("K16", PATTERNS, "import urllib.request", accepted(risk=2)),
    # K17: loops and memory
    ("K17", PATTERNS, "while True:\n    x = 1", accepted(risk=5)),
    ("K17", PATTERNS, "while True:\n    break", accepted(risk=0)),
    ("K17", PATTERNS, "while 1:\n    x = 1", accepted(risk=5)),
    ("K17", PATTERNS, "for i in range(1000001):\n    x = 1", accepted(risk=3)),
    ("K17", PATTERNS, "for i in range(1000000):\n    x = 1", accepted(risk=0)),
    ("K17", PATTERNS, "x = 'a' * 100000001", accepted(risk=5)),
    ("K17", PATTERNS, "x = 100000001 * 'a'", accepted(risk=5)),
    ("K17", PATTERNS, "x = 'a' * 100000000", accepted(risk=0)),
    (
        "K17",
        PATTERNS,
        "while True:\n    x = 1",
        minor(5, "Potential infinite loop: while True without break"),
    ),
    (
        "K17",
        PATTERNS,
        "for i in range(1000001):\n    x = 1",
        minor(3, "Large loop range: 1000001"),
    ),
    ("K17", PATTERNS, "x = 'a' * 100000001", minor(5, "Large memory allocation: string * 100000001")),
    ("K17", PATTERNS, "x = 100000001 * 'a'", minor(5, "Large memory allocation: 100000001 * string")),
    (
        "K13",
        PATTERNS,
        "import subprocess, threading, socket\nx = '../../../y'\nwhile True:\n    x = 1\n",
        refused(
            "patterns",
            "High risk score (22): Process/thread module: subprocess; Process/thread module:"
            " threading; Network module: socket; Deep path traversal pattern detected; Potential"
            " infinite loop: while True without break",
            risk=22,
        ),
    ),
    # K18: texts
    *(
        (
            "K18",
            PATTERNS,
            "x = 'a %s b'" % text.upper(),
            critical(10, "Dangerous %s command: %s" % (name, text)),
        )
        for text, name in (
            ("rm -rf /", "rm"),
            ("rm -rf ~", "rm"),
            ("dd if=/dev", "dd"),
            ("mkfs.", "mkfs"),
            ("del /f /s /q", "Windows delete"),
            ("rmdir /s /q", "Windows rmdir"),
        )
    ),
    ("K18", PATTERNS, "x = 'RM -RF /'", refused("patterns")),
    ("K18", PATTERNS, "x = 'rm -rf ~'", refused("patterns")),
    ("K18", PATTERNS, "x = 'dd if=/dev/zero'", refused("patterns")),
    ("K18", PATTERNS, "x = 'mkfs.ext4'", refused("patterns")),
    ("K18", PATTERNS, "x = 'del /f /s /q'", refused("patterns")),
    ("K18", PATTERNS, "x = 'rmdir /s /q'", refused("patterns")),
    ("K18", PATTERNS, "x = '../../../x'", accepted(risk=5)),
    ("K18", PATTERNS, "x = '..\\\\..\\\\..\\\\x'", accepted(risk=5)),
    ("K18", PATTERNS, "open('x.txt')", accepted(risk=0)),
)
