# SPDX-License-Identifier: Apache-2.0
"""The folder of compiled programs. A shell script stands for the compiler, so that a test can wait in it."""
import os
import shutil
import signal
import subprocess
import time

SCRIPT = """[language.script]
extension = .script
compile = "sh {file} {out}"
compile_timeout = 60s
"""
# The program that it makes prints what the compiler was.
MAKE = "printf '#!/bin/sh\\necho %s\\n' > \"$1\"; chmod +x \"$1\"\n"


def wait_for(condition, seconds=30):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_key(tap, box):
    """What is a part of the key, and what is not."""
    first = box.run("a.script", MAKE % "one")
    tap.equal((first.stdout, first.compile["cached"]), ("one\n", False), "a program", first)
    for name, words, cached in (("again", (), True), ("other limits", ("--memory", "100m", "--timeout", "9s"), True),
                                ("other variables", ("--env", "A=1"), True), ("an input file", ("--file", box.write("data", "1")), False),
                                ("the same file", ("--file", "data"), True)):
        r = box.run("a.script", MAKE % "one", *words)
        tap.equal((r.stdout, r.compile["cached"]), ("one\n", cached), name, r)
    box.write("data", "2")
    r = box.run("a.script", MAKE % "one", "--file", "data")
    tap.equal(r.compile["cached"], False, "another content of the file", r)
    os.makedirs(os.path.join(box.dir, "shown"), exist_ok=True)
    for _ in range(2):
        r = box.run("a.script", MAKE % "one", "--ro", os.path.join(box.dir, "shown"))
        tap.equal((r.stdout, r.compile["cached"]), ("one\n", False), "with a shown folder, whose files may change", r)
    r = box.run("a.script", MAKE % "one" + "# more\n")
    tap.equal(r.compile["cached"], False, "another text", r)
    r = box.run("a.script", MAKE % "one", env={"XDG_CACHE_HOME": "/proc/nowhere"})
    tap.equal((r.stdout, r.compile["cached"]), ("one\n", False), "without a folder, each run compiles", r)
    r = box.run("a.script", MAKE % "one", "--no-net")
    tap.ok(r.status != 2 or "no-net" in r.err, "an option that does not exist is refused as ever")


def test_files(tap, box):
    """The program's other files are there when it is compiled."""
    if not shutil.which("gcc"):
        tap.skip("files", "no gcc")
        return
    box.write("util.h", "int twice(int);\n")
    box.write("util.c", "#include \"util.h\"\nint twice(int x) { return 2 * x; }\n")
    text = "#include <stdio.h>\n#include \"util.h\"\nint main(void) { printf(\"%d\\n\", twice(21)); }\n"
    r = box.run("prog.c", text, "--file", "util.h", "--file", "util.c")
    tap.equal(r.stdout, "42\n", "a header, and a file that is compiled with the program", r)
    text = "#include <stdio.h>\n#include \"util.c\"\nint main(void) { printf(\"%d\\n\", twice(21)); }\n"
    r = box.run("prog.c", text, "--file", "util.h", "--file", "util.c")
    tap.equal(r.stdout, "42\n", "a file that the program includes is not compiled twice", r)
    os.makedirs(os.path.join(box.dir, "work"), exist_ok=True)
    box.write("work/util.h", "#define X 7\n")
    r = box.run("prog.c", "#include \"util.h\"\nint main(void) { return X; }\n", "--work-dir", "work")
    tap.equal((r.exit_code, sorted(os.listdir(os.path.join(box.dir, "work")))), (7, ["util.h"]), "a work folder, in which nothing is left", r)
    r = box.run("prog.c", "int main(void) { return 0 }\n", "--prelude", box.write("pre.c", "/* one */\n/* two */\n"))
    tap.equal(r.exception and r.exception["line"], 1, "lines are counted without the prelude", r)


def test_killed(tap, box):
    """A killed process leaves nothing half made, and nothing that stays."""
    before = box.entries()
    box.write("slow.script", MAKE % "slow" + "echo half > \"$1.part\"; sleep 30\n")
    p = box.start("run", "slow.script")
    tap.ok(wait_for(box.unfinished), "it compiles")
    p.send_signal(signal.SIGKILL)
    p.communicate()
    tap.equal(box.entries(), before, "no entry of a killed compilation")
    r = box.run("next.script", MAKE % "next")
    tap.equal((r.stdout, box.unfinished()), ("next\n", []), "the next one removes what it left", r)


def test_cancelled(tap, box):
    box.write("slow.script", MAKE % "slow" + "sleep 60\n")
    p = box.start("run", "slow.script")
    tap.ok(wait_for(box.unfinished), "it compiles")
    began = time.monotonic()
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=30)
    tap.ok(p.returncode == 130 and time.monotonic() - began < 20, "Ctrl-C ends a compilation", p.returncode)
    tap.equal(box.unfinished(), [], "and nothing is left of it")


def test_together(tap, box):
    """One of several processes compiles, the others wait for it."""
    entries = len(box.entries())
    box.write("once.script", MAKE % "once" + "sleep 1\n")
    runs = [subprocess.Popen([box.glovebox, "run", "--json", "once.script"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, cwd=box.dir, env=box.env) for _ in range(4)]
    out = [p.communicate()[0] for p in runs]
    tap.ok(all(b'"stdout":"once\\n"' in o for o in out), "each has the program", *out)
    tap.equal(sum(b'"cached":false' in o for o in out), 1, "one has compiled it")
    tap.equal(len(box.entries()), entries + 1, "there is one entry")


def test_broken(tap, box):
    """An entry that lost its content is made again."""
    box.run("lost.script", MAKE % "first")
    for entry in box.entries():
        path = os.path.join(box.cache, entry, "out", "program")
        if os.path.isfile(path) and open(path, "rb").read() == b"#!/bin/sh\necho first\n":
            os.chmod(path, 0o700)
            open(path, "w").close()
    r = box.run("lost.script", MAKE % "first")
    tap.equal((r.stdout, r.compile["cached"]), ("first\n", False), "an empty program", r)
    tap.equal(box.run("lost.script", MAKE % "first").compile["cached"], True, "and is known then")


def test_shape(tap, box):
    modes = set()
    for entry in box.entries():
        for folder, _, files in os.walk(os.path.join(box.cache, entry, "out")):
            modes |= {os.lstat(folder).st_mode & 0o7222} | {os.lstat(os.path.join(folder, f)).st_mode & 0o7222 for f in files}
    tap.equal(modes, {0}, "nobody may write what is kept")
    tap.equal(os.lstat(box.cache).st_mode & 0o777, 0o700, "and only its owner may look")
    os.chmod(box.cache, 0o755)
    r = box.run("a.script", MAKE % "open")
    again = box.run("a.script", MAKE % "open")
    os.chmod(box.cache, 0o700)
    tap.equal((r.stdout, again.compile["cached"]), ("open\n", False), "a folder that others may read is not used", again)


def test(tap, box):
    box.config(SCRIPT)
    for part in (test_key, test_files, test_killed, test_cancelled, test_together, test_broken, test_shape):
        part(tap, box)
