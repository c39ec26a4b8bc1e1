# SPDX-License-Identifier: Apache-2.0
# Runs a candidate against cases, inside the wall; follows judge_codec.py and packages.py in one text. Expected values
# are not here: the outcome of each call is sent out, and compared outside.
#
# Three processes. The driver reads the cases, never runs any of the candidate's code, and writes to our
# standard output, which is the channel. The loader, its child, runs the setup and the candidate once. For each
# case the loader forks a process that makes the call and sends the outcome through a pipe. So a case that exits,
# crashes, hangs or changes its surroundings affects only itself; one that kills the loader costs a new loader.
#
# Standard input is a header (JSON), and a line "NUMBER MILLISECONDS JSON" for each case. Out: "ready", before any of
# others' code runs; "prepared" when the setup, if any, is done and the candidate has not run yet, or
# "setup HOW ..." when it failed; "load HOW ..."; for each case the line "begin NUMBER", then "case NUMBER HOW STATUS
# MICROSECONDS". After "setup", "load" and "case" come three lines: the value that was sent, then output and error
# output as JSON strings.
from gc import freeze
from posix import (_exit, close, dup2, fork, getpid, getppid, getsid, kill, listdir, open as open_fd, pipe, read,
                   set_blocking, setsid, waitpid, write, WNOHANG)
from select import poll, POLLIN
from time import monotonic, sleep

KEPT = 65536  # of the output of a case
KILL, CONTINUE, GRACE, TICK_MS = 9, 18, 2.0, 50
print_to_nobody = open_fd("/dev/null", 0)


# ---- frames between the processes: kind, number, length, payload ----

def send(fd, kind, number, payload):
    data = memoryview(kind + number.to_bytes(4, "little") + len(payload).to_bytes(4, "little") + payload)
    while data:
        data = data[write(fd, data):]


def write_all(fd, data):
    data = memoryview(data)
    while data:
        data = data[write(fd, data):]


# ---- which lines of the candidate run ----

# Only on request. If the candidate manipulates it, it only harms itself: no verdict uses it.
class Coverage:
    def __init__(self, path):
        self.path, self.seen, self.loaded, self.code = path, set(), set(), set()
        self.monitoring = getattr(sys, "monitoring", None)

    def note_code(self, code):
        codes = [code]
        while codes:
            code = codes.pop()
            self.code.update(line for _, _, line in code.co_lines() if line)
            codes += [const for const in code.co_consts if type(const) is type(code)]

    def line(self, code, number):
        if code.co_filename == self.path:
            self.seen.add(number)
        return self.monitoring.DISABLE

    def trace(self, frame, event, arg):
        if frame.f_code.co_filename != self.path:
            return None
        if event == "line":
            self.seen.add(frame.f_lineno)
        return self.trace

    def start(self):
        self.seen = set()
        if self.monitoring is None:
            from threading import settrace
            settrace(self.trace)
            sys.settrace(self.trace)
            return
        tool, events = self.monitoring.COVERAGE_ID, self.monitoring.events
        if self.monitoring.get_tool(tool) is None:
            self.monitoring.use_tool_id(tool, "glovebox")
        self.monitoring.register_callback(tool, events.LINE, self.line)
        self.monitoring.set_events(tool, events.LINE)
        self.monitoring.restart_events()

    def stop(self):
        if self.monitoring is None:
            sys.settrace(None)
        else:
            self.monitoring.set_events(self.monitoring.COVERAGE_ID, 0)

    def told(self):
        lines = lambda found: ",".join(map(str, sorted(found)))
        return ',"lines":[%s],"loaded":[%s],"code":[%s]' % (lines(self.seen), lines(self.loaded), lines(self.code))


class NoCoverage:
    seen = None

    def start(self):
        pass

    stop = start

    def note_code(self, code):
        pass

    def told(self):
        return ""


# ---- in the process of a case ----

def flush_streams(streams):
    for stream in streams + (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


# The frames of the candidate's own text, from the outside in.
def places(e, path):
    found, tb = [], e.__traceback__
    while tb is not None and len(found) < 1000:
        code = tb.tb_frame.f_code
        if code.co_filename == path:
            found.append("[%d,%s]" % (tb.tb_lineno, quote(code.co_name)))
        tb = tb.tb_next
    return ",".join(found[-20:])


def describe_exception(e, path):
    kind = type(e)
    name = type.__getattribute__(kind, "__name__")
    message = words_of(str, e, name, 2000)
    if isinstance(e, SyntaxError) and e.lineno and e.filename == path:
        message = "%s (line %d)" % (e.msg, e.lineno)
    return '{"type":%s,"message":%s,"places":[%s]}' % (quote(name), quote(message), places(e, path))


def describe_value(value, case, room):
    kind = type(value)
    name = type.__getattribute__(kind, "__name__")
    parts = ['"value":' + encode(value, room)]
    if "types" in case:
        parts.append('"types":[%s]' % ",".join(map(quote, names_of_type(kind))))
    if "repr" in case:
        parts.append('"repr":%s' % quote(repr_of(value, name, 65536)))
    if "str" in case:
        parts.append('"str":%s' % quote(words_of(str, value, name, 65536)))
    return ",".join(parts)


def make_call(names, func, case):
    if "call" in case:
        code = compile(case["call"], "<call>", "eval", dont_inherit=True)
        return lambda: eval(code, names)
    args, kwargs = case.get("args", ()), case.get("kwargs", {})
    return lambda: func(*args, **kwargs)


# By default, Python does not read integers of more digits than a limit; ours are the user's.
def read_case(loader, text):
    most = getattr(sys, "get_int_max_str_digits", int)()
    if most:
        sys.set_int_max_str_digits(0)
    case = loader.decode(text)
    if most:
        sys.set_int_max_str_digits(most)
    return case


def outcome_of(loader, text):
    try:
        case = read_case(loader, text)
        call = make_call(loader.names, loader.func, case)
        loader.coverage.start()
        value = call()
        loader.coverage.stop()
        try:
            said = describe_value(value, case, loader.room)
        except TooMuch as e:
            said = '"refused":%s' % quote(str(e))
    except BaseException as e:
        loader.coverage.stop()
        said = '"raised":' + describe_exception(e, loader.path)
    return "{%s%s}" % (said, loader.coverage.told())


def run_case(loader, number, text):
    setsid()
    if loader.random is not None:
        modules["random"].setstate(loader.random)
    try:
        said = outcome_of(loader, text).encode("ascii", "replace")
    except BaseException:
        said = b""
    flush_streams(loader.streams)
    send(loader.results, b"V", number, said)
    _exit(0)


# ---- the loader ----

# These names need more of what site does (packages.py).
SITE = (b"site", b"sys.path", b"prefix", b"pkgutil", b"metadata", b"help(", b"copyright", b"credits", b"license",
        b"exit(", b"quit(")


class LoadError(Exception):
    pass


def own_functions(names):
    return [name for name, v in names.items()
            if callable(v) and not isinstance(v, type) and not name.startswith("_")
            and getattr(v, "__module__", None) == "candidate"]


# "name", "Class.method" (of a new instance), or the only function that there is.
def find_function(names, wanted):
    if not wanted:
        found = own_functions(names)
        if len(found) != 1:
            raise LoadError("several functions are defined in code (%s): say which one is to be tested" %
                            ", ".join(found[:10]) if found else "no function is defined in code")
        wanted = found[0]
    first, _, rest = wanted.partition(".")
    name = wanted if type(wanted) is str else ""
    try:
        found = names[first]
        for part in rest.split(".") if rest else ():
            found = getattr(found() if isinstance(found, type) else found, part)
    except (KeyError, AttributeError):
        raise LoadError("Function '%s' not found in code" % wanted) from None
    return found, name


class Loader:
    def __init__(self, header, results):
        self.path, self.room, self.results = header["path"], header["room"], results
        self.func, self.name, self.random, self.tells_pid = None, None, None, not header["alone"]
        self.coverage = Coverage(self.path) if header["coverage"] else NoCoverage()
        self.streams = (sys.stdout, sys.stderr)
        module = type(sys)("candidate")
        self.names = module.__dict__
        self.names["__file__"] = self.path
        self.decode = decoder(self.names)
        modules["candidate"] = modules["__main__"] = module

    def execute(self, path, flags=0):
        with open(path, "rb") as f:
            source = f.read()
        if any(word in source for word in SITE):
            load_site()
        code = compile(source, path, "exec", flags, True)
        if path == self.path:
            self.coverage.note_code(code)
        self.coverage.start()
        exec(code, self.names)
        self.coverage.stop()

    # Runs the test's own setup. Returns True once it is done and the driver has reported it, before the candidate can.
    def set_up(self, header, commands):
        path = self.path.rpartition("/")[0] + "/" + header["setup"]
        try:
            begin_profile(self.names)
        except Exception:
            pass  # load() reports it
        try:
            self.execute(path)
            said = b"{}"
        except BaseException as e:
            said = b'{"raised":%s}' % describe_exception(e, path).encode("ascii", "replace")
        flush_streams(self.streams)
        send(self.results, b"U", 0, said)
        return said == b"{}" and read(commands, 3) == b"go\n"

    def load(self, header):
        begin_profile(self.names)
        self.execute(self.path, candidate_flags)
        self.coverage.loaded = self.coverage.seen
        if header["calls"]:
            self.func, self.name = find_function(self.names, header["func"])
        if "random" in modules:
            self.random = modules["random"].getstate()

    def serve(self, commands, lines):
        freeze()
        pending = b""
        while True:
            while b"\n" not in pending:
                more = read(commands, 64)
                if not more:
                    return
                pending += more
            line, _, pending = pending.partition(b"\n")
            number = int(line)
            pid = fork()
            if not pid:
                close(commands)
                run_case(self, number, lines[number][1])
            if self.tells_pid:
                send(self.results, b"S", number, pid.to_bytes(4, "little"))
            status = waitpid(pid, 0)[1]
            send(self.results, b"E", number, status.to_bytes(4, "little"))


def is_good(said):
    return said == b"{}" or said.startswith(b'{"func"')


def load_and_serve(header, results, commands, lines):
    sys.setrecursionlimit(sys.getrecursionlimit() + 10)
    loader, folder = Loader(header, results), header["path"].rpartition("/")[0]
    sys.argv, sys.path[:1] = [header["path"]], [folder]
    sys.meta_path.append(PackageFinder)
    if header["setup"] and not loader.set_up(header, commands):
        return
    try:
        loader.load(header)
        said = b'{"func":%s}' % quote(loader.name[:80]).encode() if loader.name else b"{}"
    except LoadError as e:
        said = b'{"refused":%s}' % quote(str(e)).encode()
    except BaseException as e:
        said = b'{"raised":%s}' % describe_exception(e, header["path"]).encode("ascii", "replace")
    flush_streams(loader.streams)
    send(results, b"L", 0, said)
    if is_good(said):
        loader.serve(commands, lines)


# ---- the driver ----

class Capture:
    def __init__(self, fd):
        self.fd, self.kept, self.total = fd, bytearray(), 0
        set_blocking(fd, False)

    def drain(self, most=64):
        for _ in range(most):
            try:
                data = read(self.fd, 65536)
            except BlockingIOError:
                return
            if not data:
                return
            self.total += len(data)
            if len(self.kept) < KEPT:
                self.kept += data[:KEPT - len(self.kept)]

    def take(self):
        text, left_out = self.kept.decode("utf-8", "replace"), self.total - len(self.kept)
        self.kept, self.total = bytearray(), 0
        return quote(text + ("\n[%d bytes more]" % left_out if left_out else "")).encode()


# In a process namespace of our own, every other process is the candidate's; otherwise, the processes in its session.
def strays(driver):
    mine, found = (1, getpid(), driver.pid), []
    for name in listdir("/proc"):
        if name.isdigit() and int(name) not in mine:
            try:
                if driver.alone or getsid(int(name)) == driver.case_pid:
                    found.append(int(name))
            except OSError:
                pass
    return found


def is_alone():
    try:
        with open("/proc/1/comm") as f:
            return getppid() == 1 and f.read() == "glovebox-jail\n"
    except OSError:
        return False


class Driver:
    def __init__(self, header, lines):
        self.header, self.lines = header, lines
        self.alone = header["alone"] = is_alone()
        self.pid, self.case_pid, self.spent = 0, 0, 0
        self.loaded = False

    # ---- its loader ----

    def start(self):
        result_in, result_out = pipe()
        command_in, command_out = pipe()
        out_in, out_out = pipe()
        err_in, err_out = pipe()
        self.pid = fork()
        if not self.pid:
            for fd in (result_in, command_out, out_in, err_in):
                close(fd)
            dup2(print_to_nobody, 0)
            dup2(out_out, 1)
            dup2(err_out, 2)
            for fd in (out_out, err_out):
                close(fd)
            try:
                load_and_serve(self.header, result_out, command_in, self.lines)
            finally:
                _exit(0)
        for fd in (result_out, command_in, out_out, err_out):
            close(fd)
        set_blocking(result_in, False)
        self.results, self.commands = result_in, command_out
        self.out, self.err = Capture(out_in), Capture(err_in)
        self.poll = poll()
        for fd in (result_in, out_in, err_in):
            self.poll.register(fd, POLLIN)
        self.buffer = bytearray()

    def stop(self):
        for fd in (self.results, self.commands, self.out.fd, self.err.fd):
            close(fd)
        self.loaded = False

    def signal_loader(self, number):
        if self.pid:
            try:
                kill(self.pid, number)
            except OSError:
                pass

    def end_loader(self):
        self.signal_loader(KILL)
        self.loader_status()

    # None while it is alive.
    def loader_status(self, options=0):
        if not self.pid:
            return self.status
        try:
            pid, status = waitpid(self.pid, options)
        except ChildProcessError:
            pid, status = self.pid, 0
        if not pid:
            return None
        self.pid, self.status = 0, status
        return status

    # Waits until they are gone, which takes some time on a busy machine.
    def kill_strays(self):
        deadline, pause = monotonic() + GRACE, 0
        while True:
            found = strays(self)
            if not found or monotonic() > deadline:
                return
            for pid in found:
                try:
                    kill(pid, KILL)
                except OSError:
                    pass
            sleep(pause)
            pause = min(pause + 0.0002, 0.01)

    # ---- frames ----

    def receive(self):
        for _ in range(64):
            try:
                data = read(self.results, 65536)
            except BlockingIOError:
                return
            if not data:
                return
            self.buffer += data

    # (kind, number, payload); None if it is not complete, False if it is invalid.
    def frame(self):
        b = self.buffer
        if len(b) < 9:
            return None
        size = int.from_bytes(b[5:9], "little")
        if b[:1] not in (b"U", b"L", b"S", b"V", b"E") or size > self.header["room"] + 400000:
            return False
        if len(b) < 9 + size:
            return None
        frame = bytes(b[:1]), int.from_bytes(b[1:5], "little"), bytes(b[9:9 + size])
        del b[:9 + size]
        return frame

    # Reads up to the wanted frame: (how, status, payload).
    def wait_for(self, last, number, seconds):
        deadline, payload, killed = monotonic() + seconds, b"", None
        while True:
            left = deadline - monotonic()
            if left <= 0 and killed:
                self.end_loader()
                return killed, KILL, payload
            if left <= 0:
                killed, deadline = "timeout", monotonic() + GRACE
                if last in (b"U", b"L"):
                    self.end_loader()
                self.signal_loader(CONTINUE)
                self.kill_strays()
            self.poll.poll(min(TICK_MS, max(1, int(left * 1000))))
            self.out.drain()
            self.err.drain()
            status = self.loader_status(WNOHANG)
            self.receive()
            while True:
                frame = self.frame()
                if frame is None:
                    break
                if frame is False:
                    self.end_loader()
                    return killed or "garbled", 0, b""
                kind, of, data = frame
                if of != number:
                    continue
                if kind == b"S":
                    self.case_pid = int.from_bytes(data, "little")
                elif kind == b"V":
                    payload = data
                elif kind == last and last in (b"U", b"L"):
                    return killed or "ok", 0, data
                elif kind == last:
                    return killed or "ok", int.from_bytes(data, "little"), payload
            if status is not None:
                return killed or "lost", status, payload

    def report(self, what, how, status, began, payload):
        self.out.drain()
        self.err.drain()
        text = b"%s %s %d %d\n%s\n%s\n%s\n" % (
            what, how.encode(), status, int((monotonic() - began) * 1e6), payload.translate(None, b"\r\n"),
            self.out.take(), self.err.take())
        self.spent += len(text)
        write_all(1, text)

    # ---- the story ----

    # The candidate's output comes after our own line.
    def set_up(self):
        began = monotonic()
        how, status, payload = self.wait_for(b"U", 0, self.header["load_ms"] / 1000)
        if how != "ok" or payload != b"{}":
            self.report(b"setup", how, status, began, payload)
            return False
        write_all(1, b"prepared\n")
        self.command(b"go\n")
        return True

    def command(self, text):
        try:
            write_all(self.commands, text)
        except BrokenPipeError:
            pass

    def load(self):
        self.start()
        if self.header["setup"] and not self.set_up():
            return False
        began = monotonic()
        how, status, payload = self.wait_for(b"L", 0, self.header["load_ms"] / 1000)
        self.loaded = how == "ok" and is_good(payload)
        self.report(b"load", how, status, began, payload)
        return self.loaded

    def case(self, number):
        write_all(1, b"begin %d\n" % number)
        began = monotonic()
        self.command(b"%d\n" % number)
        how, status, payload = self.wait_for(b"E", number, self.lines[number][0] / 1000)
        self.kill_strays()
        self.report(b"case %d" % number, how, status, began, payload)
        self.buffer.clear()
        if not self.pid:
            self.stop()

    # If so much was sent, another driver handles the rest.
    def run(self):
        for number in self.lines:
            if not self.loaded and not self.load():
                break
            self.case(number)
            if self.spent > self.header["budget"]:
                break
        write_all(1, b"end\n")
        self.kill_strays()
        if self.pid:
            self.end_loader()


def read_request():
    request = b"".join(iter(lambda: read(0, 1 << 20), b""))
    header, _, rest = request.partition(b"\n")
    lines = {}
    for line in rest.split(b"\n"):
        if line:
            number, ms, text = line.split(b" ", 2)
            lines[int(number)] = int(ms), text.decode()
    return decoder({})(header.decode()), lines


def main():
    header, lines = read_request()
    header["path"] = sys.argv[1]
    driver = Driver(header, lines)
    write_all(1, b"ready\n")
    if not lines:
        driver.load()
    driver.run()
    sys.stdout.flush()
    _exit(0)


main()
