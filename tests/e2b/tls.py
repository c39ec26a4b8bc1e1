# SPDX-License-Identifier: Apache-2.0
"""A service behind TLS, with a domain as the real one: each sandbox has a name of its own. Names that end in .localhost
are this machine's for every client, so no name server is asked."""

import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading

import product
from standin import Fault, Standin
from wire import accept_all, whole_answer

DOMAIN = "e2b.localhost"
SUBJECT = "subjectAltName=DNS:*.%s"


def openssl(*words, cwd):
    subprocess.run(["openssl", *words], cwd=cwd, check=True, capture_output=True)


def make_certificates(folder):
    """A certificate authority, and one certificate for our domain and one for another."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "ca.key",
            "-out", "ca.pem", "-days", "2", "-subj", "/CN=tests", cwd=folder)
    for name, domain in (("good", DOMAIN), ("other", "other.localhost")):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", name + ".key",
                "-out", name + ".csr", "-subj", "/CN=" + domain, cwd=folder)
        with open(os.path.join(folder, "ext"), "w") as f:
            f.write(SUBJECT % domain)
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                "2", "-extfile", "ext", "-out", name + ".pem", cwd=folder)


class Front:
    """Takes TLS off, and passes bytes on to the stand-in."""

    def __init__(self, folder, name, port):
        self.names, self.behind = [], port
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key"))
        self.context.set_alpn_protocols(["http/1.1"])
        self.context.sni_callback = lambda _, name, __: self.names.append(name)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=accept_all, args=(self.listener, self.serve), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def serve(self, client):
        try:
            client = self.context.wrap_socket(client, server_side=True)
            behind = socket.create_connection(("127.0.0.1", self.behind))
        except OSError:
            return client.close()
        back = threading.Thread(target=pump, args=(behind, client), daemon=True)
        back.start()
        pump(client, behind)
        back.join()
        client.close()
        behind.close()


def pump(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except (OSError, ValueError):
        pass


def run(standin, front, folder, authority, *words):
    own = ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
    env = {k: v for k, v in product.environment(standin).items() if not k.startswith("E2B_") and k not in own}
    env.update(E2B_API_KEY=standin.key, E2B_DOMAIN="%s:%d" % (DOMAIN, front.port))
    if authority:
        env["SSL_CERT_FILE"] = os.path.join(folder, "ca.pem")
    return subprocess.run(product.command("--retries", "0", *words), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, env=env)


def test_domain(tap, standin, folder):
    with Front(folder, "good", standin.port) as front:
        done = run(standin, front, folder, True, "-c", "print(6 * 7)")
        tap.equal(done.stdout, b"42\n", "a run", product.said(done))
        names = {"api." + DOMAIN, "49983-%s.%s" % (standin.control.made[-1].id, DOMAIN)}
        tap.equal(set(front.names), names, "a name for the service and for the port of the sandbox")


def test_distrust(tap, standin, folder):
    for certificate, authority, text in (("good", False, "an authority that nobody trusts"),
                                         ("other", True, "a certificate of another name")):
        del standin.requests[:]
        with Front(folder, certificate, standin.port) as front:
            done = run(standin, front, folder, authority, "-c", "print('ran')")
        tap.ok(done.returncode == 125 and b"no trusted TLS connection" in done.stderr and not standin.requests,
               text + ": nothing is sent", product.said(done))


def test_elsewhere(tap, standin, folder):
    """The service may name another domain for its sandboxes. TLS is asked of that as well, and the key stays away."""
    for certificate, status in (("other", 0), ("good", 125)):
        with Front(folder, "good", standin.port) as front, Front(folder, certificate, standin.port) as other:
            def named(request):
                status, body, _ = standin.control.answer(request.head, request.body)
                return whole_answer(status, {**body, "domain": "other.localhost:%d" % other.port})

            standin.faults[:] = [Fault("POST", "^/v2/sandboxes$", answer=named)]
            del standin.requests[:]
            done = run(standin, front, folder, True, "-c", "print(6 * 7)")
            standin.faults[:] = []
            there = [str(r.head.pairs) + str(r.body) for r in standin.requests if r.kind != "control"]
            tap.equal((done.returncode, {name.partition("-")[0] for name in other.names}, standin.living),
                      (status, {"49983"}, []), "sandboxes of another domain, with a certificate of %s" % certificate,
                      product.said(done))
            tap.ok(not any(standin.key in text for text in there) and bool(there) == (not status),
                   "and the key is not sent there", len(there))


def test(tap):
    if not shutil.which("openssl"):
        return tap.skip("a service behind TLS", "no file openssl")
    with tempfile.TemporaryDirectory() as folder, Standin() as standin:
        make_certificates(folder)
        test_domain(tap, standin, folder)
        test_distrust(tap, standin, folder)
        test_elsewhere(tap, standin, folder)
