# SPDX-License-Identifier: Apache-2.0
"""glovebox mcp --install: what it prints, what it writes, and what it keeps."""

import json
import os
import stat
import subprocess
import tempfile

from client import GLOVEBOX, PATIENCE, environment

FILES = {"claude": ".claude.json", "claude-desktop": ".config/Claude/claude_desktop_config.json", "cursor": ".cursor/mcp.json",
         "vscode": ".vscode/mcp.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json",
         "windsurf": ".codeium/windsurf/mcp_config.json"}


def run(folder, *words):
    return subprocess.run([GLOVEBOX, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder,
                          env=environment(folder), timeout=PATIENCE, check=False)


def entry_in(client, text):
    if client == "codex":
        lines = dict(line.split(" = ", 1) for line in text.split("[mcp_servers.glovebox]\n")[1].splitlines() if " = " in line)
        return {key: json.loads(value) for key, value in lines.items()}
    return json.loads(text)["servers" if client == "vscode" else "mcpServers"]["glovebox"]


def test_each(tap):
    for client, name in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            printed = run(folder, "--install", client, "--memory", "2g", "--ro=/usr:/u")
            entry = entry_in(client, printed.stdout)
            tap.equal((entry["command"], entry["args"]), (os.path.realpath(GLOVEBOX), ["mcp", "--memory", "2g", "--ro=/usr:/u"]), client + ": printed")
            tap.ok(name in printed.stderr and os.listdir(folder) == [], "... and nothing is written", printed.stderr)
            path = os.path.join(folder, name)
            written = run(folder, "--write", "--install=" + client, "--timeout", "9s")
            with open(path) as f:
                entry = entry_in(client, f.read())
            tap.equal((written.returncode, entry["args"]), (0, ["mcp", "--timeout", "9s"]), client + ": written", written)
            tap.equal(run(folder, "--install", client, "--write").returncode, 0, client + ": again")
            with open(path) as f:
                text = f.read()
            tap.equal((entry_in(client, text)["args"], text.count("[mcp_servers.glovebox]") <= 1), (["mcp"], True), "... replaces the entry")
            tap.equal(os.listdir(os.path.dirname(path)), [os.path.basename(path)] if client != "claude" else [name], "... and leaves nothing else")


def test_kept(tap):
    old = {"b": [1.5, 12345678901234567, {"\u00e9": None}], "mcpServers": {"other": {"command": "x"}}, "a": True}
    with tempfile.TemporaryDirectory() as folder:
        path, real = os.path.join(folder, ".claude.json"), os.path.join(folder, "real.json")
        with open(real, "w") as f:
            json.dump(old, f)
        os.chmod(real, 0o640)
        os.symlink(real, path)
        done = run(folder, "--install", "claude", "--write")
        with open(real) as f:
            text = f.read()
        new = json.loads(text)
        del new["mcpServers"]["glovebox"]
        tap.equal((done.returncode, new, list(new)), (0, old, list(old)), "what is there is kept, in its order")
        tap.ok(os.path.islink(path) and stat.S_IMODE(os.stat(real).st_mode) == 0o640, "... and the link, and the mode")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, ".codex"))
        path = os.path.join(folder, ".codex", "config.toml")
        before = '# mine\nmodel = "m"\n\n[mcp_servers.glovebox]\ncommand = "old"\n[mcp_servers.other]\ncommand = "x" # keep\n'
        with open(path, "w") as f:
            f.write(before)
        run(folder, "--install", "codex", "--write")
        with open(path) as f:
            text = f.read()
        run(folder, "--install", "codex", "--write")
        with open(path) as f:
            tap.equal(f.read(), text, "TOML: the second time changes nothing")
        printed = run(folder, "--install", "codex").stdout
        tap.ok(printed.startswith("[mcp_servers.glovebox]"), "... and the printed text has no empty lines before it", printed)
        tap.ok(text.startswith('# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x" # keep\n') and "old" not in text, "TOML: other lines are kept", text)


WITH_COMMENTS = [
    ('{\n  // mine "x": {\n  "a": "// no comment, }", /* , */\n  "servers": {\n    "other": {"command": "x"}, // last\n  },\n}\n',
     '{\n  // mine "x": {\n  "a": "// no comment, }", /* , */\n  "servers": {\n    "other": {"command": "x"}, // last\n    "glovebox": @\n  },\n}\n'),
    ('{\n    "servers": {\n        "other": {} // no comma\n    }\n}', '{\n    "servers": {\n        "other": {}, // no comma\n        "glovebox": @\n    }\n}'),
    ('{"servers":{"glovebox":{"command":"old"/*?*/},"z":[1,2,]}}', '{"servers":{"glovebox":@,"z":[1,2,]}}'),
    ('{"a":1}', '{"a":1,\n  "servers": {\n    "glovebox": @\n  }\n}'),
    ('// nothing yet\n{\n}\n', '// nothing yet\n{\n  "servers": {\n    "glovebox": @\n  }\n}\n'),
    ('{"servers": {} /* end */ }', '{"servers": {\n  "glovebox": @\n} /* end */ }'),
    ('{"\\"servers": 1, "servers": {"gl\\"ovebox": "\\\\"}}', '{"\\"servers": 1, "servers": {"gl\\"ovebox": "\\\\",\n  "glovebox": @\n}}'),
]


def test_comments(tap):
    """Files as people write them: what is around the entry is not touched."""
    for before, after in WITH_COMMENTS:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, ".vscode", "mcp.json")
            os.mkdir(os.path.dirname(path))
            with open(path, "w") as f:
                f.write(before)
            done = run(folder, "--install", "vscode", "--write")
            with open(path) as f:
                text = f.read()
            head, tail = (after if after.endswith("\n") else after + "\n").split("@")
            entry = text[len(head):len(text) - len(tail)]
            good = done.returncode == 0 and text.startswith(head) and text.endswith(tail) and json.loads(entry)["args"] == ["mcp"]
            tap.ok(good, f"comments and layout stay: {before!r}", text, done)
            again = run(folder, "--install", "vscode", "--write")
            with open(path) as f:
                tap.equal((again.returncode, f.read()), (0, text), "... and nothing changes the second time")


HTTP = {"claude": {"type": "http", "url": "@", "headers": {"Authorization": "Bearer ${GLOVEBOX_TOKEN}"}},
        "cursor": {"url": "@", "headers": {"Authorization": "Bearer ${env:GLOVEBOX_TOKEN}"}},
        "vscode": {"type": "http", "url": "@", "headers": {"Authorization": "Bearer ${env:GLOVEBOX_TOKEN}"}},
        "codex": {"url": "@", "bearer_token_env_var": "GLOVEBOX_TOKEN"},
        "gemini": {"httpUrl": "@", "headers": {"Authorization": "Bearer ${GLOVEBOX_TOKEN}"}},
        "windsurf": {"serverUrl": "@", "headers": {"Authorization": "Bearer ${env:GLOVEBOX_TOKEN}"}}}


def test_http(tap):
    for client, wanted in HTTP.items():
        with tempfile.TemporaryDirectory() as folder:
            printed = run(folder, "--install", client, "--http", "127.0.0.1:8080")
            entry = entry_in(client, printed.stdout)
            tap.equal(entry, json.loads(json.dumps(wanted).replace("@", "http://127.0.0.1:8080/mcp")), client + ": the daemon's address")
            tap.ok("GLOVEBOX_TOKEN" in printed.stderr, "... and where its token goes", printed.stderr)
            run(folder, "--install", client, "--write")
            run(folder, "--install", client, "--write", "--http=https://box.example/sandbox/mcp")
            with open(os.path.join(folder, FILES[client])) as f:
                entry = entry_in(client, f.read())
            tap.equal(entry, json.loads(json.dumps(wanted).replace("@", "https://box.example/sandbox/mcp")), "... in place of the program's")
    with tempfile.TemporaryDirectory() as folder:
        for words, message in ((["claude-desktop", "--http", "x:1"], "only name programs"), (["claude", "--http", ""], "HOST:PORT"),
                               (["claude", "--http", "ftp://x"], "HOST:PORT"), (["claude", "--http", "a b"], "HOST:PORT"),
                               (["claude", "--http", "x:1", "--memory", "1g"], "glovebox serve")):
            done = run(folder, "--install", *words)
            tap.ok(done.returncode == 2 and message in done.stderr and not done.stdout, " ".join(words), done)
        done = run(folder, "--http", "x:1")
        tap.ok(done.returncode == 2 and "--install" in done.stderr, "--http alone", done)


def test_refused(tap):
    for content in ('{"a": 1, /* no end\n}', '{"a": 1,, // two commas\n}', "[]", '{"mcpServers": {"a": 1}} // {\n}', '{"mcpServers": 5}', '{"a": 1, "a": 2}', "\xff"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, ".claude.json")
            with open(path, "w", encoding="latin-1") as f:
                f.write(content)
            done = run(folder, "--install", "claude", "--write")
            with open(path, encoding="latin-1") as f:
                same = f.read() == content
            tap.ok(done.returncode == 2 and same and ".claude.json" in done.stderr and os.listdir(folder) == [".claude.json"],
                   f"a file that cannot be added to: {content!r}", done)
    for option in ("--ro", "--file", "--config", "--profile", "--prelude", "--python", "--log", "--token-file"):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "own.conf"), "w"):
                pass
            done = run(folder, "--install", "claude", option, "./own.conf")
            tap.ok(done.returncode == 2 and "must be absolute" in done.stderr, f"a relative path: {option}", done)
    with tempfile.TemporaryDirectory() as folder:
        for option in ("--ro", "--file"):
            done = run(folder, "--install", "claude", "--write", option, folder + "/none:/data")
            tap.ok(done.returncode == 2 and "No such file" in done.stderr and not os.listdir(folder), f"a path that is not there: {option}", done)
            os.mkdir(folder + "/a:b")
            done = run(folder, "--install", "claude", option, folder + "/a:b")
            tap.equal(done.returncode, 0, "... and a colon in a name", done)
            os.rmdir(folder + "/a:b")
        done = run(folder, "--install", "claude", "--write", "--profile", "strickt")
        tap.ok(done.returncode == 2 and "strickt" in done.stderr and not os.listdir(folder), "an unknown profile", done)
        done = run(folder, "--install", "claude", "--write", "--languages", "python,nope")
        tap.ok(done.returncode == 2 and "'nope'" in done.stderr and not os.listdir(folder), "an unknown language", done)
        words = ("--profile", "strict", "--prelude", "vertex", "--python", "3.12", "--log", "off")
        done = run(folder, "--install", "claude", *words)
        tap.equal(done.returncode, 0, "words that are no paths", done)


def test(tap):
    test_each(tap)
    test_kept(tap)
    test_comments(tap)
    test_http(tap)
    test_refused(tap)
