# SPDX-License-Identifier: Apache-2.0
"""Conversations with the real servers (recorded/*.json): the stand-in has to give the same answers."""

import base64
import json
import os
import re

from client import Client
from rpc import split_envelopes
from standin import Standin

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")
SECRET = {"{KEY}": re.compile(r"\be2b_[0-9a-f]+\b"), "{TOKEN}": re.compile(r"\b[0-9a-f]{32}\b"),
          "{SANDBOX}": re.compile(r"\bi[a-z0-9]{19}\b"),
          "{CONTEXT}": re.compile(r"\b(?!00000000)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")}
# What differs from run to run, or is another program's wording.
NOISE = {"message", "msg", "traceback", "timestamp", "modifiedTime", "pid", "startedAt", "endAt", "clientID", "detail"}


def text_of(data):
    data = data.encode() if isinstance(data, str) else data or b""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def bytes_of(text):
    return base64.b64decode(text["base64"]) if isinstance(text, dict) else text.encode()


def write(path, client):
    """The client's log, with names instead of keys and identifiers."""
    entries = [{"method": method, "path": where, "headers": headers, "body": text_of(body), "status": answer.status,
                "kind": answer.headers.get("content-type"), "answer": text_of(answer.body)}
               for method, where, headers, body, answer in client.log]
    text = json.dumps(entries, indent=1)
    for name, pattern in SECRET.items():
        text = pattern.sub(name, text)
    text = re.sub(r'/[^ "]*/site-packages', "/site-packages", text)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text + "\n")


def essence(status, kind, body):
    """What two servers must agree about."""
    kind = (kind or "").split(";")[0]
    if kind == "application/connect+json":
        return status, kind, events_of(split_envelopes(body))
    if body.startswith(b'{"type"'):
        return status, kind, lines_of([json.loads(line) for line in body.splitlines()])
    if body[:1] in (b"[", b"{"):
        return status, kind, quiet(json.loads(body))
    return status, None, text_of(body) if status < 300 else None


def quiet(value):
    if isinstance(value, dict):
        kept = {k: quiet(v) for k, v in value.items() if k not in NOISE}
        if kept.get("type") == "FILE_TYPE_DIRECTORY":
            kept.pop("size", None)
        return kept
    if isinstance(value, list):
        return sorted((quiet(v) for v in value), key=json.dumps)
    named = [name for name, pattern in SECRET.items() if isinstance(value, str) and pattern.fullmatch(value)]
    return named[0] if named else value


def events_of(envelopes):
    output, others = {}, []
    for flags, message in envelopes:
        event = message.get("event", {})
        for name, text in event.get("data", {}).items():
            output[name] = output.get(name, b"") + base64.b64decode(text)
        others += [] if "data" in event else [(flags, quiet(message))]
    return {k: text_of(v) for k, v in output.items()}, others


def lines_of(lines):
    output, others = {}, []
    for line in lines:
        if line["type"] in ("stdout", "stderr"):
            output[line["type"]] = output.get(line["type"], "") + line["text"]
        elif line["type"] != "keepalive":
            others.append(quiet(line))
    names = [line.get("name") for line in others]
    if "ContextRestarting" in names:  # its number may or may not have come before
        others = [line for line in others if line["type"] != "number_of_executions"]
    if "SystemExit" in names:
        output.pop("stderr", None)  # a warning with the place of IPython
    return output, others


class Names:
    """What the recorded names are in this conversation: the newest of each kind."""

    def __init__(self, key):
        self.values = {"{KEY}": key}

    def learn(self, body):
        for name, pattern in SECRET.items():
            found = pattern.findall(body.decode("utf-8", "replace")) if name != "{KEY}" else []
            if len(found) == 1:
                self.values[name] = found[0]

    def fill(self, text):
        for name, value in self.values.items():
            text = text.replace(name, value)
        return text


def replay(tap, name, client):
    with open(os.path.join(FOLDER, name)) as f:
        entries = json.load(f)
    names, different = Names(client.key), []
    for entry in entries:
        body = entry["body"] if isinstance(entry["body"], dict) else names.fill(entry["body"])
        headers = {k: names.fill(v) for k, v in entry["headers"].items()}
        answer = client.ask(entry["method"], names.fill(entry["path"]), bytes_of(body), headers)
        names.learn(answer.body)
        want = essence(entry["status"], entry["kind"], bytes_of(entry["answer"]))
        got = essence(answer.status, answer.headers.get("content-type"), answer.body)
        if want != got:
            different += ["%s %s %.200s" % (entry["method"], entry["path"], entry["body"]), "  real %r" % (want,),
                          "  here %r" % (got,)]
    tap.ok(not different, "%s: %d answers as the real servers gave them" % (name, len(entries)), *different)


def test(tap):
    with Standin() as standin:
        for name in sorted(os.listdir(FOLDER)):
            replay(tap, name, Client(standin.url, standin.key))
