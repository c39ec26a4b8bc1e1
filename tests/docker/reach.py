# SPDX-License-Identifier: Apache-2.0
"""Engines elsewhere: behind TLS, behind ssh, and in Docker's contexts. The engine is made up; ssh is a script that relays
as `docker system dial-stdio` does, or fails with the words of the real one."""

import contextlib
import hashlib
import json
import os
import socket
import ssl
import stat
import subprocess
import tempfile
import threading

import program
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
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder}), ("ca.pem", "DOCKER_CERT_PATH"), "no ca.pem")
    os.mkdir(folder + "/bare")
    os.symlink(folder + "/a/ca.pem", folder + "/bare/ca.pem")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/bare"}), ("certificate in cert.pem",), "no certificate of the client")
    os.symlink(certs + "/cert.pem", folder + "/bare/cert.pem")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/bare"}), ("key.pem",), "a certificate without a key")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": ""}), ("ca.pem",), "no folder of certificates")
    os.symlink("/etc/hostname", folder + "/bare/key.pem")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/bare"}), ("private key",), "a key that is none")
    make_certificate(folder + "/other", folder + "/stranger", "DNS:localhost")
    os.unlink(folder + "/stranger/ca.pem")
    os.symlink(folder + "/a/ca.pem", folder + "/stranger/ca.pem")
    fails(tap, run(folder, **{**with_tls, "DOCKER_CERT_PATH": folder + "/stranger"}), ("certificate in cert.pem",),
          "a certificate of another authority")
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
        client = server.accept()[0]
        client.recv(100)
        client.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request")
        client.close()


def test_untrusted(tap, folder):
    """What is wrong with the engine's certificate."""
    make_authority(folder + "/a")
    make_authority(folder + "/other")
    cases = {
        "expired": (folder + "/a", "DNS:localhost,IP:127.0.0.1", -1, "has expired"),
        "of another name": (folder + "/a", "DNS:elsewhere.test", 2, "another name"),
        "of another authority": (folder + "/other", "DNS:localhost,IP:127.0.0.1", 2, "is not trusted"),
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
    fails(tap, run(folder, **variables), ("does not speak TLS",), "an engine without TLS")
    plain.shutdown(socket.SHUT_RDWR)
    plain.close()
    fails(tap, run(folder, **variables), ("no container engine runs at",), "no engine at that port")
    wants = {("GET", "/version"): (400, b"Client sent an HTTP request to an HTTPS server.\n")}
    pretender = Pretender(folder, honest, wants, address="127.0.0.1")
    fails(tap, run(folder, DOCKER_HOST=pretender.host), ("needs TLS", "DOCKER_TLS_VERIFY"), "an engine that needs TLS")
    pretender.close()
    pretender = Pretender(folder, honest, {("GET", "/version"): (404, b"")}, address="127.0.0.1")
    fails(tap, run(folder, DOCKER_HOST=pretender.host), (pretender.host, "status 404"), "a server that is no engine, without a word")
    pretender.close()
    fails(tap, run(folder, DOCKER_HOST="tcp://%s:2375" % ("x" * 64)), ("has no address", "DOCKER_HOST"), "a name without an address")


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
    tap.ok(asked and status == 125 and "engine.test" in words and "not resolved" in words and len(words.splitlines()) == 1,
           "a resolver that is silent", status, words)
    tap.ok(4 < seconds < 12, "is waited for as long as a connection", seconds)


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
    tap.equal(argv, ["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-l", "me", "-p", "2222", "--", "far.test", "docker",
                     "system", "dial-stdio"], "the words that ssh gets")
    tap.ok("SECRET" not in names and "HOME" in names, "and its variables", names)
    pretender.started.clear()
    works(tap, run(folder, PATH=path, DOCKER_HOST="ssh://far.test/run/user/1000/docker.sock"), "a socket there")
    with open(folder + "/bin/said") as f:
        argv = json.load(f)[0]
    tap.equal(argv[-6:], ["far.test", "docker", "--host", "unix:///run/user/1000/docker.sock", "system", "dial-stdio"],
              "is named to the command there")
    said = {
        "Host key verification failed.\r\n": "host key",
        "me@far.test: Permission denied (publickey).\r\n": "no permission at ssh://far.test",
        "bash: line 1: docker: command not found\n": "no command docker",
        "ssh: Could not resolve hostname far.test: Name or service not known\r\n": "Could not resolve",
        "ssh: connect to host far.test port 22: Connection refused\r\n": "no container engine runs at",
        "permission denied while trying to connect to the docker API at unix:///var/run/docker.sock\n": "group docker",
        "motd\n\x1b[2Jodd\n\n": "odd",
    }
    for words, expected in said.items():
        with open(folder + "/bin/words", "w") as f:
            f.write(words)
        done = run(folder, PATH=path, DOCKER_HOST="ssh://far.test")
        fails(tap, done, (expected, "far.test"), "ssh says %r" % words)
        tap.ok(b"\x1b" not in done.stderr, "and nothing moves the cursor")
    pretender.close()
    fails(tap, run(folder, PATH="/nowhere", DOCKER_HOST="ssh://far.test"), ("needs the program ssh",), "no ssh")
    for odd in ("ssh://-oProxyCommand=x", "ssh://-l@host", "ssh://a b", "ssh://", "ssh://u:secret@host", "ssh://host/$(id)",
                "ssh://host:0", "ssh://host:22x", "ssh://[::1", "tcp://a@b:1", "tcp://-x:1", "tcp://:1", "tcp://a:b:c"):
        done = run(folder, PATH=path, DOCKER_HOST=odd)
        fails(tap, done, ("write " + odd[:6],), "'%s' is refused" % odd)


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
    fails(tap, run(folder, DOCKER_CONTEXT="absent"), ("no Docker context 'absent'", "DOCKER_CONTEXT"), "a context that is missing")
    pretender.close()

    make_authority(folder + "/a")
    make_certificate(folder + "/a", certs, "DNS:localhost,IP:127.0.0.1")
    pretender = Pretender(folder, honest, address="127.0.0.1", tls=context(certs))
    tls = add_context(home, "tls", pretender.host)
    os.makedirs(os.path.dirname(tls))
    os.symlink(certs, tls)
    works(tap, run(folder, DOCKER_CONTEXT="tls"), "a context with TLS")
    add_context(home, "tls", pretender.host, SkipTLSVerify=True)
    fails(tap, run(folder, DOCKER_CONTEXT="tls"), ("skips the check", "ca.pem"), "a context that does not verify")
    pretender.close()

    add_context(home, "odd", "npipe:////./pipe/docker")
    fails(tap, run(folder, DOCKER_CONTEXT="odd"), ("Docker context 'odd'", "npipe"), "a place of another system")
    with open(home + "/.docker/config.json", "w") as f:
        f.write('{"currentContext": ')
    fails(tap, run(folder), ("config.json:1",), "a configuration that is no JSON")
    with open(home + "/.docker/config.json", "w") as f:
        f.write("[]")
    fails(tap, run(folder, XDG_RUNTIME_DIR=folder), ("docker.sock",), "one without a context")


def test(tap):
    for name in ("tls", "untrusted", "silent_names", "ssh", "contexts"):
        with tempfile.TemporaryDirectory() as folder:
            globals()["test_" + name](tap, folder)
