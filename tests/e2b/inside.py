# SPDX-License-Identifier: Apache-2.0
"""A sandbox of the stand-in: inside.py FOLDER LISTENER. Envd is the first process of
namespaces of its own. The descriptor LISTENER takes connections, each with a port as its first line."""

import os
import signal
import socket
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import filesystem  # noqa: E402
import place  # noqa: E402
import processes  # noqa: E402
import rpc  # noqa: E402
from wire import Refused, Talk, read_head, refused  # noqa: E402

ENVD = 49983
PYTHON = "/usr/bin/python3"  # neither below /home nor /root: these are a sandbox's own
UNAUTHORIZED = "unauthorized access, please provide a valid access token or method signing if supported"
OPEN = {("GET", "/health"), ("GET", "/files"), ("POST", "/files"), ("POST", "/init")}
PIP = r"""#!/bin/sh
# Installs empty modules, and knows no package whose name begins with "no-such". One that begins with "slow" takes longer
# than a program may take to say something.
[ "$1" = install ] || exit 2
shift
say=echo
mkdir -p /home/user/.local/standin
for name in "$@"; do
    case $name in
    --quiet) say=: ; continue ;;
    -*) continue ;;
    slow*) sleep 17 ;;
    no-such*) echo "ERROR: No matching distribution found for $name" >&2; exit 1 ;;
    *[!A-Za-z0-9._=\<\>~-]*) echo "ERROR: Invalid requirement: '$name'" >&2; exit 1 ;;
    esac
    module=$(printf %s "${name%%[=<>~]*}" | tr - _)
    echo "version = '$name'" >"/home/user/.local/standin/$module.py"
    $say "Successfully installed $name"
done
"""
PYTHON_START = r"""#!/bin/sh
if [ "$1" = -m ] && [ "$2" = pip ]; then shift 2; exec %s/pip "$@"; fi
PYTHONPATH=/home/user/.local/standin${PYTHONPATH:+:$PYTHONPATH} exec %s "$@"
""" % (place.TOOLS, PYTHON)


class Sandbox:
    def __init__(self):
        self.token, self.user_envs = None, {}
        self.processes = processes.Processes(lambda: self.user_envs)
        p, f = self.processes, filesystem
        self.streams = {"/process.Process/Start": p.start, "/process.Process/Connect": p.connect}
        self.calls = {"/process.Process/List": p.list, "/process.Process/SendInput": p.send_input,
                      "/process.Process/CloseStdin": p.close_stdin, "/process.Process/SendSignal": p.send_signal,
                      "/process.Process/Update": p.update, "/filesystem.Filesystem/Stat": f.stat_call,
                      "/filesystem.Filesystem/ListDir": f.list_call, "/filesystem.Filesystem/MakeDir": f.make_dir_call,
                      "/filesystem.Filesystem/Move": f.move_call, "/filesystem.Filesystem/Remove": f.remove_call}

    def envs_for(self, token):
        if self.token and token != self.token:
            return {"code": 401, "message": UNAUTHORIZED}
        return {"E2B_SANDBOX": "true", **self.user_envs}

    def serve(self, talk):
        try:
            self.envd(talk, talk.head.method, talk.head.path)
        except Refused as refusal:
            if not talk.begun:
                talk.answer(refusal.status, refusal.body, refusal.kind)

    def envd(self, talk, method, path):
        self.check_token(talk, method, path)
        if method != "POST" and (path in self.streams or path in self.calls):
            raise Refused(405, b"", "text/plain")
        if path in self.streams:
            rpc.streamed(talk, self.streams[path])
        elif path in self.calls:
            rpc.unary(talk, self.calls[path])
        elif path == "/files" and method in ("GET", "POST"):
            self.check_signature(talk)
            (filesystem.get_file if method == "GET" else filesystem.post_files)(talk)
        elif (method, path) == ("GET", "/envs"):
            talk.answer(200, self.envs_for(talk.head.get("x-access-token")))
        elif (method, path) == ("GET", "/health"):
            talk.answer(204)
        elif (method, path) == ("POST", "/init"):
            self.init(talk)
        else:
            raise Refused(404, "404 page not found\n", "text/plain; charset=utf-8")

    def check_token(self, talk, method, path):
        given = talk.head.get("x-access-token")
        if self.token and given != self.token and (method, path) not in OPEN:
            raise refused(401, UNAUTHORIZED)

    def check_signature(self, talk):
        given = talk.head.get("x-access-token")
        if self.token and given is not None and given != self.token:
            raise refused(401, "access token present in header but does not match")
        if self.token and given is None:
            raise refused(401, "missing signature query parameter")

    def init(self, talk):
        body = talk.json()
        self.token, self.user_envs = body.get("accessToken"), body.get("envVars") or {}
        if "freeze" in body:
            freeze(body["freeze"])
        talk.answer(204)


def freeze(wanted):
    """The first process of a namespace reaches all others with one call."""
    try:
        os.kill(-1, signal.SIGSTOP if wanted else signal.SIGCONT)
    except ProcessLookupError:
        pass


def relay(one, port):
    """Another port of the sandbox: what its own processes serve."""
    try:
        other = socket.create_connection(("127.0.0.1", port), 5)
    except OSError:
        one.sendall(b"closed\n")
        return
    one.sendall(b"open\n")

    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    back = threading.Thread(target=pump, args=(other, one), daemon=True)
    back.start()
    pump(one, other)
    back.join()


def take(sandbox, connection):
    with connection:
        try:
            stream = connection.makefile("rb")
            port = int(stream.readline(16))
            if port != ENVD:
                return relay(connection, port)
            connection.sendall(b"open\n")
            head = read_head(stream)
            if head:
                sandbox.serve(Talk(connection, stream, head))
        except (OSError, ValueError) as error:
            if not isinstance(error, BrokenPipeError):
                print("standin: %r" % error, file=sys.stderr)


def end_with_stdin():
    """Its other end is the stand-in's, whatever becomes of that."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def main(folder, listener, kind=""):
    place.move_in(folder, {"pip": PIP, "pip3": PIP, "python3": PYTHON_START, "python": PYTHON_START}, kind == "plain")
    threading.Thread(target=end_with_stdin, daemon=True).start()
    sandbox, listening = Sandbox(), socket.socket(fileno=int(listener))
    while True:
        connection = listening.accept()[0]
        threading.Thread(target=take, args=(sandbox, connection), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
