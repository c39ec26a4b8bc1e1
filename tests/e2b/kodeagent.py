# SPDX-License-Identifier: Apache-2.0
"""What kodeagent's users know of its sandboxes: one sandbox that keeps its state, its time, its
name, its variables, packages that are installed once, an error as two lines below the output."""

import json

import product
from standin import Standin

PROFILE = ("--profile", "kodeagent")
FAILS = "import sys\nprint('out')\nprint('warning', file=sys.stderr)\nraise ValueError('no such value')"


def test_created(tap, standin):
    del standin.requests[:]
    r = product.result(standin, *PROFILE, "--timeout", "7s", "--env", "A=b c", "-c",
                       "import os\nprint(os.environ['A'])")
    made = standin.asked("control", "POST", "/sandboxes")[0].json
    tap.equal((made["timeout"], made["metadata"]["task_id"], r.get("stdout")), (7 + 15, r.get("id"), "b c\n"),
              "its time, its task and its variables", r)


def test_error(tap, standin):
    r = product.result(standin, *PROFILE, "-c", FAILS)
    done = product.glovebox(standin, "format", "--profile", "kodeagent", "-", stdin=json.dumps(r).encode())
    tap.equal(done.stdout.decode().rstrip("\n"), "out\n\nwarning\n\nValueError\nno such value",
              "the error's name and value below the output", r, product.said(done))
    tap.ok(r.get("success") is False and r.get("exit_code"), "and no success", r)


def test_state(tap, standin):
    del standin.requests[:]
    out, err = product.repl(standin, ["import other\nx = 41", "print(x + 1)"], *PROFILE, "--pip",
                            "some-name; other")
    tap.equal(out, "42\n", "packages and state stay", err)
    starts = [json.loads(r.body[5:])["process"]["args"] for r in standin.asked("envd", "POST", "process.Process/Start")]
    installs = [args for args in starts if "install" in args]
    tap.equal((len(standin.asked("control", "POST", "/sandboxes")), len(installs), installs[0][-2:]),
              (1, 1, ["other", "some-name"]), "one sandbox, one installation, no shell")


def test(tap):
    with Standin() as standin:
        test_created(tap, standin)
        test_error(tap, standin)
        test_state(tap, standin)
