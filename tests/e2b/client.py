# SPDX-License-Identifier: Apache-2.0
"""A small client of E2B's protocol, to ask a stand-in or the real servers what they answer."""

import base64
import http.client
import json
import struct
import urllib.parse

from rpc import envelope, split_envelopes

ENVD = 49983
SECONDS = 60


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def events(self):
        """Of a stream of envd: its messages, and the last envelope."""
        found = split_envelopes(self.body)
        return [m.get("event", m) for flags, m in found if not flags & 2] + [m for flags, m in found if flags & 2]

    def output(self, name="stdout"):
        texts = [base64.b64decode(e["data"][name]) for e in self.events if name in e.get("data", {})]
        return b"".join(texts)


class Client:
    def __init__(self, api, key, sandboxes=None):
        self.api, self.key, self.sandboxes = api, key, sandboxes or api
        self.log = []  # (method, path, headers, body, answer)

    def ask(self, method, path, body=None, headers=(), to=None):
        place = urllib.parse.urlsplit(to or self.api)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            got = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
            self.log.append((method, path, dict(headers), body, got))
            return got
        finally:
            connection.close()

    def control(self, method, path, body=None, key=""):
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["X-API-KEY"] = key or self.key
        return self.ask(method, path, None if body is None else json.dumps(body), headers)

    def sandbox(self, **body):
        made = self.control("POST", "/v2/sandboxes", {"templateID": "code-interpreter-v1", "timeout": 600, **body})
        return Sandbox(self, made.json)


class Sandbox:
    def __init__(self, client, made):
        self.client, self.id, self.token = client, made["sandboxID"], made.get("envdAccessToken")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.control("DELETE", "/sandboxes/" + self.id)

    def ask(self, port, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        own = {"E2b-Sandbox-Id": self.id, "E2b-Sandbox-Port": str(port)}
        if self.token:
            own["X-Access-Token"] = self.token
        own.update(headers)
        return self.client.ask(method, path, body, {k: v for k, v in own.items() if v is not None},
                               self.client.sandboxes)

    def call(self, method, message, **headers):
        headers = {"Content_Type": "application/json", "Connect_Protocol_Version": "1", **headers}
        return self.ask(ENVD, "POST", "/" + method, json.dumps(message), **headers)

    def stream(self, method, message, **headers):
        headers = {"Content_Type": "application/connect+json", "Connect_Protocol_Version": "1", **headers}
        return self.ask(ENVD, "POST", "/" + method, envelope(message), **headers)

    def run(self, *argv, stdin=False, **headers):
        message = {"process": {"cmd": argv[0], "args": list(argv[1:])}, "stdin": stdin}
        return self.stream("process.Process/Start", message, **headers)

    def put(self, path, content, **headers):
        headers = {"Content_Type": "application/octet-stream", **headers}
        return self.ask(ENVD, "POST", "/files?" + urllib.parse.urlencode({"path": path}), content, **headers)

    def get(self, path, **headers):
        return self.ask(ENVD, "GET", "/files?" + urllib.parse.urlencode({"path": path}), **headers)


def raw_envelope(flags, body):
    return struct.pack(">BI", flags, len(body)) + body
