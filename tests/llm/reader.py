# SPDX-License-Identifier: Apache-2.0
"""What a reader of the documents has: the files that the examples name, a home, `glovebox` in the path, keys of models, no
engine of containers and no key of E2B. A scripted server plays every model."""

import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from models import GLOVEBOX, Anthropic, Gemini, OpenAI
from server import Answer, Server

CODE = "def add(a, b):\n    return a + b\n\n\nprint(add(40, 2))\n"
BROKEN = CODE.replace("b\n", "c\n")
TOOLS = 'def price(item):\n    """The price."""\n    return 2\n'
CASES = [{"call": "add(1, 2)", "expected": 3}]
REPLY = "I add.\n\n```python\nprint(40 + 2)\n```\n"
TASK = {"task_id": "a", "prompt": "def add(a, b):\n", "entry_point": "add", "canonical_solution": "    return a + b\n",
        "test": "def check(f):\n    assert f(1, 2) == 3\n"}
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
    {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": None, "outputs": [], "source": "6 * 7"}]}
PROGRAMS = ("code.py", "hello.py", "solution.py", "plot.py", "build.py", "fetch.py", "answer.py", "step.py",
            "candidate.py", "script.py", "main.py", "primes.py", "a.py", "src/one.py")
FILES = {
    "requirements.txt": "numpy\n",
    **dict.fromkeys(PROGRAMS, CODE), "broken.py": BROKEN, "add.py": BROKEN, "tools.py": TOOLS, "tool.py": CODE,
    "agent.py": "import os\no = os\nx = getattr(o, 'sys' + 'tem')\n", "report.py": CODE + "assert not __import__('sys').argv[1:]\n", "script.sh": 'echo "$1"\n',
    "sort.js": "console.log('1 2')\n", "cases.json": json.dumps(CASES), "cases.jsonl": json.dumps(CASES[0]) + "\n",
    "outputs.json": '[{"stdin": "", "expected": "1  2"}]', "reply.md": REPLY + "<run>print(1)</run>\n\nOutput:\n\n```text\n42\n```\n",
    "result.json": '{"success": true, "exit_code": 0, "stdout": "42\\n", "stderr": ""}', "rows.json": '[{"a": true, "b": null}]',
    **dict.fromkeys(("sales.csv", "table.csv", "prices.csv", "a.csv"), "a,b\n1,2\n"), "data.csv": "header\n1\n",
    **dict.fromkeys(("sales.json", "orders.json", "a.json"), '[{"a": true, "b": 2}]'),
    "inputs.json": '[{"input_args": [1, 2], "expected_output": 3, "weight": 2.0}]',
    "raises.json": '[{"input_args": [1], "expected_exception": "TypeError"}]',
    "reply.json": '{"thought": "I add.", "code": "print(1)", "final_answer": null, "task_successful": false}',
    "message.json": '{"parts": [{"text": "```python\\nprint(1)\\n```"}]}', "call.json": '{"code": "print(6 * 7)"}',
    **dict.fromkeys(("suite.jsonl", "samples.jsonl"), json.dumps({"task_id": "a", "code": CODE, "cases": CASES}) + "\n"),
    "Dockerfile": "FROM python:3.12-slim\n",
    "HumanEval.jsonl.gz": gzip.compress(json.dumps(TASK).encode() + b"\n"), "report.ipynb": json.dumps(NOTEBOOK), "notebook.ipynb": json.dumps(NOTEBOOK),
}
# What the model says, by the words in the command; a second answer ends a task.
REPLIES = (
    ("--tools search,fetch", ('{"is_secure": false, "reason": "line 3 reads the variable AWS_SECRET_ACCESS_KEY"}',)),
    ("review", ('{"is_secure": true, "reason": "harmless"}',)),
    ("--style kodeagent", ('{"thought": "I add.", "code": "print(40 + 2)"}',
                           '{"thought": "I know.", "final_answer": "42", "task_successful": true}')),
    ("smolagents-json", ('{"thought": "I add.", "code": "final_answer(40 + 2)"}',)),
    ("--profile smolagents", ("<code>\nfinal_answer(40 + 2)\n</code>",)),
    ("glovebox math", ("3.14159 * 3 ** 2",)),
    ("--lang bash", ("```bash\nls\n```",)),
    ("tool.py", ("```python\n" + CODE + "```",)),
    ("fix", ("```python\n" + CODE + "```",)),
    ("cases.json", ("```python\n" + CODE + "```",)),
    ("--answer-check", ("```python\nfinal_answer(42)\n```",)),
    ("", (REPLY, "It is 42.")),
)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


def fill(folder):
    """The reader's files, as they are at first."""
    for name, text in FILES.items():
        write(folder, name, text)


def furnish(folder):
    """A home with these files, and all else that the examples name: environments with packages, a database, a repository."""
    fill(folder)
    for name in ("work", "project/src", "bin"):
        os.makedirs(os.path.join(folder, name))
    os.symlink(GLOVEBOX, os.path.join(folder, "bin", "glovebox"))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "env"], cwd=folder, check=True)
    os.symlink("env", os.path.join(folder, "venv"))
    for package in ("numpy", "pandas"):
        write(folder, "env/lib/python%d.%d/site-packages/%s.py" % (*sys.version_info[:2], package), "__version__ = '1'\n")
    base = sqlite3.connect(os.path.join(folder, "shop.db"))
    base.executescript("create table orders (week int); insert into orders values (1);")
    base.close()
    os.chmod(write(folder, ".glovebox-tokens", "me %s\n" % ("0" * 40)), 0o600)
    for words in shutil.which("git") and (["init", "-q"], ["add", "a.py"], ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "a"]) or ():
        subprocess.run(["git", *words], cwd=folder, check=True, env={**os.environ, "HOME": folder})


# Packages are fetched from nowhere: what a document promises about them is proved by tests/environments.
NO_INDEX = {"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": "http://127.0.0.1:9/simple/", "PIP_RETRIES": "1"}


def environment(folder):
    kept = {name: value for name, value in os.environ.items()
            if not re.match(r"GLOVEBOX|E2B|OLLAMA|.*API_KEY|XDG|DOCKER|VIRTUAL_ENV|PIP_|UV_", name)}
    return {**kept, "PATH": f"{folder}/bin:{kept['PATH']}", "HOME": folder, "DOCKER_HOST": f"unix://{folder}/none",
            "XDG_RUNTIME_DIR": folder, "XDG_DATA_HOME": f"{folder}/data", **NO_INDEX}


class Model(Server):
    """`asked(command)` says what comes, and the environment of that command."""

    def __init__(self):
        super().__init__([self.reply])
        self.before, self.replies = 0, ("",)

    def asked(self, command):
        self.before, self.replies = len(self.requests), next(said for words, said in REPLIES if words in command)

    def variables(self):
        names = {p.variable: "sk-of-the-tests" for p in (OpenAI, Anthropic, Gemini)}
        return {**names, **{p.url_variable: self.url + p.suffix for p in (OpenAI, Anthropic, Gemini)},
                "OLLAMA_HOST": self.url}

    def reply(self, request):
        said = self.replies[min(len(self.requests) - self.before, len(self.replies)) - 1]
        if request.target.endswith("/responses"):  # a tool of the model's service
            text = {"type": "output_text", "text": said}
            return Answer(body={"status": "completed", "output": [{"type": "message", "content": [text]}]})
        protocol = (Gemini if "generateContent" in request.target.replace("streamG", "g") else
                    Anthropic if request.target.endswith("/messages") else OpenAI)
        if request.json.get("stream") or "streamGenerateContent" in request.target:
            return Answer(body=protocol.stream(said), kind="text/event-stream")
        return Answer(body=protocol.whole(said))
