# SPDX-License-Identifier: Apache-2.0
"""Output: as much as was allowed is kept, half from its beginning and half from its end, the rest
is counted, and none of it grows our own memory."""
import threading
import time

from harness import status_line


def test_edges(tap, user):
    for stream in ("stdout", "stderr"):
        for n, over in [(999, False), (1000, False), (1001, True), (200000, True)]:
            code = (f"import sys\nout = sys.{stream}\n"
                    f"text = ''.join(chr(33 + i % 90) for i in range({n}))\nout.write(text)")
            r = user.run(code, "--output-limit", "1000")
            text = "".join(chr(33 + i % 90) for i in range(n))
            kept = r.json.get(stream, "")
            name = f"{user.name}: {stream}: {n} bytes of 1000"
            tap.equal(r.json.get(stream + "_bytes"), n, f"{name}: counted", r)
            tap.equal(r.json.get(stream + "_truncated"), over, f"{name}: truncated or not", r)
            if over:
                tap.ok(kept.startswith(text[:500]) and kept.endswith(text[-500:])
                       and f"{n - 1000} of {n} bytes" in kept and len(kept) < 1200
                       and "output" in r.limits, f"{name}: head, count and tail", r)
            else:
                tap.ok(kept == text and "output" not in r.limits, f"{name}: all of it", r)
            tap.ok(r.success and r.status == 0, f"{name}: no failure", r)


def test_both(tap, user):
    r = user.run("import sys\nfor i in range(3000):\n  print(i)\n  print(-i, file=sys.stderr)",
                 "--output-limit", "4k")
    tap.ok(r.stdout.endswith("2999\n") and r.json["stderr"].endswith("-2999\n")
           and r.stdout.startswith("0\n1\n") and r.success, f"{user.name}: each stream for itself", r)


def test_live(tap, user):
    """Without --json: what goes out as it comes is complete, whatever a result would keep."""
    r = user.command("run", "--output-limit", "1000", "-c", "for i in range(2000): print(i)")
    tap.equal(r.out, "".join(f"{i}\n" for i in range(2000)), f"{user.name}: live output is complete")


def peak_of_flood(user, command, *args):
    process = user.start("run", "--timeout", "1s", "--lang", "sh", *args, "-c", command)
    sizes = []
    readers = [threading.Thread(target=lambda pipe=pipe: sizes.append(len(pipe.read())))
               for pipe in (process.stdout, process.stderr)]
    for reader in readers:
        reader.start()
    peak = 0
    while process.poll() is None:
        peak = max(peak, status_line(process.pid, "VmHWM"))
        time.sleep(0.01)
    for reader in readers:
        reader.join()
    process.communicate()
    return peak, process.returncode, sum(sizes)


def test_flood(tap, user):
    for name, command, args in [("stdout", "yes", ["--json"]), ("stderr", "yes >&2", ["--json"]),
                                ("both, live", "yes & exec yes >&2", []),
                                ("one line without an end", "exec cat /dev/zero", ["--json"])]:
        peak, status, size = peak_of_flood(user, command, *args)
        tap.ok(status == 124 and 0 < peak < 64 << 10,
               f"{user.name}: a second of {name}: our memory stays below 64 MiB",
               f"{peak} KiB, exit status {status}")
        if args:
            tap.ok(size < 16 << 20, f"{user.name}: a second of {name}: and so is the result", size)
        tap.note(f"{peak} KiB")


def test_none(tap, user):
    r = user.run("print('x' * (3 << 20))", "--output-limit", "0")
    tap.ok(r.stdout_bytes == (3 << 20) + 1 == len(r.stdout or "") and not r.stdout_truncated,
           f"{user.name}: 0 is no limit", r.status, r.err)


def test(tap, user):
    test_edges(tap, user)
    test_both(tap, user)
    test_live(tap, user)
    test_flood(tap, user)
    test_none(tap, user)
