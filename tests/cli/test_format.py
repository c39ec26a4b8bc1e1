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
def test_json(t):
    done = form(t, FAILED, "--json", "--profile", "kodeagent")
    t.equal(done.json, {"text": "boom", "is_error": True}, "a text")
    done = form(t, FAILED, "--json", "--profile", "adk")
    part = {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "boom\n"}}
    t.equal(done.json, part, "a part")
    done = form(t, RUN, "--json", "--profile", "chapter")
    t.equal(done.json, {"success": True, "output": "5\n", "exit_code": 0}, "chapter's fields")
    done = form(t, dict(RUN, stdout="x" * 10001), "--json", "--profile", "chapter")
    t.equal(done.json["output"], "x" * 10000 + "...(truncated)", "cut at 10000 characters")


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
