# SPDX-License-Identifier: Apache-2.0
"""A service, a sandbox and a disk that do harm: what they bring about is bounded, named and cleaned up."""

import concurrent.futures
import json
import os
import signal
import subprocess
import tempfile
import time

import product
from client import raw_envelope
from failing import STARTED, STREAM, chunk, streamed
from product import wait_for
from standin import Fault, Standin
from wire import whole_answer

CREATE = "^/v2/sandboxes$"
ONCE = ("--retries", "0")
HOLD = {"answer": b"", "then": "hold"}


class Standing:
    """A run that was begun while something goes wrong."""

    def __init__(self, standin, *words, program="run", **more):
        command = product.command(*ONCE, *words)
        command[1] = program
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE if program == "repl" else subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=product.environment(standin), **more)

    def interrupt(self, seconds=20):
        """(exit status, seconds it took)"""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return "it does not end", seconds
        return self.process.returncode, time.monotonic() - began

    def kill(self):
        self.process.kill()
        self.process.communicate()


def made_and(standin, answer, seconds=0):
    """The sandbox is made, and the answer to its creation is another, or late (None: the real one)."""
    def act(request):
        status, body, _ = standin.control.answer(request.head, request.body)
        time.sleep(seconds)
        return whole_answer(status, body) if answer is None else answer
    return Fault("POST", CREATE, answer=act, times=1)


def test_bombs(tap, standin):
    """Short texts that would become gigabytes of values."""
    bomb = raw_envelope(0, b'{"event":{"x":[' + b"{}," * (1 << 20) + b"{}]}}")
    standin.faults[:] = [Fault("POST", "/Start$", answer=streamed(STARTED, bomb)), Fault("POST", "/SendInput$", **HOLD)]
    done = product.run(standin, *ONCE, "-c", "print(1)")
    tap.ok(done.returncode == 125 and b"more than 1048576 values" in done.stderr, "a bomb of JSON as the answer to a process",
           product.said(done))


def test_texts(tap, standin):
    """What JSON cannot hold is refused, and not dropped or changed on the way."""
    odd = os.fsdecode(b"x\xff")
    done = product.run(standin, *ONCE, "--e2b-template", odd, "-c", "print('ran')")
    tap.ok(done.returncode in (2, 125) and b"not UTF-8" in done.stderr and b"ran" not in done.stdout
           and len(done.stderr.splitlines()) == 1, "a template that is not UTF-8", product.said(done))
    done = product.run(standin, "--lang", "bash", "-c", 'printf %s "$1" | od -An -tx1', "--", odd)
    tap.equal(done.stdout, b" 78 ff\n", "our helper takes any bytes", product.said(done))


def test_unanswered(tap, standin):
    """A creation that has no answer may have made a sandbox, which is found and killed."""
    for what, answer in (("no answer", b""), ("a gateway's time limit", whole_answer(504, b"{}")),
                         ("an answer that is cut", whole_answer(201, b'{"sandboxID": "i12')),
                         ("a name that is none", whole_answer(201, b'{"sandboxID": "../x"}'))):
        made = len(standin.control.made)
        standin.faults[:] = [made_and(standin, answer)]
        done = product.run(standin, *ONCE, "-c", "1")
        tap.ok(done.returncode == 125 and len(standin.control.made) == made + 1 and not standin.living,
               "a creation with " + what, product.said(done), standin.living)
    for seconds in (1, 8):
        made = len(standin.control.made)
        standin.faults[:] = [made_and(standin, None, seconds)]
        run = Standing(standin, "-c", "1")
        wait_for(lambda: len(standin.control.made) > made)
        status, took = run.interrupt()
        tap.ok(status == 130 and took < 7 and not standin.living, "Ctrl-C, with a creation that takes %d s" % seconds,
               status, took, standin.living)


def test_others_stay(tap, standin):
    """A service that ignores the filter of a list: sandboxes of others live on."""
    mine = Standing(standin, "-c", "import time; time.sleep(60)")
    wait_for(lambda: standin.living)
    everything = whole_answer(200, json.dumps([r.long() for r in standin.control.records.values()]).encode())
    standin.faults[:] = [Fault("POST", CREATE, answer=b""), Fault("GET", CREATE, answer=everything)]
    product.run(standin, *ONCE, "-c", "1")
    tap.equal(len(standin.living), 1, "a run whose creation failed kills no other's sandbox")
    standin.faults[:] = []
    tap.equal(mine.interrupt()[0], 130, "which goes on")


def test_files_cancelled(tap, standin):
    """Ctrl-C while files come back."""
    wrote = ("-c", "open('x', 'w').write('1')", "--out", "out")
    fault = Fault("POST", "/SendInput$", skip=2, **HOLD)
    standin.faults[:] = [fault]
    with tempfile.TemporaryDirectory() as folder:
        run = Standing(standin, *wrote, cwd=folder)
        wait_for(lambda: not fault.skip)
        time.sleep(0.5)
        status, took = run.interrupt()
    tap.ok(status == 130 and took < 5 and not standin.living, "Ctrl-C while the helper's files do not come", status, took,
           standin.living)


def test_partial(tap, standin):
    """Only 2xx takes input."""
    standin.faults[:] = [Fault("POST", "/SendInput$", answer=whole_answer(302, b"", pairs=[("Location", "/")]))]
    began = time.monotonic()
    done = product.run(standin, *ONCE, "-c", "1")
    tap.ok(done.returncode == 125 and b"302" in done.stderr and time.monotonic() - began < 20, "input that is redirected",
           product.said(done))


def test_names(tap, standin):
    """Names become parts of addresses."""
    for body in ({"sandboxID": ".."}, {"sandboxID": "."}, {"sandboxID": "-x"}, {"sandboxID": "a:1"},
                 {"sandboxID": "a", "domain": "evil:x"}, {"sandboxID": "a", "domain": ":80"},
                 {"sandboxID": "a", "domain": "x:"}, {"sandboxID": "a", "domain": "user@evil"}):
        del standin.requests[:]
        standin.faults[:] = [Fault("POST", CREATE, answer=whole_answer(201, json.dumps(body).encode()))]
        done = product.run(standin, *ONCE, "-c", "1")
        tap.ok(done.returncode == 125 and b"names no sandbox" in done.stderr
               and {r.path for r in standin.requests} == {"/v2/sandboxes"},
               "a sandbox that is called %s" % body, product.said(done), standin.requests)


def test_sessions_interrupted(tap, standin):
    """Ctrl-C while a session begins: at each request, and while a module is imported."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/slow.py", "w") as f:
            f.write("open('began', 'w')\nimport time; time.sleep(60)")
        for path in ("^/v2/sandboxes$", "^/files$", "/Start$", "/SendInput$", None):
            fault = Fault("POST", path or "/no-such$", **HOLD)
            standin.faults[:] = [fault]
            del standin.requests[:]
            words = ["--file", "slow.py", "--preload", "slow"] if not path else []
            run = Standing(standin, *words, cwd=folder, program="repl")
            wait_for(lambda: any(r.method == "POST" and fault.pattern.search(r.path) for r in standin.requests), 1.5)
            time.sleep(0.3)
            status, took = run.interrupt()
            tap.ok(status == 130 and took < 6 and not standin.living,
                   "Ctrl-C while a session begins, at %s" % (path or "a module"), status, took, standin.living)


def test_full_disk(tap, standin):
    """No room here while files come back: an error that says so, and no success."""
    if os.geteuid():
        return tap.skip("a full disk", "needs root to make one")
    code = "open('big', 'wb').write(b'x' * 6000000)"
    room = "mount -t tmpfs -o size=3m tmpfs /mnt && mkdir /mnt/tmp /mnt/out && exec \"$@\""
    for what, more, out in (("the folder for temporary files", {"TMPDIR": "/mnt/tmp"}, "out"),
                            ("the output folder", {}, "/mnt/out")):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["unshare", "--mount", "sh", "-c", room, "sh",
                                   *product.command(*ONCE, "-c", code, "--out", out)],
                                  stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, timeout=60,
                                  env=product.environment(standin, **more))
        tap.ok(done.returncode == 125 and b"No space left" in done.stderr and not standin.living,
               "%s is full" % what, product.said(done), standin.living)


def stages(standin):
    late = made_and(standin, None, 20)
    held = ("-c", "open('x', 'w').write('1')", "--out", "out")
    yield "creation", late, held
    yield "upload", Fault("POST", "^/files$", **HOLD), (*held, "--file", __file__ + ":in")
    yield "installation", Fault("POST", "/Start$", **HOLD), (*held, "--pip", "other")
    yield "start", Fault("POST", "/Start$", **HOLD), held


def killed_in(stage):
    """kill -9 in this stage, and doctor --clean."""
    what, fault, words = stage
    with Standin() as standin, tempfile.TemporaryDirectory() as folder:
        if what == "creation":
            fault = made_and(standin, None, 20)
        standin.faults[:] = [fault]
        run = Standing(standin, *words, cwd=folder)
        wait_for(lambda: standin.living and any(fault.takes(r) for r in standin.requests) or what == "creation" and standin.living)
        run.kill()
        left = len(standin.living)
        standin.faults[:] = []
        done = product.glovebox(standin, "doctor", "--clean")
        return what, left, done, standin.living


def test_killed(tap, standin):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for what, left, done, living in pool.map(killed_in, stages(standin)):
            tap.ok(left == 1 and done.returncode == 0 and b"killed 1 sandbox at" in done.stdout and not living,
                   "kill -9 in the %s: doctor --clean kills the sandbox" % what, left, product.said(done), living)


def test_not_cleaned(tap, standin):
    """What cannot be killed is no success, and does not save what comes after it."""
    runs = [Standing(standin, "-c", "import time; time.sleep(60)") for _ in range(2)]
    wait_for(lambda: len(standin.living) == 2)
    for run in runs:
        run.kill()
    standin.faults[:] = [Fault("DELETE", "", answer=whole_answer(403, b"{}"), times=1)]
    done = product.glovebox(standin, "doctor", "--clean")
    tap.ok(done.returncode and b"killed 1 sandboxes, but not the others" in done.stderr and len(standin.living) == 1,
           "a sandbox that cannot be killed", product.said(done), standin.living)
    for what, answer in (("a key that is not accepted", whole_answer(401, b"{}")), ("no list", whole_answer(200, b"{}")),
                         ("junk", whole_answer(200, json.dumps([1, {"sandboxID": "../x", "metadata": {
                             "glovebox": "x", "owner": standin.control.made[-1].body["metadata"]["owner"]}}]).encode()))):
        standin.faults[:] = [Fault("GET", CREATE, answer=answer)]
        done = product.glovebox(standin, "doctor", "--clean")
        tap.ok(done.returncode == 125 and len(done.stderr.splitlines()) == 1, "doctor --clean with " + what,
               product.said(done))
    standin.faults[:] = []
    tap.equal((product.glovebox(standin, "doctor", "--clean").returncode, standin.living), (0, []), "in the end all are killed")


def test_owners(tap, standin):
    """doctor --clean kills the sandboxes of dead processes of this machine, and of no other that has its name."""
    run = Standing(standin, "-c", "import time; time.sleep(60)")
    wait_for(lambda: standin.living)
    owner = standin.control.made[-1].body["metadata"]["owner"]
    run.interrupt()
    process, boot, space = owner.split("/")[-1].split(" ")
    place = owner[: -len(" ".join((process, boot, space)))]
    machine = place.split("/")[1]
    owners = {"dead": owner, "living": "%s%d %s %s" % (place, os.getpid(), boot, space),
              "elsewhere": "other-" + owner,
              "clone": owner.replace("/" + machine + "/", "/0123456789abcdef/"),
              "container": owner.replace(space, "pid:[1]"), "rebooted": owner.replace(boot, "an-earlier-boot")}
    listed = [{"sandboxID": name, "metadata": {"glovebox": "1", "owner": text}} for name, text in owners.items()]
    standin.faults[:] = [Fault("GET", CREATE, answer=whole_answer(200, json.dumps(listed).encode()))]
    del standin.requests[:]
    done = product.glovebox(standin, "doctor", "--clean")
    asked = {r.path.split("/")[-1] for r in standin.asked("control", "DELETE")}
    tap.equal(asked, {"dead", "rebooted"} if machine else {"dead"}, "whose sandboxes are killed", product.said(done), owners)


def test_image(tap, standin):
    """In an image, the file for the machine's ID has none: the same text for all machines is no name of one."""
    if os.geteuid() != 0 or not os.path.exists("/etc/machine-id"):
        return tap.skip("an image without an ID", "no file /etc/machine-id, or not root")
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("uninitialized\n")
        file.flush()
        bound = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/machine-id && exec "$@"', file.name]
        done = subprocess.run([*bound, *product.command(*ONCE, "-c", "1")], capture_output=True, timeout=60, env=product.environment(standin))
    owner = standin.control.made[-1].body["metadata"]["owner"]
    tap.ok(done.returncode == 0 and "//" in owner, "an image without an ID", product.said(done), owner)


def test(tap):
    with Standin() as standin:
        for name, function in sorted(globals().items()):
            if name.startswith("test_"):
                standin.faults[:] = []
                function(tap, standin)
        tap.equal(standin.living, [], "no sandbox is left")
