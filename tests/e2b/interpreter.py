# SPDX-License-Identifier: Apache-2.0
"""The code interpreter: /execute and /contexts, with a kernel for each context."""

import datetime
import fcntl
import json
import os
import queue
import signal
import struct
import subprocess
import termios
import threading
import time
import uuid

import place
from processes import client_is_gone
from wire import Refused

HERE = os.path.dirname(os.path.abspath(__file__))
LANGUAGES = ("python", "bash")
PYTHON = "/usr/bin/python3"  # neither below /home nor /root: these are a sandbox's own
KEEPALIVE = 5  # seconds
KINDS = {"text/plain": "text", "text/html": "html", "text/markdown": "markdown", "image/svg+xml": "svg",
         "image/png": "png", "image/jpeg": "jpeg", "application/pdf": "pdf", "text/latex": "latex",
         "application/json": "json", "application/javascript": "javascript", "e2b/data": "data", "e2b/chart": "chart"}
NO_KERNEL = ('Failed to create context: {"message": "The \'%s\' kernel is not available. Please pick another suitable '
             'kernel instead, or install that kernel.", "short_message": "%s not found"}')
RESTARTS = {
    "python": [{"type": "error", "name": "ContextRestarting", "value": "Context was restarted", "traceback": ""}],
    "bash": [{"type": "stdout", "text": text, "timestamp": "2026-01-01T00:00:00Z"}
             for text in ("exit\n", "Restarting Bash\n")]}
BASH = r"""
while IFS= read -r -d '' cell <&3; do
    eval "$cell" 3<&- 4>&- </dev/null; status=$?
    [ "$status" = 0 ] || printf '{"type": "error", "name": "", "value": "%d", "traceback": ""}\n' "$status" >&4
    printf '{"type": "done"}\n' >&4
done
"""
with open(os.path.join(HERE, "kernel.py")) as f:  # read here: a sandbox may hide this folder
    KERNEL = f.read()


def assignment(language, name, value):
    """As the real server does it: without quoting."""
    if language == "bash":
        return "export %s='%s'" % (name, value)
    return "import os; os.environ['%s'] = '%s'" % (name, value)


def removal(language, name):
    return "unset %s" % name if language == "bash" else "import os; del os.environ['%s']" % name


class Kernel:
    """A context: its process, one cell at a time."""

    def __init__(self, language, cwd, environment):
        self.id, self.language, self.cwd = str(uuid.uuid4()), language, cwd
        self.environment, self.lock, self.knows_globals = environment, threading.Lock(), False
        self.leftover = []
        self.start()

    def start(self):
        self.count = 0
        asked, given = os.pipe(), os.pipe()
        argv = ["/bin/bash", "-c", BASH] if self.language == "bash" else [PYTHON, "-c", KERNEL]
        wiring = ["/bin/bash", "-c", 'exec "$@" 3<&%d 4>&%d' % (asked[0], given[1]), "--"]
        self.process = subprocess.Popen(
            wiring + argv, pass_fds=(asked[0], given[1]), cwd=self.cwd, env=self.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if self.language == "bash" else subprocess.PIPE)
        os.close(asked[0])
        os.close(given[1])
        self.to, self.events = os.fdopen(asked[1], "wb"), queue.Queue(64)
        self.begin_reading(given[0])

    def begin_reading(self, given):
        self.outputs = [threading.Thread(target=self.read_output, args=(name, stream), daemon=True)
                        for name, stream in (("stdout", self.process.stdout), ("stderr", self.process.stderr))
                        if stream]
        for one in self.outputs:
            one.start()
        threading.Thread(target=self.read_messages, args=(given, self.process, self.events), daemon=True).start()

    def read_output(self, name, stream):
        rest = b""
        while data := os.read(stream.fileno(), 65536):
            text, rest = whole_text(rest + data)
            self.events.put({"type": name, "text": text, "timestamp": now()}) if text else None

    def read_messages(self, given, process, events):
        with os.fdopen(given, "rb") as f:
            for line in f:
                wait_for_empty(process)
                events.put(json.loads(line))
        events.put({"type": "gone"})

    def send(self, code):
        self.count += 1
        self.events.put({"type": "started", "count": self.count})
        data = code.encode("utf-8", "surrogatepass") + b"\0" if self.language == "bash" else \
            json.dumps({"code": code}).encode() + b"\n"
        self.to.write(data)
        self.to.flush()

    def interrupt(self):
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def events_of(self, talk):
        """Those of the cell; {"type": "keepalive"} in silence. A client that goes interrupts it."""
        silent = 0
        while True:
            if client_is_gone(talk):
                self.interrupt()
                self.skip_to_end()
                return
            try:
                event = self.events.get(timeout=0.1)
            except queue.Empty:
                silent += 0.1
                if silent >= KEEPALIVE:
                    silent = 0
                    yield {"type": "keepalive"}
                continue
            silent = 0
            yield event
            if event["type"] in ("done", "gone"):
                return

    def skip_to_end(self):
        try:
            while self.events.get(timeout=5)["type"] not in ("done", "gone"):
                pass
        except queue.Empty:
            self.interrupt()


def wait_for_empty(process):
    """Until the output so far has been read: it came before the message."""
    for _ in range(400):
        left = [struct.unpack("i", fcntl.ioctl(s.fileno(), termios.FIONREAD, b"\0" * 4))[0]
                for s in (process.stdout, process.stderr) if s]
        if not any(left):
            time.sleep(0.001)
            return
        time.sleep(0.005)


def whole_text(data):
    """The text, and what is only the beginning of a character."""
    for cut in range(4):
        try:
            return data[: len(data) - cut].decode(), data[len(data) - cut :]
        except UnicodeDecodeError:
            pass
    return data.decode("utf-8", "replace"), b""


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def result_of(event):
    data = dict(event["data"])
    text = data.get("text/plain")
    if text and len(text) >= 1 and text[0] == text[-1] and text[0] in "'\"":
        data["text/plain"] = text[1:-1]
    shown = {"type": "result"}
    shown.update({name: data.pop(kind) for kind, name in KINDS.items() if kind in data})
    return {**shown, "extra": data, "is_main_result": event["type"] == "value"}


class Interpreter:
    def __init__(self, processes, envs):
        self.processes, self.envs = processes, envs
        self.contexts, self.defaults, self.lock = {}, {}, threading.Lock()

    def context(self, language, cwd=place.HOME):
        if language not in LANGUAGES:
            raise Refused(500, NO_KERNEL % (language, language), "text/plain; charset=utf-8")
        os.makedirs(cwd, exist_ok=True)
        kernel = Kernel(language, cwd, kernel_environment(self.processes))
        self.contexts[kernel.id] = kernel
        return kernel

    def chosen(self, body):
        wanted, language = body.get("context_id"), body.get("language")
        if wanted and language:
            raise Refused(400, "Only one of context_id or language can be provided", "text/plain; charset=utf-8")
        if wanted:
            return self.find(wanted)
        language = normal(language)
        with self.lock:
            if language not in self.defaults or self.defaults[language].id not in self.contexts:
                self.defaults[language] = self.context(language)
            return self.defaults[language]

    def find(self, name):
        if name not in self.contexts:
            raise Refused(404, "Context %s not found" % name, "text/plain; charset=utf-8")
        return self.contexts[name]

    def execute(self, talk):
        body = checked(json_of(talk), {"code": (str,), "context_id": (str, type(None)), "language": (str, type(None)),
                                     "env_vars": (dict, type(None))}, ["code"])
        kernel = self.chosen(body)
        talk.begin(200)
        with kernel.lock:
            self.run_cell(talk, kernel, body["code"], body.get("env_vars") or {})
        line(talk, {"type": "end_of_execution"})
        talk.end()

    def run_cell(self, talk, kernel, code, own):
        before = [assignment(kernel.language, *pair) for pair in own.items()]
        if not kernel.knows_globals:
            envs = self.envs(talk.head.get("x-access-token"))
            before = [assignment(kernel.language, *pair) for pair in envs.items()] + before
            kernel.knows_globals = True
        before = kernel.leftover + before
        kernel.leftover = [removal(kernel.language, name) for name in own]
        indent = next((text[: len(text) - len(text.lstrip())] for text in code.split("\n") if text.strip()), "")
        if before:
            code = "\n".join([indent + text for text in before] + [""]) + code
        if kernel.process.poll() is not None:  # it ended between two cells
            return self.tell(talk, kernel, {"type": "gone"})
        kernel.send(code)
        for event in kernel.events_of(talk):
            self.tell(talk, kernel, event)

    def tell(self, talk, kernel, event):
        kind = event["type"]
        if kind == "started":
            line(talk, {"type": "number_of_executions", "execution_count": event["count"]})
        elif kind in ("value", "display"):
            line(talk, result_of(event))
        elif kind == "gone":
            for message in RESTARTS[kernel.language]:
                line(talk, message)
            kernel.end()
            kernel.knows_globals = False
            kernel.start()
        elif kind != "done":
            line(talk, event)

    def make_context(self, talk):
        body = checked(json_of(talk), {"cwd": (str, type(None)), "language": (str, type(None))}, [])
        kernel = self.context(normal(body.get("language")), body.get("cwd") or place.HOME)
        talk.answer(200, described(kernel))

    def list_contexts(self, talk):
        talk.answer(200, [described(k) for k in self.contexts.values()])

    def remove_context(self, talk, name):
        self.find(name).end()
        del self.contexts[name]
        talk.answer(200, b"null")

    def restart_context(self, talk, name):
        kernel = self.find(name)
        kernel.end()
        kernel.knows_globals = False
        kernel.start()
        talk.answer(200, b"null")


def kernel_environment(processes):
    return {**processes.environment("root"), "PYTHONPATH": place.HOME + "/.local/standin", "PYTHONIOENCODING": "utf-8"}


def normal(language):
    language = (language or "python").lower().strip()
    return {"js": "javascript", "ts": "typescript"}.get(language, language)


def described(kernel):
    return {"id": kernel.id, "language": kernel.language, "cwd": kernel.cwd}


def json_of(talk):
    try:
        return talk.json()
    except Refused:
        return None


def checked(body, kinds, needed):
    """422 with the places that are wrong, as the real server's models answer."""
    if body is None:
        raise Refused(422, {"detail": [{"type": "json_invalid", "loc": ["body", 1], "msg": "JSON decode error",
                                        "input": {}}]})
    wrong = [{"type": "missing", "loc": ["body", name], "msg": "Field required"} for name in needed if name not in body]
    wrong += [{"type": "string_type", "loc": ["body", name], "msg": "Input should be a valid string"}
              for name, kind in kinds.items() if name in body and not isinstance(body[name], kind)]
    if wrong:
        raise Refused(422, {"detail": wrong})
    return body


def line(talk, message):
    talk.piece(json.dumps(message).encode() + b"\n")
