# SPDX-License-Identifier: Apache-2.0
# The frames of src/backends/backends/cell_wire.h, tools, and final_answer(). Follows cells_compile.py in the text that runs
# inside the wall.
#
# Any of the program's threads may wait for an answer, and the main thread for the next command. One of the waiting
# threads reads for all of them; when it has its own answer, another one reads. An exception (an interrupt, or one that
# a signal handler of the program raises) can come between any two steps in the main thread. So bytes that were read
# or written are counted by the same C call that did it (`extend(map(...))`), and a repeated step does no harm.
import builtins
from _collections import deque
from _thread import RLock, allocate_lock
from itertools import count
from posix import _exit, close, dup, dup2, read, sysconf, write
from select import POLLIN, poll
from sys import _getframe, exc_info, settrace

HIGH = (2000, 1020, 760, 250, 60)  # numbers for descriptors that the program rarely uses, as far as the limit allows
SC_OPEN_MAX = 4
EBADF, EPIPE = 9, 32


class Gone(BaseException):
    pass


def move_high(fd, below):
    limit = sysconf(SC_OPEN_MAX)
    for number in HIGH:
        if number <= limit:
            return dup2(fd, number - below, False)
    return dup(fd)


class Waiter:
    def __init__(self):
        self.lock, self.answer = allocate_lock(), None
        self.lock.acquire()

    def wake(self):
        try:
            self.lock.release()
        except RuntimeError:
            pass


class Frame:
    __slots__ = ("end", "kind", "number", "data", "cell", "counts", "tries")

    # `counts` is for its reply: how much of it has been written.
    def __init__(self, end, kind, number, data):
        self.end, self.kind, self.number, self.data = end, kind, number, data
        self.cell, self.counts, self.tries = None, [], 0


class Wire:
    def __init__(self):
        self.fd_in = self.fd_out = -1
        self.poll, self.alive = poll(), False
        self.turn, self.sending, self.waiting = RLock(), allocate_lock(), set()
        self.state, self.need, self.sorted = (0, []), 0, True
        self.out = memoryview(b""), []
        self.commands, self.acted, self.idle, self.calls = deque(), 0, Waiter(), {}

    def begin(self, fd_in, fd_out, rest):
        self.fd_in, self.fd_out = move_high(fd_in, 1), move_high(fd_out, 2)
        close(fd_in)
        close(fd_out)
        self.poll.register(self.fd_in, POLLIN)
        self.alive = True
        if rest:
            self.state = 0, [rest]
            self.sort()

    # In a child process: its messages are not for the host.
    def forget(self):
        if self.alive:
            self.alive = False
            for fd in (self.fd_in, self.fd_out):
                try:
                    close(fd)
                except OSError:
                    pass

    # ---- out ----

    def finish(self):
        data, counts = self.out
        try:
            while sum(counts) < len(data):
                counts.extend(map(write, (self.fd_out,), (data[sum(counts):],)))
        except OSError as e:
            if e.errno in (EBADF, EPIPE):
                _exit(1)
            raise

    # `counts`: a list for this frame alone, so that a repeated call sends only the rest.
    def send(self, kind, number, text, counts=None):
        with self.sending:
            self.finish()
            if counts is None or self.out[1] is not counts:
                data = ("%s %d %d\n%s" % (kind, number, len(text), text)).encode("ascii")
                self.out = memoryview(data), [] if counts is None else counts
            self.finish()

    # ---- in ----

    def fill(self):
        if self.sorted:
            self.sorted = False
            self.state[1].extend(map(read, (self.fd_in,), (65536,)))
        chunks = self.state[1]
        if chunks and not chunks[-1]:
            raise Gone
        if len(chunks) == 1 or sum(map(len, chunks)) >= self.need:
            self.sort()
        self.sorted = True

    def sort(self):
        position, chunks = self.state
        data, begin, self.need = b"".join(chunks), 0, 0
        while True:
            line = data.find(b"\n", begin)
            if line < 0:
                break
            kind, number, size = data[begin:line].split()
            end = line + 1 + int(size)
            if end > len(data):
                self.need = end - begin
                break
            self.route(Frame(position + end, kind, int(number), data[line + 1:end]))
            begin = end
        self.state = position + begin, [data[begin:]] if begin < len(data) else []

    def route(self, frame):
        if frame.kind != b"answer":
            self.commands.append(frame)
            self.idle.wake()
        elif frame.number in self.calls:
            call = self.calls[frame.number]
            call.answer = frame.data
            call.wake()

    def wait(self, waiter, arrived):
        while not arrived():
            if self.turn.acquire(False):
                try:
                    if not arrived():
                        self.fill()
                finally:
                    self.turn.release()
                    for other in list(self.waiting):
                        other.wake()
            elif waiter not in self.waiting:
                self.waiting.add(waiter)
            else:
                waiter.lock.acquire(True, 1)
        self.waiting.discard(waiter)

    # The next command to handle; it stays the same until `acted` is called.
    def next(self):
        while self.turn._is_owned():
            self.turn.release()
        while True:
            while self.commands and self.commands[0].end <= self.acted:
                self.commands.popleft()
            if self.commands:
                return self.commands[0]
            self.wait(self.idle, lambda: self.commands)


# ---- tools ----

ERRORS = {name: kind for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}


# An exception of the type that the tool's answer names, if that is a type of Python's own.
def tool_error(kind, message):
    if kind in ERRORS:
        try:
            return ERRORS[kind](message)
        except TypeError:  # UnicodeDecodeError needs more than a string
            pass
    return RuntimeError("%s: %s" % (kind, message) if kind and kind not in ERRORS else message)


# The default of a parameter that may be left out, if the host gives no other.
class Unknown:
    def __repr__(self):
        return "..."


UNKNOWN = Unknown()
TYPES = {name: kind for name, kind in vars(builtins).items() if isinstance(kind, type)}
TYPES.update({"None": None, "...": ...})
TYPE_LENGTH = 1000


# A type that is not Python's own. It is not a string, because typing would evaluate that.
class TypeName:
    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


# The string comes from the client and is never executed: names are looked up, brackets and bars are applied, and no
# more. `words` are in reverse order.
def read_type(words):
    kind = TYPES[words.pop()]
    if words[-1:] == ["["]:
        kind = kind[read_types(words)]
    if words[-1:] != ["|"]:
        return kind
    words.pop()
    return kind | read_type(words)


def read_types(words):
    kinds, mark = [], words.pop()
    while mark in ("[", ","):
        kinds.append(read_type(words))
        mark = words.pop()
    if mark != "]":
        raise ValueError(mark)
    return kinds[0] if len(kinds) == 1 else tuple(kinds)


# The type that the string names, if it is one of Python's own.
def type_of(text):
    try:
        if len(text) <= TYPE_LENGTH:
            marked = "".join(" %s " % c if c in "[],|" else c for c in text)
            words = marked.split()[::-1]
            kind = read_type(words)
            if not words:
                return kind
    except Exception:
        pass
    return TypeName(text)


# A function that does nothing, with the parameters of a tool: Python itself checks calls by it, and help() and
# inspect.signature() show it.
def signature(name, parameters, returns):
    words, before = [], None
    names = {"__builtins__": {}}
    for i, p in enumerate(parameters):
        kind, word = p["kind"], p["name"]
        if before == "positional_only" and kind != before:
            words.append("/")
        if kind == "keyword_only" and before not in ("keyword_only", "var_positional"):
            words.append("*")
        if "default" in p or p.get("optional"):
            names["default %d" % i] = p.get("default", UNKNOWN)
            word += "=0"  # its value follows
        words.append({"var_positional": "*", "var_keyword": "**"}.get(kind, "") + word)
        before = kind
    if before == "positional_only":
        words.append("/")
    exec(compile("def %s(%s): pass" % (name, ", ".join(words)), OURS, "exec", 0, True), names)
    function, types = names[name], {p["name"]: type_of(p["type"]) for p in parameters if "type" in p}
    values = [(p["kind"], p["name"], names["default %d" % i]) for i, p in enumerate(parameters) if "default %d" % i in names]
    function.__defaults__ = tuple(value for kind, _, value in values if kind != "keyword_only") or None
    function.__kwdefaults__ = {key: value for kind, key, value in values if kind == "keyword_only"} or None
    if returns:
        types["return"] = type_of(returns)
    function.__annotations__ = types
    return named_function(function, name, None)


def tool_doc(row):
    lines = ["    %s: %s" % (p["name"], p["description"]) for p in row.get("parameters") or () if p.get("description")]
    text = row.get("description") or ""
    if not lines:
        return text or None
    return "%s%sArgs:\n%s" % (text, "\n\n" if text else "", "\n".join(lines))


# The host's name of input() has its brackets.
def called(name):
    return name if name.endswith("()") else name + "()"


class Tools:
    def __init__(self, wire, decode, limits):
        self.wire, self.decode, self.limits, self.numbers = wire, decode, limits, count(1)

    def message(self, name, args, kwargs):
        left, parts = self.limits["call"] - len(name) - 40, []
        for key, value in [(None, list(args))] + list(kwargs.items()):
            try:
                text = encode_cell(value, left, True)
            except TooMuch as e:
                raise ValueError("%s: the arguments cannot be sent: %s" % (called(name), e)) from None
            left -= len(text)
            parts.append(text if key is None else "%s:%s" % (quote(clean_text(key)), text))
        return '{"name":%s,"args":%s,"kwargs":{%s}}' % (quote(name), parts[0], ",".join(parts[1:]))

    def call(self, name, args, kwargs):
        text = self.message(name, args, kwargs)
        if not self.wire.alive:
            raise RuntimeError("%s cannot be called from a child process" % called(name))
        number, call = next(self.numbers), Waiter()
        self.wire.calls[number] = call
        try:
            self.wire.send("call", number, text)
            self.wire.wait(call, lambda: call.answer is not None)
        finally:
            self.wire.calls.pop(number, None)
        return self.take(name, call.answer)

    def take(self, name, data):
        try:
            answer = self.decode(data.decode())
            if "error" in answer:
                kind, message = answer["error"].get("type"), str(answer["error"].get("message", ""))
            else:
                return answer["ok"]
        except Exception as e:
            kind, message = "RuntimeError", "the answer of %s cannot be read: %s" % (called(name), e)
        raise tool_error(kind, message)

    # A function for a tool of the host. The arguments are sent as given: the host has the defaults.
    def make(self, row):
        name, parameters = row["name"], row.get("parameters")
        check = parameters is not None and signature(name, parameters, row.get("returns"))

        def tool(*args, **kwargs):
            if check:
                check(*args, **kwargs)
            return self.call(name, args, kwargs)

        if check:
            tool.__wrapped__, tool.__annotations__ = check, check.__annotations__
        return named_function(tool, name, tool_doc(row))


def named_function(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__module__ = doc, "__main__"
    return function


# At a terminal, input() and getpass() ask the host, which answers with a line, None (end of input), False (interrupt),
# or True: no user is there. Then input() writes its prompt to the output and reads the empty input, as in a run.
# A stream with which the program has replaced ours is read as usual; so is the input of a cell.
def ask_at_terminal(server):
    plain = builtins.input

    def ask(prompt, hidden):
        server.streams.flush()
        line = server.tools.call("input()", (str(prompt), hidden), {})
        if line is True and not hidden:
            return plain(prompt)
        if line is None or line is True:
            raise EOFError("EOF when reading a line")
        if line is False:
            raise KeyboardInterrupt
        return line

    def is_ours():
        streams = server.streams
        return server.wire.alive and sys.stdin is streams.input and not streams.has_input

    def input(prompt="", /):
        return ask(prompt, False) if is_ours() else plain(prompt)

    def hook_getpass(module):
        was = module.getpass

        def getpass(prompt="Password: ", stream=None, **options):
            return ask(prompt, True) if is_ours() else was(prompt, stream, **options)

        module.getpass = named_function(getpass, "getpass", was.__doc__)

    builtins.input = named_function(input, "input", plain.__doc__)
    RICH_HOOKS["getpass"] = hook_getpass
    if "getpass" in sys.modules:
        rich_hook(hook_getpass, sys.modules["getpass"])


# Tools as source: those of smolagents are classes with a name and forward(). The program has one object of each.
def make_instances(names, before):
    for key, kind in list(names.items()):
        if key in before or not isinstance(kind, type) or kind.__module__ != "__main__":
            continue
        name, forward = getattr(kind, "name", None), getattr(kind, "forward", None)
        if type(name) is not str or not name.isidentifier() or not callable(forward) or name in names:
            continue
        tool = kind()
        if not callable(tool):
            tool = named_function(lambda *args, _tool=tool, **kwargs: _tool.forward(*args, **kwargs), name,
                                  getattr(kind, "description", None))
        names[name] = tool


# ---- final_answer ----

# Ends the cell. The program must not stop it: cells' own handlers let it through (guard_handlers), and if other code
# has swallowed it, it is raised again when the cells' code continues. While handlers and `finally` blocks run, it is
# the exception that they handle, or its cause. (Event loops and threads may carry it; so their code is not
# touched.)
class FinalAnswerException(BaseException):
    pass


def in_flight(final):
    e, seen = exc_info()[1], 0
    while e is not None and seen < 100:
        if e is final:
            return True
        e, seen = e.__context__, seen + 1
    return False


# True for the code of a cell, or code that it gave to exec().
def is_text(file):
    return file[:1] == "<" and file[:7] != "<frozen" and file != OURS


# Python drops a trace function that raises. An exception on its way is not yet handled when the trace function is
# called for the line of its handler, or for the end of its frame.
def raise_for_good(final, frame):
    on_its_way = [None]

    def trace(frame, event, arg):
        if not is_text(frame.f_code.co_filename):
            return None
        if event == "exception":
            on_its_way[0] = frame
        elif event in ("line", "return"):
            if on_its_way[0] is frame:
                on_its_way[0] = None
            elif not in_flight(final):
                raise final
        return trace

    while frame is not None and frame.f_code is not Server.run.__code__:
        if is_text(frame.f_code.co_filename):
            frame.f_trace = trace
        frame = frame.f_back
    settrace(trace)
    raise final


# `inner`: the program's own tool of this name, whose value is the answer; otherwise the argument is the answer.
def make_final(server, inner):
    def final_answer(*args, **kwargs):
        if inner is not None:
            value = inner(*args, **kwargs)
        elif len(args) + len(kwargs) == 1:
            value = (args or list(kwargs.values()))[0]
        else:
            raise TypeError("final_answer() takes exactly one argument (%d given)" % (len(args) + len(kwargs)))
        final = FinalAnswerException(value)
        if server.cell is not None and server.cell.final is None:
            server.cell.final = (value,)
        raise_for_good(final, _getframe(1))

    doc = getattr(inner, "__doc__", None) or "Ends the cell with its answer."
    return named_function(final_answer, "final_answer", doc)
