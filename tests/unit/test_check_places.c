/* SPDX-License-Identifier: Apache-2.0
 *
 * What the compiler refuses and warns of: its words and places, and the order in which it finds
 * things. (tests/python/compile_errors.py has the long list, compared with Python itself.)
 */
#include "base/buf.h"
#include "base/mem.h"
#include "python/python.h"
#include "tap.h"

struct row {
    unsigned target;
    const char *program, *said; /* "LINE:COLUMN-LINE:COLUMN text" of the error, "" for none */
};

/* clang-format off */
static const struct row errors[] = {
    {11, "x = 1", ""},
    /* One of each kind, and where it stands. */
    {11, "return", "1:1-1:7 'return' outside function"},
    {11, "'\xc3\xa9'; return", "1:7-1:13 'return' outside function"},
    {11, "yield", "1:1-1:6 'yield' outside function"},
    {13, "yield from x", "1:1-1:13 'yield from' outside function"},
    {11, "break", "1:1-1:6 'break' outside loop"},
    {11, "def f(a, a): pass", "1:10-1:11 duplicate argument 'a' in function definition"},
    {11, "f(a=1, a=2)", "1:8-1:11 keyword argument repeated: a"},
    {11, "*a, *b = c", "1:1-1:7 multiple starred expressions in assignment"},
    {11, "def f(__debug__): pass", "1:1-1:23 cannot assign to __debug__"},
    {12, "def f(__debug__): pass", "1:7-1:16 cannot assign to __debug__"},
    {11, "nonlocal x", "1:1-1:11 nonlocal declaration not allowed at module level"},
    {11, "match x:\n case a: pass\n case b: pass", "2:7-2:8 name capture 'a' makes remaining patterns unreachable"},
    {11, "match x:\n case {1-2j: 1, 1-2j: 2}: pass", "2:7-2:25 mapping pattern checks duplicate key ((1-2j))"},
    {11, "match x:\n case {0: 1, False: 2}: pass", "2:7-2:23 mapping pattern checks duplicate key (False)"},
    {11, "match x:\n case {'a': 1, b'a': 2, 1: 3, 1.5: 4, None: 5}: pass", ""},
    {11, "from __future__ import braces", "1:1-1:0 not a chance"},
    {14, "from __future__ import braces", "1:24-1:30 not a chance"},
    /* Which of two comes first. */
    {11, "return\ndef f(a, a): pass", "2:10-2:11 duplicate argument 'a' in function definition"},
    {11, "return\n__debug__ = 1", "1:1-1:7 'return' outside function"},
    {14, "return\n__debug__ = 1", "2:1-2:10 cannot assign to __debug__"},
    {11, "def f():\n nonlocal x\nglobal y; y; import x", "2:2-2:12 no binding for nonlocal 'x' found"},
    {11, "x = [yield_ for x in (yield)]\nbreak", "1:23-1:28 'yield' outside function"},
    {11, "for x in y:\n try: continue\n finally: return\nbreak", "3:11-3:17 'return' outside function"},
    {11, "try: break\nfinally: return", "2:10-2:16 'return' outside function"},
    {11, "def f():\n for x in y:\n  try:\n   for z in w:\n    try: break\n    finally:\n     while 1: break\n  except* A: continue",
     "8:14-8:22 'break', 'continue' and 'return' cannot appear in an except* block"},
    /* Versions. */
    {11, "x: (y := 1)", ""},
    {14, "x: (y := 1)", "1:5-1:11 named expression cannot be used within an annotation"},
    {12, "type X = (yield)", "1:11-1:16 yield expression cannot be used within a type alias"},
    {13, "def f[T=int, U](): pass", "1:14-1:15 non-default type parameter 'U' follows default type parameter"},
    {11, "del x.__debug__", ""},
    {14, "del x.__debug__", "1:5-1:16 cannot delete __debug__"},
    {11, "def f():\n try: pass\n except* A: return", "3:13-3:19 'break', 'continue' and 'return' cannot appear in an except* block"},
};

static const struct row warnings[] = {
    {11, "1 is x", "1 \"is\" with a literal. Did you mean \"==\"?"},
    {12, "x is not 'a'", "1 \"is not\" with 'str' literal. Did you mean \"!=\"?"},
    {11, "not x is 1", "1 \"is not\" with a literal. Did you mean \"!=\"?"},
    {14, "not x is 1", "1 \"is\" with 'int' literal. Did you mean \"==\"?"},
    {11, "x is -1", "1 \"is\" with a literal. Did you mean \"==\"?"},
    {14, "x is -1", ""},
    {11, "x is None", ""},
    {11, "\n1()", "2 'int' object is not callable; perhaps you missed a comma?"},
    {11, "[1][2, 3]", "1 list indices must be integers or slices, not tuple; perhaps you missed a comma?"},
    {11, "None[1]", "1 'NoneType' object is not subscriptable; perhaps you missed a comma?"},
    {11, "'a'[1:2]", ""},
    {11, "assert (x, 'y')", "1 assertion is always true, perhaps remove parentheses?"},
    {14, "def f():\n try: pass\n finally: return", "3 'return' in a 'finally' block"},
    {13, "def f():\n try: pass\n finally: return", ""},
    {14, "for x in y:\n try: pass\n finally:\n  for z in w: break", ""},
};
/* clang-format on */

static void check(struct python_tree *tree, const struct row *row)
{
    struct python_options options = {.target = row->target};

    if (OK(python_parse(str_from(row->program), &options, tree) == 0, "parses"))
        (void)python_check(tree);
}

static void test_errors(void)
{
    for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
        struct python_tree tree;
        const struct python_error *e = &tree.error;
        check(&tree, &errors[i]);
        AUTO_FREE char *said = xasprintf("%u:%d-%u:%d %s", e->line, e->column, e->end_line,
                                         e->end_column, e->message ? e->message : "");
        printf("# 3.%u: %zu\n", errors[i].target, i);
        EQ_STR(e->kind == PYTHON_NO_ERROR ? "" : said, errors[i].said);
        python_tree_done(&tree);
    }
}

static void test_warnings(void)
{
    for (size_t i = 0; i < ARRAY_LEN(warnings); i++) {
        struct python_tree tree;
        AUTO_BUF struct buf said = {0};
        buf_init(&said, 1000);
        check(&tree, &warnings[i]);
        for (size_t w = 0; w < tree.warnings.n; w++)
            buf_addf(&said, "%u %s", tree.warnings.at[w].line, tree.warnings.at[w].message);
        printf("# 3.%u: %zu\n", warnings[i].target, i);
        EQ_STR(said.p, warnings[i].said);
        python_tree_done(&tree);
    }
}

static void add_times(struct buf *b, const char *unit, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        buf_adds(b, unit);
}

/* What is as deep as a tree may be, and what is repeated beyond measure. */
static void test_extremes(void)
{
    static const struct {
        const char *before, *unit, *after;
        unsigned n;
    } programs[] = {
        {"", "not ", "x", 2900},
        {"x = ", "lambda: ", "x", 2900},
        {"x = ", "a if b else ", "x", 2900},
        {"if a: pass\n", "elif b: pass\n", "", 2900},
        {"x = f", "()", "", 2900},
        {"f(", "a, ", "b=1)", 100000},
        {"match x:\n case (", "[a, _] | ", "[_, a]): pass", 20000},
        {"", "try: pass\nfinally: pass\n", "", 20000},
        {"for x in y:\n try: pass\n finally:\n  ", "break; ", "pass", 20000},
    };

    for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
        AUTO_BUF struct buf text = {0};
        struct python_tree tree;
        buf_init(&text, 8 << 20);
        buf_adds(&text, programs[i].before);
        add_times(&text, programs[i].unit, programs[i].n);
        buf_adds(&text, programs[i].after);
        check(&tree, &(struct row){11, text.p, ""});
        EQ_INT(tree.error.kind, PYTHON_NO_ERROR);
        python_tree_done(&tree);
    }
}

/* The first that repeats, also where there are too many to compare each with each. */
static void test_repeated(void)
{
    AUTO_BUF struct buf text = {0};
    struct python_tree tree;

    buf_init(&text, 1 << 20);
    buf_adds(&text, "f(");
    for (unsigned i = 0; i < 1000; i++)
        buf_addf(&text, "a%u=1,", i);
    buf_adds(&text, "a700=1, a3=1)");
    check(&tree, &(struct row){11, text.p, ""});
    EQ_STR(tree.error.message, "keyword argument repeated: a3");
    python_tree_done(&tree);
}

int main(void)
{
    RUN(test_errors());
    RUN(test_warnings());
    RUN(test_extremes());
    RUN(test_repeated());
    return tap_done();
}
