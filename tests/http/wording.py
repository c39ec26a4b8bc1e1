# SPDX-License-Identifier: Apache-2.0
"""How answers write settings: as fields, as options or as Python's arguments, by the header
Glovebox-Wording, in results, events, verdicts, batches, sessions and errors."""

import json

from daemon import Daemon

# The request, and a setting that the answer advises, in the three forms.
ADVISED = [
    ("/v1/run", {"code": "while True: pass", "timeout_ms": 300}, ("'timeout_ms'", "--timeout", "timeout=")),
    ("/v1/run", {"code": "open('x.csv')"}, ("'files'", "--file", "files=")),
    ("/v1/run", {"code": "import requests", "profile": "strict"}, ("'allow_imports'", "--allow-imports", "allow_imports=")),
    ("/v1/run", {"code": "1", "backend": "docker", "writable": ["/app"]}, ("'writable'", "--writable", "writable=")),
    ("/v1/check", {"code": "import requests", "profile": "strict"}, ("'allow_imports'", "--allow-imports", "allow_imports=")),
    ("/v1/batch", {"runs": [{"code": "open('x.csv')"}]}, ("'files'", "--file", "files=")),
    ("/v1/run", {"code": "1", "timeout_ms": 10**10}, ("'timeout_ms': 10", "--timeout: 10", "'timeout': 10")),
    ("/v1/sessions", {"timeout_ms": 10**10}, ("'timeout_ms': 10", "--timeout: 10", "'timeout': 10")),
]
FORMS = (None, "options", "python")


def asked(d, path, doc, form, lines=False):
    # A header of a client that this daemon does not know is the same as none.
    headers = {"Glovebox-Wording": form or "another"}
    return d.post(path, doc, headers=headers, lines=lines)


def body(answer):
    return json.dumps(answer.json) if answer.body.lstrip().startswith(b"{") else answer.body.decode()


def test_answers(tap, d):
    for path, doc, names in ADVISED:
        for i, form in enumerate(FORMS):
            text = body(asked(d, path, doc, form))
            tap.ok(names[i] in text and not any(n in text for j, n in enumerate(names) if j != i and n not in names[i]),
                   "%s writes %s" % (path, names[i]), text[-900:])


def test_streams(tap, d):
    for path, doc in (("/v1/run", {"code": "open('x.csv')"}), ("/v1/batch", {"runs": [{"code": "open('x.csv')"}]})):
        text = asked(d, path, doc, "python", lines=True).body.decode()
        tap.ok("files=" in text and "--file" not in text, "the events of %s, too" % path, text[-900:])
    session = d.post("/v1/sessions", {}).json["id"]
    for lines in (False, True):
        text = asked(d, "/v1/sessions/%s/exec" % session, {"code": "open('x.csv')"}, "python", lines).body.decode()
        tap.ok("files=" in text and "--file" not in text, "and of a cell, lines: %s" % lines, text[-900:])


def test_data(tap, d):
    """What the guest wrote stays as it is."""
    code = "print('--file --timeout')\nraise ValueError('--file --timeout')"
    r = asked(d, "/v1/run", {"code": code}, "python").json
    tap.ok(r["stdout"] == "--file --timeout\n" and r["exception"]["message"] == "--file --timeout", "output stays", r)
    usage = "usage: x [-h] --file FILE\nx: error: required: --file\n"
    r = asked(d, "/v1/run", {"code": "import sys\nsys.exit(%r)" % usage}, "python").json
    tap.ok(any(usage.strip() in line for line in r["feedback"]), "feedback quotes it as it is", r["feedback"])
    body = {"code": "def f(x):\n  raise ValueError('take --ro') # or --memory", "cases": [{"func": "f", "args": [1], "expected": 2}]}
    r = asked(d, "/v1/test", body, None).json
    text = "\n".join(r["feedback"]) + r["feedback_text"]
    tap.ok("take --ro" in text and "# or --memory" in text and "'ro'" not in text, "and a line of the program", text)


def test(tap):
    with Daemon() as d:
        test_answers(tap, d)
        test_streams(tap, d)
        test_data(tap, d)
