# SPDX-License-Identifier: Apache-2.0
"""Interpreters elsewhere: their own folder appears inside, nothing else of that home."""

import os
import shutil
import subprocess
import tempfile

PYTHON = "/usr/bin/python3"


def lists(t, folder, *more, **how):
    """The names in a folder inside, or None."""
    code = "import os; f = %r; print(sorted(os.listdir(f)) if os.path.isdir(f) else None)" % folder
    done = t.run(*more, "-c", code, **how)
    return eval(done.out) if done.code == 0 else done


def make_venv(t, folder):
    subprocess.run(
        [PYTHON, "-m", "venv", "--without-pip", folder], check=True, env=t.env(), timeout=60
    )
    site = os.path.join(folder, "lib", "python3.%d" % sys_version_minor(t), "site-packages")
    with open(os.path.join(site, "only_in_venv.py"), "w") as f:
        f.write("NAME = 'venv package'\n")
    return folder


def sys_version_minor(t):
    return int(t.command([PYTHON, "-c", "import sys; print(sys.version_info[1])"]).out)


def fill_home(t):
    """What must not be seen."""
    for name in (".ssh/id_rsa", ".bashrc", "notes.txt", "work/secret.txt", ".config/token"):
        t.write(os.path.join(t.home, name), "secret")


def test_venv(t):
    fill_home(t)
    venv = make_venv(t, os.path.join(t.home, "work/venv"))
    path = {"PATH": venv + "/bin:/usr/bin:/bin"}
    done = t.run(
        "-c",
        "import sys; print(sys.prefix, sys.prefix != sys.base_prefix, sys.executable)",
        env=path,
    )
    t.exits(
        done,
        0,
        "it is the environment's Python",
        ("%s True %s/bin/python3\n" % (venv, venv)).encode(),
    )
    t.exits(
        t.run("-c", "import only_in_venv; print(only_in_venv.NAME)", env=path),
        0,
        "its packages",
        b"venv package\n",
    )
    t.exits(t.run("-c", "import numpy", env=path), 1, "and not the system's")
    t.exits(
        t.run(
            "-c",
            "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import only_in_venv as o; print(o.NAME)'])",
            env=path,
        ),
        0,
        "a child of it",
        b"venv package\n",
    )
    t.equal(lists(t, t.home, env=path), ["work"], "of the home there is only the way to it")
    t.equal(
        lists(t, os.path.join(t.home, "work"), env=path), ["venv"], "nor are its neighbours there"
    )
    done = t.run("-c", "open(%r, 'w')" % (venv + "/x"), env=path)
    t.ok(
        done.code == 1 and b"OSError" in done.err or b"PermissionError" in done.err,
        "it is read-only",
        done,
    )
    t.equal(lists(t, t.home), None, "without it on the PATH nothing of the home is there")


def test_venv_in_tmp(t):
    folder = tempfile.mkdtemp()
    try:
        venv = make_venv(t, os.path.join(folder, "venv"))
        done = t.run(
            "-c",
            "import only_in_venv; print(only_in_venv.NAME)",
            env={"PATH": venv + "/bin:/usr/bin:/bin"},
        )
        t.exits(done, 0, "an environment below /tmp", b"venv package\n")
    finally:
        shutil.rmtree(folder)


def test_venv_relative(t):
    venv = make_venv(t, os.path.join(t.dir, "venv"))
    t.config("[language.python]\ncommand = venv/bin/python3\n")
    done = t.run("-c", "import sys; print(sys.prefix)")
    t.exits(done, 0, "a command that is a relative path", venv.encode() + b"\n")
    t.config("")
    done = t.run("-c", "import sys; print(sys.prefix)", env={"PATH": "venv/bin:/usr/bin:/bin"})
    t.exits(done, 0, "a relative folder in PATH is passed over", b"/usr\n")


def fake_python(name):
    return '#!/bin/sh\necho %s; exec %s "$@"\n' % (name, PYTHON)


def test_pyenv(t):
    fill_home(t)
    root = os.path.join(t.home, ".pyenv")
    for version in ("3.1.4", "3.9.9"):
        t.write(os.path.join(root, "versions", version, "bin/python3"), fake_python(version), 0o755)
        t.write(os.path.join(root, "versions", version, "lib/x.py"), "")
    t.write(os.path.join(root, "shims/python3"), "#!/bin/sh\necho a shim was run; exit 1\n", 0o755)
    t.write(os.path.join(root, "version"), "3.9.9\n")
    t.write(os.path.join(root, "cache/huge"), "x")
    path = {"PATH": root + "/shims:/usr/bin:/bin"}
    t.exits(
        t.run("-c", "print(1)", env=path), 0, "the global version behind the shim", b"3.9.9\n1\n"
    )
    t.exits(
        t.run("-c", "print(1)", env=dict(path, PYENV_VERSION="3.1.4")),
        0,
        "PYENV_VERSION",
        b"3.1.4\n1\n",
    )
    t.exits(
        t.run("-c", "print(1)", env=dict(path, PYENV_VERSION="3.1.4:system")),
        0,
        "the first of several",
        b"3.1.4\n1\n",
    )
    t.write(".python-version", "3.1.4\n")
    t.exits(t.run("-c", "print(1)", env=path), 0, ".python-version here", b"3.1.4\n1\n")
    os.mkdir(t.path("here/below"))
    t.exits(
        t.run("-c", "print(1)", env=path, cwd=t.path("here/below")),
        0,
        ".python-version above",
        b"3.1.4\n1\n",
    )
    for odd in ("system", "9.9.9", "../../x", "", "\x00", "/etc"):
        t.write(".python-version", odd + "\n")
        done = t.run("-c", "print(1)", env=path)
        t.match(rb"^(3.9.9\n)?1\n$", done.out, "a version %r that is not there" % odd)
    os.remove(t.path("here/.python-version"))
    done = t.run(
        "-c",
        "import os; print(sorted(os.listdir(%r)), os.listdir(%r), os.listdir(%r))"
        % (t.home, root, root + "/versions"),
        env=path,
    )
    t.exits(done, 0, "only that version is inside", b"3.9.9\n['.pyenv'] ['versions'] ['3.9.9']\n")


def test_nvm(t):
    fill_home(t)
    prefix = os.path.join(t.home, ".nvm/versions/node/v99.0.0")
    t.write(
        os.path.join(prefix, "bin/node"),
        '#!/bin/sh\necho own node; cat "$(dirname "$0")/../lib/text"; for file; do :; done; cat "$file"\n',
        0o755,
    )
    t.write(os.path.join(prefix, "lib/text"), "its library\n")
    path = {"PATH": prefix + "/bin:/usr/bin:/bin"}
    t.exits(
        t.run("--lang", "js", "-c", "the text", env=path),
        0,
        "a prefix in a home",
        b"own node\nits library\nthe text",
    )
    os.symlink("versions/node/v99.0.0", os.path.join(t.home, ".nvm/current"))
    path = {"PATH": os.path.join(t.home, ".nvm/current/bin") + ":/usr/bin:/bin"}
    t.exits(
        t.run("--lang", "js", "-c", "x", env=path),
        0,
        "through a link to the prefix",
        b"own node\nits library\nx",
    )
    os.makedirs(os.path.join(t.home, "bin"))
    os.symlink("../.nvm/versions/node/v99.0.0/bin/node", os.path.join(t.home, "bin/node"))
    path = {"PATH": os.path.join(t.home, "bin") + ":/usr/bin:/bin"}
    t.exits(
        t.run("--lang", "js", "-c", "y", env=path),
        0,
        "through a link in ~/bin",
        b"own node\nits library\ny",
    )


def test_home_bin(t):
    fill_home(t)
    os.makedirs(os.path.join(t.home, "bin"))
    os.makedirs(os.path.join(t.home, "lib"))
    os.symlink(PYTHON, os.path.join(t.home, "bin/python3"))
    t.write(os.path.join(t.home, "bin/own"), "secret", 0o755)
    path = {"PATH": os.path.join(t.home, "bin") + ":/usr/bin:/bin"}
    t.equal(
        lists(t, t.home, env=path),
        None,
        "a link in ~/bin to the system's: nothing of the home is there",
    )
    os.remove(os.path.join(t.home, "bin/python3"))
    t.write(os.path.join(t.home, "bin/python3"), fake_python("mine"), 0o755)
    done = t.run(
        "-c",
        "import os; print(os.listdir(%r), os.listdir(%r))" % (t.home, os.path.join(t.home, "bin")),
        env=path,
    )
    t.exits(done, 0, "a program in ~/bin: only itself is there", b"mine\n['bin'] ['python3']\n")
    local = os.path.join(t.home, ".local")
    t.write(os.path.join(local, "bin/python3"), fake_python("local"), 0o755)
    t.write(os.path.join(local, "lib/secret"), "x")
    t.write(os.path.join(local, "share/secret"), "x")
    done = t.run(
        "-c",
        "import os; print(os.listdir(%r), os.listdir(%r))" % (local, local + "/bin"),
        env={"PATH": local + "/bin:/usr/bin:/bin"},
    )
    t.exits(done, 0, "~/.local is no prefix", b"local\n['bin'] ['python3']\n")


def test_absent(t):
    empty = t.path("nothing")
    os.mkdir(empty)
    for lang, name in (
        ("python", "python3"),
        ("js", "node"),
        ("r", "Rscript"),
        ("bash", "bash"),
        ("sh", "sh"),
    ):
        done = t.run("--lang", lang, "-c", "1", env={"PATH": empty})
        t.refused(done, 125, "no .* on this machine .*%s.*apt-get install" % name, "no %s" % name)
    t.write(t.path("nothing/python3"), "not executable")
    t.refused(
        t.run("-c", "1", env={"PATH": empty}),
        125,
        "no python",
        "a file that is not executable is none",
    )
    os.remove(t.path("nothing/python3"))
    os.mkdir(t.path("nothing/python3"))
    t.refused(t.run("-c", "1", env={"PATH": empty}), 125, "no python", "a folder is none")
    os.rmdir(t.path("nothing/python3"))
    os.symlink("python3", t.path("nothing/python3"))
    t.refused(t.run("-c", "1", env={"PATH": empty}), 125, "no python", "a link to itself is none")
    t.exits(
        t.run("-c", "print(1)", env={"PATH": None}), 0, "without PATH the usual folders", b"1\n"
    )
    t.exits(
        t.run("-c", "print(1)", env={"PATH": ""}), 0, "with an empty PATH the usual folders", b"1\n"
    )
    os.remove(t.path("nothing/python3"))
    t.write(t.path("nothing/python3"), "#!/no/such/interpreter\n", 0o755)
    done = t.run("-c", "1", env={"PATH": empty})
    t.refused(done, 125, "python3", "an interpreter that does not start")
    t.write(t.path("nothing/python3"), b"\x7fELF garbage", 0o755)
    done = t.run("-c", "1", env={"PATH": empty})
    t.refused(done, 125, "python3", "an interpreter that is damaged")


JAVA = """public class Main {
    public static void main(String[] args) { System.out.println("hello"); }
}
"""


def test_alternatives(t):
    """A program that looks for its libraries beside the file that it is, called by way of links."""
    if not os.path.islink("/etc/alternatives/java"):
        t.skip("a command behind /etc/alternatives", "no java there")
        return
    t.config("[language.java]\ncommand = java\nextension = .java\n")
    t.write(t.path("Main.java"), JAVA)
    share = ("--cpus", "2") if t.has("cpu") else ()
    done = t.run("--memory", "1g", "--timeout", "60s", *share, t.path("Main.java"), timeout=90)
    t.exits(done, 0, "a command behind /etc/alternatives", b"hello\n")


def test_beside(t):
    """The same by links in folders that are not shown: each is the same link inside."""
    shown, real = t.path("links"), t.path("tool/sub/bin")
    os.makedirs(shown), os.makedirs(real), os.makedirs(t.path("tool/sub/lib"))
    t.write(real + "/greeter", "#!/bin/sh\nexec cat \"$(dirname \"$(readlink -f \"$0\")\")/../lib/word\"\n", 0o755)
    t.write(t.path("tool/sub/lib/word"), "hello\n")
    os.symlink("../tool/sub/bin/greeter", shown + "/second")
    os.symlink("second", shown + "/greeter")
    t.config("[language.greet]\ncommand = %s/greeter\nextension = .greet\n" % shown)
    t.exits(t.run("--lang", "greet", "-c", "x"), 0, "a program finds what is beside its real file", b"hello\n")
