# SPDX-License-Identifier: Apache-2.0
"""The run log and the access log: what becomes of them while the daemon runs, and on a disk that is full."""

import ctypes
import os
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

from daemon import Daemon
from procs import wait_for

WAL_MOST = 8 << 20  # STORE_WAL_BYTES
RUNS = 4000
FULL_RUNS = 30
CALM_S = 4  # a log that has worked for so long works again
NOTE = "the run may be missing in the log"
LIBC = ctypes.CDLL(None, use_errno=True)


def test_folded(tap, d):
    """While clients read it, too. Refusals are rows, and cost no guest."""
    most, wal = 0, d.log + "-wal"

    def some(i):
        runs = [{"code": "import os; os.system('%d-%d') #%s" % (i, j, "x" * 3000), "profile": "strict"} for j in range(20)]
        return [r["verdict"]["allowed"] for r in d.post("/v1/batch", {"runs": runs}).json["results"]]

    def read(_):
        nonlocal most
        most = max(most, os.path.getsize(wal))
        return d.get("/v1/runs?limit=100").status

    with ThreadPoolExecutor(4) as pool:
        written, read_ = pool.map(some, range(RUNS // 20)), pool.map(read, range(RUNS // 20))
        tap.equal((sum(written, []), set(read_)), ([False] * RUNS, {200}), "%d runs, listed meanwhile" % RUNS)
    tap.ok(most < WAL_MOST, "the write-ahead log stays small: %.1f MiB" % (most / (1 << 20)))
    tap.equal((d.figure("glovebox_log_rows_total"), d.figure("glovebox_log_lost_total")), (RUNS, 0), "all are written")


class Small:
    """A disk of one MiB of this test's own, that can be full."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "small")
        os.mkdir(self.path)
        if LIBC.mount(b"small", self.path.encode(), b"tmpfs", 0, b"size=1m"):
            raise OSError(ctypes.get_errno(), "mount")
        self.filler = os.path.join(self.path, "filler")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIBC.umount2(self.path.encode(), 2)

    def fill(self):
        with open(self.filler, "wb", 0) as f:
            for size in (65536, 4096, 1):
                try:
                    while True:
                        f.write(b"x" * size)
                except OSError:
                    pass

    def empty(self):
        os.unlink(self.filler)


def lines_about(d, log):
    return [line for line in d.words().splitlines() if log in line]


def runs(d, count):
    """The notes of so many runs."""
    answers = [d.run("print(%d)" % i) for i in range(count)]
    return [r.json["notes"] for r in answers if r.status == 200 and r.json["success"]]


def test_full(tap, d, small):
    tap.equal(runs(d, 3), [[]] * 3, "runs on a disk with room")
    small.fill()
    wait_for(lambda: (d.get("/healthz"), runs(d, 1), len(lines_about(d, "log.db")) > 0 and len(lines_about(d, "access.log")) > 0)[-1], 30)
    notes = runs(d, FULL_RUNS)
    tap.ok(len(notes) == FULL_RUNS and all(NOTE in str(n) and "the disk is full" in str(n) for n in notes),
           "on a full disk runs succeed, and say that the log lacks them", notes[:2], d.words())
    said = lines_about(d, "log.db"), lines_about(d, "access.log")
    tap.ok([len(lines) for lines in said] == [1, 1] and "the disk is full" in said[0][0] and "No space left" in said[1][0],
           "each log says so once, on standard error", d.words())
    tap.ok(d.figure("glovebox_log_lost_total") >= FULL_RUNS and d.figure("glovebox_access_log_lost_total") > 0,
           "the figures count them", d.get("/metrics").body[-1500:])


def lost(d, log):
    """As the daemon says it."""
    found = re.search(r"the %s works again; lost \w+: (\d+)" % log, d.words())
    return int(found.group(1)) if found else None


def test_again(tap, d, small):
    small.empty()
    tap.equal(runs(d, 2), [[]] * 2, "with room again, the first result has no note")
    time.sleep(CALM_S)
    wait_for(lambda: (runs(d, 1), lost(d, "run log") and lost(d, "access log"))[-1], 30)
    tap.equal((lost(d, "run log"), lost(d, "access log")),
              (d.figure("glovebox_log_lost_total"), d.figure("glovebox_access_log_lost_total")),
              "with room again both say so, and how many were lost", d.words())
    tap.equal(runs(d, 2), [[]] * 2, "and results have no note")
    tap.equal(d.get("/v1/runs?limit=5").status, 200, "the log can be read")


def test_whole(tap, d, small, rows, lost_rows):
    with sqlite3.connect(os.path.join(small.path, "log.db")) as db:
        tap.equal((db.execute("PRAGMA integrity_check").fetchone()[0], db.execute("SELECT count(*) FROM runs").fetchone()[0]),
                  ("ok", rows), "the run log is whole", lost_rows)
    db.close()
    with open(os.path.join(small.path, "access.log")) as f:
        bad = [line for line in f if not re.match(r"\S+( \S+)? unix \S+ (GET|POST) /\S* \d+ .*\d\n", line)]
    tap.equal(bad, [], "the access log has whole lines only")


def full_disk(tap):
    if os.geteuid():
        tap.skip("a full disk", "needs root, for a disk of its own")
        return
    d = Daemon("--log", "small/log.db", "--access-log", "small/access.log")
    with Small(d.folder) as small:
        with d:
            test_full(tap, d, small)
            test_again(tap, d, small)
            rows, lost_rows = d.figure("glovebox_log_rows_total"), d.figure("glovebox_log_lost_total")
            d.process.terminate()
            d.ended()
            test_whole(tap, d, small, rows, lost_rows)
            LIBC.umount2(small.path.encode(), 2)


def test(tap):
    with Daemon("--log-code") as d:
        test_folded(tap, d)
    full_disk(tap)
