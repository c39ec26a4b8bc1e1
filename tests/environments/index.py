# SPDX-License-Identifier: Apache-2.0
"""An index of packages on loopback, with wheels that the tests make: good ones and hostile ones."""

import base64
import hashlib
import http.server
import io
import stat
import threading
import warnings
import zipfile


warnings.filterwarnings("ignore", "Duplicate name")


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


class Wheel:
    """A wheel in the making. `more` adds entries to the archive that RECORD does not have."""

    def __init__(self, name, version="1.0", files=None, requires=(), entry_points=None):
        self.name, self.version = name, version
        self.info = f"{name}-{version}.dist-info"
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        metadata += "".join(f"Requires-Dist: {r}\n" for r in requires)
        self.files = {f"{name}/__init__.py": f"NAME = {name!r}\nVERSION = {version!r}\n", **(files or {}),
                      f"{self.info}/METADATA": metadata,
                      f"{self.info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        if entry_points:
            self.files[f"{self.info}/entry_points.txt"] = entry_points
        self.file = f"{name}-{version}-py3-none-any.whl"

    def record(self):
        rows = [f"{name},{digest(text.encode())},{len(text.encode())}" for name, text in self.files.items()]
        return "\n".join([*rows, f"{self.info}/RECORD,,", ""])

    def bytes(self, more=(), record=None):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
            for name, text in self.files.items():
                z.writestr(zipfile.ZipInfo(name), text)
            for name, text, mode in more:
                info = zipfile.ZipInfo(name)
                info.external_attr = mode << 16
                z.writestr(info, text)
            if record != "":
                z.writestr(zipfile.ZipInfo(f"{self.info}/RECORD"), self.record() if record is None else record)
        return out.getvalue()


def link(target):
    return ("evil_link", target, stat.S_IFLNK | 0o777)


class Index:
    """Serves wheels by the simple API, and counts what was asked for."""

    def __init__(self):
        self.wheels, self.hashes, self.asked = {}, {}, []
        self.hold = None  # an event that downloads wait for
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                index.answer(self)

            def do_HEAD(self):
                index.answer(self, False)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # clients are killed in some tests
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/simple/"

    def add(self, wheel, content=None, sha256=None):
        self.wheels[wheel.file] = wheel.bytes() if content is None else content
        self.hashes[wheel.file] = sha256 or hashlib.sha256(self.wheels[wheel.file]).hexdigest()

    def page(self, project):
        names = [f for f in self.wheels if f.split("-")[0].replace("_", "-") == project]
        return "".join(f'<a href="/files/{f}#sha256={self.hashes[f]}">{f}</a>\n' for f in names)

    def answer(self, request, whole=True):
        if whole:
            self.asked.append(request.path)
        parts = request.path.strip("/").split("/")
        body, kind = None, "text/html"
        if parts[0] == "simple" and len(parts) == 2:
            body = self.page(parts[1]).encode() or None
        elif parts[0] == "files":
            if self.hold and whole:
                self.hold.wait(30)
            body, kind = self.wheels.get(parts[-1]), "application/octet-stream"
        request.send_response(200 if body is not None else 404)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body or b"")))
        request.end_headers()
        request.wfile.write(body or b"" if whole else b"")

    def downloads(self):
        return [p for p in self.asked if p.startswith("/files/")]

    def close(self):
        self.server.shutdown()
