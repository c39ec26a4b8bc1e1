# SPDX-License-Identifier: Apache-2.0
"""Times requests to a daemon on a Unix socket, one after the other on one connection: requests.py SOCKET COUNT."""
import json
import socket
import sys
import time

path, count = sys.argv[1], int(sys.argv[2])
body = json.dumps({"code": "print(1)"}).encode()
request = (b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)) + body
client = socket.socket(socket.AF_UNIX)
client.connect(path)
stream = client.makefile("rb")


def ask():
    client.sendall(request)
    if b" 200 " not in stream.readline():
        raise SystemExit("the daemon refused")
    length = 0
    for line in iter(stream.readline, b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if b'"success":true' not in stream.read(length):
        raise SystemExit("a run failed")


for _ in range(20):  # what is asked for becomes warm
    ask()
    time.sleep(0.05)
times = []
for _ in range(count):
    start = time.perf_counter()
    ask()
    times.append(time.perf_counter() - start)
times.sort()
print("  through the daemon's socket, one at a time: p50 %.3f ms, p99 %.3f ms, %.0f runs/s" % (
    times[count // 2] * 1e3, times[count * 99 // 100] * 1e3, count / sum(times)))
