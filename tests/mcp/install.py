# SPDX-License-Identifier: Apache-2.0
"""glovebox mcp --install: what it prints, what it writes, and what it keeps."""

import itertools
import json
import os
import shlex
import stat
import subprocess
import tempfile

from client import GLOVEBOX, PATIENCE, environment

FILES = {"claude": ".claude.json", "claude-desktop": ".config/Claude/claude_desktop_config.json", "cursor": ".cursor/mcp.json",
         "vscode": ".vscode/mcp.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json",
         "windsurf": ".codeium/windsurf/mcp_config.json", "zed": ".config/zed/settings.json",
         "cline": ".cline/data/settings/cline_mcp_settings.json",
         "opencode": ".config/opencode/opencode.json", "goose": ".config/goose/config.yaml"}
PROJECT = {"claude": ".mcp.json", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json", "codex": ".codex/config.toml",
           "gemini": ".gemini/settings.json", "zed": ".zed/settings.json", "opencode": "opencode.json"}
SECTION = {"vscode": "servers", "zed": "context_servers", "opencode": "mcp"}


def run(folder, *words):
    return subprocess.run([GLOVEBOX, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder,
                          env=environment(folder), timeout=PATIENCE, check=False)


def entry_in(client, text):
    """The entry for Glovebox; one that starts a program has it as `command`."""
    if client == "codex":
        lines = dict(line.split(" = ", 1) for line in text.split("[mcp_servers.glovebox]\n")[1].splitlines() if " = " in line)
        return {key: json.loads(value) for key, value in lines.items()}
    if client == "goose":
        lines = text.split("extensions:\n  glovebox:\n")[1].splitlines()
        entry = {key.strip(): json.loads(value) for key, value in (line.split(": ", 1) for line in itertools.takewhile(lambda line: line.startswith("    "), lines))}
        return {"command": entry["cmd"], **entry} if "cmd" in entry else entry
    entry = json.loads(text)[SECTION.get(client, "mcpServers")]["glovebox"]
    if client == "opencode" and entry["type"] == "local":
        return {**entry, "command": entry["command"][0], "args": entry["command"][1:]}
    return entry


ADD = {"claude": ["claude", "mcp", "add", "--scope", "user", "glovebox", "--", "@", "mcp", "--memory", "2g", "--ro=/usr:/u"],
       "codex": ["codex", "mcp", "add", "glovebox", "--", "@", "mcp", "--memory", "2g", "--ro=/usr:/u"],
       "gemini": ["gemini", "mcp", "add", "--scope", "user", "glovebox", "@", "--", "mcp", "--memory", "2g", "--ro=/usr:/u"],
       "vscode": ["code", "--add-mcp", {"name": "glovebox", "type": "stdio", "command": "@", "args": ["mcp", "--memory", "2g", "--ro=/usr:/u"]}]}


def typed(text):
    """The words that a shell reads in the line "or type: "; JSON as what it is."""
    lines = [line[len("or type: "):] for line in text.splitlines() if line.startswith("or type: ")]
    words = [word.replace(os.path.realpath(GLOVEBOX), "@") for word in shlex.split(lines[0])] if lines else None
    return words and [json.loads(word) if word.startswith("{") else word for word in words]


def test_quoted(tap):
    with tempfile.TemporaryDirectory() as folder:
        for client in ("claude", "vscode"):
            words = typed(run(folder, "--install", client, "--env", "A=it's \"$HOME\"", "--env", "B=").stderr)
            args = words[-1]["args"] if client == "vscode" else words[8:]
            tap.equal(args[-4:], ["--env", "A=it's \"$HOME\"", "--env", "B="], client + ": values are quoted for a shell")


def test_each(tap):
    for client, name in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            printed = run(folder, "--install", client, "--memory", "2g", "--ro=/usr:/u")
            entry = entry_in(client, printed.stdout)
            tap.equal((entry["command"], entry["args"]), (os.path.realpath(GLOVEBOX), ["mcp", "--memory", "2g", "--ro=/usr:/u"]), client + ": printed")
            tap.ok(name in printed.stderr and os.listdir(folder) == [], "... and nothing is written", printed.stderr)
            tap.equal(typed(printed.stderr), ADD.get(client), "... beside the client's own command")
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
        "windsurf": {"serverUrl": "@", "headers": {"Authorization": "Bearer ${env:GLOVEBOX_TOKEN}"}},
        "cline": {"type": "streamableHttp", "url": "@", "headers": {"Authorization": "Bearer ${env:GLOVEBOX_TOKEN}"}},
        "opencode": {"type": "remote", "url": "@", "enabled": True, "oauth": False, "headers": {"Authorization": "Bearer {env:GLOVEBOX_TOKEN}"}},
        "goose": {"name": "glovebox", "type": "streamable_http", "description": "runs programs in sandboxes", "uri": "@", "enabled": True, "timeout": 300,
                  "env_keys": ["GLOVEBOX_TOKEN"], "headers": {"Authorization": "Bearer ${GLOVEBOX_TOKEN}"}}}
NO_HTTP = {"claude-desktop": "only name programs", "zed": "no variable"}


def test_no_http(tap):
    """What these clients can have instead of an address."""
    tap.equal(sorted([*HTTP, *NO_HTTP]), sorted(FILES), "each client has a row for a daemon's address")
    for client, why in NO_HTTP.items():
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, "--install", client, "--http", "127.0.0.1:8080")
            tap.ok(done.returncode == 2 and why.replace("no variable", "cannot name a variable") in done.stderr and not done.stdout, f"{client}: {why}", done)
            words = ["--daemon", "127.0.0.1:8080", "--token-file", os.path.join(folder, "token")]
            tap.ok(f"--install {client} --daemon" in done.stderr, "... and what to do", done)
            entry = entry_in(client, run(folder, "--install", client, *words).stdout)
            tap.equal(entry["args"], ["mcp", *words], "... works: it starts a client of the daemon")


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
        for words, message in ((["claude", "--http", ""], "HOST:PORT"),
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
    for option in ("--file", "--config", "--profile", "--prelude", "--python", "--log", "--token-file"):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "own.conf"), "w"):
                pass
            more = ["--daemon", "unix:/run/d"] if option == "--token-file" else []
            done = run(folder, "--install", "claude", option, "./own.conf", *more)
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


def test_forms(tap):
    """What differs from the usual {command, args}."""
    with tempfile.TemporaryDirectory() as folder:
        entry = entry_in("zed", run(folder, "--install", "zed").stdout)
        tap.equal((entry["source"], entry["env"]), ("custom", {}), "zed")
        entry = entry_in("opencode", run(folder, "--install", "opencode").stdout)
        tap.equal((entry["type"], entry["enabled"]), ("local", True), "opencode")
        entry = entry_in("goose", run(folder, "--install", "goose").stdout)
        tap.equal((entry["type"], entry["enabled"], entry["name"]), ("stdio", True, "glovebox"), "goose")


YAML = [("", "extensions:\n@"), ("GOOSE_MODEL: x\n", "GOOSE_MODEL: x\nextensions:\n@"), ("a: 1\nextensions: {}\nb: 2\n", "a: 1\nextensions:\n@b: 2\n"),
        ("extensions:\n  # mine\n  dev:\n    enabled: true\n    args:\n    - x\nz: 1\n", "extensions:\n@  # mine\n  dev:\n    enabled: true\n    args:\n    - x\nz: 1\n"),
        ("extensions:\n  a:\n    type: x\n  glovebox:\n    cmd: old\n    args:\n    - y\n  b:\n    type: z\n", "extensions:\n@  a:\n    type: x\n  b:\n    type: z\n")]


def test_yaml(tap):
    for old, wanted in YAML:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, FILES["goose"])
            os.makedirs(os.path.dirname(path))
            with open(path, "w") as f:
                f.write(old)
            for _ in range(2):
                run(folder, "--install", "goose", "--write")
            with open(path) as f:
                text = f.read()
            ours = "  glovebox:\n" + "".join(f"    {key}: {json.dumps(value)}\n" for key, value in entry_in("goose", text).items() if key != "command")
            tap.equal(text, wanted.replace("@", ours), f"YAML: {old!r}")
            run(folder, "--uninstall", "goose")
            with open(path) as f:
                tap.equal(f.read(), wanted.replace("@", ""), "... and without it again")
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, ".config/goose"))
        with open(os.path.join(folder, FILES["goose"]), "w") as f:
            f.write("extensions: {a: {type: x}}\n")
        done = run(folder, "--install", "goose", "--write")
        tap.ok(done.returncode == 2 and "config.yaml" in done.stderr, "YAML in braces is not changed", done)


def test_project(tap):
    for client, name in PROJECT.items():
        with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([GLOVEBOX, "mcp", "--install", client, "--project", "--write"], cwd=folder, env=environment(home), capture_output=True, text=True, check=False)
            with open(os.path.join(folder, name)) as f:
                entry = entry_in(client, f.read())
            tap.equal((done.returncode, entry["args"], os.listdir(home)), (0, ["mcp", "--ro", "."], []), client + ": the project's file", done)
            run(folder, "--install", client, "--project", "--write", "--rw", ".", "--tools=execute_code")
            with open(os.path.join(folder, name)) as f:
                entry = entry_in(client, f.read())
            tap.equal(entry["args"], ["mcp", "--rw", ".", "--tools=execute_code"], "... with a folder to work in")
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, "--install", "claude", "--project")
        tap.ok("claude mcp add --scope project" in done.stderr and os.listdir(folder) == [], "the client's own command", done.stderr)
        done = run(folder, "--install", "windsurf", "--project")
        tap.ok(done.returncode == 2 and "no file for a project" in done.stderr, "a client without such a file", done)
        outside = os.path.join(folder, "outside")
        open(outside, "w").close()
        os.mkdir(os.path.join(folder, "p"))
        os.symlink(outside, os.path.join(folder, "p", ".mcp.json"))
        os.symlink(folder, os.path.join(folder, "p", ".codex"))
        for client in ("claude", "codex"):
            done = subprocess.run([GLOVEBOX, "mcp", "--install", client, "--project", "--write"], cwd=os.path.join(folder, "p"),
                                  env=environment(folder), capture_output=True, text=True, check=False)
            tap.ok(done.returncode == 2 and "symbolic link" in done.stderr and not os.path.getsize(outside)
                   and not os.path.exists(folder + "/config.toml"), client + ": a link of the project is not followed", done)
        done = run(folder, "--install", "claude", "--ro", ".", "--ro", "./:/data")
        tap.equal(entry_in("claude", done.stdout)["args"], ["mcp", "--ro", ".", "--ro", "./:/data"], "a relative --ro is resolved later")


def test_uninstall(tap):
    for client, name in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            run(folder, "--install", client, "--write")
            done = run(folder, "--uninstall", client)
            with open(os.path.join(folder, name)) as f:
                text = f.read()
            tap.ok(done.returncode == 0 and "glovebox" not in text, "uninstall " + client, text)
            again = run(folder, "--uninstall=" + client)
            tap.ok(again.returncode == 0 and "no entry" in again.stdout, "... twice", again)
    for text, wanted in (('{"a": 1, "mcpServers": {"x": {}, "glovebox": {"command": "g"}}}', '{"a": 1, "mcpServers": {"x": {}}}'),
                         ('{\n  // mine\n  "mcpServers": {\n    "glovebox": {\n      "a": [1]\n    }, // ours\n    "x": {}\n  },\n}\n', '{\n  // mine\n  "mcpServers": { // ours\n    "x": {}\n  },\n}\n'),
                         ('{"mcpServers": {\n  "x": {}, // a, b\n  "glovebox": {}\n}}', '{"mcpServers": {\n  "x": {} // a, b\n}}'),
                         ('{"b": {"glovebox": 1}}', '{"b": {"glovebox": 1}}'),
                         ('{"mcpServers": {"glo\\u0076ebox": {}}}', '{"mcpServers": {"glo\\u0076ebox": {}}}'),
                         ('{"mcpS\\u0065rvers": {"glovebox": {}}}', '{"mcpS\\u0065rvers": {"glovebox": {}}}')):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, ".claude.json")
            with open(path, "w") as f:
                f.write(text)
            run(folder, "--uninstall", "claude")
            with open(path) as f:
                tap.equal(f.read().rstrip("\n"), wanted.rstrip("\n"), f"uninstall keeps the rest: {text!r}")
    for text, wanted in (("[a]\nb = 1\n\n[mcp_servers.glovebox]\ncommand = 'g'\n[mcp_servers.glovebox.env]\nX = '1'\n[c]\n", "[a]\nb = 1\n\n[c]\n"),
                         ('[ mcp_servers."glovebox" ]\ncommand = "g"\n[mcp_servers.glovebox2]\n', "[mcp_servers.glovebox2]\n"),
                         ('a = """\n[mcp_servers.glovebox]\n"""\n', None),
                         ('[mcp_servers.glovebox]\nargs = [\n  "a",\n  [ "b" ],\n]\n', None)):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + "/.codex")
            path = os.path.join(folder, ".codex/config.toml")
            with open(path, "w") as f:
                f.write(text)
            done = run(folder, "--uninstall", "codex")
            with open(path) as f:
                tap.equal(f.read().strip("\n"), (wanted or text).strip("\n"), f"uninstall codex: {text!r}", done)
    for text, wanted in (("extensions: {}  # note\n", "extensions: {}  # note\n"), ("extensions: # mine\n  x:\n    a: 1\n  glovebox:\n    b: 2\n", "extensions: # mine\n  x:\n    a: 1\n"),
                         ('"extensions":\n  glovebox:\n    b: 2\n', None), ('extensions:\n  "glovebox":\n    b: 2\n', None)):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, FILES["goose"])
            os.makedirs(os.path.dirname(path))
            with open(path, "w") as f:
                f.write(text)
            done = run(folder, "--uninstall", "goose")
            with open(path) as f:
                tap.equal((f.read(), done.returncode), (wanted or text, 0 if wanted else 2), f"uninstall goose: {text!r}", done)
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, "--uninstall", "emacs")
        tap.ok(done.returncode == 2 and "opencode" in done.stderr, "an unknown client", done)
        done = run(folder, "--uninstall", "claude")
        tap.ok(done.returncode == 0 and os.listdir(folder) == [], "no file", done)


def test(tap):
    test_each(tap)
    test_forms(tap)
    test_yaml(tap)
    test_project(tap)
    test_uninstall(tap)
    test_quoted(tap)
    test_kept(tap)
    test_comments(tap)
    test_http(tap)
    test_no_http(tap)
    test_refused(tap)
