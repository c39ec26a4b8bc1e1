# SPDX-License-Identifier: Apache-2.0
"""glovebox format: a result as text for a model."""

import json

import box

F = "```"
RUN = {"success": True, "exit_code": 0, "stdout": "5\n", "stderr": "", "files": []}
FAILED = dict(RUN, success=False, exit_code=1, stdout="", stderr="boom\n")


def form(t, document, *args):
    text = document if isinstance(document, str) else json.dumps(document)
    return t.box("format", *args, stdin=text.encode())


@box.once
def test_profiles(t):
    wants = {
        "markdown": ("Output:\n\n%stext\n5\n%s\n" % (F, F), "boom"),
        "adk": ("%stool_output\n5\n\n%s\n" % (F, F), "Error: boom"),
        "adk-inline": ("5\n", "error: boom"),
        "smolagents": ("Execution logs:\n5\nLast output from code snippet:\nNone\n", "Error:"),
        "kodeagent": ("5\n", "boom"),
        "chapter": ("5\n", "boom"),
    }
    for profile, (want, failed) in wants.items():
        t.exits(form(t, RUN, "--profile", profile), 0, profile, want.encode())
        done = form(t, FAILED, "--profile", profile)
        t.ok(done.code == 0 and failed.encode() in done.out, profile + " of a failure", done)
    t.equal(form(t, RUN).out, form(t, RUN, "--profile", "markdown").out, "markdown is the default")


@box.once
def test_full_disk(t):
    """A text that stdio writes at once, so that nothing is left to flush at the end."""
    t.write("result.json", json.dumps({"success": True, "exit_code": 0, "stdout": "x" * 100000 + "\n", "stderr": ""}))
    with open("/dev/full", "wb") as full:
        p = t.start("format", "--profile", "markdown", "result.json", stdout=full)
        _, err = p.communicate(timeout=box.PATIENCE)
    t.ok(p.returncode == 125 and b"standard output: " in err, "a large text to a full disk", (p.returncode, err))


@box.once
def test_json(t):
    done = form(t, FAILED, "--json", "--profile", "kodeagent")
    t.equal(done.json, {"text": "boom", "is_error": True}, "a text")
    done = form(t, FAILED, "--json", "--profile", "adk")
    part = {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "boom\n"}}
    t.equal(done.json, part, "a part")
    done = form(t, RUN, "--json", "--profile", "chapter")
    t.equal(
        done.json,
        {"success": True, "output": "5\n", "exit_code": 0, "truncated": False},
        "chapter's fields",
    )
    done = form(t, dict(RUN, stdout="x" * 10001), "--json", "--profile", "chapter")
    t.equal(done.json["output"], "x" * 10000 + "...(truncated)", "cut at 10000 characters")
    t.equal(done.json["truncated"], True, "says so")
    done = form(t, dict(RUN, stdout="x...(truncated)"), "--json", "--profile", "chapter")
    t.equal(done.json["truncated"], False, "not because of a program's words")


def observed(t, code, *options):
    doc = t.run("--json", *options, "-c", code).json
    out = form(t, doc, "--profile", "smolagents").out.decode()
    return out[out.index("Error:\n") + len("Error:\n"):out.index("\nNow let's retry")]


# The sentences of smolagents, from a result of any profile.
@box.once
def test_smolagents_errors(t):
    failed = "Code execution failed at line '%s' due to: %s"
    zero = "ZeroDivisionError: division by zero"
    wants = {
        "x = 5\nfor i in range(3):\n    y = 1 / (i - 1)\n": failed % ("for i in range(3):\n    y = 1 / (i - 1)", zero),
        "print('x'); raise ValueError('boom')": failed % ("raise ValueError('boom')", "ValueError: boom"),
        "def f():\n    return 1 / 0\n\na = f()": failed % ("a = f()", zero),
        "a = 1\nb = = 2\n": "Code parsing failed on line 2 due to: SyntaxError: invalid syntax (<unknown>, line 2)\n"
                            "b = = 2\n     ^",
        "if 1:\n    a = (3,\n": "Code parsing failed on line 2 due to: SyntaxError: '(' was never closed (<unknown>, line 2)\n"
                              "    a = (3,\n         ^",
        "exec('x = = 1')": "Code execution failed at line 'exec('x = = 1')' due to: SyntaxError: invalid syntax",
    }
    for code, want in wants.items():
        got = observed(t, code)
        t.equal(got.split("\n    x = =")[0] if "exec" in code else got, want, "%r" % code)
        if "exec" not in code:
            t.equal(observed(t, code, "--profile", "smolagents"), want, "%r, with the profile" % code)
    with_prelude = t.write("pre.py", "import math\ndef tool():\n    return 1 / 0\n")
    got = observed(t, "a = 1\nb = tool()", "--prelude", with_prelude)
    t.equal(got, failed % ("b = tool()", zero), "behind a prelude")
    got = observed(t, "a = 1\nb = = 2", "--prelude", with_prelude)
    t.equal(got, wants["a = 1\nb = = 2\n"], "and of a syntax error behind one")


@box.once
def test_solution(t):
    path = t.write("solution.py", "print(2 + 3)\n")
    how = ("--profile", "chapter", "--problem", "Add.", "--solution", path)
    t.exits(
        form(t, RUN, *how),
        0,
        "a report",
        ("Problem: Add.\n\nSolution:\n%spython\nprint(2 + 3)\n%s\nResult: 5\n" % (F, F)).encode(),
    )
    t.exits(form(t, FAILED, *how), 0, "a failure", b"Failed to execute: boom\n")
    t.refused(form(t, RUN, "--problem", "Add."), 2, "--solution", "only for chapter")


@box.once
def test_there_and_back(t):
    for output in ("a\n", F + "\n", "%s\n%s\n" % (F, F), "x\n  %spy\ny\n%s\n" % (F, F), "`````\n"):
        for profile in ("markdown", "adk"):
            shown = form(t, dict(RUN, stdout=output), "--profile", profile).out.decode()
            done = form(t, "Well:\n\n" + shown, "--extract", "--json", "--profile", profile)
            t.equal(done.json, [output], "%s brings %r back" % (profile, output))
            done = form(t, shown, "--extract", "--profile", profile)
            t.exits(done, 0, "as text", output.encode())
    t.refused(form(t, "nothing", "--extract"), 1, "no output", "nothing to bring back")
    t.refused(form(t, "x", "--extract", "--profile", "chapter"), 2, "--extract requires", "no fence")


@box.once
def test_parts(t):
    message = {"parts": [{"executable_code": {"code": "x"}}]}
    text = "%stool_code\nx\n%s" % (F, F)
    t.equal(form(t, message, "--parts").json, {"parts": [{"text": text}]}, "code becomes text")
    message = {"parts": [{"code_execution_result": {"output": "5"}}]}
    text = "%stool_output\n5\n%s" % (F, F)
    t.equal(
        form(t, message, "--parts").json,
        {"parts": [{"text": text}], "role": "user"},
        "a result becomes the user's text",
    )


@box.once
def test_wrong_input(t):
    t.refused(form(t, "{"), 2, "line 1", "no JSON")
    t.refused(form(t, "{}"), 2, "not a result", "no result")
    t.refused(t.box("format", "missing.json"), 2, "missing.json", "no such file")


def test_of_a_run(t):
    if not t.has("runs"):
        return t.skip("the result of a run", "nothing runs here")
    code = "print('%s')\nopen('a.txt', 'w').write('x')\n1 / 0" % F
    run = t.run("--json", "-c", code)
    done = t.box("format", stdin=run.out)
    t.match(r"Output:\n\n````text\n```\n````\n", done.out.decode(), "what it printed")
    t.match(
        r"The program failed: ZeroDivisionError: division by zero \(line 3\)\.\n",
        done.out.decode(),
        "why it failed",
    )
    t.match(r"- `a.txt` \(1 byte, text/plain\)", done.out.decode(), "its files")


# A program of the restricted mode, and its output there.
RESTRICTED = (
    ("print([1][0])", "1\n"),
    ("x = [1]\nprint(x[3])", "Error: list index out of range"),
    ("d = {}\nd['k']", "Error: 'k'"),
    ("int('a')", "Error: invalid literal for int() with base 10: 'a'"),
    ("exec('1')\nopen('x')", "Line 1: Exec calls are not allowed.\nLine 2: open is not allowed"),
)


@box.once
def test_restricted(t):
    for code, want in RESTRICTED:
        run = t.box("run", "--no-daemon", "--json", "--profile", "restricted", "-c", code).json
        t.equal(form(t, run, "--json", "--profile", "chapter").json["output"], want, "restricted: %r" % code)
    for args, want in (((), 5000), (("--timeout", "7s"), 7000), (("--timeout", "1s"), 1000)):
        run = t.box("run", "--no-daemon", "--json", "--profile", "restricted", *args, "-c", "print(1)").json
        t.equal(run["limits_set"]["timeout_ms"], want, "its time with %r" % (args,))


@box.once
def test_for_model(t):
    """What a model reads: bounded, without a library's frames, with figures, files and one piece of advice."""
    done = t.box("format", stdin=t.box("run", "--json", "-c", "print('a' * 2000000 + 'the end'); print('b', file=__import__('sys').stderr)").out)
    t.ok(len(done.out) <= 32 << 10 and b"aaa" in done.out and b"the end" in done.out and b"bytes are left out here]" in done.out, "head and tail", done)
    whole = t.box("format", "--limit", "0", stdin=t.box("run", "--json", "-c", "print('a' * 900000)").out)
    t.ok(b"a" * 900000 in whole.out, "--limit 0", len(whole.out))
    run = t.box("run", "--json", "-c", "import json\ndef own():\n    json.loads('{')\nown()\n")
    text = t.box("format", stdin=run.out).out.decode()
    t.ok("in own" in text and "decoder.py" not in text and "library frame" in text and "JSONDecodeError" in text, "a traceback", text)
    run = t.box("run", "--json", "-c", "open('r.csv', 'w').write('12345')")
    t.ok("`r.csv` (5 bytes" in t.box("format", stdin=run.out).out.decode(), "a new file", run)
    picture = {"kind": "display", "data": {"image/svg+xml": "<svg/>", "text/plain": "<Figure size 640x480>"}}
    text = form(t, dict(RUN, stdout="", results=[picture])).out.decode()
    t.equal(text, "1 figure was shown.\n", "a figure")
    text = form(t, dict(RUN, results=[picture, picture])).out.decode()
    t.ok(text.endswith("\n2 figures were shown.\n") and "<Figure" not in text, "figures beside output", text)
    run = t.box("run", "--json", "--memory", "60m", "-c", "x = [0]\nwhile x: x *= 2").json
    text = form(t, run).out.decode()
    t.ok(text.count("Hint:") == 1 and "--" not in text and run["advice"] in text and "--memory" in run["feedback"][0], "advice that a model can follow", text)
    run = t.box("run", "--json", "-c", "1/0").json
    t.equal(form(t, run).out.decode().count("divisor") + form(t, run).out.decode().count("ivision by zero. Add"), 1, "advice once")
