# SPDX-License-Identifier: Apache-2.0
"""glovebox solve --calls builtin: the model runs its programs on its own side."""

import json

from daemon_tasks import daemon_for
from models import KEY, Anthropic, Gemini, OpenAI, Place
from openapi import check
from server import Answer, Server
from solve import TASK, document, solved


class Gemini2(Gemini):
    model = "gemini-2.5-flash"


class Responses(OpenAI):
    @staticmethod
    def runs(runs, text, **more):
        output = [{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I try."}]}]
        output += [{"type": "code_interpreter_call", "id": "ci", "code": code, "status": "completed" if ok else "failed",
                    "outputs": [{"type": "logs", "logs": out}, {"type": "image", "url": "x"}]} for code, out, ok in runs]
        output.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
        return dict({"id": "r", "status": "completed", "output": output, "error": None, "usage": {
            "input_tokens": 100, "output_tokens": 20, "input_tokens_details": {"cached_tokens": 40}}}, **more)

    @staticmethod
    def tool(body):
        return body["tools"] == [{"type": "code_interpreter", "container": {"type": "auto"}}] and body["include"] == ["code_interpreter_call.outputs"]


def anthropic_runs(runs, text, **more):
    made = dict(Anthropic.whole("I try."), **more)
    for i, (code, out, ok) in enumerate(runs):
        made["content"] += [
            {"type": "server_tool_use", "id": "s%d" % i, "name": "code_execution", "input": {"code": code}},
            {"type": "code_execution_tool_result", "tool_use_id": "s%d" % i, "content": {
                "type": "code_execution_result", "stdout": out if ok else "", "stderr": "" if ok else out, "return_code": 0 if ok else 3}}]
    made["content"].append({"type": "text", "text": text})
    return made


def gemini_runs(runs, text):
    made = Gemini.whole("I try.")
    parts = made["candidates"][0]["content"]["parts"]
    for code, out, ok in runs:
        parts += [{"executableCode": {"language": "PYTHON", "code": code}},
                  {"codeExecutionResult": {"outcome": "OUTCOME_OK" if ok else "OUTCOME_FAILED", "output": out}}]
    parts.append({"text": text})
    return made


WAYS = [
    (Gemini2, gemini_runs, lambda body: body["tools"] == [{"codeExecution": {}}]),
    (Anthropic, anthropic_runs, lambda body: body["tools"] == [{"type": "code_execution_20250825", "name": "code_execution"}]),
    (Responses, Responses.runs, Responses.tool),
]


def test_runs(tap):
    for p, runs, has_tool in WAYS:
        answer = runs([("x", "no x", False), ("print(5)", "5\n", True)], "It is 5.")
        got, seen = document(tap, p, [answer], "--calls", "builtin")
        tap.equal((got["answer"], got["answer_by"], got["calls"], got["code"], len(seen)), ("It is 5.", "reply", "builtin", "print(5)", 1), p.__name__ + ": the answer")
        results = [r["result"] for r in got["steps"][0]["runs"]]
        tap.equal([(r["backend"], r["language"], r["success"], r["isolation"]) for r in results],
                  [("builtin", "python", False, []), ("builtin", "python", True, [])], p.__name__ + ": results")
        tap.ok("no x" in results[0]["stdout"] + results[0]["stderr"] and results[0]["exit_code"] and results[1]["stdout"] == "5\n", p.__name__ + ": outputs", results)
        tap.equal(got["result"], results[1], p.__name__ + ": the last result")
        tap.ok(has_tool(seen[0].json) and "sandbox" not in json.dumps(seen[0].json), p.__name__ + ": what is sent", seen[0].json)
        done, seen = solved(tap, p, [answer], "--backend", "builtin", "--stream")
        tap.ok(done.returncode == 0 and done.stdout == b"It is 5.\n" and b"the model ran 1 line\n" in done.stderr and b"no x5\n" in done.stderr and
               b"100 + 20 tokens" in done.stderr, p.__name__ + ": for people", done)
        got, seen = document(tap, p, [runs([], "Five.")], "--calls", "builtin")
        tap.ok(got["answer"].endswith("Five.") and got["code"] is None and got["result"] is None, p.__name__ + ": no run", got)
        done, _ = solved(tap, p, [runs([("print('%s')" % KEY, KEY, True)], "It is %s." % KEY)], "--calls", "builtin", "--json")
        tap.ok(done.stdout.count(b"[key]") >= 3, p.__name__ + ": a key that comes back", done)
        got, seen = document(tap, p, [runs([("print(5)", "5", True)], "-5"), runs([], "5")], "--calls", "builtin", "--answer-check", "not answer.startswith('-')")
        tap.ok(got["answer"].endswith("5") and "rejected" in json.dumps(seen[1].json), p.__name__ + ": --answer-check", got)
        place = Place(tap)
        solved(tap, p, [answer], "--calls", "builtin", "--record", "r", place=place)
        done = place.run("solve", "--calls", "builtin", "--replay", "r", TASK)
        tap.equal((done.returncode, done.stdout), (0, b"It is 5.\n"), p.__name__ + ": a replay", done)


def test_shapes(tap):
    paused = anthropic_runs([("a", "1", True)], "Wait.", stop_reason="pause_turn")
    got, seen = document(tap, Anthropic, [paused, anthropic_runs([("b", "2", True)], "Done.")], "--calls", "builtin")
    tap.equal((got["answer"], len(seen), [m["role"] for m in seen[1].json["messages"]]), ("Done.", 2, ["user", "assistant"]), "a turn that paused continues")
    tap.equal(seen[1].json["messages"][1]["content"], paused["content"], "its blocks go back as they came")
    shell = Anthropic.whole("x")
    shell["content"][1:] = [
        {"type": "server_tool_use", "id": "s", "name": "bash_code_execution", "input": {"command": "echo 5"}},
        {"type": "bash_code_execution_tool_result", "tool_use_id": "s", "content": {"type": "bash_code_execution_result", "stdout": "5\n", "return_code": 0}},
        {"type": "server_tool_use", "id": "t", "name": "code_execution", "input": {"code": "x"}},
        {"type": "code_execution_tool_result", "tool_use_id": "t", "content": {"type": "code_execution_tool_result_error", "error_code": "execution_time_exceeded"}},
        {"type": "text", "text": "5"}]
    got, _ = document(tap, Anthropic, [shell], "--calls", "builtin")
    tap.equal([(r["result"]["language"], r["result"]["success"], r["result"]["timed_out"], r["outcome"]) for r in got["steps"][0]["runs"]],
              [("bash", True, False, None), ("python", False, True, "execution_time_exceeded")], "a shell's command, and an error")
    cut = Responses.runs([], "Fi", status="incomplete")
    got, seen = document(tap, Responses, [cut, Responses.runs([], "5")], "--calls", "builtin")
    tap.ok(len(seen) == 2 and "The answer is missing" in json.dumps(seen[1].json), "an answer that was cut", seen[1].json)
    hostile = Gemini.whole("5")
    hostile["candidates"][0]["content"]["parts"] = [
        {"executableCode": 1}, {"codeExecutionResult": []}, {"executableCode": {"code": 7}}, {"codeExecutionResult": {"outcome": {}, "output": "a\u0000b"}},
        {"executableCode": {"code": "x\u0000"}}, {"text": "5"}]
    done, _ = solved(tap, Gemini2, [hostile], "--calls", "builtin", "--json")
    tap.ok(done.returncode == 0 and json.loads(done.stdout)["answer"] == "5", "values of wrong types", done)
    many = gemini_runs([("print(%d)" % i, "%d" % i, True) for i in range(1000)], "5")
    got, _ = document(tap, Gemini2, [many], "--calls", "builtin")
    tap.equal(len(got["steps"][0]["runs"]), 1000, "a thousand runs")
    for p, error in ((Responses, {"error": {"message": "no such model"}}), (Responses, {"output": 5}), (Responses, [])):
        done, _ = solved(tap, p, [Answer(body=error)], "--calls", "builtin", "--model-retries", "0")
        tap.ok(done.returncode == 125 and done.stdout == b"", "an error: %s" % error, done)


def test_refusals(tap):
    place = Place(tap)
    with Server([Answer(body=Gemini.whole())]) as server:
        for model in ("gemini-1.5-pro", "gemini-pro", "gemma-3"):
            done = place.ask(Gemini, server, "solve", "--backend", "builtin", "--model", model, TASK)
            tap.ok(done.returncode == 125 and b"Gemini code execution tool is not supported for model " + model.encode() in done.stderr, model, done)
        done = place.ask(Gemini, server, "solve", "--calls", "builtin", "--model", "gemini-3-pro", TASK)
        tap.equal(done.returncode, 0, "a later family", done)
    done = place.run("solve", "--calls", "builtin", "--model", "ollama/x", TASK)
    tap.ok(done.returncode == 125 and b"cannot run code on the provider's side" in done.stderr, "ollama", done)
    place.write("x", "def f(): pass\n")
    for words, *args in (("files", "--file", "x"), ("tools", "--tools", "x"), ("an output folder", "--out", "x"), ("one-shot runs", "--one-shot"),
                         ("styles", "--style", "adk"), ("variables", "--env", "A=1"), ("in Python only", "--lang", "bash")):
        done = place.run("solve", "--calls", "builtin", "--model", "gpt-x", *args, TASK, env={"OPENAI_API_KEY": KEY})
        tap.ok(done.returncode == 2 and words.encode() in done.stderr and len(done.stderr.splitlines()) == 1, args[0], done)
    done = place.run("run", "--backend", "builtin", "-c", "1")
    tap.ok(done.returncode == 125 and b"glovebox solve --backend builtin" in done.stderr, "run --backend builtin", done)


def test_daemon(tap):
    """The same over HTTP, where the daemon's own folders are no reason to refuse."""
    answer = Answer(body=Responses.runs([("print(5)", "5\n", True)], "It is 5."))
    with Server([answer]) as server, daemon_for(server) as d:
        r = d.post("/v1/solve", {"task": TASK, "calls": "builtin"})
        check(tap, d.get("/openapi.json").json, "/v1/solve", "post", r)
        tap.equal((r.status, r.json["answer"], r.json["result"]["backend"]), (200, "It is 5.", "builtin"), "POST /v1/solve", r)
        r = d.post("/v1/solve", {"task": TASK, "calls": "builtin", "files": {"a": "b"}})
        tap.ok(r.json["error"]["kind"] == "usage" and "files can have no effect" in r.json["error"]["message"], "with files", r)
    with Server([answer]) as server, daemon_for(server, "--backend", "host") as d:
        r = d.post("/v1/solve", {"task": TASK, "calls": "builtin", "answer_check": "True"})
        tap.ok("backend host has no wall" in r.message, "the check of an answer is for the daemon's backend", r)


def test(tap):
    for part in (test_runs, test_shapes, test_refusals, test_daemon):
        part(tap)
