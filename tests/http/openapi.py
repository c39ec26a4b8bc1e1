# SPDX-License-Identifier: Apache-2.0
"""The description: well formed, and true."""

import json
import signal
import time

from daemon import Daemon

EXAMPLES = {
    "python": "3", "environment": "auto", "writable": ["/app"], "cwd": ".",
    "code": "print(1)", "filename": "a.py", "language": "python", "args": ["a"], "stdin": "x",
    "files": [{"name": "a", "content": "b"}], "env": {"A": "b"}, "data": {"a": 1}, "backend": "jail",
    "require": ["pidns"], "profile": "standard", "allow_imports": ["json"], "forbid_imports": ["os"],
    "prelude": "x = 1", "check": True, "no_check": False, "cold": True, "timeout_ms": 5000, "cpu_time_ms": 5000,
    "memory_bytes": 256 << 20, "disk_bytes": 64 << 20, "inodes": 1000,
    "output_limit_bytes": 1000, "pids": 20, "cpus": 0.5, "open_files": 100, "retries": 1,
    "retry_delay_ms": 10, "deadline_ms": 9000, "collect": True, "collect_bytes": 100,
    "optimize_data": False, "review": False, "cases": [{"call": "1", "expected": 1}], "func": "f", "setup": "y = 1",
    "isolate": False, "strict_stderr": False, "coverage": False, "compare": "tokens", "checker": "x",
    "checker_filename": "c.py", "runs": [{"code": "print(1)"}], "name": "n", "value": "last",
    "preload": ["json"], "tools": [{"name": "t"}], "tools_source": "def u():\n    return 1\n",
    "tool_timeout_ms": 100, "final_answer": True, "idle_ms": 60000, "pause_after_ms": 0, "image": "x", "dockerfile": "FROM x", "pip": ["x"], "grace_ms": 100, "forks": 1,
    "attempt": False, "attempt_keep": False, "attempt_drop": False, "answers_input": False, "values": {"a": 1}, "names": ["a"], "list": True, "ok": 1,
    "offline": True, "task": "t", "model": "m", "temperature": 0.5, "steps": 1, "token_limit": 10, "cost_limit": 0.5, "task_timeout_ms": 1000,
    "samples": 1, "calls": "blocks", "style": "default", "one_shot": True, "answer_check": "answer > 1",
    "error": {"type": "T", "message": "m"}, "net": "none", "target": "3.11",
    "context": {"mine": 1}, "invocation": "i", "execution_id": "e",
}
NEEDS = {"collect_bytes": {"collect": True}, "invocation": {"context": {}}, "execution_id": {"context": {}}, "attempt_keep": {"attempt": True},
         "attempt_drop": {"attempt": True}}


def resolve(doc, schema):
    while "$ref" in schema:
        node = doc
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node[part]
        schema = node
    return schema


TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict,
         "array": list, "null": type(None)}


def wrong(doc, schema, value, at="$"):
    """What of a value its schema does not say."""
    schema = resolve(doc, schema)
    if "anyOf" in schema:
        found = [wrong(doc, s, value, at) for s in schema["anyOf"]]
        return [] if [] in found else found[0]
    if "discriminator" in schema:
        ref = schema["discriminator"]["mapping"].get(value.get("event") if isinstance(value, dict) else None)
        return wrong(doc, {"$ref": ref}, value, at) if ref else ["%s is no event: %r" % (at, value)]
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind in ("integer", "number") and
                                                        isinstance(value, bool))):
        return ["%s is no %s: %r" % (at, kind, value)]
    if "enum" in schema and value not in schema["enum"]:
        return ["%s is not in %s" % (at, schema["enum"])]
    if kind == "array":
        return [w for i, v in enumerate(value) for w in wrong(doc, schema["items"], v, "%s[%d]" % (at, i))]
    if kind != "object":
        return []
    found = ["%s.%s is missing" % (at, k) for k in schema.get("required", []) if k not in value]
    for key, v in value.items():
        if key in schema.get("properties", {}):
            found += wrong(doc, schema["properties"][key], v, "%s.%s" % (at, key))
        elif isinstance(schema.get("additionalProperties"), dict):
            found += wrong(doc, schema["additionalProperties"], v, "%s.%s" % (at, key))
        elif schema.get("additionalProperties") is False:
            found.append("%s.%s is not described" % (at, key))
    return found


def references(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def test_form(tap, doc):
    tap.equal(doc["openapi"], "3.1.0", "a version that there is")
    names = [op["operationId"] for at in doc["paths"].values() for op in at.values()]
    tap.equal(len(names), len(set(names)), "each operation has a name of its own")
    for path, at in doc["paths"].items():
        for method, op in at.items():
            wanted = {p[1:-1] for p in path.split("/") if p.startswith("{")}
            have = {p["name"] for p in op.get("parameters", []) if p["in"] == "path"}
            tap.ok(wanted == have and op["summary"] and "default" in op["responses"] and
                   len(op["responses"]) == 2, "%s %s" % (method, path), op)
    opened = doc["paths"]["/v1/sessions"]["post"]["responses"]["2XX"]
    tap.equal((sorted(opened["content"]), opened["description"]), (["application/json", "application/x-ndjson"],
              "Done: 201 with the document, 200 with a stream."), "an opened session and its stream are one response")
    broken = [r for r in references(doc) if not r.startswith("#/components/schemas/") or
              r.rpartition("/")[2] not in doc["components"]["schemas"]]
    tap.equal(broken, [], "each reference leads somewhere")


def schema_of(doc, path, method):
    return resolve(doc, doc["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"])


def test_fields(tap, d, doc):
    """Each field that is described is known; so is nothing else."""
    s = "/v1/sessions/" + d.post("/v1/sessions", {}).json["id"]
    for path, at in doc["paths"].items():
        content = at.get("post", {}).get("requestBody", {}).get("content", {})
        if "application/json" not in content or path == "/v1/stop":
            continue
        schema = schema_of(doc, path, "post")
        where = path.replace("/v1/sessions/{id}", s).replace("{call}", "1")
        needed = {k: EXAMPLES[k] for k in schema.get("required", [])}
        refused = []
        for name, one in schema["properties"].items():
            permit = any(words in one["description"] for words in ("Permitted only if", "Works only if")) and [w for w in ("--allow", "--images") if w in one["description"]]
            value = EXAMPLES.get(name, ["x"] if one.get("type") == "array" else "x")
            body = dict(needed, **NEEDS.get(name, {}), **{name: value})
            r = d.post(where, body, tcp=True)
            good = r.status == 403 and permit[0] in r.message if permit else \
                "no field" not in r.message and ("'%s'" % name not in r.message or r.status == 404)
            if not good or wrong(doc, schema, body):
                refused.append((name, r, wrong(doc, schema, body)))
            if r.status == 201:
                d.call("DELETE", "/v1/sessions/" + r.json["id"])
        tap.equal(refused, [], "%s: each field is known" % path)
        r = d.post(where, dict(needed, no_such_field=1))
        tap.ok(r.status == 400 and "no_such_field" in r.message, "%s: and no other" % path, r)
    d.call("DELETE", s)


def check(tap, doc, path, method, answer):
    op = doc["paths"][path][method]
    status, told = next((k, v) for k, v in op["responses"].items() if k != "default")
    schema = told["content"]["application/json"]["schema"]
    fits = str(answer.status) == status or status == "2XX" and "%d with the document" % answer.status in told["description"]
    found = wrong(doc, schema, answer.json)
    tap.ok(fits and not found, "the answer of %s %s" % (method, path), answer, *found)


def test_answers(tap, d, doc):
    code = "import sys; open('f', 'w').write('x'); print(1, file=sys.stderr); 1 / 0"
    ran = d.post("/v1/run", {"code": code, "collect": True})
    check(tap, doc, "/v1/run", "post", ran)
    check(tap, doc, "/v1/run", "post", d.run("x = (", timeout_ms=100))
    check(tap, doc, "/v1/check", "post", d.post("/v1/check", {"code": "eval('1')"}))
    check(tap, doc, "/v1/test", "post", d.post("/v1/test", {"code": "def f(): pass", "cases": [{"args": []}]}))
    check(tap, doc, "/v1/batch", "post", d.post("/v1/batch", {"runs": [{"code": "1"}]}))
    check(tap, doc, "/v1/backends", "get", d.get("/v1/backends"))
    check(tap, doc, "/v1/environments", "get", d.get("/v1/environments"))
    check(tap, doc, "/v1/runs", "get", d.get("/v1/runs"))
    check(tap, doc, "/v1/runs/{run}", "get", d.get("/v1/runs/" + ran.json["id"]))
    opened = d.post("/v1/sessions", {})
    check(tap, doc, "/v1/sessions", "post", opened)
    s, p = "/v1/sessions/" + opened.json["id"], "/v1/sessions/{id}"
    check(tap, doc, "/v1/sessions", "get", d.get("/v1/sessions"))
    check(tap, doc, p, "get", d.get(s))
    check(tap, doc, p + "/exec", "post", d.post(s + "/exec", {"code": "a = 1; a"}))
    check(tap, doc, p + "/set", "post", d.post(s + "/set", {"values": {"b": 2}}))
    check(tap, doc, p + "/get", "post", d.post(s + "/get", {"names": ["b", "c"]}))
    check(tap, doc, p + "/files/{path}", "put", d.call("PUT", s + "/files/x", b"x"))
    check(tap, doc, p + "/files", "get", d.get(s + "/files"))
    check(tap, doc, p + "/files/{path}", "delete", d.call("DELETE", s + "/files/x"))
    check(tap, doc, p + "/interrupt", "post", d.post(s + "/interrupt"))
    check(tap, doc, p + "/restart", "post", d.post(s + "/restart"))
    check(tap, doc, p, "delete", d.call("DELETE", s))
    check(tap, doc, "/", "get", d.get("/"))
    check(tap, doc, "/healthz", "get", d.get("/healthz"))
    check(tap, doc, "/readyz", "get", d.get("/readyz"))
    check(tap, doc, "/v1/status", "get", d.get("/v1/status"))
    check(tap, doc, "/openapi.json", "get", d.get("/openapi.json"))
    error = d.get("/nothing")
    tap.equal(wrong(doc, {"$ref": "#/components/schemas/Error"}, error.json), [], "an error")


CELL = """
import sys
from IPython.display import display
print('out'); print('err', file=sys.stderr); open('f', 'w').write('x')
display({'text/plain': 'shown'}, raw=True)
ask('x', y=1)
"""
EXPECTED = {"verdict", "started", "stdout", "stderr", "file", "display", "tool", "finished"}


def check_lines(tap, doc, path, lines):
    responses = doc["paths"][path]["post"]["responses"]
    schema = responses["2XX" if "2XX" in responses else "200"]["content"]["application/x-ndjson"]["schema"]
    found = [w for line in lines for w in wrong(doc, schema, line)]
    tap.equal(found, [], "the lines of %s" % path)


def test_lines(tap, d, doc):
    code = "import sys, time; print(1); print(2, file=sys.stderr); open('f', 'w').write('x'); time.sleep(2.5)"
    lines = d.post("/v1/run", {"code": code}, lines=True).lines
    check_lines(tap, doc, "/v1/run", lines)
    tap.ok("progress" in {e["event"] for e in lines}, "with progress", lines)
    lines = d.post("/v1/run", {"code": "while True: pass", "timeout_ms": 500, "no_check": True}, lines=True).lines
    check_lines(tap, doc, "/v1/run", lines)
    tap.ok("limit" in {e["event"] for e in lines}, "with a limit", lines)
    s = "/v1/sessions/" + d.post("/v1/sessions", {"tools": [{"name": "ask"}]}).json["id"]
    answer, lines = d.begin("POST", s + "/exec", {"code": CELL}, lines=True).getresponse(), []
    for line in iter(answer.readline, b""):
        lines.append(json.loads(line))
        if lines[-1]["event"] == "tool":
            d.post("%s/answers/%d" % (s, lines[-1]["call"]), {"ok": 1})
    check_lines(tap, doc, "/v1/sessions/{id}/exec", lines)
    tap.equal(EXPECTED - {e["event"] for e in lines}, set(), "with a tool and what it showed", lines)
    c = d.begin("POST", s + "/exec", {"code": "input('? ')", "answers_input": True, "deadline_ms": 500}, lines=True)
    lines = [json.loads(line) for line in c.getresponse()]
    check_lines(tap, doc, "/v1/sessions/{id}/exec", lines)
    tap.ok("input" in {e["event"] for e in lines}, "with input()", lines)
    check_lines(tap, doc, "/v1/test", d.post("/v1/test", {"code": "def f(x): return x", "func": "f",
                                                          "cases": [{"args": [1], "expected": 1},
                                                                    {"args": [1], "expected": 2}]}, lines=True).lines)
    check_lines(tap, doc, "/v1/sessions", d.post("/v1/sessions", {"language": "bash"}, lines=True).lines)
    check_lines(tap, doc, "/v1/batch", d.post("/v1/batch", {"runs": [{"code": "1"}, {"code": 1}]}, lines=True).lines)
    check(tap, doc, "/v1/batch", "post", d.post("/v1/batch", {"runs": [{"code": 1}]}))


# Members that may be any JSON: values of programs, and what the operator's own documents hold.
ANY = {"value", "final_answer", "answer", "limits", "denied"}


def test_typed(tap, doc):
    """A generated client needs no cast: each member of an answer has a type."""
    loose = [(name, key) for name, schema in doc["components"]["schemas"].items() if not name.endswith("Request")
             for key, one in schema.get("properties", {}).items()
             if key not in ANY and (not one or (one.get("type") == "array" and not one["items"] and key != "args"))]
    tap.equal(loose, [], "each member of an answer has a type")
    untagged = [op["operationId"] for at in doc["paths"].values() for op in at.values() if not op.get("tags")]
    tap.equal(untagged, [], "each operation has a tag")


def seconds(d, path, n):
    """How long n requests take that are sent at once on one connection. HEAD, because our own reading takes time, too."""
    began = time.monotonic()
    get = b"HEAD %s HTTP/1.1\r\nHost: x\r\n" % path
    got = d.say((get + b"\r\n") * (n - 1) + get + b"Connection: close\r\n\r\n")
    return time.monotonic() - began if got.count(b"HTTP/1.1 200 OK") == n else None


def test_once(tap, d):
    """The description is made once: a client that asks for it often does not keep others waiting."""
    first, again = d.get("/openapi.json").body, d.get("/openapi.json").body
    tap.equal(first, again, "the description is the same each time")
    tap.equal(d.call("HEAD", "/openapi.json").body, b"", "HEAD has none of it")
    d.process.send_signal(signal.SIGHUP)
    tap.equal(d.get("/openapi.json").body, first, "and after SIGHUP")
    short = min(seconds(d, b"/healthz", 200) or 60 for _ in range(3))
    large = min(seconds(d, b"/openapi.json", 200) or 60 for _ in range(3))
    tap.ok(large < 0.1 + 20 * short, "200 of them are not much slower than 200 of /healthz", short, large)


def test_stop(tap, d, doc):
    r = d.post("/v1/stop", {"no_such_field": 1})
    tap.ok(r.status == 400 and "no_such_field" in r.message, "/v1/stop: no other field", r)
    r = d.post("/v1/stop", {"drain_ms": 2**63 - 1})
    check(tap, doc, "/v1/stop", "post", r)
    tap.ok(r.json["drain_ms"] > 10**12, "/v1/stop: any time for current runs", r)
    tap.equal(d.ended(), 0, "which it does")


def test(tap):
    with Daemon(tcp=True) as d:
        doc = d.get("/openapi.json").json
        test_form(tap, doc)
        test_typed(tap, doc)
        test_answers(tap, d, doc)
        test_lines(tap, d, doc)
        test_fields(tap, d, doc)
        test_once(tap, d)
        test_stop(tap, d, doc)
