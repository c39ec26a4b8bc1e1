# SPDX-License-Identifier: Apache-2.0
"""The same in every language that has sessions and whose interpreter is here."""

from feed import Feed, Session, ended

CELLS = {
    "javascript": ("x = 41; console.log('hi')", "x + 1", 42, "throw new Error('no')", "while (true) {}"),
    "r": ("x <- 41L; cat('hi\\n')", "x + 1L", 42, "stop('no')", "repeat {}"),
    "bash": ("x=41; echo hi", "echo $((x + 1))", None, "false", "while :; do :; done"),
}


def test_language(t, feed, name, cells):
    with Session(feed, lang=name) as s:
        if s.opened.get("error") == "unsupported":
            t.skip(name, s.opened["message"])
            return
        t.ok(s.opened.get("ok"), name + ": opens", s.opened)
        first, second, value, fails, endless = cells
        r = s.run(first)
        t.equal((r["stdout"], ended(r)), ("hi\n", "done"), name + ": output", r)
        r = s.run(second)
        t.ok(r["success"] and (r["value"] == value if value else r["stdout"] == "42\n"), name + ": state", r)
        r = s.run(fails)
        t.equal((ended(r), r["exit_code"]), ("failed", 1), name + ": failure", r)
        if value:
            t.ok("no" in r["exception"]["message"], name + ": its exception", r["exception"])
        r = s.run(endless, wall_ms=2000)
        t.equal((ended(r), r["timed_out"]), ("interrupted", True), name + ": a timeout", r)
        r = s.run(second)
        t.ok(r["success"] and (r["value"] == value if value else r["stdout"] == "42\n"), name + ": state is kept", r)
        t.equal(s.ask("restart").get("ok"), True, name + ": restarts")


# Each counts its interrupts, and goes on until there were %d.
HARD_OF_HEARING = {
    "r": ("n <- 0L; while (n < %d) tryCatch(Sys.sleep(60), interrupt = function(e) n <<- n + 1L)", "cat(n)"),
    "bash": ("n=0; trap 'n=$((n + 1))' INT; while [ $n -lt %d ]; do sleep 60; done", "trap - INT; printf $n"),
    "python": ("n = 0\nwhile n < %d:\n    try:\n        import time; time.sleep(60)\n"
               "    except KeyboardInterrupt:\n        n += 1", "print(n, end='')"),
}


def test_again(t, feed, name, cells):
    """Who misses an interrupt is told once more, where that cannot do harm."""
    often = 1 if name == "python" else 2
    endless, count = cells
    with Session(feed, lang=name, grace_ms=6000, no_check=True) as s:
        if s.opened.get("error") == "unsupported":
            t.skip(name, s.opened["message"])
            return
        r = s.run(endless % often, wall_ms=1500)
        t.equal((ended(r), r["timed_out"]), ("interrupted", True), "%s: %d of them" % (name, often), r)
        t.equal(s.run(count)["stdout"], str(often), "%s: are heard" % name)
        r = s.run(endless % (often + 1), wall_ms=1500)
        t.equal((ended(r), r["timed_out"]), ("killed", True), "%s: and no more" % name, r)


def test_without(t, feed):
    s = Session(feed, lang="sh")
    if s.opened.get("ok"):
        s.ask("close")
        return
    t.ok("sessions in sh are not supported" in s.opened["message"] and "python" in s.opened["message"], "sh has none", s.opened)


def test(t):
    with Feed() as feed:
        for name, cells in CELLS.items():
            test_language(t, feed, name, cells)
        for name, cells in HARD_OF_HEARING.items():
            test_again(t, feed, name, cells)
        test_without(t, feed)
