# SPDX-License-Identifier: Apache-2.0
"""The start of `glovebox mcp` as a client waits for it, with a daemon and without one: until `initialize` is answered,
and until the first program has run."""

import json
import subprocess
import time

import common
from daemon import Daemon

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": "print(1)"}}}


def answered(server, message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()
    line = server.stdout.readline()
    answer = json.loads(line or "{}")
    if "result" not in answer or answer["result"].get("isError"):
        raise SystemExit("bench: glovebox mcp answered %r" % line)


def start(*options):
    """[(ms until the server has answered, ms until it has run a program)]"""
    begin = time.perf_counter()
    with subprocess.Popen([common.BOX, "mcp", "--quiet", *options], env=common.ENV, text=True, cwd=common.folder,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        answered(server, HELLO)
        hello = time.perf_counter()
        answered(server, CALL)
        ran = time.perf_counter()
    return [((hello - begin) * 1e3, (ran - begin) * 1e3)]


def mcp():
    with Daemon() as daemon:
        start("--daemon", "unix:" + daemon.socket)  # its jails of this kind are made at the first run
        samples = common.in_turns(common.ROUNDS, {
            "with a daemon": lambda: start("--daemon", "unix:" + daemon.socket),
            "without a daemon": lambda: start("--no-daemon", "--log", "off")})
    table = common.Table("The start of glovebox mcp, until a request is answered", "hello p50", "p99 ms", "run p50", "p99 ms")
    for name, both in samples.items():
        hello, ran = zip(*both)
        table.row(name, common.p50(hello), common.p99(hello), common.p50(ran), common.p99(ran))
