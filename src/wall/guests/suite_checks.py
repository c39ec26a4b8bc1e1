# SPDX-License-Identifier: Apache-2.0
# Counts which checks of the test code ran. Follows suite_names.py.
#
# A test that ran to its end proves nothing if its checks were not reached: a coroutine that is never awaited, a
# function that is never called, a guard that is false. The source does not show that, so it is counted at run time:
# test code is compiled with added calls that count each check and each function that is entered.
import _ast

# How the names of checking functions begin; and functions that end a test.
CHECKS = ("assert", "check", "verify", "expect", "ensure", "require", "compare", "validate", "raises", "warns", "should")
METHODS = ("assert", "expect", "raises", "warns", "should")
ENDS = ("fail", "exit", "_exit", "abort")
JUDGED, CHECKED, ENTERED = "@judged", "@checked", "@entered"  # no names that a program can spell
FUNCTIONS = ("FunctionDef", "AsyncFunctionDef")


class Function:
    def __init__(self, node, method):
        args = node.args
        optional = len(args.defaults)
        required = [a.arg for a in (getattr(args, "posonlyargs", []) + args.args)[:-optional or None]]
        self.name, self.line, self.method, self.required = node.name, node.lineno, method, required
        self.takes = required[1:] if method else required
        self.checks = self.entered = self.skipped = False
        self.loaded, self.touched = set(), set()

    # A helper that compares its arguments is not a test that was left out; functions that it calls are the candidate's.
    def was_left_out(self, strangers):
        helps = self.takes and not self.touched.intersection(self.takes) and not self.loaded & strangers
        return self.checks and not self.entered and not self.skipped and not helps


class Checks:
    def __init__(self, is_used, strangers):
        self.is_used = is_used  # whether the candidate was used so far
        self.strangers = strangers  # names that are the candidate's
        self.functions, self.held, self.failed, self.examples = [], 0, 0, 0

    def judged(self, v):
        true = bool(v)
        if true:
            self.held += self.is_used()
        else:
            self.failed += 1
        return true

    def checked(self, v=None):
        self.held += self.is_used()
        return v

    def enter(self, number):
        self.functions[number].entered = True

    def names(self):
        return {JUDGED: self.judged, CHECKED: self.checked, ENTERED: self.enter}

    # The reason why a task whose tests all ran to their end has proved nothing, or None.
    def doubt(self):
        left_out = [f for f in self.functions if f.was_left_out(self.strangers)]
        if left_out:
            return "line %d: %s has checks and was never run" % (left_out[0].line, left_out[0].name)
        if self.failed:
            return "the test code caught an assertion of its own that had failed"
        if not self.held:
            return "the test code tests nothing: no check was made of anything that came from the candidate"


# ---- a text with the calls in it ----

def like(kind, node, **fields):
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        fields[name] = getattr(node, name)
    return kind(**fields)


def call_of(name, node, *args):
    return like(_ast.Call, node, func=like(_ast.Name, node, id=name, ctx=_ast.Load()), args=list(args), keywords=[])


def statement_of(name, node, *args):
    return like(_ast.Expr, node, value=call_of(name, node, *args))


def called_name(node):
    func = node.func if kind_of(node) == "Call" else None
    return getattr(func, "attr", None) or getattr(func, "id", None) or ""


class Counting:
    """Puts the calls into a tree. A statement's method returns whether the test fails where it is reached; then the
    statement around it is the check."""

    def __init__(self, checks):
        self.checks, self.scope, self.in_class, self.skipped = checks, None, False, False
        self.top, self.defined = {}, set()  # functions by name, and by (class, name)

    def module(self, tree):
        self.find_names(tree)
        tree.body = self.block(tree.body)[0]
        return tree

    def find_names(self, node):
        for inner in getattr(node, "body", ()) if type(getattr(node, "body", ())) is list else ():
            if kind_of(inner) in FUNCTIONS:
                self.defined.add(inner.name)
            self.find_names(inner)

    def note(self):
        if self.scope is not None:
            self.scope.checks = True

    def block(self, statements):
        out, ends = [], False
        for node in statements:
            out.append(node)
            if not self.statement(node):
                continue
            if hasattr(node, "body") or hasattr(node, "cases"):
                self.note()
                out.append(statement_of(CHECKED, node))
            else:
                ends = True
        return out, ends

    def statement(self, node):
        return getattr(self, "visit_" + kind_of(node), self.fields)(node)

    # Handles blocks, and the parts between them: handlers, cases, expressions.
    def fields(self, node):
        ends = False
        for field in node._fields:
            inner = getattr(node, field, None)
            if type(inner) is list and inner and isinstance(inner[0], _ast.stmt):
                inner, found = self.block(inner)
                setattr(node, field, inner)
                ends |= found
            elif type(inner) is list:
                for i, part in enumerate(inner):
                    if kind_of(part) in ("ExceptHandler", "match_case"):
                        ends |= self.fields(part)
                    elif hasattr(part, "_fields"):
                        inner[i] = self.expression(part)
            elif hasattr(inner, "_fields"):
                setattr(node, field, self.expression(inner))
        return ends

    def visit_Assert(self, node):
        if kind_of(node.test) == "Constant" and not node.test.value:
            return True
        self.note()
        self.fields(node)
        node.test = call_of(JUDGED, node.test, node.test)
        return False

    def visit_Raise(self, node):
        self.fields(node)
        return True

    def visit_Expr(self, node):
        ends = called_name(node.value).startswith(ENDS)
        self.fields(node)
        return ends

    # Coroutines that are awaited inside have ended when the statement has.
    def visit_With(self, node):
        checks = any(self.is_check(item.context_expr) for item in node.items)
        for item in node.items:
            self.fields(item.context_expr if self.is_check(item.context_expr) else item)
        node.body, ends = self.block(node.body)
        return checks or ends

    visit_AsyncWith = visit_With

    def visit_FunctionDef(self, node):
        outer, in_class = self.scope, self.in_class
        self.scope = function = Function(node, in_class)
        function.skipped = self.skipped or skips(node)
        number, self.in_class = len(self.checks.functions), False
        self.checks.functions.append(function)
        self.top[(in_class, node.name) if in_class else node.name] = function
        self.fields(node)
        first = node.body[0]
        has_text = kind_of(first) == "Expr" and kind_of(first.value) == "Constant" and type(first.value.value) is str
        node.body.insert(1 if has_text else 0, statement_of(ENTERED, first, like(_ast.Constant, first, value=number)))
        self.scope, self.in_class = outer, in_class
        return False

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        in_class, skipped = self.in_class, self.skipped
        self.in_class, self.skipped = node.name, skipped or skips(node)
        self.fields(node)
        self.in_class, self.skipped = in_class, skipped
        return False

    # Functions of the text report their own checks; the candidate's functions make none.
    def is_check(self, node):
        name = called_name(node)
        starts = METHODS if hasattr(getattr(node, "func", None), "attr") else CHECKS
        return name.lower().startswith(starts) and name not in self.defined and name not in self.checks.strangers

    def expression(self, node):
        kind = kind_of(node)
        if kind == "Constant":
            return node
        if kind == "Name" and self.scope is not None:
            self.scope.loaded.add(node.id)
        root = getattr(node, "func" if kind == "Call" else "value" if kind == "Attribute" else "", None)
        if kind_of(root) == "Name" and self.scope is not None:
            self.scope.touched.add(root.id)
        self.fields(node)
        if not self.is_check(node):
            return node
        self.note()
        return call_of(CHECKED, node, node)


def skips(node):
    return any("skip" in (getattr(part, "attr", "") + getattr(part, "id", "")).lower()
               for decorator in node.decorator_list for part in (decorator, getattr(decorator, "func", None)))


# The code, and its functions by their names.
def counted(text, what, checks):
    try:
        tree = compile(text, what, "exec", ONLY_TREE, dont_inherit=True)
        counting = Counting(checks)
        return compile(counting.module(tree), what, "exec", dont_inherit=True), tree, counting.top
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise LinkFault("the test code does not compile: %s" % e) from None
