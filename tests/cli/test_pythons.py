# SPDX-License-Identifier: Apache-2.0
"""--python: an interpreter by version or by path."""

import os
import shutil
import subprocess

from box import once
from test_daemon_run import Daemon
from test_interpreter import make_venv

CODE = "import sys; print(sys.prefix, sys.version_info[1])"


def default_minor(t):
    return t.run("-c", "import sys; print(sys.version_info[1])").out.decode().strip()


def listed(t, **how):
    """{minor: path}, as doctor lists them."""
    found = t.box("doctor", "--json", **how).json["pythons"]
    return {int(p["version"].split(".")[1]): p["path"] for p in found}


def test_path(t):
    venv = make_venv(t, t.path("venv"))
    want = b"%s " % os.fsencode(venv)
    for name in (venv, venv + "/", venv + "/bin/python", venv + "/bin/python3"):
        done = t.run("--python", name, "-c", CODE)
        t.ok(done.code == 0 and done.out.startswith(want), "by path: " + name, done)
    for name in ("venv", "venv/", "./venv/bin/python3"):
        done = t.run("--python", name, "-c", CODE, cwd=t.path())
        t.ok(done.code == 0 and done.out.startswith(want), "by a relative path: " + name, done)
    done = t.run("--python", venv, "-c", "import only_in_venv as o; print(o.NAME)")
    t.exits(done, 0, "its packages are there", b"venv package\n")
    t.exits(t.run("-c", "import only_in_venv"), 1, "and nowhere else")
    done = t.run("-c", CODE, env={"GLOVEBOX_PYTHON": venv})
    t.ok(done.out.startswith(want), "by a variable", done)
    t.config("python = %s\n" % venv)
    done = t.run("-c", CODE)
    t.ok(done.out.startswith(want), "by the config file", done)
    t.exits(t.run("--lang", "bash", "-c", "echo 1"), 0, "another language ignores it", b"1\n")
    cases = t.write(t.path("cases.json"), '[{"call": "f()", "expected": "venv package"}]')
    t.write(t.path("sol.py"), "import only_in_venv\ndef f():\n    return only_in_venv.NAME\n")
    t.exits(t.box("test", t.path("sol.py"), "--cases", t.path("cases.json")), 0, "a test has it, too")
    done = t.box("repl", stdin=b"import only_in_venv as o; print(o.NAME)\n")
    t.ok(b"venv package" in done.out, "so has repl", done)


def test_copied(t):
    """Its version is in pyvenv.cfg alone: the file is called python."""
    folder = t.path("copied")
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--copies", "--without-pip", folder], check=True, timeout=60)
    done = t.run("--python", folder, "-c", CODE)
    t.ok(done.code == 0 and done.out.startswith(os.fsencode(folder)), "a copy instead of a link", done)


@once
def test_wrong(t):
    t.write(t.path("script/bin/python3"), "#!/bin/sh\nexec /bin/sh\n", 0o755)
    os.makedirs(t.path("shell/bin"))
    shutil.copy("/bin/sh", t.path("shell/bin/dash"))
    os.symlink("dash", t.path("shell/bin/python3"))
    os.makedirs(t.path("two/bin"))
    shutil.copy("/bin/sh", t.path("two/bin/python2.7"))
    os.symlink("python2.7", t.path("two/bin/python"))
    os.makedirs(t.path("nothing"))
    t.write(t.path("data"), "x")
    for name, want in (
            ("nowhere", "neither a version"), (t.path("nothing"), "no bin/python3"), (t.path("data"), "not a program"),
            ("/bin/sh", "is not a Python: its file is"), (t.path("shell"), "is not a Python: its file is"),
            (t.path("two"), "is a Python 2"), (t.path("script"), "is a script"), ("3.12.1", "one or two parts"), ("2", "version of Python 3"),
            ("2.7", "version of Python 3"), ("python2", "version of Python 3"), ("3.", "version of Python 3"),
            ("3.0x", "neither a version")):
        t.refused(t.run("--python", name, "-c", "1"), 2, want, "wrong: " + name)
    t.refused(t.run("--python", "3.99", "-c", "1"), 125, r"no Python 3\.99 on this machine.*there is 3\.\d",
              "a version that is not here")
    t.refused(t.box("check", "--lang", "3.12", "-c", "1"), 2, "'3.12' is not known", "a version alone is no language")
    t.refused(t.run("--lang", "python3.99", "-c", "1"), 125, r"no Python 3\.99 ", "nor as a language")
    t.refused(t.run("--lang", "python3.11", "--python", "3.12", "-c", "1"), 2, "name two interpreters", "two of them")
    t.project("python = 3\n")
    t.ok(b"python" in t.run("-c", "print(1)").err, "a project's file cannot set it")


def test_version(t):
    minor = default_minor(t)
    for how in (("--python", "3"), ("--python", "3." + minor), ("--python", "python3." + minor),
                ("--lang", "python3." + minor), ("--lang", "python3.%s" % minor, "--python", "3." + minor)):
        done = t.run(*how, "-c", CODE)
        t.ok(done.code == 0 and done.out.endswith(b" %s\n" % minor.encode()), " ".join(how), done)
    others = [m for m in listed(t) if str(m) != minor and m >= 6]
    if not others:
        t.skip("another version", "no file of a second Python on this machine")
        return
    other = others[-1]
    for how in (("--python", "3.%d" % other), ("--lang", "python3.%d" % other)):
        done = t.run(*how, "-c", CODE)
        t.ok(done.code == 0 and done.out.endswith(b" %d\n" % other), "another version: " + how[1], done)
    t.write(t.path("a.py"), "#!/usr/bin/env python3.%d\n%s\n" % (other, CODE))
    done = t.run(t.path("a.py"))
    t.ok(done.out.endswith(b" %d\n" % other) and not done.err, "the program's own first line", done)
    done = t.run("--python", "3." + minor, t.path("a.py"))
    t.ok(done.out.endswith(b" %s\n" % minor.encode()), "--python comes before it", done)


def test_pyenv(t):
    """Folders that no $PATH has."""
    real = os.path.realpath("/usr/bin/python3")
    minor = int(real.rsplit(".", 1)[1])
    empty = t.path("empty")
    os.makedirs(empty)
    env = {"PATH": empty}
    t.refused(t.run("--python", "3.%d" % minor, "-c", "1", env=env), 125, "there is none", "nothing anywhere")
    for root in (".pyenv/versions/3.%d.7" % minor, ".local/share/uv/python/cpython-3.%d.7-linux" % minor, "miniconda3"):
        folder = os.path.join(t.home, root)
        os.makedirs(folder + "/bin"), os.makedirs(folder + "/lib")
        os.symlink(real, folder + "/bin/python3.%d" % minor)
        done = t.run("--python", "3.%d" % minor, "-c", "print(1)", env=env)
        t.exits(done, 0, "found in " + root, b"1\n")
        t.exits(t.run("--python", "3", "-c", "print(1)", env=env), 0, "any version", b"1\n")
        shutil.rmtree(folder)
    place_pythons(t, ".pyenv/versions", minor, real)
    t.equal(listed(t, env=env), {minor: os.path.join(t.home, ".pyenv/versions/3.%d.10/bin/python3.%d" % (minor, minor))},
            "of two, the newest, and none that has another's version")
    t.refused(t.run("--python", "3.7", "-c", "1", env=env), 125, "no Python 3.7 on", "a name alone is no version")
    shutil.rmtree(os.path.join(t.home, ".pyenv"))
    for variable, below in (("PYENV_ROOT", "/versions"), ("UV_PYTHON_INSTALL_DIR", "")):
        place_pythons(t, "elsewhere" + below, minor, real)
        here = dict(env, **{variable: os.path.join(t.home, "elsewhere")})
        t.exits(t.run("--python", "3.%d" % minor, "-c", "print(1)", env=here), 0, "found with " + variable, b"1\n")


def place_pythons(t, root, minor, real):
    """Two releases of it, and one that has the name of another version."""
    for name, of in (("3.%d.7" % minor, minor), ("3.%d.10" % minor, minor), ("3.7.1", 7)):
        for begin in "", "cpython-":
            folder = os.path.join(t.home, root, begin + name)
            os.makedirs(folder + "/bin"), os.makedirs(folder + "/lib")
            os.symlink(real, folder + "/bin/python3.%d" % of)


def test_first_line(t):
    t.write(t.path("a.py"), "#!/usr/bin/env -S python3.98 -u\nprint(1)\n")
    done = t.run(t.path("a.py"))
    t.exits(done, 0, "a version that is not here: another runs it", b"1\n")
    t.match(rb"names python3\.98, which this machine does not have; /\S+ runs the program", done.err, "with a warning")
    t.equal(t.run("-q", t.path("a.py")).err, b"", "which -q hides")
    t.ok("python3.98" in str(t.run("--json", t.path("a.py")).json["warnings"]), "and which JSON has")


def test_daemon(t):
    venv = make_venv(t, t.path("venv"))
    minor = default_minor(t)
    with Daemon(t) as d:
        done = t.run("--python", "3." + minor, "-c", CODE, env=d.env)
        t.ok(done.code == 0 and d.answers(1), "a version is sent to the daemon", done)
        done = t.run("--python", venv, "-c", CODE, env=d.env)
        t.ok(done.out.startswith(os.fsencode(venv)) and d.requests() == 1, "a path stays here", done)
        for how in ((), ("--python", venv), ("--python", "3." + minor), ()):
            done = t.run(*how, "-c", "import importlib.util as u; print(u.find_spec('only_in_venv') is None)", env=d.env)
            t.exits(done, 0, "no run has another one's Python: %r" % (how,), b"%r\n" % (venv not in how))
        done = t.box("session", "new", "--python", venv, env=d.env)
        t.refused(done, 126, "--allow host-files", "a session refuses it in words")
        done = t.box("session", "new", env=dict(d.env, VIRTUAL_ENV=venv))
        own = b"the daemon used its own Python 3.%s, not the active environment" % minor.encode()
        t.ok(done.code == 0 and done.err.count(own) == 1, "an active environment is not there; its version is", done)
        said = t.box("session", "new", "--quiet", env=dict(d.env, VIRTUAL_ENV=venv)).err
        t.equal(said, b"", "-q hides it")
        said = t.box("session", "new", "--lang", "bash", env=dict(d.env, VIRTUAL_ENV=venv)).err
        t.equal(said, b"", "another language needs none")
        place = ("--daemon", "unix:" + d.socket)
        typed = t.box("repl", *place, stdin=b"1 + 1", env={"VIRTUAL_ENV": venv})
        t.ok(typed.out == b"2\n" and own in typed.err, "repl says so, too", typed)
        ran = t.run(*place, "-c", "print(1)", env={"VIRTUAL_ENV": venv})
        t.ok((ran.code, ran.out) == (0, b"1\n") and ran.err.count(own) == 1, "and run, where --daemon demands it", ran)
        ran = t.run(*place, "--lang", "bash", "-c", "echo 1", env={"VIRTUAL_ENV": venv})
        t.equal((ran.code, ran.out, ran.err), (0, b"1\n", b""), "but not for Bash")
        ran = t.run(*place, "--python", venv, "-c", "print(1)")
        t.refused(ran, 126, "--allow host-files", "a path that is demanded is refused")
        active = dict(d.env, VIRTUAL_ENV=venv, PATH=venv + "/bin:" + os.environ["PATH"])
        ran = t.run("-c", "import only_in_venv as o; print(o.NAME)", env=active)
        t.exits(ran, 0, "a run without --daemon stays here", b"venv package\n")
        shown = t.box("session", "show", done.out.decode().strip(), env=d.env)
        t.match(rb"interpreter +/\S+\n(.*\n)*python +3\.\d+\n", shown.out, "session show lists it")
    os.symlink("venv", t.path("link"))
    with Daemon(t, env={"PATH": venv + "/bin:" + os.environ["PATH"]}) as d:
        for active in venv, t.path("link"):
            done = t.box("session", "new", env=dict(d.env, VIRTUAL_ENV=active))
            t.equal((done.code, done.err), (0, b""), "no word if the daemon's own Python is the environment's: " + active)
            done = t.box("session", "exec", done.out.decode().strip(), "-c", "import only_in_venv as o; print(o.NAME)", env=d.env)
            t.exits(done, 0, "which has its packages", b"venv package\n")
        done = t.box("session", "new", env=dict(d.env, VIRTUAL_ENV=make_venv(t, t.path("other"))))
        t.ok(done.code == 0 and done.err.count(own) == 1, "but for another environment", done)
    with Daemon(t, "--allow", "host-files") as d:
        done = t.box("session", "new", "--python", "venv/", env=d.env, cwd=t.path())
        t.equal((done.code, done.err), (0, b""), "where a path is allowed, also a relative one", done)
        one = done.out.decode().strip()
        done = t.box("session", "exec", one, "-c", "import only_in_venv as o; print(o.NAME)", env=d.env)
        t.exits(done, 0, "the session has its packages", b"venv package\n")
        done = t.box("session", "new", env=dict(d.env, VIRTUAL_ENV=venv))
        t.equal((done.code, done.err), (0, b""), "and the active environment is used", done)
        mine = done.out.decode().strip()
        done = t.box("session", "exec", mine, "-c", "import only_in_venv as o; print(o.NAME)", env=d.env)
        t.exits(done, 0, "with its packages", b"venv package\n")
        done = t.run("--daemon", "unix:" + d.socket, "-c", "import only_in_venv as o; print(o.NAME)",
                     env={"VIRTUAL_ENV": venv})
        t.equal((done.code, done.out, done.err), (0, b"venv package\n", b""), "in a run, too")
        two = t.box("session", "new", env=d.env).out.decode().strip()
        done = t.box("session", "exec", two, "-c", "import only_in_venv", env=d.env)
        t.ok(done.code == 1, "and the next one has not", done)
