#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The adapters against the real frameworks, in TAP: run.py [GROUP...]. Each group has a virtual environment of its own,
which is made below build/sdk-venvs from requirements/GROUP.txt. Without names: the groups of CI. $GLOVEBOX names the
program (build/glovebox)."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import venv
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SDK = os.path.dirname(os.path.dirname(HERE))
ROOT = os.path.dirname(os.path.dirname(SDK))
sys.path.insert(0, os.path.join(ROOT, "tests", "python"))

from tap import run_parts  # noqa: E402

INSTALL_S, TEST_S = 600, 600
# The public tests for sandboxes (langchain-tests) were written for Deep Agents 0.6. These of them contradict the base
# class of 0.7, for each backend alike: its `glob` gives absolute paths and no folders, its `write` replaces a file.
NOT_OF_07 = [f"--deselect=test_deepagents.py::TestConformance::{name}" for name in (
    "test_glob", "test_glob_basic_pattern", "test_glob_with_directories", "test_glob_hidden_files_explicitly",
    "test_glob_with_character_class", "test_glob_with_question_mark", "test_write_existing_file_fails")]
# group: (is it part of CI, tests, further arguments of pytest)
GROUPS = {
    "light": (True, ["test_smolagents.py", "test_openai_agents.py", "test_openai_agents_sandbox.py"], []),
    "langchain": (False, ["test_langchain.py", "test_deepagents.py"], NOT_OF_07),
    "deepagents06": (False, ["test_deepagents.py"], []),
    "kodeagent": (False, ["test_kodeagent.py"], []),
    "pydantic_ai": (False, ["test_pydantic_ai.py"], []),
    "llama_index": (False, ["test_llama_index.py"], []),
    "google_adk": (False, ["test_google_adk.py"], []),
    "dspy": (False, ["test_dspy.py"], []),
    "inspect_ai": (False, ["test_inspect_ai.py"], []),
}


def run(argv, limit, **more):
    """The end of a program; None if it had to be stopped. What it started is stopped with it."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True, **more)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    return process.returncode, output


def pip(python, *words):
    return run([python, "-m", "pip", "--disable-pip-version-check", *words], INSTALL_S)


def index_answers(python):
    """Whether a small package can be had. That it cannot is no failure of the adapters."""
    with tempfile.TemporaryDirectory() as folder:
        return pip(python, "download", "-q", "--retries", "1", "--timeout", "20", "--no-deps", "-d", folder,
                   "iniconfig==2.1.0")[0] == 0


def environment(tap, group):
    """The Python of the group's virtual environment; None, said in TAP, if it cannot be made."""
    requirements = os.path.join(HERE, "requirements", group + ".txt")
    with open(requirements, "rb") as file:
        mark = hashlib.sha256(file.read() + sys.version.encode()).hexdigest()[:16]
    folder = os.path.join(ROOT, "build", "sdk-venvs", group)
    python, complete = os.path.join(folder, "bin", "python"), os.path.join(folder, "complete-" + mark)
    if os.path.exists(complete):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True, symlinks=True)
    if not index_answers(python):
        tap.skip(group, "the package index cannot be reached")
        return None
    status, output = pip(python, "install", "-q", "-r", requirements)
    if not tap.ok(status == 0, f"{group}: the packages can be installed", output):
        return None
    with open(complete, "w", encoding="ascii"):
        return python


def settings(home):
    """The environment of the tests: our program, a home of their own, no daemon of the user's."""
    kept = {name: value for name, value in os.environ.items()
            if not re.match(r"GLOVEBOX_|XDG_|PYTHON|VIRTUAL_ENV|.*API_KEY", name)}
    return {**kept, "HOME": home, "GLOVEBOX_PROGRAM": os.environ.get("GLOVEBOX", os.path.join(ROOT, "build/glovebox")),
            "PYTHONPATH": os.path.join(SDK, "src"), "PYTHONDONTWRITEBYTECODE": "1", "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "LANGSMITH_TRACING": "false"}


def test_group(tap, group, files, arguments):
    python = environment(tap, group)
    if python is None:
        return
    with tempfile.TemporaryDirectory() as home:
        report = os.path.join(home, "report.xml")
        options = ["-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "--junitxml", report, *arguments]
        status, output = run([python, "-m", "pytest", *options, "-c", os.devnull, "--rootdir", HERE,
                              *(os.path.join(HERE, name) for name in (*files, "test_pages.py"))], TEST_S, cwd=HERE, env=settings(home))
        for case in xml.parse(report).iter("testcase") if os.path.exists(report) else ():
            tell(tap, group, case)
        tap.ok(status == 0, f"{group}: the tests go to their end", output[-8000:])


def tell(tap, group, case):
    name = f"{group}: {case.get('classname')} {case.get('name')}"
    bad = case.find("failure") if case.find("failure") is not None else case.find("error")
    skipped = case.find("skipped")
    if bad is not None:
        tap.ok(False, name, bad.text or "")
    elif skipped is not None:
        tap.skip(name, (skipped.get("message") or "").replace("\n", " "))
    else:
        tap.ok(True, name)


def part(group):
    _, files, arguments = GROUPS[group]

    def test(tap):
        test_group(tap, group, files, arguments)

    return test


if __name__ == "__main__":
    unknown = [name for name in sys.argv[1:] if name not in GROUPS]
    if unknown:
        sys.exit(f"there is no group '{unknown[0]}'; there are: {' '.join(GROUPS)}")
    sys.exit(run_parts({name: part(name) for name in GROUPS},
                       sys.argv[1:] or [name for name, (in_ci, _, _) in GROUPS.items() if in_ci]))
