# SPDX-License-Identifier: Apache-2.0
# The owner of a name that the test code uses and this side has not defined: a library, which is imported here, or
# the candidate. Follows suite_link.py.
#
# The side that defines `math` or `isclose` decides the verdict. So the candidate is searched last, and never for a
# name that the test code assigns to.

ALIASES = {
    "jnp": "jax.numpy", "np": "numpy", "nx": "networkx", "pd": "pandas", "plt": "matplotlib.pyplot", "sns": "seaborn",
    "sp": "scipy", "tf": "tensorflow", "xr": "xarray"}
PACKAGES = frozenset((
    "dateutil", "jax", "matplotlib", "networkx", "numpy", "pandas", "pytest", "pytz", "requests", "scipy", "seaborn",
    "sklearn", "sympy", "tensorflow", "torch", "xarray", "yaml"))
# Functions that tests compare with, or wrap around both sides of a comparison, and that solutions may import.
HELPERS = {
    "Counter": ("collections",), "OrderedDict": ("collections",), "defaultdict": ("collections",), "deque": ("collections",),
    "namedtuple": ("collections",), "Decimal": ("decimal",), "Fraction": ("fractions",), "date": ("datetime",),
    "datetime": ("datetime",), "timedelta": ("datetime",), "timezone": ("datetime",), "deepcopy": ("copy",),
    "isclose": ("math",), "isfinite": ("math",), "isinf": ("math",), "isnan": ("math",), "inf": ("math",),
    "nan": ("math",), "pi": ("math",), "SimpleNamespace": ("types",), "StringIO": ("io",), "BytesIO": ("io",),
    "MagicMock": ("unittest.mock",), "TestCase": ("unittest",), "Path": ("pathlib",), "allclose": ("numpy",),
    "array": ("array", "numpy"), "array_equal": ("numpy",), "assert_allclose": ("numpy.testing",),
    "assert_almost_equal": ("numpy.testing",), "assert_array_almost_equal": ("numpy.testing",),
    "assert_array_equal": ("numpy.testing",), "assert_equal": ("numpy.testing",), "DataFrame": ("pandas",), "Series": ("pandas",),
    "assert_frame_equal": ("pandas.testing",), "assert_series_equal": ("pandas.testing",), "approx": ("pytest",),
    "raises": ("pytest",)}
STATELESS = frozenset((
    "bisect", "cmath", "collections", "copy", "datetime", "fractions", "heapq", "itertools", "json", "math", "operator", "re",
    "statistics", "string", "typing", "unittest", "__future__"))
REACHES = frozenset((
    "MagicMock", "Mock", "__builtins__", "__import__", "delattr", "eval", "exec", "getattr", "globals", "id", "input", "locals",
    "mock", "open", "patch", "print", "setattr", "vars"))
STDLIB = getattr(sys, "stdlib_module_names", None) or frozenset(sys.builtin_module_names) | frozenset((
    "array", "bisect", "calendar", "cmath", "collections", "contextlib", "copy", "csv", "datetime", "decimal", "enum",
    "fractions", "functools", "hashlib", "heapq", "inspect", "io", "itertools", "json", "math", "operator", "os",
    "pathlib", "random", "re", "statistics", "string", "struct", "textwrap", "time", "traceback", "types", "typing",
    "unittest", "uuid"))


# ---- what a text does with names ----


def kind_of(node):
    return type(node).__name__


# True for a literal value.
def is_literal(node):
    return kind_of(node) == "Constant" or (kind_of(node) in ("List", "Tuple", "Dict", "Set", "UnaryOp", "Load", "USub") and all(
        is_literal(part) for field in node._fields for value in [getattr(node, field)] for part in
        (value if type(value) is list else [value]) if part is not None))


ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST; the module ast takes milliseconds to import


def parse(text):
    try:
        return compile(text, "<text>", "exec", ONLY_TREE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Uses:
    """How the names of a module's own level are used, in the order in which that happens."""

    def __init__(self, texts):
        self.attributes, self.loaded, self.bound, self.depth = {}, set(), set(), 0
        self.imported, self.identity, self.deciders = set(), False, set()
        for text in texts:
            try:
                self.visit(parse(text))
            except RecursionError:
                pass

    def visit(self, node):
        if type(node) is list:
            for part in node:
                self.visit(part)
        elif hasattr(node, "_fields"):
            getattr(self, "visit_" + kind_of(node), self.parts)(node)

    def parts(self, node):
        for field in node._fields:
            self.visit(getattr(node, field, None))

    def visit_Name(self, node):
        if kind_of(node.ctx) == "Load":
            self.loaded.add(node.id)
        elif node.id not in self.loaded:
            self.define(node.id)

    def visit_Attribute(self, node):
        if kind_of(node.value) == "Name":
            self.attributes.setdefault(node.value.id, set()).add(node.attr)
        self.visit(node.value)

    # Targets come last.
    def assign(self, node):
        for field in ("value", "iter", "targets", "target", "body", "orelse"):
            self.visit(getattr(node, field, None))

    def visit_AugAssign(self, node):
        if hasattr(node.target, "id"):
            self.loaded.add(node.target.id)
        self.parts(node)

    visit_Assign = visit_AnnAssign = visit_NamedExpr = visit_For = visit_AsyncFor = assign

    def define(self, name):
        if not self.depth and name:
            self.bound.add(name)

    def visit_Import(self, node):
        self.imported.update(alias.name.partition(".")[0] for alias in node.names)
        self.parts(node)

    def visit_ImportFrom(self, node):
        self.imported.add((node.module or ".").partition(".")[0])
        self.parts(node)

    # True for identity tests, and for functions that wrap both sides of a comparison.
    def visit_Compare(self, node):
        sides = [node.left] + node.comparators
        names = [side.func.id for side in sides if kind_of(side) == "Call" and kind_of(side.func) == "Name"]
        self.deciders.update(name for name in names if names.count(name) > 1)
        self.identity |= any(kind_of(op).startswith("Is") and kind_of(side) != "Constant"
                             for op, side in zip(node.ops, sides[1:]))
        self.parts(node)

    def visit_Assert(self, node):
        self.truth(node.test)
        self.parts(node)

    def visit_If(self, node):
        self.truth(node.test)
        self.parts(node)

    def visit_Call(self, node):
        if getattr(node.func, "attr", None) in ("assertTrue", "assertFalse") and node.args:
            self.truth(node.args[0])
        self.parts(node)

    # The functions whose answer alone decides whether a test fails. Their arguments must come from elsewhere: if these
    # are constants, the function itself is the tested one.
    def truth(self, node):
        kind, name = kind_of(node), getattr(getattr(node, "func", None), "id", None)
        if kind == "UnaryOp":
            self.truth(node.operand)
        elif kind == "BoolOp":
            for part in node.values:
                self.truth(part)
        elif kind == "Compare" and kind_of(node.comparators[0]) == "Constant" and type(node.comparators[0].value) is bool:
            self.truth(node.left)
        elif kind in ("GeneratorExp", "ListComp"):
            self.truth(node.elt)
        elif kind == "Call" and name in ("all", "any", "bool", "map") and node.args:
            self.truth(node.args[0])
        elif kind == "Name" or (kind == "Call" and name and any(not is_literal(part) for part in node.args)):
            self.deciders.add(name or node.id)

    # True if the texts use nothing that each process has for itself: a module's state, its streams, the
    # identity of objects. STATELESS lists the known cases; all others count as state.
    def are_local(self):
        used = self.imported | {name for name in self.loaded if name in STDLIB or name in ALIASES or name in PACKAGES}
        return not (self.identity or used - STATELESS or self.loaded & REACHES or self.attributes.get("unittest", set()) & {"mock"})

    def visit_alias(self, node):
        self.define(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node):
        self.visit(node.type)
        self.define(node.name)
        self.visit(node.body)

    def inside(self, node):
        self.define(getattr(node, "name", None))
        self.depth += 1
        self.parts(node)
        self.depth -= 1

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = inside
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = inside


# ---- libraries ----

def module_or_none(name):
    from importlib import import_module
    if name.partition(".")[0] not in STDLIB and name.partition(".")[0] not in PACKAGES:
        return None
    try:
        return import_module(name)
    except Exception:
        return None


def member_or_none(modules, name):
    for module in map(module_or_none, reversed(modules)):
        if hasattr(module, name):
            return getattr(module, name)


def missing(module):
    raise LinkFault("the test needs the module %s, which cannot be imported" % module)


class Libraries:
    """`texts` are all that runs on this side; `entry` is the tested name, or None."""

    def __init__(self, texts, entry):
        self.uses, self.entry = Uses(texts), entry
        strangers = {name for name in self.uses.loaded - self.uses.bound if not hasattr(builtins, name)}
        self.others = {name for name in strangers if self.module_of(name) is None and name not in HELPERS}

    def module_of(self, name):
        wanted = self.uses.attributes.get(name, ())
        # A name that is only called is not a module's, although a module may have the same name.
        if name in self.uses.loaded and not wanted:
            return None
        module = module_or_none(ALIASES.get(name, name))
        inner = getattr(module, name, None)
        for found in (module, inner):
            if found is not None and all(hasattr(found, attribute) for attribute in wanted):
                return found

    # The object on this side, in a list; an empty list if it must be requested.
    def find(self, name):
        if name == self.entry:
            return []
        found = self.module_of(name)
        if found is not None:
            return [found]
        if name in HELPERS and (self.entry or self.others):
            found = member_or_none(HELPERS[name], name)
            return [found] if found is not None else missing(HELPERS[name][0])
        if (name in ALIASES or name in PACKAGES) and self.uses.attributes.get(name):
            missing(ALIASES.get(name, name))
        return []


# ---- prompts ----

CLOSING = ("else", "elif", "except", "finally", ")", "]", "}", '"""', "'''")
PIECES, TRIES = 2000, 30


def compiled(text, what):
    try:
        return compile(text, what, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# A part begins at a line that is not indented.
def pieces_of(text):
    pieces = []
    for line in text.splitlines(True):
        if pieces and (line[:1] in " \t\r\n#" or line.startswith(CLOSING)):
            pieces[-1] += line
        else:
            pieces.append(line)
    return pieces[:PIECES]


# The code objects of a text, or of as much of it as can be compiled: a prompt may end in the middle.
def code_of(text, what):
    whole = compiled(text, what)
    if whole is not None:
        return [whole]
    pieces, found, at = pieces_of(text), [], 0
    while at < len(pieces):
        step = 1
        for n in range(1, min(TRIES, len(pieces) - at) + 1):
            code = compiled("".join(pieces[at:at + n]), what)
            if code is not None:
                found.append(code)
                step = n
                break
        at += step
    return found
