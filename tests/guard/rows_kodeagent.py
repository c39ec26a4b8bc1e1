# SPDX-License-Identifier: Apache-2.0
"""What kodeagent says: its import list, its scores, its words."""

from rows import KODEAGENT, PATTERNS, accepted, allowing, critical, minor, refused

KODEAGENT_ROWS = (
    # what may be imported; the user's list is added
    ("imports", KODEAGENT, "import re", accepted()),
    ("imports", KODEAGENT, "import ast, operator, random, re, time", accepted()),
    ("imports", KODEAGENT, "import os", refused("imports")),
    ("imports", allowing(KODEAGENT, "json"), "import json, re", accepted()),
    # a module allows what is below it, not what is above
    ("imports", allowing(KODEAGENT, "os.path"), "import os", refused("imports")),
    ("imports", allowing(KODEAGENT, "os.path"), "import os.path", accepted()),
    ("imports", allowing(KODEAGENT, "collections"), "import collections.abc", accepted()),
    ("imports", allowing(KODEAGENT, "collections"), "from collections.abc import Mapping", accepted()),
    ("imports", KODEAGENT, "import regex", refused("imports")),
    ("imports", KODEAGENT, "from . import x", accepted()),
    ("imports", KODEAGENT, "import time as t, random as r", accepted()),
    # the names of four builtins, called or not
    ("builtins", KODEAGENT, "exec('1')", refused("imports", "Forbidden builtin: exec")),
    ("builtins", KODEAGENT, "f = eval", refused("imports", "Forbidden builtin: eval")),
    ("builtins", KODEAGENT, "__import__('os')", refused("imports", "Forbidden builtin: __import__")),
    ("builtins", KODEAGENT, "x = [compile]", refused("imports", "Forbidden builtin: compile")),
    ("builtins", KODEAGENT, "import os\nexec('1')", refused("imports", "Forbidden builtin: exec")),
    ("builtins", KODEAGENT, "import re\nre.compile('x')", accepted()),
    ("builtins", KODEAGENT, "import pandas\nx.eval()", refused("imports")),
    # order of the stages
    ("stages", KODEAGENT, "import os\nx = (", refused("syntax")),
    # how the score is told
    ("score", KODEAGENT, "x = 1", accepted(reason="No suspicious patterns detected", risk=0)),
    ("score", PATTERNS, "x = 1", accepted(reason="No suspicious patterns detected", risk=0)),
    ("score", PATTERNS, "x.__dict__", accepted(risk=3)),
    ("score", PATTERNS, "import os\nos.system('x')", refused("patterns")),
    ("score", PATTERNS, "while True:\n    pass\nwhile True:\n    pass\n", accepted(risk=10)),
    ("score", PATTERNS, "while True:\n    pass\n" * 4, refused("patterns", risk=20)),
    # calls
    ("calls", PATTERNS, "import base64\nexec(base64.b64decode('eA=='))", refused("patterns")),
    ("calls", PATTERNS, "import re\nre.compile('x')", accepted(risk=0)),
    ("calls", PATTERNS, "b'x'.decode()", accepted(risk=0)),
    ("calls", PATTERNS, "import base64\nbase64.b64decode('eA==')", accepted(risk=5)),
    ("calls", PATTERNS, "bytes.fromhex('00')", accepted(risk=5)),
    ("calls", PATTERNS, "import binascii\nbinascii.unhexlify('00')", accepted(risk=5)),
    ("calls", PATTERNS, "import os\nos.getenv('X')", accepted(risk=7)),
    ("calls", PATTERNS, "f = b'00'\nbytes.fromhex(f)", minor(5, "Potential obfuscation: fromhex")),
    ("calls", PATTERNS, "import os\nos.getenv('X')", minor(7, "Environment variable access detected")),
    ("calls", PATTERNS, "exec('1')", critical(10, "Dangerous builtin: exec")),
    (
        "calls",
        PATTERNS,
        "eval(compile('1', '', 'eval'))",
        critical(20, "Dangerous builtin: eval", "Dangerous builtin: compile"),
    ),
    (
        "calls",
        PATTERNS,
        "import base64\nexec(base64.b64decode('eA=='))",
        critical(15, "Dangerous builtin: exec"),
    ),
    # a call of os.system is both
    *(
        (
            "attributes",
            PATTERNS,
            "import os%s.%s('x')" % (alias, name),
            critical(20, "System command execution: " + name, "Dangerous os.%s access" % name),
        )
        for alias in ("\nos", " as o\no")
        for name in ("system", "popen", "execv", "execl")
    ),
    *(
        ("attributes", PATTERNS, "import os\nx = os." + name, critical(10, "Dangerous os.%s access" % name))
        for name in ("system", "popen", "environ", "execv", "execl", "remove", "rmdir", "unlink")
    ),
    # attributes
    ("attributes", PATTERNS, "import os\nos.environ", refused("patterns")),
    ("attributes", PATTERNS, "import os\nos.remove('x')", refused("patterns")),
    ("attributes", PATTERNS, "import os as o\no.system('x')", refused("patterns")),
    ("attributes", PATTERNS, "f.__globals__", accepted(risk=3)),
    ("attributes", PATTERNS, "x.__class__.__bases__", accepted(risk=6)),
    ("attributes", PATTERNS, "x.__init__", accepted(risk=0)),
    (
        "attributes",
        PATTERNS,
        "x.__class__.__bases__[0].__subclasses__()",
        minor(
            9,
            "Introspection detected: __subclasses__",
            "Introspection detected: __bases__",
            "Introspection detected: __class__",
        ),
    ),
    # imports
    *(
        ("modules", PATTERNS, "import " + name, minor(5, "Process/thread module: " + name))
        for name in ("subprocess", "multiprocessing", "threading")
    ),
    *(
        ("modules", PATTERNS, "from %s import x" % name, minor(2, "Network module: from " + name))
        for name in ("socket", "urllib", "http")
    ),
    ("modules", PATTERNS, "import subprocess", accepted(risk=5)),
    ("modules", PATTERNS, "import threading", accepted(risk=5)),
    ("modules", PATTERNS, "from multiprocessing import Pool", accepted(risk=5)),
    ("modules", PATTERNS, "import socket", accepted(risk=2)),
    ("modules", PATTERNS, "import http", accepted(risk=2)),
    ("modules", PATTERNS, "import urllib.request", accepted(risk=2)),
    # loops and memory
    ("loops", PATTERNS, "while True:\n    x = 1", accepted(risk=5)),
    ("loops", PATTERNS, "while True:\n    break", accepted(risk=0)),
    ("loops", PATTERNS, "while 1:\n    x = 1", accepted(risk=5)),
    ("loops", PATTERNS, "for i in range(1000001):\n    x = 1", accepted(risk=3)),
    ("loops", PATTERNS, "for i in range(1000000):\n    x = 1", accepted(risk=0)),
    ("loops", PATTERNS, "x = 'a' * 100000001", accepted(risk=5)),
    ("loops", PATTERNS, "x = 100000001 * 'a'", accepted(risk=5)),
    ("loops", PATTERNS, "x = 'a' * 100000000", accepted(risk=0)),
    (
        "loops",
        PATTERNS,
        "while True:\n    x = 1",
        minor(5, "Potential infinite loop: while True without break"),
    ),
    (
        "loops",
        PATTERNS,
        "for i in range(1000001):\n    x = 1",
        minor(3, "Large loop range: 1000001"),
    ),
    ("loops", PATTERNS, "x = 'a' * 100000001", minor(5, "Large memory allocation: string * 100000001")),
    ("loops", PATTERNS, "x = 100000001 * 'a'", minor(5, "Large memory allocation: 100000001 * string")),
    (
        "score",
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
    # texts
    *(
        (
            "strings",
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
    ("strings", PATTERNS, "x = 'RM -RF /'", refused("patterns")),
    ("strings", PATTERNS, "x = 'rm -rf ~'", refused("patterns")),
    ("strings", PATTERNS, "x = 'dd if=/dev/zero'", refused("patterns")),
    ("strings", PATTERNS, "x = 'mkfs.ext4'", refused("patterns")),
    ("strings", PATTERNS, "x = 'del /f /s /q'", refused("patterns")),
    ("strings", PATTERNS, "x = 'rmdir /s /q'", refused("patterns")),
    ("strings", PATTERNS, "x = '../../../x'", accepted(risk=5)),
    ("strings", PATTERNS, "x = '..\\\\..\\\\..\\\\x'", accepted(risk=5)),
    ("strings", PATTERNS, "open('x.txt')", accepted(risk=0)),
)
