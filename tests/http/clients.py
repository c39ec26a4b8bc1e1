# SPDX-License-Identifier: Apache-2.0
"""Clients that others' generators make from /openapi.json compile, give each answer its type, and open a session: for
TypeScript openapi-typescript with openapi-fetch, for Python openapi-python-client. The packages are kept in build/."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from daemon import HERE, PATIENCE, TOKEN, Daemon

FILES = os.path.join(HERE, "clients")
ROOT = os.path.join(HERE, "..", "..")
INSTALL_S = 600
UNREACHED = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET")
PRINTED = "42\n201 aaa\n200\n"


def run(folder, *words, limit=4 * PATIENCE):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=limit, check=False)


def packages_of_node(tap):
    """The folder with node_modules; or None, told in TAP."""
    kept = os.path.join(ROOT, "build", "clients")
    os.makedirs(kept, exist_ok=True)
    shutil.copy(os.path.join(FILES, "package.json"), kept)
    done = run(kept, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--fetch-retries=1",
               limit=INSTALL_S)
    if done.returncode and UNREACHED.search(done.stderr):
        tap.skip("openapi-typescript", "the registry of npm cannot be reached")
        return None
    return kept if tap.ok(done.returncode == 0, "openapi-typescript can be installed", done.stderr) else None


def references(schema):
    return [s["$ref"].rpartition("/")[2] for s in schema.get("anyOf", [schema]) if "$ref" in s]


def each_answer(doc):
    """A program that takes each answer of JSON as the type that the description has for it."""
    lines = ['import type { FetchResponse } from "openapi-fetch";', 'import type { components, paths } from "./paths.js";',
             'type S = components["schemas"];',
             'type Data<T extends Record<string, any>> = NonNullable<FetchResponse<T, {}, "application/json">["data"]>;']
    for path, at in doc["paths"].items():
        for method, op in at.items():
            good = next(told for status, told in op["responses"].items() if status != "default")
            names = references(good.get("content", {}).get("application/json", {}).get("schema", {}))
            if names:
                lines.append('export const %s_ = (answer: Data<paths["%s"]["%s"]>): %s => answer;'
                             % (op["operationId"], path, method, " | ".join('S["%s"]' % name for name in names)))
    return "\n".join(lines) + "\n"


def test_typescript(tap, d, doc, text):
    if not shutil.which("npm"):
        tap.skip("openapi-typescript", "npm is missing")
        return
    kept = packages_of_node(tap)
    if not kept:
        return
    for name in ("session.ts", "tsconfig.json"):
        shutil.copy(os.path.join(FILES, name), kept)
    d.write(os.path.join(kept, "openapi.json"), text)
    d.write(os.path.join(kept, "answers.ts"), each_answer(doc))
    made = run(kept, "node", "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "paths.d.ts")
    tap.ok(made.returncode == 0, "openapi-typescript reads the description", made.stdout, made.stderr)
    built = run(kept, "node", "node_modules/typescript/bin/tsc", "-p", ".")
    if tap.ok(built.returncode == 0, "tsc --strict: each answer has its type", built.stdout):
        done = run(kept, "node", "made/session.js", "http://127.0.0.1:%d" % d.port, TOKEN)
        tap.equal(done.stdout, PRINTED, "and the client opens a session", done.stderr)


def test_python(tap, d, text):
    sys.path.append(os.path.join(ROOT, "sdk", "python", "tests"))
    import venvs
    python = venvs.environment(tap, "clients", os.path.join(FILES, "requirements.txt"))
    if not python:
        return
    with tempfile.TemporaryDirectory() as folder:
        d.write(os.path.join(folder, "openapi.json"), text)
        shutil.copy(os.path.join(FILES, "session.py"), folder)
        made = run(folder, python, "-m", "openapi_python_client", "generate", "--path", "openapi.json", "--meta", "none", "--output-path", "made")
        left = [line for line in (made.stdout + made.stderr).splitlines() if line.startswith(("WARNING", "ERROR"))]
        tap.ok(made.returncode == 0 and not left, "openapi-python-client leaves nothing out", made.stdout, made.stderr)
        every = run(folder, python, "-c", "import importlib, pkgutil, made\n"
                    "for m in pkgutil.walk_packages(made.__path__, 'made.'): importlib.import_module(m.name)")
        tap.ok(every.returncode == 0, "all of it can be imported", every.stderr)
        typed = run(folder, python, "-m", "mypy", "--strict", "--follow-imports=silent", "session.py")
        tap.ok(typed.returncode == 0, "mypy --strict: its answers have their types", typed.stdout)
        done = run(folder, python, "session.py", "http://127.0.0.1:%d" % d.port, TOKEN)
        tap.equal(done.stdout, PRINTED, "and the client opens a session", done.stderr)


def test(tap):
    with Daemon(tcp=True) as d:
        answer = d.get("/openapi.json")
        text = answer.body.decode()
        test_typescript(tap, d, answer.json, text)
        test_python(tap, d, text)
