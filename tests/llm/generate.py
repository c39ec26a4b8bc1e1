# SPDX-License-Identifier: Apache-2.0
"""glovebox generate: what is sent, keys and where they go, records and replays, prices, prompts, cancelling."""

import glob
import json
import os
import signal
import subprocess

from models import CODE, GLOVEBOX, KEY, PROTOCOLS, OpenAI, Place, asked, events
from procs import descendants
from server import PATIENCE, Answer, Server

HERE = os.path.dirname(os.path.abspath(__file__))
CODE_LINE = CODE.encode() + b"\n"


def test_bodies(tap):
    """What is sent, beside the golden files: GOLDEN=write writes them anew."""
    for p in PROTOCOLS:
        for name, args in (("plain", []), ("full", ["--max-tokens", "500", "--temperature", "1", "--stream", "--lang", "bash"])):
            _, seen = asked(p, [Answer(body=p.whole())], *args, tap=tap)
            path = os.path.join(HERE, "golden", "%s-%s.json" % (p.name, name))
            got = {"target": seen[0].target, "type": seen[0].headers["content-type"], "body": seen[0].json,
                   "version": seen[0].headers.get("anthropic-version")}
            if os.environ.get("GOLDEN") == "write":
                with open(path, "w") as f:
                    f.write(json.dumps(got, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
            with open(path) as f:
                tap.equal(got, json.load(f), "golden: " + os.path.basename(path))
    _, seen = asked(OpenAI, [Answer(body=OpenAI.whole())], "--temperature", "none", tap=tap)
    tap.ok("temperature" not in seen[0].json, "--temperature none")
    _, seen = asked(OpenAI, [Answer(body=OpenAI.whole())], tap=tap)
    tap.equal(seen[0].json["temperature"], 0.2, "the temperature is 0.2")


def test_results(tap):
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole())], "--json", tap=tap)
    got = json.loads(done.stdout)
    tap.equal((got["code"], got["language"], got["provider"], got["model"], got["finish"], got["attempts"], got["error"]),
              (CODE, "python", "openai", "gpt-test", "stop", 1, None), "--json")
    tap.equal(got["usage"], {"generate": {"requests": 1, "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
                                          "cached_tokens": 40, "cost": None}}, "usage")
    tap.ok(got["verdict"]["allowed"], "the guard's verdict")
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole())], "--json", "--lang", "python3.12", tap=tap)
    tap.equal((done.returncode, json.loads(done.stdout)["language"]), (0, "python"), "a language with a version")
    evil = "```python\nimport os\nos.system('rm -rf /')\n```"
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole(evil))], tap=tap)
    tap.ok(done.returncode == 0 and b"os.system" in done.stdout and b"<generated>:2" in done.stderr, "findings are notes", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole(evil))], "--profile", "strict", "--json", tap=tap)
    tap.equal(json.loads(done.stdout)["verdict"]["allowed"], False, "refused under a stricter profile", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole("I am sorry."))], tap=tap)
    tap.ok(done.returncode == 1 and done.stdout == b"" and b"no python code block" in done.stderr and b"  I am sorry.\n" in done.stderr,
           "no code: the reply is shown", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole("sorry"))], "--json", tap=tap)
    got = json.loads(done.stdout)
    tap.ok(done.returncode == 1 and got["code"] is None and got["verdict"] is None and got["error"], "no code, as JSON", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole("\nimport sys\nprint(sys.path)\n"))], tap=tap)
    tap.equal((done.returncode, done.stdout), (0, b"import sys\nprint(sys.path)\n"), "a reply that is a program by itself", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole("print(1)"))], "--lang", "bash", tap=tap)
    tap.ok(done.returncode == 1 and b"no bash code block" in done.stderr, "... only in Python", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole(None))], tap=tap)
    tap.ok(done.returncode == 1 and b"reply was empty" in done.stderr, "an empty reply", done)
    done, _ = asked(OpenAI, [Answer(401, {"error": {"message": "no"}})], "--json", tap=tap)
    got = json.loads(done.stdout)
    tap.ok(done.returncode == 2 and got["code"] is None and "401" in got["error"], "a failure, as JSON", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole(finish="length"))], tap=tap)
    tap.ok(b"maximum of tokens" in done.stderr, "a reply that was cut", done)
    nul = OpenAI.whole("```python\nprint('a\x00b')\n```")
    done, _ = asked(OpenAI, [Answer(body=nul)], tap=tap)
    tap.ok(b"\x00" not in done.stdout and "\ufffd".encode() in done.stdout, "a NUL in a reply", done)
    done, _ = asked(OpenAI, [Answer(body=OpenAI.whole("```python\nx = '%s'\n```" % KEY))], tap=tap)
    tap.ok(b"[key]" in done.stdout, "a key that the server sends back", done)
    place = Place(tap)
    with Server([Answer(body=OpenAI.whole())]) as server:
        done = place.generate(OpenAI, server, "--save", "p.py")
        with open(place.path("p.py"), "rb") as f:
            tap.ok(done.stdout == b"" and f.read() == CODE_LINE, "--save", done)
        done = place.generate(OpenAI, server, "--save", "none/p.py")
        tap.ok(done.returncode == 125 and b"none/p.py" in done.stderr, "--save to a missing folder", done)
        done = place.run("generate", "--model", "gpt-test", "-", stdin=b"from stdin", env={"OPENAI_BASE_URL": server.url})
        tap.equal((done.returncode, server.requests[-1].json["messages"][1]["content"]), (0, "from stdin"), "a task from standard input")
        tap.ok("authorization" not in server.requests[-1].headers, "no key, no header")
        done = place.ask(OpenAI, server, "generate", "-", stdin=b"x" * ((1 << 20) + 1))
        tap.ok(done.returncode == 2 and b"longer than 1024 KiB" in done.stderr, "a task that is too long", done)


def test_terminal(tap):
    """A terminal obeys nothing of a program; a file gets it as it is."""
    evil = "print('\x1b]0;evil\x07')"
    reply = OpenAI.whole("```python\n%s\n```" % evil)
    done, _ = asked(OpenAI, [Answer(body=reply)], tap=tap)
    tap.equal(done.stdout, evil.encode() + b"\n", "into a pipe", done)
    place = Place(tap)
    with Server([Answer(body=reply)]) as server:
        env = place.env({OpenAI.variable: KEY, OpenAI.url_variable: server.url + OpenAI.suffix})
        ours, theirs = os.openpty()
        subprocess.run([GLOVEBOX, "generate", "--quiet", "--model", OpenAI.model, "x"], env=env, cwd=place.work, stdin=subprocess.DEVNULL,
                       stdout=theirs, stderr=subprocess.DEVNULL, timeout=PATIENCE)
        got = os.read(ours, 65536)
        os.close(ours)
        os.close(theirs)
    tap.equal(got, b"print('\\x1b]0;evil\\x07')\r\n", "on a terminal")
    with Server([events(OpenAI.stream())]) as server:
        env = place.env({OpenAI.variable: KEY, OpenAI.url_variable: server.url + OpenAI.suffix, "TERM": "xterm"})
        for more in ([], ["--stream"]):
            ours, theirs = os.openpty()
            subprocess.run([GLOVEBOX, "generate", "--model", OpenAI.model, *more, "x"], env=env, cwd=place.work, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=theirs, timeout=PATIENCE)
            got = os.read(ours, 65536)
            os.close(ours)
            os.close(theirs)
            tap.ok(got.startswith(b"\rwaiting for gpt-test\x1b[K") and (b"\r\x1b[KHere it is" if more else b"\r\x1b[Kglovebox: ") in got,
                   "a terminal shows that a question is under way: %s" % more, got)


def test_usage_errors(tap):
    place = Place(tap)
    env = {"OPENAI_API_KEY": KEY}
    for name, args, extra, words in (
            ("no task", ["--model", "gpt-x"], {}, b"no task"), ("no model", ["x"], {}, b"no model was named"),
            ("an unknown model", ["--model", "nonsense", "x"], {}, b"'nonsense' is unknown"),
            ("an unknown provider", ["--model", "a", "--provider", "opnai", "x"], {}, b"did you mean 'openai'?"),
            ("no key", ["--model", "gpt-x", "x"], {"OPENAI_API_KEY": None}, b"set OPENAI_API_KEY"),
            ("a key with a line end", ["--model", "gpt-x", "x"], {"OPENAI_API_KEY": KEY + "\nX: y"}, b"invalid in a key"),
            ("a missing key file", ["--model", "gpt-x", "--key-file", "none", "x"], {}, b"none"),
            ("plain HTTP", ["--model", "gpt-x", "--model-url", "http://models.example/v1", "x"], {}, b"not encrypted"),
            ("plain HTTP to a false friend", ["--model", "gpt-x", "--model-url", "http://127.0.0.1.example/", "x"], {}, b"not encrypted"),
            ("plain HTTP with a false user", ["--model", "gpt-x", "--model-url", "http://localhost@models.example/", "x"], {}, b"not encrypted"),
            ("another scheme", ["--model", "gpt-x", "--model-url", "ftp://h/", "x"], {}, b"must begin with"),
            ("no scheme", ["--model", "gpt-x", "--model-url", "h/", "x"], {}, b"must begin with"),
            ("a backslash", ["--model", "gpt-x", "--model-url", "http://127.0.0.1\\@models.example/", "x"], {}, b"backslash"),
            ("a model that is no text", ["--model", b"openai/\xff", "--record", "r", "x"], {}, b"UTF-8"),
            ("a space", ["--model", "gpt-x", "--model-url", "https://h/ x", "x"], {}, b"space"),
            ("a temperature", ["--model", "gpt-x", "--temperature", "hot", "x"], {}, b"not a number"),
            ("a high temperature", ["--model", "gpt-x", "--temperature", "2.1", "x"], {}, b"0 to 2"),
            ("a language", ["--model", "gpt-x", "--lang", "klingon", "x"], {}, b"klingon"),
            ("both files", ["--model", "gpt-x", "--record", "a", "--replay", "b", "x"], {}, b"replay"),
            ("another's option", ["--model", "gpt-x", "--work-dir", ".", "x"], {}, b"does not apply"),
            ("prompts", ["--model", "gpt-x", "--prompts", "none", "x"], {}, b"--prompts")):
        done = place.run("generate", *args, env={**env, **extra})
        tap.ok(done.returncode in (2, 125) and words in done.stderr and len(done.stderr.splitlines()) == 1, name, done)
    done = place.run("run", "--model", "gpt-x", "-c", "1")
    tap.ok(done.returncode == 2 and b"--model has no effect without --review" in done.stderr, "run has a model for reviews alone", done)
    done = place.run("generate", "--model", "gpt-x", "x", env={**env, "GLOVEBOX_FETCH": "/nowhere/f"})
    tap.ok(done.returncode == 125 and b"/nowhere/f" in done.stderr and len(done.stderr.splitlines()) == 1, "no glovebox-fetch", done)
    fake = place.write("fake", "#!/bin/sh\nexit 127\n")
    os.chmod(fake, 0o755)
    done = place.run("generate", "--model", "gpt-x", "x", env={**env, "GLOVEBOX_FETCH": fake})
    tap.ok(done.returncode == 125 and b"libcurl is missing" in done.stderr, "no libcurl", done)


def test_places(tap):
    """Which provider, address and key."""
    with Server([Answer(body=OpenAI.whole())]) as server:
        port = server.url.rpartition(":")[2]

        def seen(*args, env=(), place=None):
            place, before = place or Place(tap), len(server.requests)
            done = place.run("generate", *args, "x", env=dict(env))
            tap.ok(done.returncode == 0 and len(server.requests) == before + 1, "asked: %s %s" % (args, sorted(dict(env))), done)
            return server.requests[-1]

        for host in ("127.0.0.1:" + port, server.url, server.url + "/", server.url + "/v1", "0.0.0.0:" + port):
            request = seen("--model", "ollama/llama3:8b", env={"OLLAMA_HOST": host})
            tap.equal((request.target, request.json["model"]), ("/v1/chat/completions", "llama3:8b"), "OLLAMA_HOST=" + host.replace(port, "N"))
        tap.equal(seen("--model", "any", env={"OLLAMA_HOST": server.url}).json["model"], "any", "OLLAMA_HOST chooses ollama")
        tap.equal(seen("--model", "org/any", "--model-url", server.url + "/x/").target, "/x/chat/completions", "--model-url")
        request = seen("--model", "m", "--model-url", server.url + "/x?version=1", env={"OPENAI_API_KEY": KEY})
        tap.equal((request.target, OpenAI.key_of(request)), ("/x/chat/completions?version=1", KEY), "an address with a query")
        request = seen("--model", "claude-x", "--provider", "openai", "--model-url", server.url)
        tap.equal(request.json["model"], "claude-x", "--provider is stronger than the name")
        for name, sent in (("openai/gpt-x", "gpt-x"), ("anthropic/claude-x", "anthropic/claude-x")):
            request = seen("--model", name, "--provider", "openai", "--model-url", server.url)
            tap.equal(request.json["model"], sent, "the name %s of the provider openai" % name)
        for form in "http://models.example/v1", "http://models.example/v1/":
            request = seen("--model", "m", "--model-url", form, "--plain-http", env={"http_proxy": server.url})
            tap.equal(request.target, "http://models.example/v1/chat/completions", "--plain-http: " + form)
        place = Place(tap)
        key = place.write("key", KEY + "\nsecond line\n")
        request = seen("--model", "gpt-x", "--model-url", server.url, "--key-file", key, env={"OPENAI_API_KEY": "other"}, place=place)
        tap.equal(OpenAI.key_of(request), KEY, "--key-file")
        with open(os.path.join(place.config, "glovebox.conf"), "w") as f:
            f.write("model = gpt-conf\nmodel-url = %s\nkey-file = %s\n" % (server.url, key))
        request = seen(place=place)
        tap.equal((request.json["model"], OpenAI.key_of(request)), ("gpt-conf", KEY), "the user's config file")
        tap.equal(place.run("run", "-c", "print(1)").stdout, b"1\n", "its keys do not disturb other commands")
        place.write("glovebox.conf", "model = gpt-project\n")
        tap.equal(seen(place=place).json["model"], "gpt-project", "a project may choose the model")
        for line in ("model-url = https://thief.example", "key-file = /etc/passwd", "plain-http = true", "prompts = .", "prices = x"):
            place.write("glovebox.conf", line + "\n")
            done = place.run("generate", "x")
            tap.ok(done.returncode == 2 and line.split()[0].encode() in done.stderr, "a project may not set " + line.split()[0], done)


def test_bounds_of_a_project(tap):
    place = Place(tap)
    own = os.path.join(place.config, "glovebox.conf")
    bounds = [("steps", "2", "3"), ("token-limit", "500", "0"), ("cost-limit", "0.5", "0"), ("task-timeout", "1m", "2m"), ("samples", "2", "3"),
              ("model-timeout", "1m", "0"), ("max-tokens", "500", "501")]
    with open(own, "w") as f:
        f.write("".join("%s = %s\n" % (name, value) for name, value, _ in bounds))
    for name, _, more in bounds:
        place.write("glovebox.conf", "%s = %s\n" % (name, more))
        done = place.run("solve", "--model", "gpt-x", "x")
        tap.ok(done.returncode == 2 and ("%s: a project's config file may only lower" % name).encode() in done.stderr,
               "a project may not raise " + name, done)
    key = place.write("key", KEY)
    place.write("glovebox.conf", "model = vllm/any\n")
    for line, words in ("key-file = %s" % key, b"the key of --key-file"), ("review = true", b"the model of a review"):
        with open(own, "w") as f:
            f.write(line + "\n")
        with Server([Answer(body=OpenAI.whole())]) as server:
            done = place.run("solve", "x", env={"VLLM_BASE_URL": server.url})
        tap.ok(done.returncode == 2 and words in done.stderr and not server.requests, "a project's model: " + line.split()[0], done)


def test_versions(tap):
    """An address may have the version, which is in our paths, or not."""
    for p, version in (PROTOCOLS[1], "/v1"), (PROTOCOLS[2], "/v1beta"):
        with Server([Answer(body=p.whole())]) as server:
            for end in "", "/", version, version + "/":
                done = Place(tap).generate(p, server, env={p.url_variable: server.url + end})
                tap.equal((done.stdout, server.requests[-1].target), (CODE_LINE, p.path), "%s: an address that ends %r" % (p.name, end))


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def test_keys(tap):
    """Where the key is while a request runs: in no argument, and in no variable but the user's own."""
    place = Place(tap)
    with Server([Answer(raw=b"", then="hold")]) as server:
        env = place.env({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url})
        process = subprocess.Popen([GLOVEBOX, "generate", "--model", "gpt-x", "--record", "r", "x"], cwd=place.work, env=env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        server.wait_request()
        below = [pid for pid, _ in descendants(process.pid)]
        tap.ok(below, "glovebox-fetch runs")
        for pid in [process.pid, *below]:
            tap.ok(KEY.encode() not in read("/proc/%d/cmdline" % pid), "no key in arguments")
            tap.ok(b"Max core file size        0 " in read("/proc/%d/limits" % pid), "no core file")
        for pid in below:
            tap.ok(KEY.encode() not in read("/proc/%d/environ" % pid), "no key in the environment of glovebox-fetch")
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        tap.equal(process.returncode, 130, "Ctrl-C ends it", err)
        tap.ok(KEY.encode() not in out + err, "no key in its output", err)
    for path in glob.glob(place.folder + "/**", recursive=True):
        tap.ok(os.path.isdir(path) or KEY.encode() not in read(path), "no key in a file", path)
    place = Place(tap)
    with Server([Answer(body=OpenAI.whole("```python\nEMPTY = []\n```"))]) as server:
        done = place.run("generate", "--model", "gpt-x", "x", env={"OPENAI_API_KEY": "EMPTY", "OPENAI_BASE_URL": server.url})
        tap.equal(done.stdout, b"EMPTY = []\n", "a word that a local server takes as a key stays in programs", done)


def test_descriptors(tap):
    """A file that our caller left open is not open in glovebox-fetch."""
    place = Place(tap)
    fetch = place.write("fetch", "#!/bin/sh\nfor n in 0 1 2 57; do [ -e /proc/self/fd/$n ] && echo $n; done > %s\n" % place.path("open"))
    os.chmod(fetch, 0o755)
    with open("/dev/null") as f:
        os.dup2(f.fileno(), 57)
    subprocess.run([GLOVEBOX, "generate", "--model", "gpt-x", "x"], cwd=place.work, pass_fds=(57,), capture_output=True,
                   env=place.env({"OPENAI_API_KEY": KEY, "GLOVEBOX_FETCH": fetch}), timeout=PATIENCE)
    os.close(57)
    tap.equal(read(place.path("open")), b"0\n1\n2\n", "only its own descriptors")


def test_records(tap):
    for p in PROTOCOLS:
        place = Place(tap)
        answers = [Answer(503, {"error": {"message": "busy " + KEY}}, headers=[("Connection", "close"), ("X-Echo", KEY)], then="close"), Answer(raw=b"HTTP/1.1 200", then="close"), events(p.stream())]
        with Server(answers) as server:
            first = place.generate(p, server, "--stream", "--json", "--record", "r.jsonl")
        record = read(place.path("r.jsonl"))
        lines = [json.loads(line) for line in record.splitlines()]
        tap.equal((first.returncode, [line.get("status") for line in lines]), (0, [503, None, 200]), p.name + ": each exchange", first)
        tap.ok(KEY.encode() not in record and os.stat(place.path("r.jsonl")).st_mode & 0o77 == 0, "no key in it, and private")
        again = place.run("generate", "--stream", "--json", "--replay", "r.jsonl", "print a word")
        tap.equal((again.returncode, again.stdout), (0, first.stdout), p.name + ": the replay is the same, without key or model", again)
        done = place.run("generate", "--stream", "--replay", "r.jsonl", "print another word")
        tap.ok(done.returncode == 2 and b"differs from exchange 1" in done.stderr, p.name + ": another request", done)
        if p.stream_path != p.path:
            done = place.run("generate", "--replay", "r.jsonl", "print a word")
            tap.ok(done.returncode == 2 and b"differs from exchange 1 in 'the address'" in done.stderr, p.name + ": another address", done)
        os.chmod(place.path("r.jsonl"), 0o644)
        with Server([events(p.stream())]) as server:
            done = place.generate(p, server, "--stream", "--record", "r.jsonl")
        tap.ok(done.returncode == 0 and os.stat(place.path("r.jsonl")).st_mode & 0o77 == 0, "private, too, where a file was")
        place.write("one.jsonl", record.splitlines()[0] + b"\n")
        done = place.run("generate", "--stream", "--replay", "one.jsonl", "print a word")
        tap.ok(done.returncode == 2 and b"no further exchange" in done.stderr, p.name + ": a record that is too short", done)
        for name, body in (("empty", b""), ("garbage", b"\xff\xfe"), ("other", b'{"a": 1}\n'), ("wrong", b'{"provider": 1, "model": [], "request": {}}')):
            place.write("bad.jsonl", body)
            done = place.run("generate", "--replay", "bad.jsonl", "x")
            tap.ok(done.returncode == 2 and b"bad.jsonl" in done.stderr, "a record that is " + name, done)
    place = Place(tap)
    with Server([Answer(body=OpenAI.whole())]) as server:
        ours, theirs = os.openpty()
        env = place.env({OpenAI.variable: KEY, OpenAI.url_variable: server.url + OpenAI.suffix, "TERM": "xterm"})
        subprocess.run([GLOVEBOX, "generate", "--model", OpenAI.model, "--record", "r.jsonl", "x"], env=env, cwd=place.work,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs, timeout=PATIENCE)
        os.close(ours)
        os.close(theirs)
    done = place.run("generate", "--replay", "r.jsonl", "x")
    tap.equal((done.returncode, done.stdout), (0, CODE_LINE), "a record of a call at a terminal is replayed without one", done)
    done = place.run("generate", "--replay", "none", "x")
    tap.ok(done.returncode == 125 and b"none" in done.stderr, "a missing record", done)


def test_prices(tap):
    place = Place(tap)
    place.write("prices.txt", "# mine\ngpt-* 1 2\ngpt-test 10 100 5 # exact\n")
    with Server([Answer(body=OpenAI.whole())]) as server:
        def cost(*args):
            done = place.generate(OpenAI, server, "--json", *args)
            return json.loads(done.stdout)["usage"]["generate"]["cost"]
        tap.equal(cost("--prices", "prices.txt"), (60 * 10 + 40 * 5 + 20 * 100) / 1e6, "the exact line")
        tap.equal(cost("--prices", "prices.txt", "--model", "gpt-other"), (100 + 40) / 1e6, "a line with a star")
        tap.equal(cost(), None, "unknown is null")
        tap.equal(cost("--model", "gpt-4o"), (60 * 2.5 + 40 * 1.25 + 20 * 10) / 1e6, "the built-in table")
        with open(os.path.join(place.config, "prices.txt"), "w") as f:
            f.write("gpt-test 1 1\n")
        tap.equal(cost(), 120 / 1e6, "the user's own table")
        place.write("bad.txt", "gpt-test 1 1\ngpt-test one 1\n")
        done = place.generate(OpenAI, server, "--prices", "bad.txt")
        tap.ok(done.returncode == 2 and b"bad.txt:2" in done.stderr, "a line that is no price", done)


def test_prompts(tap):
    place = Place(tap)
    place.write("mine/generate.md", "Write {{ language }}.\n{{rules}}")
    with Server([Answer(body=OpenAI.whole())]) as server:
        def system(*args):
            place.generate(OpenAI, server, *args)
            return server.requests[-1].json["messages"][0]["content"]
        tap.ok(system("--prompts", "mine").startswith("Write python.\n- The program"), "a prompt of one's own")
        text = system("--timeout", "7s", "--memory", "99m", "--profile", "smolagents", "--net", "host")
        tap.ok("7s" in text and "99m of memory" in text and 'may import only: "collections", "datetime"' in text and
               "no network" not in text, "the rules are the real ones", text)
        os.mkdir(os.path.join(place.config, "prompts"))
        with open(os.path.join(place.config, "prompts", "generate.md"), "w") as f:
            f.write("From the config folder.")
        tap.equal(system(), "From the config folder.", "the config folder's")
        for text in ("{{nonsense}}", "{{language"):
            place.write("mine/generate.md", text)
            done = place.generate(OpenAI, server, "--prompts", "mine")
            tap.ok(done.returncode == 2 and b"has no value" in done.stderr, "a wrong prompt: " + text, done)


def test(tap):
    for part in (test_bodies, test_results, test_terminal, test_usage_errors, test_places, test_bounds_of_a_project, test_versions, test_keys, test_descriptors, test_records, test_prices, test_prompts):
        part(tap)
