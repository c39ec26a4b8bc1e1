# SPDX-License-Identifier: Apache-2.0
"""The folder of the workspace in which a program or a cell starts: --cwd."""

import shutil

from test_daemon_run import Daemon

LANGUAGES = (
    ("python", "python3", "import os, helper\nprint(os.getcwd(), helper.half(4), open('d.txt').read())", "%s 2.0 data\n"),
    ("javascript", "node", "console.log(process.cwd(), require('./m.js'), require('fs').readFileSync('d.txt', 'utf8'))", "%s 5 data\n"),
    ("r", "Rscript", "cat(getwd(), readLines('d.txt', warn = FALSE), '\\n')", "%s data \n"),
    ("bash", "bash", ". ./x.sh; echo $PWD $sourced $(cat d.txt)", "%s yes data\n"),
    ("sh", "sh", ". ./x.sh; echo $(pwd) $sourced $(cat d.txt)", "%s yes data\n"),
)
CELLS = {
    "python": ("import os\nprint(os.getcwd())", "print(open('d.txt').read())"),
    "javascript": ("console.log(process.cwd())", "console.log(require('fs').readFileSync('d.txt', 'utf8'))"),
    "r": ("cat(getwd(), '\\n', sep = '')", "cat(readLines('d.txt', warn = FALSE), '\\n', sep = '')"),
    "bash": ("pwd", "cat d.txt; echo"),
}


def make_project(t):
    for name, text in (("helper.py", "def half(x): return x / 2\n"), ("m.js", "module.exports = 5\n"), ("x.sh", "sourced=yes\n"),
                       ("d.txt", "data")):
        t.write("proj/src/" + name, text)


def read(t, name):
    with open(t.path("here", name), encoding="utf-8") as f:
        return f.read()


def inside(t):
    """The path of the workspace; without a private root it differs from run to run."""
    return t.run("-c", "import os; print(os.getcwd())").out.decode().strip()


def test_languages(t):
    make_project(t)
    if inside(t) != "/box/work":
        return t.skip("languages", "needs a private root")
    for language, program, code, said in LANGUAGES:
        if not shutil.which(program):
            t.skip(language, "needs " + program)
            continue
        done = t.run("--lang", language, "--file", "proj", "--cwd", "proj/src", "-c", code)
        t.equal((done.code, done.out.decode()), (0, said % "/box/work/proj/src"), "a program in %s starts in its folder" % language, done)
    return None


def test_names(t):
    make_project(t)
    for name, ends in (("proj", "/proj"), ("proj/", "/proj"), ("./proj/src//", "/proj/src"), (".", "/work"), ("./", "/work"), ("/box/work/proj", "/proj"),
                       ("/box/work", "/work")):
        done = t.run("--file", "proj", "--cwd", name, "-c", "import os; print(os.getcwd())")
        t.ok(done.code == 0 and done.out.decode().strip().endswith(ends), "--cwd " + name, done)
    for name, words in (("nope", "the workspace has no such folder"), ("proj/nope", "the workspace has no such folder"), ("..", "contains '..'"),
                        ("proj/../..", "contains '..'"), ("/etc", r"not in the workspace: let it go there itself, as with os.chdir"), ("/box/workshop", "not in the workspace"), ("/", "not in the workspace"),
                        ("proj/src/d.txt", "is a file, not a folder"), ("a//b", "empty component"), ("x" * 300, "longer than 255 bytes")):
        done = t.run("--file", "proj", "--cwd", name, "-c", "print('ran')")
        t.refused(done, 2, words, "--cwd " + name[:20])
        t.equal(done.out, b"", "nothing ran")
    done = t.run("--file", "proj", "--cwd", "nope\x1b[31m", "-c", "1")
    t.ok(done.code == 2 and b"\x1b" not in done.err, "a name with an escape is shown safely", done)
    t.exits(t.run("--cwd", "", "-c", "print(1)"), 0, "an empty name is the workspace", b"1\n")


def test_results(t):
    make_project(t)
    doc = t.run("--json", "--file", "proj", "--cwd", "proj/src", "-c", "open('new.txt', 'w').close()\nx = 1\n1 / 0").json
    t.equal([f["path"] for f in doc["files"]], ["proj/src/new.txt"], "files have their path in the workspace; the program is none of them", doc)
    e = doc["exception"]
    t.equal((e["type"], e["line"], e["file"]), ("ZeroDivisionError", 3, None), "the line of the program", e)
    t.write("proj/src/main.py", "own = 1\n")
    done = t.run("--file", "proj", "--cwd", "proj/src", "-c", "import main; print(main.own)")
    t.exits(done, 0, "the program hides no file of that folder", b"1\n")
    t.run("--file", "proj", "--cwd", "proj", "--out", "out", "-c", "open('r.txt', 'w').write('x')")
    t.equal(read(t, "out/proj/r.txt"), "x", "--out keeps the folders")
    t.run("--work-dir", "proj", "--cwd", "src", "-c", "open('kept.txt', 'w').write('x')")
    t.equal(read(t, "proj/src/kept.txt"), "x", "with --work-dir")
    t.write("v.json", '{"k": [1]}')
    t.exits(t.run("--file", "proj", "--cwd", "proj/src", "--data", "v=v.json", "-c", "print(v['k'])"), 0, "--data", b"[1]\n")
    if shutil.which("node"):
        done = t.run("--lang", "js", "--file", "proj", "--cwd", "proj/src", "--data", "v=v.json", "-c", "console.log(v.k)")
        t.exits(done, 0, "... in JavaScript", b"[ 1 ]\n")
    t.refused(t.run("--file", "proj", "--cwd", "proj", "--optimize-data", "-c", "1"), 2, "leave --cwd out", "--optimize-data")


def test_daemon(t):
    make_project(t)
    code = "import os, helper; print(os.path.basename(os.getcwd()), helper.half(4))"
    files = [w for name in ("helper.py", "d.txt") for w in ("--file", "proj/src/%s:src/%s" % (name, name))]
    with Daemon(t) as d:
        for i in range(3):  # the third finds a jail that waits, and does not take it
            done = t.run(*files, "--cwd", "src", "-c", code, env=d.env)
            t.exits(done, 0, "a run there, %d" % i, b"src 2.0\n")
        t.refused(t.run("--cwd", "nope", "-c", "1", env=d.env), 2, "no such folder", "a folder that is missing")
        for language, (where, what) in CELLS.items():
            check_session(t, d, files, language, where, what)
        done = t.box("session", "new", "--cwd", "nope", env=d.env)
        t.refused(done, 2, "no such folder", "a session in a folder that is missing")


def check_session(t, d, files, language, where, what):
    program = {"javascript": "node", "r": "Rscript"}.get(language, language)
    if language != "python" and not shutil.which(program):
        return t.skip("sessions in " + language, "needs " + program)

    def cell(name, code, *how):
        return t.box("session", "exec", name, *how, "-c", code, env=d.env)

    def folder(name, *how):
        return cell(name, where, *how).out.decode().strip().rpartition("/")[2]

    t.exits(t.box("session", "new", "--name", "a-" + language, "--lang", language, *files, env=d.env), 0, "a session in " + language)
    a = "a-" + language
    t.equal((folder(a), folder(a, "--cwd", "src"), folder(a)), ("work", "src", "work"), "%s: a cell goes there and back" % language)
    t.exits(cell(a, what, "--cwd", "src"), 0, "%s: its files" % language, b"data\n")
    done = cell(a, "print(1)" if language != "bash" else "echo 1", "--cwd", "nope")
    t.ok(done.code == 1 and b"there is no folder 'nope' in the workspace" in done.err and b"1\n" not in done.out,
         "%s: no such folder, and the cell does not run" % language, done)
    t.refused(cell(a, "1", "--cwd", "../x"), 2, "contains '..'", "%s: outside" % language)
    t.equal(folder(a), "work", "%s: still where it was" % language)
    fails = {"python": "1 / 0", "javascript": "throw 1", "r": "stop('x')", "bash": "false"}[language]
    cell(a, fails, "--cwd", "src")
    t.equal(folder(a), "work", "%s: back after a failure" % language)
    t.box("session", "new", "--name", "b-" + language, "--lang", language, *files, "--cwd", "src", env=d.env)
    b = "b-" + language
    t.equal((folder(b), folder(b, "--cwd", "."), folder(b)), ("src", "work", "src"), "%s: a session that starts there" % language)
    t.box("session", "restart", b, env=d.env)
    t.equal(folder(b), "src", "%s: and starts there again" % language)
    return None


def test_repl(t):
    make_project(t)
    done = t.box("repl", "--file", "proj", "--cwd", "proj/src", stdin=b"import os\nos.path.basename(os.getcwd())\n")
    t.equal(done.out.decode().strip(), "'src'", "the prompt", done)
    t.refused(t.box("repl", "--cwd", "proj", stdin=b"1\n"), 2, "no such folder", "a folder that is missing")
