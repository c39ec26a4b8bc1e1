# SPDX-License-Identifier: Apache-2.0
"""TCP: who may ask."""

import os
import re
import subprocess

from daemon import GLOVEBOX, PATIENCE, TOKEN, Daemon, free_port
from procs import wait_for

THIRD = "a-third-token-of-the-tests-55555"
OTHER = "another-token-of-the-tests-98765"


def serve(*options):
    """What it says when it does not start."""
    p = subprocess.run([GLOVEBOX, "serve", "--config", os.path.join(os.path.dirname(os.path.abspath(__file__)), "empty.conf"), "--log", "off", *options],
                       capture_output=True, text=True, timeout=PATIENCE)
    return p.returncode, p.stderr


def test_start(tap, d):
    port = free_port()
    for address, words in (("0.0.0.0:%d" % port, "anyone who can reach it"),
                           (":%d" % port, "anyone who can reach it"),
                           ("127.0.0.1:%d" % port, "every user of this machine")):
        status, said = serve("--listen", address)
        tap.ok(status == 2 and words in said and said.count("\n") == 1,
               "no %s without a token" % address, status, said)
    os.chmod(d.tokens, 0o644)
    status, said = serve("--listen", "127.0.0.1:%d" % port, "--token-file", d.tokens)
    tap.ok(status == 2 and "chmod 600" in said, "nor with tokens that others can read", said)
    os.chmod(d.tokens, 0o600)
    for text, words in (("short\n", "at least 16"), ("# nothing\n", "no token"),
                        ("a b c d e f g h i j k\n", "no blanks")):
        path = os.path.join(d.folder, "bad")
        d.write(path, text)
        os.chmod(path, 0o600)
        status, said = serve("--listen", "127.0.0.1:%d" % port, "--token-file", path)
        tap.ok(status == 2 and words in said and text.strip() not in said,
               "a token file with %r" % text, said)
    for address in ("example.com:80", "127.0.0.1", "127.0.0.1:99999", "unix:"):
        status, said = serve("--listen", address)
        tap.ok(status == 2 and "--listen" in said, "--listen " + address, said)


def test_tcp(tap, d):
    tap.equal(d.get("/v1/runs", tcp=True).status, 200, "with a token")
    for name, headers in (("none", {"Authorization": ""}), ("wrong", {"Authorization": "Bearer " + OTHER}),
                          ("cut", {"Authorization": "Bearer " + TOKEN[:-1]}),
                          ("another scheme", {"Authorization": "Basic " + TOKEN})):
        r = d.get("/v1/runs", tcp=True, headers=headers)
        tap.ok(r.status == 401 and "WWW-Authenticate" in r.headers, "token: " + name, r)
    tap.equal(d.get("/nothing", tcp=True, headers={"Authorization": ""}).status, 401,
              "a stranger does not learn what there is")
    tap.equal(d.get("/healthz", tcp=True, headers={"Authorization": ""}).status, 200,
              "healthz is for everybody")
    tap.equal(d.get("/v1/runs", tcp=True, headers={"Host": "evil.example"}).status, 421,
              "a page that calls us by its own name")
    tap.equal(d.get("/v1/runs", tcp=True, headers={"Host": "box.example:1"}).status, 200,
              "a name that we were given")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for name, more, status in (("a token", {}, 200), ("none", {"Authorization": ""}, 401),
                               ("an origin", {"Origin": "http://127.0.0.1"}, 403), ("origin null", {"Origin": "null"}, 403)):
        r = d.post("/v1/run", b'{"code": "print(1)"}', tcp=True, headers=dict(form, **more))
        tap.equal(r.status, status, "JSON with the type of a form, with " + name, r)
    tap.equal(d.get("/v1/runs", tcp=True, headers={"Origin": "http://localhost"}).status, 403,
              "a page in a browser")


def test_owners(tap, d):
    alice, bob = ({"Authorization": "Bearer " + t} for t in (TOKEN, OTHER))
    s = d.post("/v1/sessions", {}, tcp=True, headers=alice)
    tap.equal(s.status, 201, "Alice opens a session", s)
    path = "/v1/sessions/" + s.json["id"]
    tap.equal(d.get(path, tcp=True, headers=bob).status, 404, "Bob does not see it")
    tap.equal(d.get("/v1/sessions", tcp=True, headers=bob).json, {"sessions": []}, "nor in a list")
    tap.equal(d.post(path + "/exec", {"code": "1"}, tcp=True, headers=bob).status, 404, "nor uses it")
    tap.equal(len(d.get("/v1/sessions").json["sessions"]), 1, "the host's own socket shows all")
    tap.equal(d.get("/v1/runs", tcp=True, headers=bob).status, 403, "the log is of all")
    fork = d.post(path + "/fork", {})
    if fork.status == 201:
        fork = "/v1/sessions/" + fork.json["id"]
        tap.equal([d.get(fork, tcp=True, headers=h).status for h in (alice, bob)], [200, 404],
                  "what the host forks of Alice's is Alice's")
        d.call("DELETE", fork)
    tap.equal(d.call("DELETE", path, tcp=True, headers=alice).status, 200, "Alice ends it")


def test_port(tap):
    with Daemon(tcp=True) as d:
        d.process.terminate()
        d.ended()
        d.command[d.command.index("127.0.0.1:%d" % d.port)] = "127.0.0.1:0"
        d.start()
        said = wait_for(lambda: re.search(r"listening on 127\.0\.0\.1:(\d+)", d.words()))
        d.port = int(said.group(1)) if said else 0
        tap.ok(d.port and d.get("/healthz", tcp=True).status == 200, "which port it was given is said", d.words())


def test_nameless(tap, d):
    """A token without a name is not the host's own."""
    one, other, named = ({"Authorization": "Bearer " + t} for t in (TOKEN, OTHER, THIRD))
    hosts = "/v1/sessions/" + d.post("/v1/sessions", {}).json["id"]
    theirs = "/v1/sessions/" + d.post("/v1/sessions", {}, tcp=True, headers=one).json["id"]
    for who, headers, seen in (("a token without a name", one, [404, 200]), ("another one", other, [404, 200]),
                               ("one with a name", named, [404, 404])):
        got = [d.get(s, tcp=True, headers=headers).status for s in (hosts, theirs)]
        tap.equal(got, seen, "what %s sees" % who)
        n = len(d.get("/v1/sessions", tcp=True, headers=headers).json["sessions"])
        tap.equal(n, seen.count(200), "and in the list")
    tap.equal([d.get(s).status for s in (hosts, theirs)], [200, 200], "the socket sees all")
    for s in (hosts, theirs):
        d.call("DELETE", s)


def test(tap):
    with Daemon("--host-name", "box.example", tcp=True) as d:
        test_start(tap, d)
        test_tcp(tap, d)
    with Daemon(tcp=True, tokens="alice %s\nbob %s # no comment here" % (TOKEN, OTHER)) as d:
        tap.ok(d.ended(5) == 2, "a comment behind a token is none", d.words())
    with Daemon(tcp=True, tokens="# who\nalice %s\n\nbob  %s" % (TOKEN, OTHER)) as d:
        test_owners(tap, d)
    with Daemon(tcp=True, tokens="%s\n%s\ncarol\t%s" % (TOKEN, OTHER, THIRD)) as d:
        test_nameless(tap, d)
    test_port(tap)
