# SPDX-License-Identifier: Apache-2.0
"""Programs in a container: what they get, what comes back."""

import os
import tempfile

import engine
import program

SAYS_ALL = """
import os, sys
print(sys.argv[1:], os.environ.get("COLOR"), sys.stdin.read(), os.getcwd())
print("complaint", file=sys.stderr)
sys.exit(3)
"""
LOCKED = ["pidns", "mountns", "netns", "ipcns", "utsns", "root", "proc", "capabilities", "no_new_privs", "seccomp",
          "memory", "pids", "cpu", "rlimits"]


def test_what_it_gets(tap, docker):
    done = program.run(docker.host, "--env", "COLOR=green", "-c", SAYS_ALL, "--", "a b", "'\"$x\"'", stdin=b"input")
    want = repr(["a b", "'\"$x\"'"]).encode() + b" green input /box/work\n"
    tap.equal((done.returncode, done.stdout, done.stderr), (3, want, b"complaint\n"),
              "arguments, a variable, input, both outputs, the exit code")


def test_folder(tap, docker):
    """--cwd: where the program and a session start."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "helper.py"), "w") as f:
            f.write("x = 5\n")
        how = "--file", folder + ":src"
        done = program.run(docker.host, *how, "--cwd", "src", "-c", "import os, helper; print(os.getcwd(), helper.x)")
        tap.equal(done.stdout, b"/box/work/src 5\n", "the program starts in a folder of the workspace", program.said(done))
        done = program.run(docker.host, *how, "--cwd", "nope", "-c", "1")
        tap.ok(done.returncode == 2 and b"the workspace has no such folder" in done.stderr, "which is missing", program.said(done))
        done = program.run(docker.host, *how, "--cwd", "src", "--lang", "bash", "-c", "pwd; ls")
        tap.equal(done.stdout, b"/box/work/src\nhelper.py\nmain.sh\n", "in Bash", program.said(done))
        done = program.subprocess.run([program.GLOVEBOX, "repl", "--no-daemon", "--log", "off", "--backend", "docker", *how, "--cwd", "src"],
                                      input=b"import os, helper; print(os.getcwd(), helper.x)\n", capture_output=True, timeout=program.SECONDS,
                                      env=program.environment(docker.host))
        tap.equal(done.stdout, b"/box/work/src 5\n", "a session", program.said(done))


def test_result(tap, docker):
    r = program.result(docker.host, "-c", "print(1)\nraise ValueError('no')")
    tap.equal((r.get("backend"), r.get("exit_code"), r.get("stdout"), r.get("success")), ("docker", 1, "1\n", False),
              "the result names the backend", r)
    error = r.get("exception") or {}
    tap.equal((error.get("type"), error.get("line")), ("ValueError", 2), "and the exception", r)
    tap.ok(set(LOCKED) <= set(r.get("isolation", [])), "and the layers that held", r.get("isolation"), r.get("broken"))
    tap.ok(r.get("duration_ms", 0) > 0 and r.get("max_memory_mb", 0) > 0, "and what it used", r)
    missing = {m["layer"]: m["why"] for m in r.get("missing", [])}
    tap.equal([m for m in r.get("missing", []) if m["lost"]], [], "and no layer is lost")
    tap.equal((missing.get("landlock"), missing.get("cgroupns", "the container engine does not provide it")),
              ("backend docker never has it", "the container engine does not provide it"), "the others, with the reason", missing)


def test_signal(tap, docker):
    r = program.result(docker.host, "-c", "import os; os.kill(os.getpid(), 11)")
    tap.equal((r.get("exit_code"), r.get("signal")), (139, 11), "a signal is no exit code", r)


def test_wall(tap, docker):
    code = """
import os, socket
for path in ("/", "/etc", "/usr", "/root", "/box"):
    try: open(path + "/x", "w"); print("wrote", path)
    except OSError: pass
for path in ("/tmp", "/dev/shm", "/box/work"): open(path + "/x", "w").write("y")
try: socket.create_connection(("127.0.0.1", 9), 1); print("connected")
except OSError: pass
print(os.getuid(), os.getgid(), os.path.exists("/var/run/docker.sock"), len(os.listdir("/sys/class/net")))
"""
    done = program.run(docker.host, "-c", code)
    tap.equal(done.stdout, b"65534 65534 False 1\n", "no root, no network, nothing to write but its own folders", program.said(done))


def test_hidden(tap, docker):
    """Facts about the host's kernel, and what an engine hides by itself."""
    code = """
import os
for path in ("/proc/cmdline", "/proc/kallsyms", "/proc/modules", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/interrupts"):
    try:
        if open(path, "rb").read(100): print(path)
    except OSError: pass
for path in ("/proc/bus", "/proc/acpi", "/proc/fs", "/proc/irq", "/proc/scsi", "/sys/devices", "/sys/kernel", "/sys/firmware"):
    if os.path.exists(path) and os.listdir(path): print(path)
"""
    done = program.run(docker.host, "-c", code)
    tap.equal(done.stdout, b"", "no facts about the host's kernel", program.said(done))


def test_languages(tap, docker):
    done = program.run(docker.host, "--lang", "bash", "-c", "x=(1 2); echo ${#x[@]}")
    tap.equal(done.stdout, b"2\n", "Bash has an image of its own", program.said(done))
    done = program.run(docker.host, "--lang", "bash", "--image", engine.IMAGE, "-c", "type -p python3")
    tap.equal(done.stdout, b"/usr/bin/python3\n", "another image with --image", program.said(done))
    done = program.run(docker.host, "--image", engine.OTHER_IMAGE, "-c", "print(1)")
    tap.ok(done.returncode == 125 and b"there is no python3 in the image" in done.stderr and engine.OTHER_IMAGE.encode() in done.stderr,
           "an image without Python", program.said(done))


def test_own_language(tap, docker):
    with tempfile.TemporaryDirectory() as home:
        os.mkdir(home + "/glovebox")
        with open(home + "/glovebox/glovebox.conf", "w") as f:
            f.write('[language.counter]\ncommand = "wc"\nargs = ["-c", "{file}"]\nextension = ".count"\nimage = "%s"\n'
                    % engine.OTHER_IMAGE)
        env = {**program.environment(docker.host), "XDG_CONFIG_HOME": home}
        done = program.subprocess.run(program.command("--lang", "counter", "-c", "12345"), env=env, capture_output=True,
                                      timeout=program.SECONDS)
        tap.equal(done.stdout, b"5 /box/work/main.count\n", "a language of the user's, by its image", program.said(done))


def test_large_source(tap, docker):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.py")
        with open(path, "w") as f:
            f.write("x = '''%s'''\nprint(len(x), 'it''s \"$HOME\" `id`')\n" % ("a\\'" * 1000000))
        done = program.run(docker.host, path)
    tap.equal(done.stdout, b"2000000 its \"$HOME\" `id`\n", "a program of 3 MB, with quotes", program.said(done))


def test_files(tap, docker):
    code = """
import os
assert open("in/data.csv").read() == "1,2\\n"
assert open("same.txt").read() == "same"
open("same.txt", "a").close()
open("changed.txt", "a").write(" more")
os.makedirs("deep/er"); open("deep/er/new.bin", "wb").write(bytes(range(256)) * 1000)
os.mkdir("empty"); os.mkdir("__pycache__"); open("__pycache__/x.pyc", "w").close()
"""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("data.csv", "1,2\n"), ("same.txt", "same"), ("changed.txt", "some")):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        r = program.result(docker.host, "-c", code, "--out", "out", "--file", "data.csv:in/data.csv", "--file", "same.txt",
                           "--file", "changed.txt", cwd=folder)
        got = {f["path"]: f["change"] for f in r.get("files", [])}
        tap.equal(got, {"changed.txt": "modified", "deep/er/new.bin": "new", "empty/": "new"},
                  "what changed comes back, inputs do not", r)
        with open(os.path.join(folder, "out/deep/er/new.bin"), "rb") as f:
            tap.equal(f.read(), bytes(range(256)) * 1000, "with its bytes")
        with open(os.path.join(folder, "out/changed.txt")) as f:
            tap.equal(f.read(), "some more", "a changed input as well")


def test_runtime(tap, docker):
    docker.used_runtime()  # a look at the runtimes when the engine starts is a use
    r = program.result(docker.host, "-c", "print(1)")
    tap.equal((r.get("stdout"), docker.used_runtime()), ("1\n", False), "the default runtime", r)
    r = program.result(docker.host, "--runtime", "other", "-c", "print(1)")
    tap.equal((r.get("stdout"), docker.used_runtime()), ("1\n", True), "another runtime of the engine", r)
    done = program.run(docker.host, "--runtime", "gone", "-c", "1")
    tap.ok(done.returncode == 125 and b"no runtime 'gone'" in done.stderr and b"other" in done.stderr and b"runc" in done.stderr,
           "a runtime that is missing: an error with those that it has", program.said(done))
    done = program.subprocess.run([program.GLOVEBOX, "run", "--no-daemon", "--log", "off", "--runtime", "other", "-c", "1"],
                                  capture_output=True, timeout=60)
    tap.ok(done.returncode == 2 and b"--runtime needs --backend=docker" in done.stderr, "no runtime in a jail", program.said(done))


def test_doctor(tap, docker):
    """What doctor knows of the engine."""
    done = program.subprocess.run([program.GLOVEBOX, "doctor", "--json"], capture_output=True, timeout=120,
                                  env=program.environment(docker.host))
    about = [b["about"] for b in program.json.loads(done.stdout)["backends"] if b["name"] == "docker"][0]
    tap.ok(about["engine"].startswith("Docker ") and {"other", "runc"} <= set(about["runtimes"]) and about["rootless"] == "no"
           and all(about.get(k) for k in ("api", "kernel", "seccomp", "control_groups", "storage", "runtime", "user_namespaces")),
           "facts about the engine", about)
    done = program.subprocess.run([program.GLOVEBOX, "doctor", "docker"], capture_output=True, timeout=120,
                                  env=program.environment(docker.host))
    tap.ok(b"  engine: Docker " in done.stdout and b"  user namespaces: no" in done.stdout, "and for people", done.stdout[-3000:])


def test_rich(tap, docker):
    r = program.result(docker.host, "-c", "from IPython.display import display\ndisplay({'text/plain': 'x'}, raw=True)")
    tap.ok("broken" not in r and r.get("backend") == "docker", "a program that may show something", r)


def test(tap, docker):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function(tap, docker)
    tap.equal(docker.containers(), [], "no container is left")
