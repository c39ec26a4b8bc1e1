# SPDX-License-Identifier: Apache-2.0
"""Everyday system calls that a sandbox may get wrong: they answer as they do outside."""

SETGID = """
import os, stat
os.mkdir("shared")
os.chmod("shared", 0o2775)
os.mkdir("shared/below")
print([oct(stat.S_IMODE(os.stat(p).st_mode)) for p in ("shared", "shared/below")])
try:
    os.chmod("shared", 0o4775)
except OSError as e:
    print(e.strerror)
"""

LIMITS = """
import os, resource as r
r.prlimit(os.getpid(), r.RLIMIT_NOFILE, (100, 200))
print(r.prlimit(os.getpid(), r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_NOFILE))
try:
    r.prlimit(1, r.RLIMIT_NOFILE)
except OSError as e:
    print(e.strerror)
"""


def test_setgid(t):
    done = t.run("-c", SETGID)
    t.exits(done, 0, "a shared folder", b"['0o2775', '0o2755']\nOperation not permitted\n")
    done = t.run("-c", SETGID, "--without", "root,mountns", "--allow-unsafe")
    t.exits(done, 1, "not on the host's disk")
    t.ok(b"PermissionError" in done.err, "which is said", done)


def test_own_limits(t):
    done = t.run("-c", LIMITS)
    t.exits(done, 0, "limits by one's own number", b"(100, 200) (100, 200)\nOperation not permitted\n")
