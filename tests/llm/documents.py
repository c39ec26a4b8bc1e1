# SPDX-License-Identifier: Apache-2.0
"""Each command line of README, of docs/*.md and of the examples in docs/help runs as it is written there, in a shell, with
the reader's files (reader.py). One that cannot end with status 0 here is in EXCEPTIONS, with the reason.

A block of code without a language holds commands. If some of its lines begin with "$ ", the others are what the command
before them prints, with ... for what was left out. The
tables of docs/coming-from.md are those of sdk/python/tests/test_coming_from.py, the programs of docs/http.md those of
tests/http/documents.py."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

from models import HERE
from reader import Model, environment, fill, furnish
from server import PATIENCE

ROOT = os.path.join(HERE, "..", "..")
BLOCK = re.compile(r"^``` *(\w*)[^\n]*\n(.*?)^```", re.M | re.S)
NOT_RUN, SAMPLE = None, "what it prints is a sample"
# Words of a command: (its status, a text that its output has, why). A command that is not run has no status. One that
# would end with 0, or is in no document any more, makes the test fail.
EXCEPTIONS = {
    "sudo apt-get": (NOT_RUN, "", "changes the machine"),
    "git clone REPOSITORY": (NOT_RUN, "", "needs the repository's address"),
    "make try": (NOT_RUN, "", "builds all; CI has built it"),
    "sudo make install": (NOT_RUN, "", "tests/installed installs"),
    "docker run": (NOT_RUN, "", "is a command of an engine, which is not ours"),
    "export E2B_API_KEY": (NOT_RUN, "", "needs a key"),
    "export DOCKER_HOST": (NOT_RUN, "", "needs an engine"),
    "--backend docker": (125, "no container engine runs", "needs an engine"),
    "--backend e2b": (125, "E2B needs a key", "needs a key"),
    "--pip 'numpy": (125, "cannot be reached", "needs an index of packages"),
    "--pip matplotlib": (125, "cannot be reached", "needs an index of packages"),
    "env create data": (125, "cannot be reached", "needs an index of packages"),
    "--python 3.9 --requirements": (125, "", "needs a Python 3.9, and an index of packages"),
    "--environment plots plot.py": (2, "there is no environment 'plots'", "needs what was made before"),
    "env export plots": (2, "there is no environment 'plots'", "needs what was made before"),
    "session commit 01m8": (2, "there is no session", "needs a session in a container"),
    "create_connection": (1, "Network is unreachable", "shows that there is no network"),
    "--try -c 'x /= 0'": (1, "division by zero", "fails, so that it is undone"),
    "--profile kodeagent": (1, "import of os is not allowed", "is refused"),
    "review --model gpt-4o --tools": (126, "", "is refused"),
    "'which month had the highest revenue?'": (0, SAMPLE, "prints figures of a real model"),
    "--completion fish |": (2, "", "is a line of fish"),
}
# Words of a command, and a program that a machine may lack.
NEEDS = {"jq": "jq", "curl": "curl", "git ": "git", "--lang js": "node", "sort.js": "node", "--lang r ": "Rscript",
         "--python 3.12": "python3.12"}
# What is of the reader's machine: what stands there, and what is here.
PLACES = (("cd my-project", "mkdir -p my-project; cd my-project"), ("/run/user/1000", "$XDG_RUNTIME_DIR"), ("/home/me/data", "$HOME/work"), ("127.0.0.1:8080", "127.0.0.1:0"),
          ("glovebox test --compare-results", "cp results.jsonl before.jsonl; glovebox test --compare-results"),
          ("glovebox repl --preload", "PATH=$PWD/env/bin:$PATH glovebox repl --preload"),
          ("glovebox blocks --delimiters", "cat reply.md | glovebox blocks --delimiters"))
STAYS = re.compile(r"glovebox serve --(listen|allow)")  # runs until a signal comes
ASKS = re.compile(r"glovebox session|curl")  # needs a daemon


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def joined(text):
    """The commands in lines: a line that ends in a backslash or a pipe continues in the next."""
    commands, begun = [], ""
    for line in text.splitlines():
        begun += line + "\n"
        code = re.sub(r"\s+#.*", "", line)
        if not code.rstrip().endswith(("\\", "|")):
            commands.append(begun)
            begun = ""
    return [c for c in commands + [begun] if c.strip() and not c.lstrip().startswith("#")]


def commands_of(block):
    """Pairs: a command, and what it prints, or ""."""
    if not re.search(r"^\$ ", block, re.M):
        return [(command, "") for command in joined(block)]
    return re.findall(r"^\$ ((?:[^\n]*[\\|]\n)*[^\n]*\n)((?:(?!\$ )[^\n]*\n)*)", block, re.M)


def scripts():
    """(where, the commands of one block) of each block."""
    for path in [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))]:
        blocks = [text for language, text in BLOCK.findall(read(path)) if not language]
        yield from ((os.path.basename(path), commands_of(text)) for text in blocks)
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "help", "*.txt"))):
        examples = re.search(r"^Examples:\n((?:  [^\n]*\n)+)", read(path), re.M)
        if examples:
            yield "help/" + os.path.basename(path), commands_of(re.sub("^  ", "", examples[1], flags=re.M))


def is_like(output, shown):
    return re.search(re.escape(shown.strip()).replace(r"\.\.\.", ".*"), output, re.S) is not None


def exception_of(command):
    return next((words for words in EXCEPTIONS if words in command), None)


def here(command):
    for there, instead in PLACES:
        command = command.replace(there, instead)
    return STAYS.sub(r"timeout 2 \g<0>", command)


class Shell:
    """Runs the commands of one block, one after the other, in one bash with the reader's files."""

    def __init__(self, folder):
        self.folder = folder
        furnish(folder)

    def start(self, model):
        env = {**environment(self.folder), **model.variables()}
        self.bash = subprocess.Popen(["bash", "-o", "pipefail"], cwd=self.folder, env=env, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, bufsize=1)

    def run(self, command):
        """Its status and its output. What it sets, the next one has."""
        self.bash.stdin.write("{ %s\n} </dev/null >.output 2>&1; echo $?\n" % here(command).rstrip("\n"))
        return int(self.bash.stdout.readline()), read(os.path.join(self.folder, ".output"))

    def stop(self):
        self.run("glovebox serve --stop")
        self.bash.stdin.close()
        self.bash.wait(PATIENCE)
        self.bash.stdout.close()


def test_command(tap, shell, model, where, command, shown):
    name = "%s: %s" % (where, " ".join(command.split("  #")[0].split()))
    words = exception_of(command)
    status, said, why = EXCEPTIONS.get(words, (0, "", ""))
    if status is NOT_RUN:
        return
    lacking = [program for part, program in NEEDS.items() if part in command and not shutil.which(program)]
    if lacking:
        tap.skip(name, "needs " + lacking[0])
        return
    if where.startswith("help/"):  # each example has the files as they were
        fill(shell.folder)
    model.asked(command)
    if ASKS.search(command):
        shell.run("glovebox serve --status || glovebox serve --background")
    got, output = shell.run(command)
    status = 124 if STAYS.search(command) else status
    tap.ok(got == status and (said is SAMPLE or said in output), name + (" (%s)" % why if why else ""), "status %d" % got, output)
    if shown:
        tap.equal(is_like(output, shown), said is not SAMPLE, "... and prints what is shown", output)
    if "--model" in command and got == 0:
        tap.ok(len(model.requests) > model.before, "... and asks the model")


def test_block(tap, model, where, commands):
    with tempfile.TemporaryDirectory(prefix="glovebox-reader-") as folder:
        shell = Shell(folder)
        shell.start(model)
        for command, shown in commands:
            test_command(tap, shell, model, where, command, shown)
        shell.stop()


def test(tap):
    found = [(where, commands) for where, commands in scripts() if commands]
    tap.ok(len(found) > 40, "the documents have commands", found)
    with Model() as model:
        for where, commands in found:
            test_block(tap, model, where, commands)
    used = {exception_of(command) for _, commands in found for command, _ in commands}
    tap.equal(set(EXCEPTIONS) - used, set(), "each exception has its command")
