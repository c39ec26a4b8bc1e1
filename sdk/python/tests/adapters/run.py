#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The adapters against the real frameworks, in TAP: run.py [GROUP...]. Each group has a virtual environment of its own,
which is made from requirements/GROUP.txt. Without names: the groups of CI. $GLOVEBOX names the program
(build/glovebox)."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(HERE, "..", "..", "..", "..", "tests", "python")]

import venvs  # noqa: E402
from tap import run_parts  # noqa: E402

# Its own settings of pytest: those of the package make an error of each warning, also of a framework's.
PYTEST = ["-o", "asyncio_mode=auto", "-c", os.devnull, "--rootdir", HERE, "--confcutdir", HERE]
# The public tests for sandboxes (langchain-tests) were written for Deep Agents 0.6. These of them contradict the base
# class of 0.7, for each backend alike: its `glob` gives absolute paths and no folders, its `write` replaces a file.
NOT_OF_07 = [f"--deselect=test_deepagents.py::TestConformance::{name}" for name in (
    "test_glob", "test_glob_basic_pattern", "test_glob_with_directories", "test_glob_hidden_files_explicitly",
    "test_glob_with_character_class", "test_glob_with_question_mark", "test_write_existing_file_fails")]
COMING = "../test_coming_from.py::test_the_calls"  # tables of docs, one for each of several frameworks
# group: (is it part of CI, tests, further arguments of pytest)
GROUPS = {
    "light": (True, ["test_smolagents.py", "test_openai_agents.py", "test_openai_agents_sandbox.py", COMING], []),
    "langchain": (False, ["test_langchain.py", "test_deepagents.py"], NOT_OF_07),
    "deepagents06": (False, ["test_deepagents.py"], []),
    "kodeagent": (False, ["test_kodeagent.py", COMING], []),
    "pydantic_ai": (False, ["test_pydantic_ai.py"], []),
    "llama_index": (False, ["test_llama_index.py"], []),
    "google_adk": (False, ["test_google_adk.py", "test_google_adk_environment.py", COMING], []),
    "dspy": (False, ["test_dspy.py"], []),
    "inspect_ai": (False, ["test_inspect_ai.py"], []),
    "harbor": (False, ["test_harbor.py"], []),
    "nemo_gym": (False, ["test_nemo_gym.py"], []),
}
# group: the Pythons that its framework runs on, where this is not any; the first one that is installed is taken
PYTHONS = {"harbor": ("3.13", "3.12", "3.14"), "nemo_gym": ("3.13", "3.12")}


def part(group):
    _, files, arguments = GROUPS[group]

    def test(tap):
        wanted = PYTHONS.get(group, ())
        interpreter = next(filter(None, map(venvs.interpreter_of, wanted)), None) if wanted else sys.executable
        if not interpreter:
            tap.skip(group, "its framework runs on Python " + ", ".join(wanted) + ", and none of them is installed")
            return
        python = venvs.environment(tap, group, os.path.join(HERE, "requirements", group + ".txt"), interpreter)
        if python:
            venvs.pytest(tap, group, python, *PYTEST, *arguments, *files, "test_pages.py", cwd=HERE,
                         OPENAI_AGENTS_DISABLE_TRACING="1", LANGSMITH_TRACING="false")

    return test


if __name__ == "__main__":
    unknown = [name for name in sys.argv[1:] if name not in GROUPS]
    if unknown:
        sys.exit(f"there is no group '{unknown[0]}'; there are: {' '.join(GROUPS)}")
    sys.exit(run_parts({name: part(name) for name in GROUPS},
                       sys.argv[1:] or [name for name, (in_ci, _, _) in GROUPS.items() if in_ci]))
