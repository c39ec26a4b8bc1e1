# SPDX-License-Identifier: Apache-2.0
# Compiles a cell, and describes its exceptions. Follows cells_values.py in the text that runs inside the wall.
#
# The file of cell 3 is "<cell 3>". The cell's value is kept by the code itself: the last expression `f(x)` becomes
# `(<value> := f(x))`, where "<value>" is a key that no program can spell; it is removed from the namespace right after.
# If final_answer() exists, each `try` gets a first handler that lets the end of the cell through.
import _ast

VALUE, FINAL, PART = "<value>", "<final answer>", "<part>"
AWAIT, ONLY_TREE, COROUTINE, ASYNC_GENERATOR = 0x2000, 0x400, 0x80, 0x200
IN_LOOP = {"create_task", "ensure_future", "get_running_loop", "current_task", "all_tasks"}
OWN_LOOP = {"run", "run_until_complete", "run_forever", "Runner"}
FUNCTIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)
OURS = "<glovebox>"


def place_like(new, old):
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(new, name, getattr(old, name, None))
    return new


def name_node(text, context, old):
    return place_like(_ast.Name(id=text, ctx=context), old)


def keep_as(name, node):
    return place_like(_ast.NamedExpr(target=name_node(name, _ast.Store(), node), value=node), node)


# ---- which value a cell has ----

def ends_in_semicolon(text, node):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    after = lines[node.end_lineno - 1].encode()[node.end_col_offset:]
    return after.strip().startswith(b";")


def keep_notebook(body, text):
    if body and type(body[-1]) is _ast.Expr and not ends_in_semicolon(text, body[-1]):
        body[-1].value = keep_as(VALUE, body[-1].value)


# `<value> = NAME`, or for a part that may be None `if <part> is not None: <value> = <part>`.
def keep_statement(name, old):
    return place_like(_ast.Assign(targets=[name_node(VALUE, _ast.Store(), old)],
                                  value=name_node(name, _ast.Load(), old), type_comment=None), old)


def keep_if_any(old):
    none = place_like(_ast.Constant(value=None, kind=None), old)
    test = _ast.Compare(left=name_node(PART, _ast.Load(), old), ops=[_ast.IsNot()], comparators=[none])
    return place_like(_ast.If(test=place_like(test, old), body=[keep_statement(PART, old)], orelse=[]), old)


# The value of the last statement, of any kind; in the bodies of `if` and `for`, the last value that is not None.
def keep_last(body, inner=False):
    made = []
    for number, node in enumerate(body):
        made.append(node)
        if number < len(body) - 1 and not inner:
            continue
        kind, name = type(node), PART if inner else VALUE
        if kind in (_ast.If, _ast.For, _ast.AsyncFor):
            node.body, node.orelse = keep_last(node.body, True), keep_last(node.orelse, True)
        elif kind in (_ast.Expr, _ast.Assign) or (kind is _ast.AnnAssign and node.value is not None):
            node.value = keep_as(name, node.value)
            if inner:
                made.append(keep_if_any(node))
        elif kind is _ast.AugAssign and type(node.target) is _ast.Name:
            made.append(keep_statement(node.target.id, node))
        elif kind in FUNCTIONS:
            made.append(keep_statement(node.name, node))
    return made


def guard_handlers(tree):
    left = [tree]
    while left:
        node = left.pop()
        if type(node) is _ast.Try and node.handlers:
            first = node.handlers[0]
            again = place_like(_ast.Raise(exc=None, cause=None), first)
            node.handlers.insert(0, place_like(
                _ast.ExceptHandler(type=name_node(FINAL, _ast.Load(), first), name=None, body=[again]), first))
        for field in node._fields:
            part = getattr(node, field, None)
            if isinstance(part, list):
                left += [item for item in part if isinstance(item, _ast.AST)]
            elif isinstance(part, _ast.AST):
                left.append(part)


# ---- the event loop ----

# A cell that refers to a running loop, or names a function that does, runs in one, like a cell with await. A cell that
# starts a loop itself does not, because that would fail. References inside coroutines do not count: these are in a
# loop in any case.
def wants_loop(code, names):
    wants, left, seen = False, [code], set()
    while left:
        code = left.pop()
        seen.add(id(code))
        if not OWN_LOOP.isdisjoint(code.co_names):
            return False
        wants = wants or not (code.co_flags & (COROUTINE | ASYNC_GENERATOR) or IN_LOOP.isdisjoint(code.co_names))
        named = [names[name].__code__ for name in code.co_names if type(names.get(name)) is type(wants_loop)]
        inner = [each for each in code.co_consts if type(each) is type(code)]
        left += [each for each in named + inner if id(each) not in seen]
    return wants


# `if 0: await None`, which makes the code a coroutine.
def add_await(body):
    last = body[-1]
    nothing = [place_like(_ast.Constant(value=value, kind=None), last) for value in (0, None)]
    wait = place_like(_ast.Expr(value=place_like(_ast.Await(value=nothing[1]), last)), last)
    body.append(place_like(_ast.If(test=nothing[0], body=[wait], orelse=[]), last))


class CellCompiler:
    # `mode` is "notebook" or "last"; `guards` is true if final_answer() exists.
    def __init__(self, mode, guards):
        self.mode, self.guards, self.future, self.texts, self.room = mode, guards, 0, {}, 8 << 20
        self.last_line = 1  # the line where the last statement of the last compiled cell begins

    # `names` are the program's, whose functions the code may call.
    def compile(self, data, name, names):
        text = self.decode(data)
        self.remember(name, text)
        flags = AWAIT | self.future
        try:
            tree = compile(text, name, "exec", flags | ONLY_TREE, True)
        except RecursionError:  # code may be nested deeper than the parser of trees permits
            return compile(text, name, "exec", flags, True)
        self.last_line = tree.body[-1].lineno if tree.body else 1
        if self.mode == "last":
            tree.body = keep_last(tree.body)
        else:
            keep_notebook(tree.body, text)
        if self.guards and "except" in text:
            guard_handlers(tree)
        code = compile(tree, name, "exec", flags, True)
        speaks = "asyncio" in modules or "asyncio" in text
        if speaks and not code.co_flags & COROUTINE and wants_loop(code, names):
            add_await(tree.body)
            code = compile(tree, name, "exec", flags, True)
        if "__future__" in text:
            import __future__
            for feature in __future__.all_feature_names:
                self.future |= code.co_flags & getattr(__future__, feature).compiler_flag
        return code

    def decode(self, data):
        text = data.decode()
        return text[1:] if text[:1] == "\ufeff" else text

    # ---- the lines of cells, for tracebacks and inspect.getsource ----

    def remember(self, name, text):
        self.texts[name] = text
        self.room -= len(text)
        while self.room < 0 and len(self.texts) > 1:
            oldest = next(iter(self.texts))
            self.room += len(self.texts.pop(oldest))
            getattr(modules.get("linecache"), "cache", {}).pop(oldest, None)
        self.tell_linecache(modules.get("linecache"), [name])

    def tell_linecache(self, linecache, names=None):
        cache = getattr(linecache, "cache", None)
        for name in (names or self.texts) if type(cache) is dict else ():
            text = self.texts[name]
            lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            cache[name] = len(text), None, [line + "\n" for line in lines], name


# ---- exceptions ----

# "<cell 3>" becomes 3.
def cell_number(file):
    if type(file) is str and file.startswith("<cell ") and file.endswith(">") and file[6:-1].isdigit():
        return int(file[6:-1])


def entries_of(tb):
    while tb is not None:
        yield tb
        tb = tb.tb_next


def without_ours(tb):
    entries = [entry for entry in entries_of(tb) if entry.tb_frame.f_code.co_filename != OURS]
    for entry, after in zip(entries, entries[1:] + [None]):
        if entry.tb_next is not after:
            entry.tb_next = after
    return entries


# An exception and its causes, without our frames; the outermost frame is in the cell.
def clean_exception(e):
    left, seen, outermost = [e], set(), e
    while left and len(seen) < 1000:
        e = left.pop()
        if not isinstance(e, BaseException) or id(e) in seen:
            continue
        seen.add(id(e))
        entries = without_ours(e.__traceback__)
        if e is outermost:
            places = [n for n, entry in enumerate(entries) if cell_number(entry.tb_frame.f_code.co_filename)]
            entries = entries[places[0]:] if places else entries
        e.__traceback__ = entries[0] if entries else None
        left += [e.__cause__, e.__context__]
        inner = getattr(e, "exceptions", None)
        left += inner if type(inner) is tuple else ()


# The column in characters, from 1; None if the interpreter does not know it.
def column_of(entry, texts):
    code = entry.tb_frame.f_code
    if not hasattr(code, "co_positions") or entry.tb_lasti < 0:
        return None
    for n, (line, _, column, _) in enumerate(code.co_positions()):
        if n == entry.tb_lasti // 2:
            lines = texts.get(code.co_filename, "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
            if column is None or line is None or line > len(lines):
                return None
            return len(lines[line - 1].encode()[:column].decode("utf-8", "replace")) + 1


# (cell, line, column) of the innermost frame that is in a cell; and line and column of the outermost, which are those
# of the cell's own statement.
def place_of(e, texts):
    if isinstance(e, SyntaxError) and cell_number(e.filename) and type(e.lineno) is int:
        column = e.offset if type(e.offset) is int and e.offset > 0 else None
        return cell_number(e.filename), e.lineno, column, e.lineno, column
    entries = [entry for entry in entries_of(e.__traceback__) if cell_number(entry.tb_frame.f_code.co_filename)]
    if not entries:
        return None, None, None, None, None
    entry = entries[-1]
    return (cell_number(entry.tb_frame.f_code.co_filename), entry.tb_lineno, column_of(entry, texts),
            entries[0].tb_lineno, column_of(entries[0], texts))


def exception_message(e, name):
    try:
        if isinstance(e, SyntaxError) and type(e.msg) is str:
            return e.msg
        if isinstance(e, KeyError) and type(e).__str__ is KeyError.__str__ and len(e.args) == 1:
            return shown_repr(e.args[0], "KeyError")
        return str.__str__(str(e))
    except BaseException:
        return "<exception str() failed>"


# "Did you mean", which 3.10 and 3.11 add only when they print an exception themselves.
def with_suggestion(e, text):
    if not isinstance(e, (NameError, AttributeError)) or not (3, 10) <= sys.version_info[:2] <= (3, 11):
        return text
    from io import StringIO
    said, stderr = StringIO(), sys.stderr
    sys.stderr = said
    try:
        sys.__excepthook__(type(e), e, e.__traceback__)
    finally:
        sys.stderr = stderr
    last, plain = said.getvalue().rstrip("\n").rpartition("\n")[2], text.rstrip("\n")
    before = plain.rpartition("\n")[2]
    return plain + last[len(before):] + "\n" if last.startswith(before + ". Did you mean") else text


# As the interpreter would print it, even if its own way fails: without memory or stack, or with modules that the
# program has broken.
def exception_text(e, texts):
    try:
        from traceback import format_exception
        if isinstance(e, SyntaxError) and e.text is None and e.filename in texts:
            e.text = texts[e.filename].split("\n")[e.lineno - 1]
        return with_suggestion(e, "".join(format_exception(type(e), e, e.__traceback__)))
    except BaseException:
        pass
    said = ["Traceback (most recent call last):\n"]
    for entry in list(entries_of(e.__traceback__))[-50:]:
        code = entry.tb_frame.f_code
        said.append('  File "%s", line %d, in %s\n' % (code.co_filename, entry.tb_lineno, code.co_name))
        lines = texts.get(code.co_filename, "").split("\n")
        if 0 < entry.tb_lineno <= len(lines) and lines[entry.tb_lineno - 1].strip():
            said.append("    %s\n" % lines[entry.tb_lineno - 1].strip())
    name = type.__getattribute__(type(e), "__name__")
    message = exception_message(e, name)
    said.append("%s: %s\n" % (name, message) if message else name + "\n")
    return "".join(said)


def shorten(text, most):
    if len(text) <= most:
        return text
    head, tail = most - most // 3, most // 3
    return "%s\n... (%d characters left out) ...\n%s" % (
        text[:head], len(text) - head - tail, text[len(text) - tail:])


# EXCEPTION of src/backends/backends/cell_wire.h, and the location of the cell's own statement.
def exception_json(e, text, texts, most):
    name = type.__getattribute__(type(e), "__name__")
    cell, line, column, top_line, top_column = place_of(e, texts)
    return plain_json({
        "type": name, "message": shorten(exception_message(e, name), most), "cell": cell, "line": line,
        "column": column, "statement_line": top_line, "statement_column": top_column, "traceback": shorten(text, most)})
