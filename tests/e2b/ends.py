# SPDX-License-Identifier: Apache-2.0
"""Ends in the middle, and the key, which is nowhere but in one header of the control plane."""

import glob
import os
import signal
import subprocess
import tempfile
import time

import product
from product import begin, wait_for
from standin import KEY, Fault, Standin
from wire import whole_answer

MINUTE = "print('up', flush=True)\nimport time; time.sleep(60)"


def test_interrupted(tap, standin):
    process, first = begin(standin, "-c", MINUTE)
    tap.ok(first == b"up\n" and len(standin.living) == 1, "a run has one sandbox", first)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    tap.ok(process.returncode == 130 and not standin.living, "Ctrl-C ends a run and kills its sandbox",
           process.returncode,
           standin.living)


def test_interrupted_early(tap, standin):
    """Ctrl-C while the service makes the sandbox, or while the helper is sent."""
    for what, fault in (("made", Fault("POST", "^/v2/sandboxes$", answer=b"", then="hold", times=1)),
                        ("filled", Fault("POST", "^/files$", answer=b"", then="hold", times=1)),
                        ("started", Fault("POST", "/Start$", answer=b"", then="hold", times=1))):
        del standin.requests[:]
        standin.faults.append(fault)
        process = subprocess.Popen(product.command("-c", "1"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=product.environment(standin))
        wait_for(lambda: fault.left == 0)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=40)
        tap.ok(process.returncode == 130 and time.monotonic() - began < 5 and not standin.living,
               "Ctrl-C while a sandbox is being " + what, process.returncode, time.monotonic() - began, standin.living)


def test_killed(tap, standin):
    process, first = begin(standin, "--timeout", "2s", "-c", MINUTE)
    process.kill()
    process.wait()
    record = standin.control.made[-1]
    tap.ok(first == b"up\n" and record.timeout <= 32,
           "kill -9 of glovebox: the service ends the sandbox soon after its limit",
           record.timeout)
    del standin.requests[:]
    page = whole_answer(200, b"[]", pairs=[("X-Next-Token", "second page")])
    standin.faults[:] = [Fault("GET", "/v2/sandboxes$", answer=page, times=1)]
    done = product.glovebox(standin, "doctor", "--clean")
    asked = [r.head.target.partition("nextToken=")[2] for r in standin.asked("control", "GET", "/v2/sandboxes")]
    tap.equal(asked, ["", "second%20page"], "doctor --clean looks at all pages")
    tap.ok(done.returncode == 0 and not standin.living, "doctor --clean ends it at once", product.said(done),
           standin.living)


def test_expired(tap, standin):
    """The service ends the sandbox earlier than it was asked to."""
    process, first = begin(standin, "-c", MINUTE)
    standin.control.made[-1].ends = time.time()
    out, err = process.communicate(timeout=30)
    tap.ok(process.returncode == 125 and b"sandbox" in err and len(err.splitlines()) == 1, "a sandbox that expires",
           process.returncode, err)


def test_many(tap, standin):
    processes = [begin(standin, "-c", "print(%d)" % i) for i in range(6)]
    tap.equal([(p.wait(60), first) for p, first in processes], [(0, b"%d\n" % i) for i in range(6)],
              "six runs side by side")
    tap.equal(standin.living, [], "leave nothing")
    for process, _ in processes:
        process.stdout.close()
        process.stderr.close()


def environment_of(pid):
    """Nothing, of a process that keeps it from us."""
    try:
        with open("/proc/%d/environ" % pid, "rb") as f:
            return f.read()
    except PermissionError:
        return b""


def commands_of(pid):
    """{pid: (arguments, environment)} of a process and its descendants."""
    found, waiting = {}, [pid]
    while waiting:
        one = waiting.pop()
        try:
            with open("/proc/%d/cmdline" % one, "rb") as f:
                arguments = f.read()
            found[one] = arguments, environment_of(one)
            for path in glob.glob("/proc/%d/task/*/children" % one):
                with open(path) as f:
                    waiting += map(int, f.read().split())
        except OSError:
            pass
    return found


def test_secret(tap, standin):
    key = KEY.encode()
    process, _ = begin(standin, "-c", MINUTE)
    found = commands_of(process.pid)
    tap.ok(len(found) > 1 and not any(key in arguments for arguments, _ in found.values()),
           "the key is in no arguments")
    tap.ok(not any(key in env for one, (_, env) in found.items() if one != process.pid), "nor in a child's environment")
    with open("/proc/%d/coredump_filter" % process.pid) as f:
        tap.equal(int(f.read(), 16), 0, "nor in a core dump")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    tokens = [r.token.encode() for r in standin.control.made]
    with tempfile.TemporaryDirectory() as home:
        words = [product.GLOVEBOX, "run", "--no-daemon", "--no-check", "--backend", "e2b", "--log", home + "/log.db",
                 "--json",
                 "-c", "import os; print(os.environ)"]
        for fault in (None, Fault("POST", "^/files$", answer=whole_answer(500, b'{"message": "%s"}' % key), times=9)):
            standin.faults[:] = [fault] if fault else []
            done = subprocess.run(words, capture_output=True, timeout=60, env=product.environment(standin, HOME=home))
            tap.ok(key not in done.stdout + done.stderr and not any(t in done.stdout + done.stderr for t in tokens),
                   "nor in results and errors", product.said(done))
        standin.faults[:] = []
        shown = [subprocess.run([*words, *more], capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
                                env=product.environment(standin, HOME=home))
                 for more in (["--events"], ["--trace-time"], ["--print-config"])]
        shown.append(product.glovebox(standin, "doctor"))
        tokens += [r.token.encode() for r in standin.control.made]
        tap.ok(not any(secret in done.stdout + done.stderr for done in shown for secret in (key, *tokens)),
               "nor in events, times, settings and what doctor says", [product.said(done) for done in shown])
        kept = b"".join(open(path, "rb").read() for path in glob.glob(home + "/**", recursive=True)
                        if os.path.isfile(path))
        tap.ok(kept and not any(secret in kept for secret in (key, *tokens)), "nor in the log", len(kept))


def test_accounts(tap, standin):
    """What is wrong with the variables: one line, and no request."""
    del standin.requests[:]
    for name, more, words in (("no key", {"E2B_API_KEY": ""}, b"E2B_API_KEY"),
                              ("a key with a line", {"E2B_API_KEY": "e2b_0\r\nX-Evil: 1"}, b"E2B_API_KEY"),
                              ("no address", {"E2B_API_URL": "carrier-pigeon"}, b"E2B_API_URL"),
                              ("a far address without TLS", {"E2B_API_URL": "http://192.0.2.1:1"}, b"https"),
                              ("a far sandbox without TLS", {"E2B_SANDBOX_URL": "http://192.0.2.1:1"}, b"https"),
                              ("no domain", {"E2B_API_URL": "", "E2B_DOMAIN": "example.com/path?"}, b"E2B_DOMAIN"),
                              ("nothing listens", {"E2B_API_URL": "http://127.0.0.1:1"}, b"127.0.0.1"),
                              ("TLS where there is none", {"E2B_API_URL": standin.url.replace("http:", "https:")},
                               b"E2B")):
        done = product.run(standin, "--retries", "0", "-c", "1", env=more)
        tap.ok(done.returncode in (2, 125) and len(done.stderr.splitlines()) == 1 and words in done.stderr
               and not done.stdout,
               name, product.said(done))
    tap.equal(standin.requests, [], "and nothing was asked")
    done = product.run(standin, "-c", "print(1)",
                       env={"E2B_API_URL": standin.url + "/", "E2B_SANDBOX_URL": standin.url + "//"})
    tap.equal(done.stdout, b"1\n", "slashes at the end of an address", product.said(done))
    done = product.run(standin, "-c", "1", env={"E2B_API_KEY": "e2b_" + "1" * 40})
    tap.ok(done.returncode == 125 and b"not accepted" in done.stderr, "another's key", product.said(done))


def test(tap):
    with Standin() as standin:
        for name, function in sorted(globals().items()):
            if name.startswith("test_"):
                function(tap, standin)
        tap.equal(standin.living, [], "no sandbox is left")
