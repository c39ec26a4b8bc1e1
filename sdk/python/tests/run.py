#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package, in TAP: run.py [PART...]. Without names: its tests and examples (python), its types by mypy (types),
values of numpy and pandas, and hostile ones for some seconds (frames), the magic of IPython in a kernel (notebook).
By name: hostile values for ten minutes or $FUZZ_SECONDS (fuzz); its types by pyright, which brings a Node (pyright); every Python from 3.9 on that is installed (versions); the
wheel on a root without build tools (wheel); the adapters (adapters). $GLOVEBOX names the program (build/glovebox)."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "tests", "python")]

import venvs  # noqa: E402
from tap import run_parts  # noqa: E402

REQUIREMENTS = os.path.join(HERE, "requirements.txt")
PLAIN = os.path.join(HERE, "requirements-plain.txt")
VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")


def python(tap):
    found = venvs.environment(tap, "sdk", REQUIREMENTS)
    if found:
        venvs.pytest(tap, "sdk", found)


def frames(tap):
    found = venvs.environment(tap, "frames", os.path.join(HERE, "requirements-frames.txt"))
    if found:
        venvs.pytest(tap, "frames", found, "-k", "frames or arrays or test_values")
        hostile(tap, found, 15)


def notebook(tap):
    found = venvs.environment(tap, "notebook", os.path.join(HERE, "requirements-notebook.txt"))
    if found:
        venvs.pytest(tap, "notebook", found, "-k", "test_notebook")


def fuzz(tap):
    found = venvs.environment(tap, "frames", os.path.join(HERE, "requirements-frames.txt"))
    if found:
        hostile(tap, found, float(os.environ.get("FUZZ_SECONDS", "600")))


def hostile(tap, found, seconds):
    status, output = venvs.run([found, os.path.join(HERE, "fuzz_values.py"), str(seconds)], seconds + 400,
                               env=venvs.settings(os.path.expanduser("~")))
    tap.ok(status == 0, f"hostile values cost what their bytes allow ({seconds:.0f} s)", output)


def types(tap):
    found = venvs.environment(tap, "sdk", REQUIREMENTS)
    if found:
        status, output = venvs.run([found, "-m", "mypy", "--cache-dir", os.path.join(venvs.ROOT, "build", "mypy")],
                                   cwd=venvs.SDK)
        tap.ok(status == 0, "mypy --strict finds nothing", output)


def pyright(tap):
    found = venvs.environment(tap, "pyright", os.path.join(HERE, "requirements-pyright.txt"))
    if found:
        status, output = venvs.run([found, "-m", "pyright", "--pythonpath", found], cwd=venvs.SDK)
        tap.ok(status == 0, "pyright, strict, finds nothing", output)


def versions(tap):
    for version in VERSIONS:
        interpreter = venvs.interpreter_of(version)
        if not interpreter:
            tap.skip("Python " + version, "it is not installed")
            continue
        found = venvs.environment(tap, "python" + version, PLAIN, interpreter)
        if found:
            venvs.pytest(tap, "Python " + version, found)


def wheel(tap):
    import wheel_checks
    wheel_checks.test(tap)


def adapters(tap):
    runner = os.path.join(HERE, "adapters", "run.py")
    if not os.path.exists(runner):
        tap.skip("adapters", "no file " + runner)
        return
    status, output = venvs.run([runner])
    tap.ok(status == 0, "the adapters", output)


PARTS = {"python": python, "frames": frames, "notebook": notebook, "fuzz": fuzz, "types": types, "pyright": pyright, "versions": versions, "wheel": wheel, "adapters": adapters}
IN_CI = ["python", "types", "frames", "notebook"]

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[1:] or IN_CI))
