# SPDX-License-Identifier: Apache-2.0
# Runs before a program that was written for smolagents: gives it the functions that smolagents has without an import,
# and adds to an exception the sentence of smolagents that names the program's values. `program` has its names. The host
# adds the call of begin_smolagents(): `authorized` are modules that must be installed, `hooks` is true for a program,
# whose interpreter shows the exception itself; a session calls add_words().


def add_functions():
    import builtins
    import math
    for name in "ceil floor log exp sin cos tan asin acos atan atan2 degrees radians sqrt".split():
        setattr(builtins, name, getattr(math, name))


def check_authorized(names):
    from importlib.util import find_spec
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise type("InterpreterError", (Exception,), {"__module__": "builtins"})(
            "Non-installed authorized modules: %s. Please install these modules or remove them from the authorized "
            "imports list." % ", ".join(missing))


# The source of the expression or statement that failed, what follows on its line, and where its names are looked up.
def failing(tb):
    import linecache
    while tb.tb_next:
        tb = tb.tb_next
    frame, code = tb.tb_frame, tb.tb_frame.f_code
    if frame.f_globals is not program:
        return "", "", ()
    line, last, start, end = list(code.co_positions())[tb.tb_lasti // 2]
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(line, last + 1)]
    after = lines[-1][end:].decode()
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return b"".join(lines).decode(), after, (frame.f_locals, program)


# The value of an expression of names, lists, dicts, constants and their items; otherwise an exception. Keys and texts of
# the program's own classes run its code, in its own sandbox.
def value_of(node, spaces):
    import ast
    if isinstance(node, ast.Name):
        return next(space[node.id] for space in spaces if node.id in space)
    if isinstance(node, ast.List):
        return [value_of(item, spaces) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {value_of(k, spaces): value_of(v, spaces) for k, v in zip(node.keys, node.values)}
    if isinstance(node, ast.Subscript):
        inner = value_of(node.value, spaces)
        if type(inner) in (dict, list, tuple, str):
            return inner[value_of(node.slice, spaces)]
    return ast.literal_eval(node)


def shown(value):
    text = str(value)
    return text if len(text) <= 1000 else text[:1000] + "..."


def index_words(e, node, spaces):
    value, index = value_of(node.value, spaces), value_of(node.slice, spaces)
    said = "Could not index %s with '%s': %s: %s" % (shown(value), shown(index), type(e).__name__, e)
    if isinstance(index, str) and isinstance(value, dict):
        from difflib import get_close_matches
        near = get_close_matches(index, [key for key in list(value)[:10000] if isinstance(key, str)])
        if near:
            said += ". Maybe you meant one of these indexes instead: %s" % near
    return said


# The sentence for an exception, with its type; "" if smolagents has no other one than Python.
def words(e, tb):
    import ast
    source, after, spaces = failing(tb)
    if isinstance(e, AttributeError):
        called = source and after.lstrip().startswith("(") and e.name and source.endswith(e.name)
        return "InterpreterError: Object %s has no attribute %s" % (shown(e.obj), e.name) if called else ""
    if not source:
        return ""
    node = ast.parse(source.strip()).body[0]
    node = node.value if isinstance(node, ast.Expr) else node
    if isinstance(e, AssertionError):
        test = node.test if isinstance(node, ast.Assert) else node
        plain = not e.args and not isinstance(node, ast.Raise)
        return "AssertionError: Assertion failed: " + ast.unparse(test) if plain else ""
    if isinstance(node, ast.Subscript) and "assignment" not in str(e) and "deletion" not in str(e):
        return "InterpreterError: " + index_words(e, node, spaces)
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and type(value_of(node.target, spaces)) is list:
        value = value_of(node.value, spaces)
        return "InterpreterError: Cannot add non-list value %s to a list." % shown(value)
    return ""


# Python 3.11 is the first that knows where in a line an exception happened, and that shows notes.
def add_words(e, tb):
    try:
        if isinstance(e, (LookupError, TypeError, AttributeError, AssertionError)):
            said = words(e, tb)
            if said:
                e.add_note(said)
    except Exception:
        pass


def hook_words():
    import sys
    plain = sys.excepthook

    def show(kind, e, tb):
        add_words(e, tb)
        plain(kind, e, tb)

    sys.excepthook = show


def begin_smolagents(authorized, hooks):
    if authorized:
        check_authorized(authorized)
    add_functions()
    if hooks:
        hook_words()
