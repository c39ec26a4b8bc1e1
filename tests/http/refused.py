# SPDX-License-Identifier: Apache-2.0
"""What a client may not ask for, and what it may where that was allowed."""

import os
import tempfile

from daemon import TOKEN, Daemon


def test_unknown(tap, d):
    r = d.post("/v1/run", {"code": "1", "tiemout_ms": 5})
    tap.ok(r.status == 400 and "timeout_ms" in r.message, "an unknown field, and its nearest", r)
    for field, meant in (("timeout", "timeout_ms"), ("timeout_sec", "timeout_ms"), ("timeout_s", "timeout_ms"), ("timeoutSeconds", "timeout_ms"),
                         ("memory_mb", "memory_bytes"), ("memory_limit_mb", "memory_bytes"), ("lang", "language"), ("cpu", "cpus"),
                         ("network", "net"), ("source", "code"), ("input", "stdin"), ("packages", "pip"), ("working_dir", "cwd")):
        r = d.post("/v1/run", {"code": "1", field: 5})
        tap.equal((r.status, r.message), (400, f"there is no field '{field}'; did you mean '{meant}'?"), "another program's word: " + field, r)
    r = d.post("/v1/run", {"code": "1", "sauce": 5})
    tap.equal(r.message, "there is no field 'sauce'; /openapi.json lists them", "a word that is near to nothing", r)
    for field, value in (("timeout_ms", "5s"), ("timeout_ms", -1), ("timeout_ms", 1.5),
                         ("code", 5), ("env", {"A": 1}), ("env", {"A=B": "x"}), ("env", {"A\nB": "x"}), ("env", {"": "x"}),
                         ("env", {"A\x7f": "x"}), ("files", "x"),
                         ("args", [1]), ("args", ["a\0b"]), ("net", "all"), ("check", "yes"),
                         ("target", "2.7"), ("cpus", "x"), ("collect", 1), ("language", "klingon")):
        r = d.post("/v1/run", {"code": "1", field: value})
        tap.equal(r.status, 400, "%s is not %r" % (field, value), r)
    r = d.post("/v1/run", {"code": "print(1)", "env": None, "timeout_ms": None})
    tap.equal(r.status, 200, "null is nothing", r)
    tap.equal(d.post("/v1/run", {}).message, "'code' is missing", "a field that has to be there")
    for tools, words in ((["x"], "'tools[0]' must be an object"), ([{"name": "a"}, {"name": "1b"}], "'tools[1]'"),
                         ([{"name": "a", "parameter": []}], "parameters")):
        r = d.post("/v1/sessions", {"tools": tools})
        tap.ok(r.status == 400 and words in r.message, "wrong tools: %r" % tools, r)
    r = d.post("/v1/run", {"code": "1", "files": ["x"]})
    tap.ok(r.status == 400 and "'files': an item must be an object" in r.message, "wrong files", r)
    r = d.run("1", check=True, no_check=True)
    tap.equal(r.status, 400, "a contradiction", r)


def test_long(tap, d):
    """As long as a kernel takes it; warm guests, which would take more, say the same."""
    for language, code in (("python", "import os, sys; print(len(os.environ['A'] + sys.argv[1]))"),
                           ("bash", "b=$A$1; echo ${#b}")):
        for n, m in ((131069, 131071), (131070, 1), (1, 131072)):
            r = d.run(code, language=language, env={"A": "x" * n}, args=["x" * m], no_check=True)
            if (n, m) == (131069, 131071):
                tap.equal(r.json.get("stdout"), "%d\n" % (n + m), "a long argument and variable, " + language)
            else:
                tap.ok(r.status == 400 and "131071" in r.json["error"]["message"],
                       "longer ones: %d, %d, %s" % (n, m, language), r)


def test_host(tap, d):
    for field, value, what in (
            ("ro", ["/etc/passwd"], "host-files"), ("work_dir", "/tmp", "host-files"),
            ("out_dir", "/tmp", "host-files"), ("host_files", ["/etc/passwd"], "host-files"),
            ("log", "/tmp/x.db", "host-files"), ("backend", "host", "host-backend"),
            ("python", "/usr/bin/python3", "host-files"), ("python", "venv/", "host-files"),
            ("net", "host", "net-host"), ("without", ["seccomp"], "without")):
        r = d.run("1", **{field: value})
        tap.ok(r.status == 403 and "--allow " + what in r.message, field + " needs a word", r)


def test_commit(tap, d, allowed):
    """An image of a session: clients of a port need permission, the host's user does not. A jail makes none."""
    path = "/v1/sessions/%s/commit" % d.post("/v1/sessions", {"language": "bash"}, tcp=True).json["id"]
    for tcp in (True, False):
        r = d.post(path, {"image": "x"}, tcp=tcp)
        wanted = (501, "backend jail makes no images") if allowed or not tcp else (403, "--allow commit")
        tap.ok(r.status == wanted[0] and wanted[1] in r.message, "an image of a session, tcp %s, allowed %s" % (tcp, allowed), r)
    tap.equal(d.post(path, {}).status, 400, "without a name")


def test_images(tap, d):
    """Images that --images permits, and others. Nothing runs: there is no engine."""
    for image, allowed in (("python:3.12-slim", True), ("node:22", True), ("hub.example:5000/team/a:1", True),
                           ("node:22-slim", False), ("python:5000/evil", False), ("hub.example:5000/team/a/b", False),
                           ("x/python:3.12", False), ("pythonx", False), ("", False), ("*", False)):
        for path, body in (("/v1/run", {"code": "1"}), ("/v1/sessions", {}), ("/v1/test", {"code": "1", "cases": []})):
            r = d.post(path, {**body, "backend": "docker", "image": image}, tcp=True)
            words = "--images" in r.message
            tap.ok(words != allowed and (r.status == 403) != allowed, "image '%s' for %s" % (image, path), r)
    r = d.run("1", image="node:22")
    tap.ok("no images" in str(r.body), "a jail has none", r)
    r = d.run("1", backend="docker", image="any/image:1")
    tap.ok(r.status == 501 and "--images" not in r.message, "the daemon's own user names any", r)


def test_work_outside(tap, d, allowed):
    """Packages and Dockerfiles: for clients of a port with permission, and for the daemon's own user. Nothing is built:
    there is no engine."""
    for field, value in (("pip", ["numpy"]), ("pip", "numpy"), ("dockerfile", "FROM x")):
        for path, body in (("/v1/run", {"code": "1"}), ("/v1/sessions", {}), ("/v1/test", {"code": "1", "cases": []}),
                           ("/v1/batch", {"runs": [{"code": "1"}]})):
            for tcp in (True, False):
                one = {"backend": "docker", field: value}
                r = d.post(path, {"runs": [{"code": "1", **one}]} if "runs" in body else {**body, **one}, tcp=tcp)
                words = ("--allow " + {"pip": "packages"}.get(field, field)).encode() in r.body
                tap.ok(words == (tcp and {"pip": "packages"}.get(field, field) not in allowed), "%s for %s, tcp %s, allowed %s" % (field, path, tcp, allowed), r)


def test_aliases(tap, d, status):
    """A backend has other names, in any case of letters. What it is decides, not what it is called."""
    for name in ("host", "local", "HOST", "Local"):
        body = {"backend": name, "no_check": True}
        r = d.run("print(1)", **body)
        tap.equal(r.status, status, "%s: a run" % name, r)
        r = d.post("/v1/sessions", body)
        tap.equal(r.status, 201 if status == 200 else status, "%s: a session" % name, r)
        r = d.post("/v1/batch", {"runs": [dict(body, code="print(1)")]})
        tap.ok(("host" in str(r.body)) and (b'"success":true' in r.body) == (status == 200), "%s: one of a batch" % name, r)
        r = d.post("/v1/test", dict(body, code="def f(): return 1", cases=[{"call": "f()", "expected": 1}]))
        tap.equal(r.status, status, "%s: a test" % name, r)


def test_own(tap, d):
    """What a request says stands instead of what the daemon's options say."""
    r = d.run("print(X)", prelude="X = 5")
    tap.equal(r.json["stdout"], "5\n", "a prelude of the request's, of its own language", r)
    r = d.run("print(d)", data={"d": 2}, prelude="Y = 1")
    tap.equal(r.json["stdout"], "2\n", "data of the request's", r)
    r = d.run("1", require=["netns"], net="host")
    tap.equal(r.status, 403, "a permit is asked for first", r)


def test_ceilings(tap, d):
    for field, value in (("timeout_ms", 61000), ("memory_bytes", 2 << 30), ("pids", 1000),
                         ("timeout_ms", 0), ("disk_bytes", 2 << 30), ("cpu_time_ms", 999999),
                         ("cpus", 3), ("output_limit_bytes", 9 << 20), ("retries", 50)):
        r = d.run("1", **{field: value})
        tap.ok(r.status == 403 and field in r.message, "%s: not %r here" % (field, value), r)
    for field, value, least in (("inodes", 1, "8"), ("inodes", 7, "8"), ("open_files", 3, "8"), ("cpus", 0.0001, "0.001")):
        r = d.run("1", **{field: value})
        tap.ok(r.status == 400 and least in r.json["error"]["message"], "%s: %r is too little" % (field, value), r)
    for fields in ({"inodes": 8}, {"open_files": 8}, {"cpus": 0.5}):
        tap.equal(d.run("print(1)", **fields).json["stdout"], "1\n", "%s is enough" % fields)
    r = d.run("1", inodes=8, files={str(i): "" for i in range(8)})
    tap.equal((r.status, r.json["error"]["kind"]), (413, "limit"), "files that do not fit", r)
    r = d.run("1", profile="/etc/hostname")
    tap.ok(r.status == 400 and "there is no profile" in r.message, "the path of a policy file is not read", r)
    for text, allowed in (("base = standard\nforbidden_imports = [json]", False), ("base = standard\n", True)):
        r = d.run("import json", profile=text)
        tap.equal(r.json["verdict"]["allowed"], allowed, "the text of a policy file is the policy", r)
    for text in ("/etc/hostname\n", "base = /etc/hostname\n"):
        r = d.run("1", profile=text)
        tap.ok(r.status == 400 and b"--profile: the policy" in r.body.replace(b"'profile'", b"--profile"), "... and names no file", r.body)
    r = d.run("print(1)", timeout_ms=60000, memory_bytes=1 << 30)
    tap.equal(r.status, 200, "as much as is allowed", r)


def test_policy(tap, d):
    for field, value in (("no_check", True), ("check", False), ("profile", "host"), ("profile", "base = standard\n"),
                         ("allow_imports", ["os"]), ("prelude", "x = 1")):
        tap.equal(d.run("1", **{field: value}).status, 403, field + " is locked")
    r = d.post("/v1/sessions", {"tools_source": "def f(): pass"})
    tap.equal(r.status, 403, "tools_source is locked", r)
    for field in ("setup", "checker"):
        r = d.post("/v1/test", {"code": "1", "cases": [{"stdin": "", "expected_stdout": ""}], field: "print(1)"})
        tap.equal(r.status, 403, field + " is locked", r)
    tap.equal(d.run("print(1)", forbid_imports=["os"]).status, 200, "stricter may be")
    for how in ({"language": "bash"}, {"language": "javascript"}, {"filename": "a.sh"}):
        r = d.run("echo ran", **how)
        tap.equal((r.status, r.json["verdict"]["stage"], r.json["stdout"]), (200, "input", ""), "%r is not run" % how, r)
        found = r.json["verdict"]["findings"][0]
        tap.equal(found["rule"], "language-not-read", "and the finding says why")
    tap.equal(d.run("echo ran").json["verdict"]["stage"], "syntax", "a text that says nothing is Python")
    tap.equal(d.run("print(1)").json["stdout"], "1\n", "so is print(1)")
    r = d.post("/v1/sessions", {"language": "bash"})
    tap.equal((r.status, r.json["error"]["kind"]), (403, "policy"), "nor a session in Bash", r)
    r = d.post("/v1/check", {"code": "ls", "language": "bash"})
    tap.equal(r.json["allowed"], False, "nor is it said to be allowed", r)
    r = d.post("/v1/test", {"code": "echo 1", "language": "bash",
                            "cases": [{"stdin": "", "expected_stdout": "1\n"}]})
    tap.ok(not r.json.get("all_passed"), "nor a candidate", r)


def test_python(tap, d, allowed):
    code = "import sys; print(sys.executable, sys.version_info[1])"
    minor = d.run(code).json["stdout"].split()[1]
    for how in ({"python": "3." + minor}, {"language": "python3." + minor}):
        r = d.run(code, **how)
        tap.ok(r.status == 200 and r.json["stdout"].endswith(" %s\n" % minor), "a version: %r" % how, r)
    r = d.run(code, python="3.99")
    tap.ok("no Python 3.99 on this machine" in str(r.body), "a version that is not here", r)
    for path in ("/bin/sh", "/etc/passwd", "/nothing"):
        r = d.run(code, python=path)
        tap.equal(r.status, 400 if allowed else 403, "%s is never started" % path, r)
        r = d.post("/v1/sessions", {"python": path})
        tap.equal(r.status, 400 if allowed else 403, "nor for a session", r)
        r = d.post("/v1/batch", {"runs": [{"code": "print(1)", "python": path}]})
        tap.ok(b'"success":true' not in r.body, "nor in a batch", r)
    for path in ("venv", "../bin/python3", "3.12.1"):
        r = d.run(code, python=path)
        tap.equal(r.status, 400 if allowed else 403, "%s is no version and no absolute path" % path, r)
    r = d.post("/v1/sessions", {"python": "3." + minor})
    tap.ok(r.status == 201 and r.json["python"] == "3." + minor and r.json["interpreter"].startswith("/"),
           "a session of a version", r)
    if allowed:
        r = d.run(code, python="/usr/bin/python3")
        tap.ok(r.json["stdout"].startswith("/usr/bin/python3 "), "a path, where it is allowed", r)


def test_allowed(tap, d):
    secret = os.path.join(d.folder, "shown.txt")
    Daemon.write(secret, "shown")
    r = d.run("print(open('/data').read())", ro=[secret + ":/data"]).json
    tap.equal(r["stdout"], "shown\n", "ro, where it is allowed", r["stderr"])
    r = d.run("print(1)", backend="host")
    tap.equal((r.status, r.json["backend"]), (200, "host"), "backend host, where it is allowed")
    r = d.run("print(1)", net="host")
    tap.equal(r.status, 403, "what was not allowed is not", r)


NO_ENGINE = {"DOCKER_HOST": "unix:///nowhere.sock"}
CONFIG = """timeout = 20s
[serve]
max-timeout = 60s
max-memory = 1g
max-disk = 1g
max-pids = 500
max-cpu-time = 100s
max-cpus = 2
max-output-limit = 8m
"""


def test_absent(tap, d):
    for name in ("inproc", "builtin"):
        r = d.post("/v1/sessions", {"backend": name})
        tap.equal((r.status, r.json["error"]["kind"]), (501, "unsupported"), f"no session in {name}", r)
        r = d.run("print(1)", backend=name)
        tap.ok(r.status == 501 and r.json["error"]["kind"] == "unsupported" and not r.json["stdout"],
               f"no run in {name}", r)
    tap.equal(d.get("/v1/sessions").json["sessions"], [], "nothing was opened")


def test_wall(tap, d):
    """What is said of a wall that is not whole."""
    words = "You are running LLM-generated code on your host."
    r = d.run("print(1)", backend="host", no_check=True).json
    tap.ok(r["backend"] == "host" and r["warnings"][0].startswith(words), "the warning", r)
    tap.ok("seccomp" in [m["layer"] for m in r["missing"]], "what is missing", r)
    lines = d.post("/v1/run", {"code": "print(1)", "backend": "host", "no_check": True}, lines=True).lines
    warned = [e["message"] for e in lines if e["event"] == "warning"]
    tap.ok(warned and warned[0].startswith(words) and lines[-1]["result"]["warnings"] == warned, "in lines, too", lines)
    r = d.post("/v1/sessions", {"backend": "host", "no_check": True}).json
    tap.ok(r["backend"] == "host" and r["warnings"][0].startswith(words), "of a session", r)
    cell = d.post(f"/v1/sessions/{r['id']}/exec", {"code": "1"}).json
    tap.ok(cell["backend"] == "host" and cell["warnings"][0].startswith(words), "of a cell", cell)
    r = d.run("print(1)", without=["landlock"]).json
    tap.ok("landlock" in [m["layer"] for m in r["missing"]] and r["success"], "a layer left out", r)
    r = d.run("print(1)", backend="host", no_check=True, require=["seccomp"])
    tap.equal((r.status, r.json["error"]["kind"], r.json["verdict"]["allowed"]),
              (501, "unsupported", False), "a layer that is required", r)
    r = d.run("x = bytearray(300 << 20)\nimport time; time.sleep(1)", backend="host", no_check=True,
              memory_bytes=64 << 20).json
    tap.equal(r["oom_killed"], True, "the host's memory limit holds", r)
    r = d.post("/v1/test", {"code": "def f(): return 1", "cases": [{"call": "f()", "expected": 2}]}).json
    runs = d.get("/v1/runs?limit=1").json["runs"]
    tap.equal((runs[0]["outcome"], runs[0]["error"]), ("failed", "tests: 0/1 passed"),
              "a judged run in the log", runs)
    tap.ok(d.figure('glovebox_runs_total{kind="test",language="python",outcome="failed"}') == 1,
           "and in the metrics")


def test(tap):
    with Daemon(config=CONFIG) as d:
        test_unknown(tap, d)
        test_long(tap, d)
        test_host(tap, d)
        test_python(tap, d, False)
        test_ceilings(tap, d)
    with Daemon("--images", "python:*,node:22", "--images", "hub.example:5000/team/*",
                tcp=True, env=NO_ENGINE) as d:
        test_images(tap, d)
    with Daemon(tcp=True, env=NO_ENGINE) as d:
        r = d.post("/v1/run", {"code": "1", "backend": "docker", "image": "python:3.12"}, tcp=True)
        tap.ok(r.status == 403 and "--images" in r.message, "no image without --images", r)
        test_work_outside(tap, d, ())
    for allowed in ("packages", "dockerfile"):
        with Daemon("--allow", allowed, tcp=True, env=NO_ENGINE) as d:
            test_work_outside(tap, d, (allowed,))
    with Daemon(tcp=True) as d:
        test_commit(tap, d, False)
    with Daemon("--allow", "commit", tcp=True, tokens="me " + TOKEN) as d:
        test_commit(tap, d, True)
    with Daemon("--allow", "commit", tcp=True) as d:
        r = d.post("/v1/sessions/%s/commit" % d.post("/v1/sessions", {"language": "bash"}, tcp=True).json["id"], {"image": "x"}, tcp=True)
        tap.ok(r.status == 403 and "the name of the client's token" in r.message, "a token without a name saves no image", r)
    with Daemon("--lock-policy") as d:
        test_policy(tap, d)
    with Daemon("--allow", "host-files,host-backend") as d:
        test_allowed(tap, d)
        test_python(tap, d, True)
    with Daemon("--allow-unsafe") as d:
        test_aliases(tap, d, 403)
    with Daemon("--allow", "host-backend") as d:
        test_aliases(tap, d, 200)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("pre.js", "const PRE = 1\n"), ("d.json", "[1]")):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        with Daemon("--prelude", os.path.join(folder, "pre.js"), "--data", "d=" + os.path.join(folder, "d.json")) as d:
            test_own(tap, d)
    with Daemon("--allow", "host-backend,without") as d:
        test_absent(tap, d)
        test_wall(tap, d)
