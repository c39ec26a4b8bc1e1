# SPDX-License-Identifier: Apache-2.0
"""What the tests of JavaScript's, R's and bash's sessions share: cells with what must come of them, and what holds
for every language."""

import os
import shutil
import tempfile
import time

from driver import Gone, Guest, Late, source, tool
from procs import tasks


class Folder(Guest):
    """A session in a folder of its own, after hello."""

    def __init__(self, argv, program, greet=True, **options):
        self.folder = tempfile.TemporaryDirectory()
        temp = os.path.join(self.folder.name, "tmp")
        os.mkdir(temp)
        Guest.__init__(self, argv, program, cwd=self.folder.name,
                       env={"PATH": os.environ["PATH"], "HOME": self.folder.name, "TMPDIR": temp, "LC_ALL": "C.UTF-8"})
        if greet:
            self.hello(**options)

    def close(self, timeout=2):
        status = Guest.close(self, timeout)
        self.folder.cleanup()
        return status


class Language:
    """How a session is started. `texts` are cells in the language that mean the same in each."""

    def __init__(self, command, args, boot, program, texts):
        self.command, self.args, self.boot, self.program, self.texts = command, args, boot, program, texts

    def missing(self, tap):
        if shutil.which(self.command):
            return False
        tap.skip("sessions", "no %s on this machine" % self.command)
        return True

    def start(self, **options):
        argv = [self.command, *self.args, source(self.boot).decode()]
        return Folder(argv, source(self.program), **options)


def seen(cell, key):
    """What a row of a table asks for: a key of the done frame, or something made of it."""
    e = cell.exception or {}
    if key == "error":
        return e.get("type")
    if key == "message":
        return e.get("message")
    if key == "place":
        return (e.get("cell"), e.get("line"))
    if key == "trace":
        return e.get("traceback")
    if key == "text":
        return cell.results[0]["data"].get("text/plain") if cell.results else None
    if key == "kinds":
        return [sorted(bundle["data"]) for bundle in cell.displays]
    return getattr(cell, key)


def agrees(cell, wants):
    return all(want(seen(cell, key)) if callable(want) else seen(cell, key) == want for key, want in wants.items())


def run_table(tap, guest, table, tools=None):
    """Rows are (cell, what must come of it); `ok` is wanted unless something else is said."""
    for text, wants in table:
        said = {"ok": True, **wants} if not {"error", "exit", "ok"} & set(wants) else wants
        cell = guest.run(text, tools=tools)
        tap.ok(agrees(cell, said), "cell %d: %.70r" % (guest.number, text), cell)


def has(part):
    return lambda text: text is not None and part in text


def cpu_ticks(pid):
    """Of a process and of those it started."""
    return sum(ticks for _, ticks in tasks(pid))


def test_all(tap, language):
    test_frames(tap, language)
    test_changed_tools(tap, language)
    test_interrupt(tap, language)
    test_kept(tap, language)
    if "early" in language.texts:
        test_early(tap, language)
    test_end(tap, language)


def test_frames(tap, language):
    text = language.texts
    with language.start(tools=[tool("add", "a", "b", description="adds")]) as g:
        tap.equal(g.ready["language"], language.texts["name"], "ready")
        tap.ok(g.ready["version"][:1].isdigit(), "... with the version", g.ready)
        for cell in ("", "\n\n", text["comment"], text["comment"] + "\n"):
            done = g.run(cell)
            tap.ok(done.ok and done.value is None and not done.results and not done.out + done.err, "nothing: %r" % cell, done)
        tap.equal(g.run(text["print"] % "é€😀").out, "é€😀\n", "UTF-8 there and back")
        lines = (text["print"] % "a" + "\r\n") * 2
        tap.equal(g.run(lines).out, "a\na\n", "CRLF")
        big = text["comment"] + "x" * (1 << 20) + "\n" + text["print"] % "end"
        tap.equal(g.run(big).out, "end\n", "a cell of 1 MiB")
        cell = g.run((text["print"] % "a") + "\0")
        tap.ok(not cell.ok and cell.exception, "a NUL byte", cell)
        tap.equal(g.run(text["print"] % "b").out, "b\n", "... after which the session lives")
        tap.equal(g.run(text["count"], stdin=b"one\ntwo\n").out.strip(), "2", "a cell's own input")
        tap.equal(g.run(text["count"]).out.strip(), "0", "... is not the next one's")
        tap.equal(g.run(text["children"]).out.count("pipe:"), 2, "children have no pipes but for their output")
        # Two in a row, before the first is done.
        first, second = g.begin(text["print"] % 1), g.begin(text["print"] % 2)
        tap.ok(g.finish(first).ok and g.finish(second).ok, "cells queue")
        tap.equal(g.get("no_such_name_")["missing"], ["no_such_name_"], "a variable that is not there")
        tap.equal(g.set({"not a name": 1})["ok"], text["any_name"], "a name that is none")


def test_changed_tools(tap, language):
    """Tools that come and go in an open session. The text `show` calls a tool with nothing, and prints its value."""
    call = language.texts["show"]
    with language.start(tools=[tool("first")]) as g:
        tools = {"first": lambda args, kwargs: "one", "second": lambda args, kwargs: "two"}
        tap.ok(not g.run(call % "second", tools=tools).out, "a tool that is not there yet")
        tap.equal(g.change_tools(add=[tool("second")])["ok"], True, "a tool is added")
        tap.equal(g.run(call % "second", tools=tools).out.strip(), "two", "... and can be called")
        tap.equal(g.run(call % "first", tools=tools).out.strip(), "one", "... the others, too")
        tap.equal(g.change_tools(add=[tool("second", "a")])["ok"], True, "one is replaced")
        tap.equal(g.run(call % "second", tools=tools).out.strip(), "two", "... and can be called")
        tap.equal(g.change_tools(remove=["second"])["ok"], True, "one is removed")
        gone = g.run(call % "second", tools={"second": lambda args, kwargs: 1 / 0})
        tap.ok("two" not in gone.out, "... and answers no more", gone)
        tap.equal(g.run(call % "first", tools=tools).out.strip(), "one", "... the others do")


def test_interrupt(tap, language):
    with language.start() as g:
        g.run(language.texts["assign"])
        for text in language.texts["endless"]:
            number = g.begin(text)
            g.settle()
            g.interrupt()
            cell = g.finish(number)
            tap.ok(not cell.ok and cell.interrupted and cell.exception["type"] == "Interrupted", "interrupt of %r" % text, cell)
            tap.equal(g.get("kept")["values"]["kept"], "here", "... keeps the state")
            done = g.run(language.texts["print"] % "on")
            tap.ok(done.ok and done.out == "on\n", "... and the session", done)


    with language.start(tools=[{"name": "add"}]) as g:
        number = g.begin(language.texts["call"])
        call = g.receive()
        g.interrupt()
        g.settle()
        g.send("answer", call[1], {"error": {"type": "RuntimeError", "message": "cancelled"}})
        cell = g.finish(number)
        tap.ok(not cell.ok and cell.interrupted, "interrupt of a call", cell)
        number = g.begin(language.texts["call"])
        g.answer(g.receive()[1], {"name": "add", "args": [], "kwargs": {}}, {"add": lambda args, kwargs: "sum"})
        tap.ok(g.finish(number).ok, "... after which there are others")


def test_kept(tap, language):
    """No cell takes the session's own functions away from the next one."""
    texts = language.texts
    with language.start(tools=[tool("add", parameters=None)], final_answer=True) as g:
        for text in texts["destroy"]:
            g.run(text)
            cell = g.run(texts["call"], tools={"add": lambda args, kwargs: 5})
            tap.ok(cell.ok and len(cell.calls) == 1, "a tool, after %r" % text, cell)
            cell = g.run(texts["final"])
            tap.equal((cell.is_final_answer, str(cell.final_answer)), (True, "7"), "... and the final answer")
        said = g.set({"add": 1})
        tap.ok(texts["name"] == "bash" or (not said["ok"] and "tool" in said["exception"]["message"]), "set refuses a tool's name", said)


def test_early(tap, language):
    """Interrupts of cells that have hardly begun, and of none. One that arrives while the guest reads the cell may be
    taken for one between cells, and have no effect; the host repeats it, and the second must arrive."""
    with language.start() as g:
        for n in range(40):
            number = g.begin(language.texts["early"])
            time.sleep((n % 10) * 5e-4)
            g.interrupt()
            try:
                cell = g.finish(number, timeout=2)
            except Late:
                g.interrupt()
                cell = g.finish(number)
            if not cell.interrupted:
                break
        tap.ok(cell.interrupted, "40 interrupts at once", cell)
        for n in range(5):
            g.interrupt()
            time.sleep(0.5)
            cell = g.run(language.texts["print"] % "on")
            if not cell.ok or cell.out != "on\n":
                break
        tap.ok(cell.ok and cell.out == "on\n", "... and between cells, where they are nothing", cell)


def test_end(tap, language):
    g = language.start()
    for _ in range(20):  # interpreters tidy up after their start
        before = cpu_ticks(g.pid)
        time.sleep(0.5)
        spent = cpu_ticks(g.pid) - before
        if spent <= 1:
            break
    tap.ok(spent <= 1, "waiting costs nothing", spent)
    tap.equal(g.close(60), 0, "the end of the frames is the end")
    g = language.start(greet=False)
    tap.equal(g.close(60), 0, "... before hello, too")
    with language.start() as g:
        try:
            cell = g.run(language.texts["suicide"])
            tap.ok(False, "a cell's own death", cell)
        except Gone:
            tap.ok(True, "a cell's own death closes the pipe")
