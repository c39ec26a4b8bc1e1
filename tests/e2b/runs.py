# SPDX-License-Identifier: Apache-2.0
"""Programs in a sandbox: what they get, what comes back, what the service is asked for."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import tempfile
import threading

import product
from client import Client
from standin import Fault, Standin
from wire import whole_answer

SAYS_ALL = """
import os, sys
print(sys.argv[1:], os.environ.get("COLOR"), sys.stdin.read(), os.getcwd())
print("complaint", file=sys.stderr)
sys.exit(3)
"""
AWKWARD = "it's \"x\" $HOME `id` \\ \u00e9\n2"


def test_what_it_gets(tap, standin):
    done = product.run(standin, "--env", "COLOR=green", "-c", SAYS_ALL, "--", "a b", "'\"$x\"'", stdin=b"input")
    want = repr(["a b", "'\"$x\"'"]).encode() + b" green input /box/work\n"
    tap.equal((done.returncode, done.stdout, done.stderr), (3, want, b"complaint\n"),
              "arguments, a variable, input, both outputs, the exit code")
    done = product.run(standin, "--env", "COLOR=" + AWKWARD, "-c", "import os; print(ascii(os.environ['COLOR']))")
    tap.equal(done.stdout.decode().strip(), ascii(AWKWARD), "a variable with quotes, a newline and a letter",
              product.said(done))
    done = product.run(standin, "-c", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4000)")
    tap.equal(done.stdout, bytes(range(256)) * 4000, "a megabyte of any bytes", done.returncode, done.stderr[-300:])
    done = product.run(standin, "-c", "import sys; d = sys.stdin.buffer.read(); print(len(d), sum(d))",
                       stdin=bytes(range(256)) * 8000)
    tap.equal(done.stdout.split(), [b"2048000", b"261120000"], "two megabytes of input", product.said(done))


def test_folder(tap, standin):
    """--cwd: where the program and a session start."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "helper.py"), "w") as f:
            f.write("x = 5\n")
        how = "--file", folder + ":src"
        code = "import os, helper; print(os.getcwd(), helper.x)"
        done = product.run(standin, *how, "--cwd", "src", "-c", code)
        tap.equal(done.stdout, b"/box/work/src 5\n", "the program starts in a folder of the workspace", product.said(done))
        done = product.run(standin, *how, "--cwd", "nope", "-c", "1")
        tap.ok(done.returncode == 2 and b"the workspace has no such folder" in done.stderr, "which is missing", product.said(done))
        out, err = product.repl(standin, [code], *how, "--cwd", "src")
        tap.equal(out, "/box/work/src 5\n", "a session", err)


def test_asked(tap, standin):
    del standin.requests[:]
    product.run(standin, "--timeout", "7s", "-c", "1")
    made = standin.asked("control", "POST", "/sandboxes")
    body = made[0].json
    tap.equal(len(made), 1, "one sandbox for a run")
    tap.equal((body["templateID"], body["timeout"]), ("code-interpreter-v1", 7 + 15), "its template and its time", body)
    tap.equal(body.get("allow_internet_access"), False, "no network, unless it is asked for", body)
    run = product.result(standin, "-c", "1").get("id")
    tap.equal(standin.asked("control", "POST", "/sandboxes")[-1].json["metadata"].get("task_id"), run,
              "metadata has the run's id")
    tap.ok([r.status for r in standin.asked("control", "DELETE")] == [204, 204] and not standin.living,
           "it is killed at the end")
    others = [r for r in standin.requests if r.kind != "control"]
    tap.ok(all("x-api-key" not in r.headers and standin.key not in str(r.head.pairs) + str(r.body) for r in others),
           "the key goes to the control plane alone")
    tap.ok(all("authorization" not in r.headers for r in made) and others, "and in one header")
    del standin.requests[:]
    product.run(standin, "--net", "host", "-c", "1")
    tap.ok(standin.asked("control", "POST")[0].json.get("allow_internet_access") is not False,
           "the network that is asked for")


def test_result(tap, standin):
    r = product.result(standin, "-c", "print(1)\nraise ValueError('no')")
    tap.equal((r.get("backend"), r.get("exit_code"), r.get("stdout"), r.get("success")), ("e2b", 1, "1\n", False),
              "the result names the backend", r)
    error = r.get("exception") or {}
    tap.equal((error.get("type"), error.get("line")), ("ValueError", 2), "and the exception", r)
    tap.ok({"netns", "pidns", "no_new_privs", "seccomp"} <= set(r.get("isolation", [])), "and the layers that held",
           r.get("isolation"))
    tap.ok("seccomp" in r.get("isolation", []) and "landlock" not in r["isolation"],
           "the filter, and none that it does not have",
           r.get("isolation"))
    r = product.result(standin, "-c", "import os; os.kill(os.getpid(), 11)")
    tap.equal((r.get("exit_code"), r.get("signal")), (139, 11), "a signal is no exit code", r)
    r = product.result(standin, "--timeout", "1s", "-c", "import time\nprint('up', flush=True)\ntime.sleep(30)")
    tap.equal((r.get("timed_out"), r.get("stdout"), standin.living), (True, "up\n", []), "a time limit", r)
    r = product.result(standin, "--memory", "64m", "-c", "x = bytearray(10 ** 9)")
    tap.ok(r.get("success") is False
           and (r.get("oom_killed") or (r.get("exception") or {}).get("type") == "MemoryError"),
           "a memory limit", r)
    if "root" in r.get("isolation", []):  # else these files are on the machine's disk
        for folder in ("/tmp", "/dev/shm"):
            code = (f"import time\nwith open('{folder}/x', 'wb') as file:\n    for _ in range(80):\n"
                    "        file.write(bytes(1 << 20))\ntime.sleep(3)")
            r = product.result(standin, "--memory", "64m", "-c", code)
            tap.equal(r.get("oom_killed"), True, f"and files in {folder} count as memory", r)


def test_flooded_channel(tap, standin):
    """More results than a run may have: the guest sees that its reader is gone."""
    code = ("import os\ndisplay(1)\ntry:\n    while True: os.write(744, b'display 0 2\\n{}' * 9000)\n"
            "except OSError as e: print(e.errno)")
    r = product.result(standin, "--timeout", "40", "-c", code)
    tap.equal((r.get("stdout"), r.get("timed_out")), ("32\n", False), "a flood of results ends", r)


def test_wall(tap, standin):
    code = """
import os, socket
for path in ("/", "/etc", "/usr", "/root"):
    try: open(path + "/x", "w"); print("wrote", path)
    except OSError: pass
for path in ("/tmp", "/dev/shm", "/box/work"): open(path + "/x", "w").write("y")
for port in (49983, 49999):
    try: socket.create_connection(("127.0.0.1", port), 1); print("connected")
    except OSError: pass
print(os.getuid() != 0, len(socket.if_nameindex()) <= 1, [p for p in os.listdir("/proc") if p.isdigit()] != [])
print([n for n in os.environ if n.startswith("E2B_") and n != "E2B_SANDBOX"])
"""
    done = product.run(standin, "-c", code)
    tap.equal(done.stdout, b"True True True\n[]\n", "no root, no network, nothing to write but its own folders",
              product.said(done))


def test_languages(tap, standin):
    done = product.run(standin, "--lang", "bash", "-c", "x=(1 2); echo ${#x[@]}")
    tap.equal(done.stdout, b"2\n", "Bash", product.said(done))
    done = product.run(standin, "--lang", "node", "-c",
                       "console.log(1 + 1)") if os.path.exists("/usr/bin/node") else None
    tap.equal(done.stdout, b"2\n", "Node", product.said(done)) if done else tap.skip("Node", "no file /usr/bin/node")
    done = product.run(standin, "--lang", "bash", "-c", "exit 300")
    tap.equal(done.returncode, 44, "an exit code of Bash", product.said(done))
    done = product.run(standin, "--image", "no-such-template", "-c", "1")
    tap.ok(done.returncode == 125 and b"no-such-template" in done.stderr and len(done.stderr.splitlines()) == 1,
           "a template that is missing", product.said(done))
    done = product.run(standin, "--python", "3.99", "-c", "1")
    tap.ok(done.returncode == 125 and b"template code-interpreter-v1: there is no python3.99" in done.stderr and not standin.living,
           "an interpreter that is missing",
           product.said(done))


def test_files(tap, standin):
    code = """
import json
import os
assert open("in/data.bin", "rb").read() == bytes(range(256))
assert open("same.txt").read() == "same"
open("changed.txt", "a").write(" more")
os.makedirs("deep/er"); open("deep/er/new.bin", "wb").write(bytes(range(256)) * 5000)
open("deep/new.bin", "wb").write(b"other")
os.mkdir("empty"); os.symlink("/etc/passwd", "link"); os.symlink("..", "up"); os.mkfifo("pipe")
for name in ("a b", "-x", "q'\\"\\\\", "\\u00e9\\U0001f600", "new\\nline", ".hidden"): open(name, "w").write(name)
open(b"bad\\xff", "wb").write(b"x")
"""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("data.bin", bytes(range(256))), ("same.txt", b"same"), ("changed.txt", b"some")):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        r = product.result(standin, "-c", code, "--out", "out", "--file", "data.bin:in/data.bin", "--file", "same.txt",
                           "--file", "changed.txt", cwd=folder)
        got = {f["path"]: f["change"] for f in r.get("files", [])}
        wanted = {"changed.txt", "deep/er/new.bin", "deep/new.bin", "empty/", "a b", "-x", "q'\"\\",
                  "\u00e9\U0001f600", ".hidden"}
        tap.equal(wanted - set(got), set(), "what is new or changed comes back", r)
        tap.ok("same.txt" not in got and not {"link", "up", "pipe", "in/data.bin"} & set(got),
               "inputs and links do not", r)
        contents = []
        for name in ("deep/er/new.bin", "deep/new.bin", "changed.txt", "a b", "-x"):
            with open(os.path.join(folder, "out", name), "rb") as f:
                contents.append(f.read())
        tap.equal(contents, [bytes(range(256)) * 5000, b"other", b"some more", b"a b", b"-x"],
                  "with their bytes; equal names in different folders stay apart")


def test_huge(tap, standin):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "large.py"), "w") as f:
            f.write("x = '''%s'''\nprint(len(x), 'it''s \"$HOME\" `id`')\n" % ("a\\'" * 1000000))
        done = product.run(standin, "large.py", cwd=folder)
        tap.equal(done.stdout, b"2000000 its \"$HOME\" `id`\n", "a program of 3 MB, with quotes", product.said(done))
        r = product.result(standin, "-c", "open('big', 'wb').write(b'x' * 30000000)", "--out", "out", cwd=folder)
        size = os.path.getsize(folder + "/out/big") if os.path.exists(folder + "/out/big") else None
        tap.equal(size, 30000000, "a file of 30 MB", r)


def test_packages_closed(tap, standin):
    """The network of the installation is closed before our helper starts; else nothing runs."""
    del standin.requests[:]
    product.run(standin, "--pip", "other", "-c", "1")
    order = [(r.method, r.path.split("/")[-1]) for r in standin.requests]
    tap.ok(order.index(("PUT", "network")) < len(order) - 1 - order[::-1].index(("POST", "Start")),
           "the network is closed before the program starts", order)
    for status in (404, 500):
        standin.faults[:] = [Fault("PUT", "/network$", answer=whole_answer(status, b"{}"))]
        done = product.run(standin, "--retries", "0", "--pip", "other", "-c", "print('ran')")
        tap.ok(done.returncode == 125 and b"ran" not in done.stdout, "a network that cannot be closed: nothing runs",
               product.said(done))
    standin.faults[:] = []


def test_packages_refused(tap, standin):
    for words in ("x; rm -rf /", "x $(id)", "-r /etc/passwd", "http://127.0.0.1/x.whl", "../x", "x`id`",
                  "--index-url=x"):
        del standin.requests[:]
        done = product.run(standin, "--pip", words, "-c", "print('ran')")
        tap.ok(done.returncode == 2 and not standin.requests, "no package: " + words, product.said(done))


def test_rich(tap, standin):
    shows = "class A:\n  def _repr_html_(self): return '<b>'\nfrom IPython.display import display\ndisplay(A())"
    r = product.result(standin, "-c", shows)
    tap.ok("broken" not in r and r.get("backend") == "e2b", "a program that may show something", r)


def test_packages(tap, standin):
    """Installed once, by a process that no shell reads, with a network that the program does not have."""
    del standin.requests[:]
    done = product.run(standin, "--pip", "some-name, other>=2;third", "-c", "import third; print('there')")
    tap.equal(done.stdout, b"there\n", "packages are there", product.said(done))
    starts = [json.loads(r.body[5:])["process"] for r in standin.asked("envd", "POST", "process.Process/Start")]
    installs = [s for s in starts if "pip" in s["args"]]
    tap.equal([(s["cmd"], s["args"][-3:]) for s in installs], [("env", ["other>=2", "some-name", "third"])],
              "they are arguments of pip", installs)
    tap.equal(standin.asked("control", "POST", "/sandboxes")[0].json["allow_internet_access"], True,
              "which has a network")
    tap.equal([r.json for r in standin.asked("control", "PUT", "/network")], [{"allow_internet_access": False}],
              "that is closed before the program")
    done = product.run(standin, "--pip", "third", "--events", "-c", "print(1)")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    tap.equal([e["message"] for e in events if e["event"] == "preparing"], ["pip installs third"], "an event says so", product.said(done))
    done = product.run(standin, "--pip", "no-such-thing", "-c", "print(1)")
    tap.ok(done.returncode == 125 and b"No matching distribution" in done.stderr, "a package that does not exist",
           product.said(done))


def slow_packages(tap):
    """pip prints nothing while it works."""
    with Standin() as standin:
        done = product.run(standin, "--retries", "0", "--pip", "slow-name", "-c", "import slow_name; print('there')")
    tap.equal(done.stdout, b"there\n", "packages that take longer than the start of a program", product.said(done))


SHARED = "debug_sandbox_id"
STOLEN = "/tmp/stolen"


def others(sandbox, tag):
    """A process of another run in the same sandbox, which keeps what it is sent."""
    config = {"cmd": "/bin/sh", "args": ["-c", "exec cat >>%s" % STOLEN]}

    def start():
        with contextlib.suppress(OSError, http.client.HTTPException):  # its end
            sandbox.stream("process.Process/Start", {"process": config, "tag": tag, "stdin": True})

    threading.Thread(target=start, daemon=True).start()


def processes(sandbox):
    return sandbox.call("process.Process/List", {}).json.get("processes", [])


def shared(tap):
    """E2B_DEBUG: one sandbox for all. A run talks to its own helper alone, whatever else is there, and how late that ends."""
    with Standin() as standin, Client(standin.url, standin.key).sandbox() as sandbox:
        standin.control.records[SHARED] = standin.control.records[sandbox.id]
        sandbox.ask(49983, "POST", "/init", json.dumps({"accessToken": None}), Content_Type="application/json")
        sandbox.token = None
        debug = {"E2B_DEBUG": "true"}
        for tag in ("glovebox", "glovebox", "glovebox-packages"):
            others(sandbox, tag)
        product.wait_for(lambda: len(processes(sandbox)) == 3)
        words = ["--retries", "0", "--lang", "bash"]
        for number in range(3):
            done = product.run(standin, *words, "-c", "echo %d" % number, env=debug)
            tap.equal(done.stdout, b"%d\n" % number, "run %d has its own helper" % number, product.said(done))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(lambda n: product.run(standin, *words, "-c", "echo %d" % n, env=debug), range(4)))
        tap.equal([r.stdout for r in runs], [b"%d\n" % n for n in range(4)], "side by side")
        done = product.run(standin, *words, "--timeout", "1s", "-c", "sleep 30", env=debug)
        tap.equal(done.returncode, 124, "a program that is killed", product.said(done))
        left = [p for p in processes(sandbox) if STOLEN in str(p)]
        stolen = sandbox.get(STOLEN)
        tap.ok(len(left) == 3 and (stolen.status, stolen.body) == (200, b""), "no other process is killed, or gets a byte", left, stolen)
        for process in left:
            sandbox.call("process.Process/SendSignal", {"process": {"pid": process["pid"]}, "signal": "SIGNAL_SIGKILL"})
        del standin.control.records[SHARED]


def plain(tap):
    """A service whose sandboxes are plain containers: they are the wall, and results say what is missing."""
    if os.geteuid() != 0:
        return tap.skip("sandboxes that are plain containers", "no file can be owned by a user of its own")
    with Standin(plain=True) as standin:
        r = product.result(standin, "-c",
                           "import os\nopen('made', 'w').write('x')\nprint(os.getuid() != 0, os.getcwd())")
        tap.equal((r.get("stdout"), [f["path"] for f in r.get("files", [])]), ("True /box/work\n", ["made"]),
                  "a program in a plain container", r)
        tap.ok("seccomp" in r.get("isolation", []) and not {"userns", "mountns"} & set(r.get("isolation", ["userns"])),
               "has only the layers that hold there", r.get("isolation"))
        done = product.run(standin, "--require", "mountns", "-c", "print('ran')")
        tap.ok(done.returncode == 125 and not done.stdout and b"mountns" in done.stderr and b"container" not in done.stderr,
               "one that is required is refused",
               product.said(done))
        done = product.run(standin, "--disk", "10m", "-c", "print('ran')")
        tap.ok(done.returncode == 125 and b"at backend e2b" in done.stderr and b"docker" not in done.stderr,
               "a limit that needs one has no advice for this machine", product.said(done))
        done = product.glovebox(standin, "run", "--no-daemon", "--log", "off", "--backend", "e2b", "-c", "1")
        tap.ok(b"mountns" in done.stderr and b"sandbox" in done.stderr and b"container" not in done.stderr,
               "nor has the line about what is missing", product.said(done))
        out, err = product.repl(standin, ["x = 20", "x + 1"])
        tap.equal((out, standin.living), ("21\n", []), "a session in one", err)


def test(tap):
    plain(tap)
    shared(tap)
    slow_packages(tap)
    with Standin() as standin:
        for name, function in sorted(globals().items()):
            if name.startswith("test_"):
                function(tap, standin)
        tap.equal(standin.living, [], "no sandbox is left")
        tap.ok(len(standin.control.made) > 10, "each had one of its own")
