# SPDX-License-Identifier: Apache-2.0
"""The environment inside: made for the guest, never the host's."""

import json
import sys

SHOW = "import os, json; print(json.dumps({k.decode('latin-1'): v.decode('latin-1') for k, v in os.environb.items()}))"
OURS = {
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "USER",
    "LOGNAME",
    "SANDBOX_MODE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "MPLBACKEND",
    "PIP_NO_INDEX",
    "UV_OFFLINE",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
}


def inside(t, *args, env=None):
    done = t.run(*args, "-c", SHOW, env=env)
    return json.loads(done.out) if done.code == 0 else done


def test_scrubbed(t):
    host = {
        "AWS_SECRET_ACCESS_KEY": "canary",
        "SSH_AUTH_SOCK": "/x",
        "LD_PRELOAD": "",
        "PYTHONPATH": "/x",
        "PYTHONSTARTUP": "/x",
        "BASH_ENV": "/x",
        "NODE_OPTIONS": "--require /x",
        "R_PROFILE": "/x",
        "LC_ALL": "C",
        "TZ": "Asia/Tokyo",
        "http_proxy": "x",
        "USER": "me",
        "SHELL": "/bin/zsh",
        "GLOVEBOX_TIMEOUT": "20s",
        "DISPLAY": ":0",
        "XDG_RUNTIME_DIR": "/x",
        "SHLVL": "1",
        "_": "x",
        "PWD": "/x",
        "odd name": "x",
        "IFS": "x",
    }
    seen = inside(t, env=host)
    t.equal(set(seen), OURS, "only variables of ours", seen)
    t.ok(
        "canary" not in str(seen) and t.home not in str(seen),
        "nothing of the host in their values",
        seen,
    )
    t.equal(
        {
            k: seen[k]
            for k in ("HOME", "TMPDIR", "LANG", "USER", "SANDBOX_MODE", "PYTHONDONTWRITEBYTECODE")
        },
        {
            "HOME": "/tmp",
            "TMPDIR": "/tmp",
            "LANG": "C.UTF-8",
            "USER": "guest",
            "SANDBOX_MODE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        "their values",
    )
    done = t.run(
        "--lang",
        "sh",
        "-c",
        "cat /proc/self/environ /proc/1/environ 2>/dev/null | tr '\\0' '\\n'",
        env=host,
    )
    t.ok(done.code in (0, 1) and b"canary" not in done.out, "nor in /proc", done)
    for lang, code in (
        ("js", "console.log(Object.keys(process.env).length)"),
        ("bash", "env"),
        ("r", "cat(names(Sys.getenv()))"),
    ):
        done = t.run("--lang", lang, "-c", code, env=host, timeout=60)
        t.ok(
            done.code == 0 and b"canary" not in done.out and b"AWS" not in done.out,
            "nor in " + lang,
            done,
        )


def test_given(t):
    seen = inside(
        t,
        "--env",
        "A=1",
        "--env",
        "B=x=y z",
        "-e",
        "EMPTY=",
        "--env",
        b"BYTES=\xff\n",
        "--env",
        "A=2",
    )
    t.equal(
        {k: seen.get(k) for k in ("A", "B", "EMPTY", "BYTES")},
        {"A": "2", "B": "x=y z", "EMPTY": "", "BYTES": "\xff\n"},
        "--env K=V",
    )
    seen = inside(
        t,
        "--env",
        "PASSED",
        "--env",
        "ABSENT",
        "--env",
        "BLANK",
        env={"PASSED": "on", "BLANK": "", "OTHER": "x"},
    )
    t.equal(
        (seen.get("PASSED"), seen.get("BLANK"), "ABSENT" in seen, "OTHER" in seen),
        ("on", "", False, False),
        "--env K passes the host's on",
    )
    seen = inside(t, "--env", "HOME=/box/work", "--env", "LANG=C", "--env", "SANDBOX_MODE=0")
    t.equal(
        (seen["HOME"], seen["LANG"], seen["SANDBOX_MODE"]),
        ("/box/work", "C", "0"),
        "ours may be replaced",
    )
    seen = inside(t, "--env", "X=" + "y" * 100000)
    t.equal(len(seen["X"]), 100000, "a long value")
    t.exits(
        t.run(
            "--env",
            "PYTHONPATH=/usr/lib/python3/dist-packages:/x",
            "-c",
            "import sys; print(sys.path[1:3])",
        ),
        0,
        "PYTHONPATH works",
        b"['/usr/lib/python3/dist-packages', '/x']\n",
    )
    t.exits(
        t.run("--env", "PYTHONSAFEPATH=1", "-c", "import sys; print(sys.path[0])"),
        0,
        "PYTHONSAFEPATH",
        b"/usr/lib/python311.zip\n" if sys.version_info[:2] == (3, 11) else None,
    )
    t.exits(
        t.run("--env", "PYTHONOPTIMIZE=2", "-c", "assert 0\nprint(__debug__)"),
        0,
        "PYTHONOPTIMIZE",
        b"False\n",
    )
    t.exits(
        t.run("--env", "PYTHONUNBUFFERED=", "-c", "print('x')\nimport os; os.write(1, b'y')"),
        0,
        "a buffer of one's own",
        b"yx\n",
    )
    t.exits(
        t.run("--env", "PYTHONHASHSEED=1", "-c", "import os; print(os.environ['PYTHONHASHSEED'])"),
        0,
        "a variable of Python's",
        b"1\n",
    )
    t.exits(
        t.run("--env", "TZ=Asia/Tokyo", "-c", "import time; print(time.tzname[0])"),
        0,
        "TZ",
        b"JST\n",
    )


def test_threads(t):
    if t.has("cpu"):
        seen = inside(t, "--cpus", "2.5")
        t.equal(seen["OMP_NUM_THREADS"], "3", "as many threads as processors")
    else:
        t.exits(t.run("--cpus", "2.5", "-c", "1"), 125, "a share that cannot be held is refused")
    seen = inside(t, "--cpus", "0")
    t.ok("OMP_NUM_THREADS" not in seen, "no limit, nothing said", seen)


def test_names(t):
    for pair in ("A\nB=1", "A\x1b=1", "A\x7f"):
        t.refused(t.run("--env", pair, "-c", "1"), 2, "--env: a variable's name has a control character", repr(pair))
