# SPDX-License-Identifier: Apache-2.0
"""What the documents say of options, fields and routes is what the program has."""

import glob
import os
import re

import box
from test_help import COMMANDS, TOPICS

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DOCUMENTS = ["README.md", "SECURITY.md", "docs/security-details.md", "docs/http.md", "docs/limits.md", "docs/models.md"]
# Of other programs, in examples.
FOREIGN = {"now", "unix-socket", "user"}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return f.read()


def table(text, heading):
    """The first two cells of each row of the table with this first heading."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(f"| {heading} |"):
            break
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.split("|")[1:3]]


@box.once
def test_options(t):
    pages = [t.box("help", name).out.decode() for name in COMMANDS + TOPICS]
    known = set(re.findall(r"--([a-z][a-z-]+)", "".join(pages)))
    t.ok(len(known) > 50, "the help has the options", known)
    for path in DOCUMENTS:
        named = set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", read(path)))
        t.equal(named - known - FOREIGN - {"max-NAME"}, set(), f"{path} names only options that there are")


def rows_with(permit):
    """The fields of request.def whose rows have it."""
    rows = re.split(r"\n(?=[A-Z]+\()", read("src/runs/request/request.def"))
    return {re.match(r'[A-Z]+\(\w+, "[^"]*", "([^"]*)"', row)[1] for row in rows if f"PERMIT_{permit}" in row}


@box.once
def test_permits(t):
    rows = table(read("docs/http.md"), "`--allow`")
    told = {name.strip("`"): set(re.findall(r"`\"?(\w+)", cell)) for name, cell in rows}
    names = set(re.findall(r'\{PERMIT_\w+, "([a-z-]+)"\}', read("src/runs/request/permit.c")))
    t.equal(set(told), names | {"net:HOST"}, "docs/http.md has a row for each value of --allow")
    t.equal(told["host-files"] - {"profile", "python"}, rows_with("HOST_FILES"), "with the fields of the host's files")
    t.equal(told["without"], rows_with("WITHOUT"), "and of layers")


@box.once
def test_limits(t):
    """What is made from the rows names each limit once: the help of results, the ceilings of the daemon, the result."""
    rows = dict(re.findall(r'^LIMIT\(\w+, "([a-z-]+)", "(\w+)"', read("src/runs/request/request.def"), re.M))
    told = re.search(r"The limits in limits_set:([^.]*)\.", t.box("help", "results").out.decode())[1]
    t.equal(sorted(re.split(r"[\s,]+", told.strip())), sorted(rows.values()), "'glovebox help results' names each limit")
    t.equal(sorted(t.run("--json", "-c", "1").json["limits_set"]), sorted(rows.values()), "and a result has them")
    ceilings = re.findall(r"--max-([a-z-]+) ", t.box("help", "serve").out.decode())
    t.equal(sorted(set(ceilings) & set(rows)), sorted(rows), "and the daemon has a ceiling for each")


ONE_SESSION = "/v1/sessions/{id}"


def whole(path):
    """A path without what it is below, as the table and routes.c write it, with that."""
    path = path.removeprefix("...").replace("PATH", "{path}").replace("{run}", "{id}")
    below = not path.startswith("/v1/") and path.strip("/") not in ("healthz", "readyz", "metrics", "openapi.json", "mcp")
    return ONE_SESSION + path if below else path


@box.once
def test_routes(t):
    paths = r"/[a-zA-Z0-9/{}._]+"
    verbs = read("src/runs/request/verbs.def")
    there = {whole(path) for path in re.findall(f'"({paths})"', read("src/doors/routes/routes.c") + verbs)
             if path != "/v1/"}
    there |= {"/v1/" + name for name in re.findall(r"(?m)^TASK\(\w+, (\w+)", verbs)}
    cells = " ".join(cell for name in ("request", "task") for cell, _ in table(read("docs/http.md"), name))
    told = {whole(path) for path in re.findall(rf"[`\s]((?:\.\.\.)?{paths})", cells)}
    t.ok(ONE_SESSION + "/exec" in there, "routes.c is read as it is written")
    t.equal(told, there, "docs/http.md lists the routes")
