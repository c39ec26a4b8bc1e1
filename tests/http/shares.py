# SPDX-License-Identifier: Apache-2.0
"""One token cannot take everything: sessions, the queue and the workers are shared by those that may ask."""

import threading

from daemon import TOKEN, Daemon

OTHER = "another-token-of-the-tests-98765"
THIRD = "a-third-token-of-the-tests-55555"
NAMES = "alice %s\nbob %s\nmetrics %s" % (TOKEN, OTHER, THIRD)


def auth(token):
    return {"Authorization": "Bearer " + token}


ALICE, BOB, WATCH = auth(TOKEN), auth(OTHER), auth(THIRD)


def open_until_refused(d, headers, most=20):
    """How many sessions could be opened, and the answer that ended it."""
    for count in range(most):
        answer = d.post("/v1/sessions", {"language": "bash"}, tcp=True, headers=headers)
        if answer.status != 201:
            return count, answer
    return most, None


def test_sessions(tap):
    with Daemon("--sessions", "8", tcp=True, tokens=NAMES) as d:
        count, answer = open_until_refused(d, ALICE)
        tap.ok(2 <= count <= 4, "one token opens at most half of the sessions", count)
        tap.ok(answer and answer.status == 429 and "share" in answer.message and answer.headers["Retry-After"],
               "and is told that this is its share", answer)
        count, answer = open_until_refused(d, BOB)
        tap.ok(count >= 2, "another token has its own share", count, answer)
        tap.equal(d.post("/v1/sessions", {"language": "bash"}).status, 201, "and so has the host's own user")
        mine = d.get("/v1/sessions", tcp=True, headers=ALICE).json["sessions"]
        fork = d.post("/v1/sessions/%s/fork" % mine[0]["id"], {})
        tap.equal(fork.status, 429, "a fork counts for the owner of its origin, whoever asks for it", fork)
        d.call("DELETE", "/v1/sessions/" + mine[0]["id"], tcp=True, headers=ALICE)
        count = len(d.get("/v1/sessions").json["sessions"])
        tap.ok(count < 8, "a closed session makes room", count)
    with Daemon("--sessions", "3") as d:
        opened = [d.post("/v1/sessions", {"language": "bash"}).status for _ in range(4)]
        tap.equal(opened, [201, 201, 201, 429], "an owner that is alone may have all")


def test_workers(tap):
    """Programs that sleep hold workers. Two tokens and the socket share six."""
    with Daemon("--workers", "6", "--queue", "12", tcp=True, tokens="alice %s\nbob %s" % (TOKEN, OTHER)) as d:
        sleeping = [d.begin("POST", "/v1/run", {"code": "sleep 20", "language": "bash"}, tcp=True, headers=ALICE)
                    for _ in range(9)]
        try:
            got = {}

            def ask():
                got["bob"] = d.post("/v1/run", {"code": "echo bob", "language": "bash", "deadline_ms": 15000},
                                    tcp=True, headers=BOB)
            asking = threading.Thread(target=ask)
            asking.start()
            asking.join(18)
            answer = got.get("bob")
            tap.ok(answer and answer.status == 200 and answer.json["stdout"] == "bob\n",
                   "a run does not wait for another token's sleepers", answer)
            more = []
            for _ in range(12):
                more.append(d.begin("POST", "/v1/run", {"code": "sleep 20", "language": "bash"}, tcp=True,
                                    headers=ALICE))
            sleeping += more
            refused = more[-1].getresponse()
            tap.ok(refused.status == 429 and b"share" in refused.read(), "one token does not fill the queue",
                   refused.status)
            answer = d.post("/v1/run", {"code": "echo again", "language": "bash", "deadline_ms": 15000}, tcp=True,
                            headers=BOB)
            tap.equal(answer.status, 200, "and another token's run is still taken", answer)
        finally:
            for c in sleeping:
                c.close()


def test_metrics(tap):
    with Daemon(tcp=True, tokens=NAMES) as d:
        d.post("/v1/run", {"code": "print(1)"}, tcp=True, headers=ALICE)
        tap.equal(d.get("/metrics", tcp=True, headers=BOB).status, 403, "metrics are of all, and not for each token")
        tap.equal([d.get("/metrics", tcp=True, headers=WATCH).status, d.get("/metrics").status], [200, 200],
                  "they are for the token 'metrics' and for the socket")
    with Daemon(tcp=True) as d:
        tap.equal(d.get("/metrics", tcp=True).status, 200, "and for the only token")


def test(tap):
    test_sessions(tap)
    test_workers(tap)
    test_metrics(tap)
