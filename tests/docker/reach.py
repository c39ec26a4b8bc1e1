# SPDX-License-Identifier: Apache-2.0
"""Engines elsewhere: behind TLS, behind ssh, and in Docker's contexts, through the command docker. The engine is made up;
ssh is a script that relays as `docker system dial-stdio` does, or fails with the words of the real one."""

import contextlib
import hashlib
import json
import os
import shutil
import socket
import ssl
import stat
import subprocess
import tempfile
import threading

import program
from procs import wait_for
from pretence import honest
from pretender import DONE, OUT, TREE, Pretender, frame, lay_end

SSH = """#!/usr/bin/python3
import json, os, select, socket, sys
here = os.path.dirname(os.path.abspath(__file__))
json.dump([sys.argv[1:], sorted(os.environ)], open(here + "/said", "w"))
if os.path.exists(here + "/words"):
    sys.exit(sys.stderr.write(open(here + "/words").read()) and 255)
s = socket.socket(socket.AF_UNIX)
s.connect(here + "/../pretender.sock")
while True:
    for ready in select.select([0, s], [], [])[0]:
        data = os.read(ready if ready == 0 else s.fileno(), 65536)
        if not data:
            sys.exit(0)
        s.sendall(data) if ready == 0 else os.write(1, data)
"""


# ---- certificates ----

def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def make_authority(folder):
    os.makedirs(folder, exist_ok=True)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=authority", "-keyout",
            folder + "/authority.key", "-out", folder + "/ca.pem")


def make_certificate(authority, folder, names, days=2):
    """cert.pem and key.pem in the folder, beside the authority's ca.pem."""
    os.makedirs(folder, exist_ok=True)
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=one", "-keyout", folder + "/key.pem", "-out",
            folder + "/request.pem")
    with open(folder + "/names", "w") as f:
        f.write("subjectAltName=" + names)
    openssl("x509", "-req", "-in", folder + "/request.pem", "-CA", authority + "/ca.pem", "-CAkey", authority + "/authority.key",
            "-CAcreateserial", "-days", str(days), "-extfile", folder + "/names", "-out", folder + "/cert.pem")
    if not os.path.exists(folder + "/ca.pem"):
        os.symlink(authority + "/ca.pem", folder + "/ca.pem")


def context(folder, wants_client=True):
    """What an engine with these certificates serves with; a client needs a certificate of the same authority."""
    got = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    got.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    if wants_client:
        got.load_verify_locations(folder + "/ca.pem")
        got.verify_mode = ssl.CERT_REQUIRED
    return got


# ---- runs ----

def run(folder, *words, **variables):
    env = {k: v for k, v in os.environ.items() if not k.startswith("DOCKER_")}
    env.update({"HOME": folder + "/home", **variables})
    return subprocess.run(program.command("-c", "1", *words), stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=env)


def works(tap, done, name):
    tap.equal((done.returncode, done.stdout, done.stderr), (0, b"done", b""), name, program.said(done))


def fails(tap, done, words, name):
    text = done.stderr.decode()
    tap.ok(done.returncode in (2, 125) and len(text.splitlines()) == 1 and all(w in text for w in words), name, program.said(done))


# ---- TLS ----

def no_certificate(tap, done, name):
    """The engine's refusal and the end of its connection race: the command reports the one that it sees first."""
    seen = [w for w in ("certificate required", "connection reset by peer", "broken pipe") if w in done.stderr.decode()]
    fails(tap, done, seen or ("certificate required",), name)


def test_tls(tap, folder):
    make_authority(folder + "/a")
    make_authority(folder + "/other")
    certs = folder + "/certs"
    make_certificate(folder + "/a", certs, "DNS:localhost,IP:127.0.0.1")
    pretender = Pretender(folder, honest, address="127.0.0.1", tls=context(certs))
    with_tls = dict(DOCKER_HOST=pretender.host, DOCKER_TLS_VERIFY="1", DOCKER_CERT_PATH=certs)
    works(tap, run(folder, **with_tls), "an engine behind TLS, with a certificate of the client")
    pretender.started.clear()
    os.makedirs(folder + "/home")
    os.symlink(certs, folder + "/home/.docker")
    works(tap, run(folder, DOCKER_HOST="tcp://localhost:%d" % pretender.port, DOCKER_TLS_VERIFY="1"),
          "certificates in ~/.docker, and a name")
    os.unlink(folder + "/home/.docker")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder}), ("ca.pem",), "no ca.pem")
    os.mkdir(folder + "/bare")
    os.symlink(folder + "/a/ca.pem", folder + "/bare/ca.pem")
    no_certificate(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/bare"}), "no certificate of the client")
    os.symlink(certs + "/cert.pem", folder + "/bare/cert.pem")
    no_certificate(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/bare"}), "a certificate without a key")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": ""}), ("ca.pem",), "no folder of certificates")
    os.symlink("/etc/hostname", folder + "/bare/key.pem")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/bare"}), ("private key",), "a key that is none")
    make_certificate(folder + "/other", folder + "/stranger", "DNS:localhost")
    os.unlink(folder + "/stranger/ca.pem")
    os.symlink(folder + "/a/ca.pem", folder + "/stranger/ca.pem")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/stranger"}), ("unknown certificate authority",),
          "a certificate of another authority")
    other = {**with_tls, "DOCKER_TLS": "1", "DOCKER_TLS_VERIFY": "", "DOCKER_CERT_PATH": folder + "/mistaken"}
    make_certificate(folder + "/a", folder + "/mistaken", "DNS:localhost")
    os.unlink(folder + "/mistaken/ca.pem")
    os.symlink(folder + "/other/ca.pem", folder + "/mistaken/ca.pem")
    for unset in ({}, {"DOCKER_TLS_VERIFY": None}):
        variables = {k: v for k, v in {**other, **unset}.items() if v is not None}
        fails(tap, run(folder, **variables), ("unknown authority",), "DOCKER_TLS alone verifies, too")
    test_large(tap, folder, with_tls, pretender)
    pretender.close()


def test_large(tap, folder, with_tls, pretender):
    """Several megabytes in each direction, which fill every buffer between."""
    def speak(talk):
        talk.begin()
        talk.say(*[frame(OUT, b"x" * 32768)] * 100)
        talk.end()
        talk.files(frame(TREE, lay_end(0)), frame(DONE, bytes(12)))
        talk.stream.read(1)

    pretender.started.clear()
    pretender.speak = speak
    with open(folder + "/large", "wb") as f:
        f.write(os.urandom(5 << 20))
    done = run(folder, "--file", folder + "/large", **with_tls)
    tap.equal((done.returncode, done.stdout), (0, b"x" * 3276800), "megabytes in both directions", done.stderr)


def answer_plainly(server):
    """As an engine without TLS answers a greeting of TLS."""
    with contextlib.suppress(OSError):
        while True:
            client = server.accept()[0]
            client.recv(100)
            client.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request")
            client.close()


def test_untrusted(tap, folder):
    """What is wrong with the engine's certificate."""
    make_authority(folder + "/a")
    make_authority(folder + "/other")
    cases = {
        "expired": (folder + "/a", "DNS:localhost,IP:127.0.0.1", -1, "expired"),
        "of another name": (folder + "/a", "DNS:elsewhere.test", 2, "cannot validate certificate"),
        "of another authority": (folder + "/other", "DNS:localhost,IP:127.0.0.1", 2, "unknown authority"),
    }
    client = folder + "/client"
    make_certificate(folder + "/a", client, "DNS:client")
    for name, (authority, names, days, words) in cases.items():
        make_certificate(authority, folder + "/" + name, names, days)
        pretender = Pretender(folder, honest, address="127.0.0.1", tls=context(folder + "/" + name, False))
        done = run(folder, DOCKER_HOST=pretender.host, DOCKER_TLS_VERIFY="1", DOCKER_CERT_PATH=client)
        fails(tap, done, (words, pretender.host), "a certificate %s" % name)
        tap.equal(pretender.asked, [], "and nothing is asked")
        pretender.close()
    plain = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=answer_plainly, args=(plain,), daemon=True).start()
    variables = dict(DOCKER_HOST="tcp://127.0.0.1:%d" % plain.getsockname()[1], DOCKER_TLS_VERIFY="1", DOCKER_CERT_PATH=client)
    fails(tap, run(folder, **variables), ("does not look like a TLS handshake",), "an engine without TLS")
    plain.shutdown(socket.SHUT_RDWR)
    plain.close()
    fails(tap, run(folder, **variables), ("connection refused",), "no engine at that port")
    wants = {("GET", "/version"): (400, b"Client sent an HTTP request to an HTTPS server.\n")}
    pretender = Pretender(folder, honest, wants, address="127.0.0.1")
    fails(tap, run(folder, DOCKER_HOST=pretender.host), ("needs TLS", "DOCKER_TLS_VERIFY"), "an engine that needs TLS")
    pretender.close()
    pretender = Pretender(folder, honest, {("GET", "/version"): (404, b"")}, address="127.0.0.1")
    fails(tap, run(folder, DOCKER_HOST=pretender.host), (pretender.host, "status 404"), "a server that is no engine, without a word")
    pretender.close()
    fails(tap, run(folder, DOCKER_HOST="tcp://%s:2375" % ("x" * 64)), ("no such host",), "a name without an address")


# ---- names ----

# In namespaces of its own: a name server that is silent, and a run that needs its answer.
SILENT = """
import fcntl, json, socket, struct, subprocess, sys, time
folder, command = sys.argv[1], json.loads(sys.argv[2])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 1))
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
with open(folder + "/resolv.conf", "w") as f:
    f.write("nameserver 127.0.0.1\\noptions timeout:20\\n")
subprocess.run(["mount", "--bind", folder + "/resolv.conf", "/etc/resolv.conf"], check=True)
begin = time.monotonic()
done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=50)
server.settimeout(5)
print(json.dumps([time.monotonic() - begin, done.returncode, done.stderr.decode(), len(server.recv(512)) > 0]))
"""


def test_silent_names(tap, folder):
    apart = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    if subprocess.run(apart + ["true"], capture_output=True).returncode:
        return tap.skip("a resolver that is silent", "needs user namespaces")
    env = {**os.environ, "HOME": folder, "DOCKER_HOST": "tcp://engine.test:2375"}
    done = subprocess.run(apart + ["python3", "-c", SILENT, folder, json.dumps(program.command("-c", "1"))], capture_output=True,
                          timeout=60, env=env, text=True)
    seconds, status, words, asked = json.loads(done.stdout) if done.stdout else (99, 0, done.stderr, False)
    tap.ok(asked and status == 125 and "engine.test" in words and "timeout" in words and len(words.splitlines()) == 1,
           "a resolver that is silent", status, words)
    tap.ok(4 < seconds < 20, "is waited for as long as for a first answer", seconds)


# ---- ssh ----

def test_ssh(tap, folder):
    os.mkdir(folder + "/bin")
    with open(folder + "/bin/ssh", "w") as f:
        f.write(SSH)
    os.chmod(folder + "/bin/ssh", stat.S_IRWXU)
    path = folder + "/bin:" + os.environ["PATH"]
    pretender = Pretender(folder, honest)
    works(tap, run(folder, PATH=path, SECRET="x", DOCKER_HOST="ssh://me@far.test:2222"), "an engine behind ssh")
    with open(folder + "/bin/said") as f:
        argv, names = json.load(f)
    tap.equal(argv[-9:], ["-l", "me", "-p", "2222", "--", "far.test", "docker", "system", "dial-stdio"], "the words that ssh gets")
    tap.ok("SECRET" not in names and {"HOME", "SSH_ASKPASS_REQUIRE"} <= set(names), "and its variables: it asks nothing", names)
    pretender.started.clear()
    works(tap, run(folder, PATH=path, DOCKER_HOST="ssh://far.test/run/user/1000/docker.sock"), "a socket there")
    with open(folder + "/bin/said") as f:
        argv = json.load(f)[0]
    tap.equal(argv[-6:], ["far.test", "docker", "--host", "unix:///run/user/1000/docker.sock", "system", "dial-stdio"],
              "is named to the command there")
    said = {
        "Host key verification failed.\r\n": "far.test: Host key",
        "me@far.test: Permission denied (publickey).\r\n": "far.test: me@far.test: Permission denied",
        "bash: line 1: docker: command not found\n": "docker: command not found",
        "ssh: Could not resolve hostname far.test: Name or service not known\r\n": "Could not resolve",
        "ssh: connect to host far.test port 22: Connection refused\r\n": "Connection refused",
        "permission denied while trying to connect to the docker API at unix:///var/run/docker.sock\n": "permission denied while",
        "motd\n\x1b[2Jodd\n\n": "odd",
    }
    for words, expected in said.items():
        with open(folder + "/bin/words", "w") as f:
            f.write(words)
        done = run(folder, PATH=path, DOCKER_HOST="ssh://far.test")
        fails(tap, done, (expected, "far.test"), "ssh says %r" % words)
        tap.ok(b"\x1b" not in done.stderr, "and nothing moves the cursor")
    pretender.close()
    fails(tap, run(folder, PATH="/nowhere", DOCKER_HOST="ssh://far.test"), ("needs the command docker", "podman"), "no command")
    for odd in ("ssh://a b", "ssh://", "ssh://u:secret@host", "ssh://host:22x", "ssh://[::1", "tcp://a:b:c"):
        fails(tap, run(folder, PATH=path, DOCKER_HOST=odd), (odd, "engine at"), "'%s' is refused" % odd)


# ---- contexts ----

def add_context(home, name, host, **more):
    of = hashlib.sha256(name.encode()).hexdigest()
    folder = "%s/.docker/contexts/meta/%s" % (home, of)
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/meta.json", "w") as f:
        json.dump({"Name": name, "Metadata": {}, "Endpoints": {"docker": {"Host": host, "SkipTLSVerify": False, **more}}}, f)
    return "%s/.docker/contexts/tls/%s/docker" % (home, of)


def choose(home, name):
    with open(home + "/.docker/config.json", "w") as f:
        json.dump({"auths": {}, "currentContext": name}, f)


def test_contexts(tap, folder):
    home, certs = folder + "/home", folder + "/certs"
    pretender = Pretender(folder, honest)
    add_context(home, "here", pretender.host)
    add_context(home, "nowhere", "unix:///nowhere.sock")
    works(tap, run(folder, DOCKER_CONTEXT="here"), "$DOCKER_CONTEXT")
    choose(home, "here")
    pretender.started.clear()
    works(tap, run(folder), "the current context")
    pretender.started.clear()
    works(tap, run(folder, DOCKER_CONFIG=home + "/.docker", HOME="/nowhere"), "in the folder of $DOCKER_CONFIG")
    fails(tap, run(folder, DOCKER_CONTEXT="nowhere"), ("nowhere.sock",), "$DOCKER_CONTEXT wins over the current one")
    choose(home, "nowhere")
    pretender.started.clear()
    works(tap, run(folder, DOCKER_HOST=pretender.host, DOCKER_CONTEXT="nowhere"), "DOCKER_HOST wins over both")
    fails(tap, run(folder, DOCKER_CONTEXT="default", XDG_RUNTIME_DIR=folder), ("docker.sock",), "the context 'default'")
    fails(tap, run(folder, DOCKER_CONTEXT="absent"), ("Docker context 'absent'", "not found"), "a context that is missing")
    pretender.close()

    make_authority(folder + "/a")
    make_certificate(folder + "/a", certs, "DNS:localhost,IP:127.0.0.1")
    pretender = Pretender(folder, honest, address="127.0.0.1", tls=context(certs))
    tls = add_context(home, "tls", pretender.host)
    os.makedirs(tls)
    for name in ("ca.pem", "cert.pem", "key.pem"):
        shutil.copy(os.path.join(certs, name), tls)
    works(tap, run(folder, DOCKER_CONTEXT="tls"), "a context with TLS")
    add_context(home, "tls", pretender.host, SkipTLSVerify=True)
    fails(tap, run(folder, DOCKER_CONTEXT="tls"), ("skips the check", "ca.pem"), "a context that does not verify")
    pretender.close()

    add_context(home, "odd", "npipe:////./pipe/docker")
    fails(tap, run(folder, DOCKER_CONTEXT="odd"), ("Docker context 'odd'", "npipe"), "a place of another system")
    with open(home + "/.docker/config.json", "w") as f:
        f.write('{"currentContext": ')
    fails(tap, run(folder, XDG_RUNTIME_DIR=folder), ("docker.sock",), "a configuration that is not JSON chooses none, as with docker itself")
    with open(home + "/.docker/config.json", "w") as f:
        f.write("[]")
    fails(tap, run(folder, XDG_RUNTIME_DIR=folder), ("docker.sock",), "one without a context")


# ---- without the command ----

def test_without(tap, folder):
    """A socket of this host needs no command, but for an image that is not there."""
    os.mkdir(folder + "/empty")
    pretender = Pretender(folder, honest)
    works(tap, run(folder, PATH=folder + "/empty", DOCKER_HOST=pretender.host), "a run with an image that is there")
    pretender.close()
    pretender = Pretender(folder, honest, {("GET", "/json"): (404, b"{}")})
    fails(tap, run(folder, "--image", "absent:1", PATH=folder + "/empty", DOCKER_HOST=pretender.host),
          ("no image absent:1", "needs the command docker"), "an image that is not there")
    with open(folder + "/Dockerfile", "w") as f:
        f.write("FROM x\n")
    fails(tap, run(folder, "--dockerfile", folder + "/Dockerfile", PATH=folder + "/empty", DOCKER_HOST=pretender.host),
          ("--dockerfile", "needs the command docker"), "a build")
    pretender.close()


# ---- the command ----

BUILD = """#!/bin/sh
echo "$DOCKER_BUILDKIT" > "%s/said"
exit 1
"""
STAYS = """#!/bin/sh
sh -c "trap '' TERM; echo \\$\\$ > %s/child; exec sleep 100" &
sleep 100
"""


def write_command(folder, text):
    os.makedirs(folder + "/bin", exist_ok=True)
    with open(folder + "/bin/docker", "w") as f:
        f.write(text % folder)
    os.chmod(folder + "/bin/docker", stat.S_IRWXU)
    return folder + "/bin:" + os.environ["PATH"]


def test_command(tap, folder):
    with open(folder + "/Dockerfile", "w") as f:
        f.write("FROM x\n")
    there, absent = (200, b'{"Id": "sha256:%s"}' % (b"a" * 64)), (404, b"{}")
    for words, images, wanted in ((["--pip", "x"], [there, absent], "0"), (["--dockerfile", folder + "/Dockerfile"], absent, "")):
        pretender = Pretender(folder, honest, {("GET", "/json"): images})
        done = run(folder, *words, PATH=write_command(folder, BUILD), DOCKER_HOST=pretender.host)
        with open(folder + "/said") as f:
            tap.equal(f.read(), wanted + "\n", f"the builder of {words[0]}", program.said(done))
        pretender.close()
    done = run(folder, PATH=write_command(folder, STAYS), DOCKER_CONTEXT="slow")
    tap.ok(done.returncode == 124 and b"was stopped" in done.stderr, "a command that does not end", program.said(done))
    with open(folder + "/child") as f:
        child = f.read().strip()
    tap.ok(wait_for(lambda: not os.path.exists(f"/proc/{child}") or " Z " in open(f"/proc/{child}/stat").read()), "... has no child that stays", child)


PODMAN = """#!/bin/sh
echo "$(basename "$0") $* $CONTAINER_HOST $CONTAINER_CONNECTION" > "%s/said"
exec docker -H unix://%s/pretender.sock system dial-stdio
"""


def test_podman(tap, folder):
    """Connections of Podman's, which docker does not know; and podman in place of docker."""
    pretender, path = Pretender(folder, honest), folder + "/bin:" + os.environ["PATH"]
    os.mkdir(folder + "/bin")
    with open(folder + "/bin/podman", "w") as f:
        f.write(PODMAN % (folder, folder))
    os.chmod(folder + "/bin/podman", stat.S_IRWXU)
    for variables, words in ((dict(CONTAINER_HOST="ssh://me@far.test/run/podman.sock"), "ssh://me@far.test/run/podman.sock "),
                             (dict(CONTAINER_CONNECTION="far"), " far")):
        pretender.started.clear()
        works(tap, run(folder, PATH=path, **variables), "with %s" % list(variables))
        with open(folder + "/said") as f:
            tap.equal(f.read().rstrip("\n"), "podman system dial-stdio " + words, "through podman")
    pretender.started.clear()
    works(tap, run(folder, CONTAINER_HOST=pretender.host), "a socket in CONTAINER_HOST")
    pretender.close()


def test(tap):
    if not shutil.which("docker"):
        return tap.skip("engines elsewhere", "needs the command docker (Debian: docker.io, docker-cli)")
    for name in ("tls", "untrusted", "silent_names", "ssh", "contexts", "without", "command", "podman"):
        with tempfile.TemporaryDirectory() as folder:
            globals()["test_" + name](tap, folder)
