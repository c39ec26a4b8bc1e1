/* SPDX-License-Identifier: Apache-2.0
 *
 * Which name means what. Each row is a program and what one name in one of its scopes is; the scope
 * is named by the children to go to: "01" is the second child of the first.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "python/python.h"
#include "syntax/lex.h"
#include "syntax/scope.h"
#include "tap.h"

enum {
    A = SYMBOL_ASSIGNED,
    U = SYMBOL_USED,
    P = SYMBOL_PARAMETER,
    I = SYMBOL_IMPORTED,
    N = SYMBOL_ANNOTATED,
    G = SYMBOL_GLOBAL,
    L = SYMBOL_NONLOCAL,
    D = SYMBOL_DELETED,
    F = SYMBOL_DEFINED,
    PUBLIC = (F << 1) - 1,
};

struct row {
    const char *program, *scope, *name;
    unsigned flags;
    enum symbol_home home;
    const char *owner; /* the same as scope: the one where it lives */
};

/* clang-format off */
static const struct row rows[] = {
    /* The module. */
    {"x = 1", "", "x", A, HOME_LOCAL, ""},
    {"print(x)", "", "print", U, HOME_BUILTIN, ""},
    {"x = 1\nx", "", "x", A | U, HOME_LOCAL, ""},
    {"import os.path", "", "os", I, HOME_LOCAL, ""},
    {"import os.path as p", "", "p", I, HOME_LOCAL, ""},
    {"from os import system as s", "", "s", I, HOME_LOCAL, ""},
    {"def f(): pass", "", "f", F, HOME_LOCAL, ""},
    {"class C: pass", "", "C", F, HOME_LOCAL, ""},
    {"x: int", "", "x", N, HOME_BUILTIN, ""},
    {"x: int = 1", "", "x", A | N, HOME_LOCAL, ""},
    {"eval: int\neval('1')", "", "eval", N | U, HOME_BUILTIN, ""},
    {"del eval", "", "eval", D, HOME_BUILTIN, ""},
    {"for x in y: pass", "", "x", A, HOME_LOCAL, ""},
    {"with y as (a, [x]): pass", "", "x", A, HOME_LOCAL, ""},
    {"try: pass\nexcept E as x: pass", "", "x", A, HOME_LOCAL, ""},
    {"match y:\n case [a, *x]: pass", "", "x", A, HOME_LOCAL, ""},
    {"match y:\n case {1: a, **x}: pass", "", "x", A, HOME_LOCAL, ""},
    {"match y:\n case A(b=x): pass", "", "x", A, HOME_LOCAL, ""},
    {"match y:\n case 1 as x: pass", "", "x", A, HOME_LOCAL, ""},
    {"x += 1", "", "x", A, HOME_LOCAL, ""},
    {"(x := 1)", "", "x", A, HOME_LOCAL, ""},
    {"a.x = 1", "", "a", U, HOME_BUILTIN, ""},
    /* Functions. */
    {"def f(x): return x", "0", "x", P | U, HOME_LOCAL, "0"},
    {"def f(*x): pass", "0", "x", P, HOME_LOCAL, "0"},
    {"def f(**x): pass", "0", "x", P, HOME_LOCAL, "0"},
    {"lambda x: x", "0", "x", P | U, HOME_LOCAL, "0"},
    {"x = 1\ndef f(): return x", "0", "x", U, HOME_GLOBAL, ""},
    {"def f(): return x\nx = 1", "0", "x", U, HOME_GLOBAL, ""},
    {"def f(): return eval", "0", "eval", U, HOME_BUILTIN, ""},
    {"def f(): eval: int\ndef g(): eval", "1", "eval", U, HOME_BUILTIN, ""},
    {"def f():\n x: int\n x", "0", "x", N | U, HOME_LOCAL, "0"},
    {"def f():\n del x", "0", "x", D, HOME_LOCAL, "0"},
    {"def f():\n import x", "0", "x", I, HOME_LOCAL, "0"},
    {"def f():\n x = 1\n def g(): return x", "0", "x", A, HOME_CELL, "0"},
    {"def f():\n x = 1\n def g(): return x", "00", "x", U, HOME_FREE, "0"},
    {"def f(x): return lambda: lambda: x", "000", "x", U, HOME_FREE, "0"},
    {"def f(x):\n def g():\n  nonlocal x\n  x = 1", "00", "x", L | A, HOME_FREE, "0"},
    {"def f(x):\n def g(x): return x", "00", "x", P | U, HOME_LOCAL, "00"},
    {"def f(x):\n def g(x): return x", "0", "x", P, HOME_LOCAL, "0"},
    {"def f():\n global x\n x = 1", "0", "x", G | A, HOME_GLOBAL, ""},
    {"def f():\n global x\n x = 1\ndef g(): x", "1", "x", U, HOME_GLOBAL, ""},
    {"def f():\n global x\n x = 1\nx", "", "x", G | U, HOME_LOCAL, ""},
    {"def f():\n global eval\n eval('1')", "0", "eval", G | U, HOME_BUILTIN, ""},
    {"def f(x):\n def g():\n  global x\n  def h(): return x", "000", "x", U, HOME_BUILTIN, ""},
    {"def f(x):\n def g():\n  global x\n  x = 1\n  def h(): return x", "000", "x", U, HOME_GLOBAL, ""},
    /* What is evaluated outside of them. */
    {"def f(a=x): pass", "", "x", U, HOME_BUILTIN, ""},
    {"def f(*, a=x): pass", "", "x", U, HOME_BUILTIN, ""},
    {"def f(a: x): pass", "", "x", U, HOME_BUILTIN, ""},
    {"def f() -> x: pass", "", "x", U, HOME_BUILTIN, ""},
    {"@x\ndef f(): pass", "", "x", U, HOME_BUILTIN, ""},
    {"class C(x): pass", "", "x", U, HOME_BUILTIN, ""},
    {"class C(a=x): pass", "", "x", U, HOME_BUILTIN, ""},
    {"def f(x):\n def g(a: x): pass", "0", "x", P | U, HOME_LOCAL, "0"},
    /* Classes: their names are not seen from inside. */
    {"class C:\n x = 1", "0", "x", A, HOME_LOCAL, "0"},
    {"class C:\n x = 1\n def f(self): return x", "00", "x", U, HOME_BUILTIN, ""},
    {"x = 1\nclass C:\n x = x", "0", "x", A | U, HOME_LOCAL, "0"},
    {"def f(x):\n class C:\n  def g(self): return x", "000", "x", U, HOME_FREE, "0"},
    {"def f(x):\n class C:\n  y = x", "00", "x", U, HOME_FREE, "0"},
    {"def f(x):\n class C:\n  x: int\n  x", "00", "x", N | U, HOME_BUILTIN, ""},
    {"def f(x):\n class C:\n  nonlocal x\n  x = 1", "00", "x", L | A, HOME_FREE, "0"},
    {"class C:\n global x\n x = 1\n def f(self): return x", "00", "x", U, HOME_GLOBAL, ""},
    {"class C:\n def f(self): super()", "00", "__class__", U, HOME_FREE, "0"},
    {"class C:\n def f(self): return __class__", "00", "__class__", U, HOME_FREE, "0"},
    {"class C:\n def f(self): self.__x, __x", "00", "_C__x", U, HOME_BUILTIN, ""},
    {"class _C:\n __x = 1", "0", "_C__x", A, HOME_LOCAL, "0"},
    {"class C:\n __x__ = 1", "0", "__x__", A, HOME_LOCAL, "0"},
    {"class _:\n __x = 1", "0", "__x", A, HOME_LOCAL, "0"},
    {"class C:\n import __x", "0", "_C__x", I, HOME_LOCAL, "0"},
    {"class C:\n def f(self, __x): pass", "00", "_C__x", P, HOME_LOCAL, "00"},
    /* Comprehensions: the first iterable is evaluated outside. */
    {"[x for x in y]", "0", "x", A | U, HOME_LOCAL, "0"},
    {"[x for x in y]", "", "y", U, HOME_BUILTIN, ""},
    {"[a for x in y for a in z]", "0", "z", U, HOME_BUILTIN, ""},
    {"{x: y for x, y in z if x}", "0", "y", A | U, HOME_LOCAL, "0"},
    {"def f(x): return [x for y in z]", "00", "x", U, HOME_FREE, "0"},
    {"def f(x): return [x for y in z]", "0", "x", P, HOME_CELL, "0"},
    {"class C:\n x = 1\n y = [x for a in x]", "00", "x", U, HOME_BUILTIN, ""},
    {"[lambda: x for x in y]", "00", "x", U, HOME_FREE, "0"},
    {"[(x := 1) for y in z]", "", "x", G, HOME_LOCAL, ""},
    {"[(x := 1) for y in z]", "0", "x", G | A, HOME_GLOBAL, ""},
    {"def f():\n [(x := 1) for y in z]", "0", "x", A, HOME_CELL, "0"},
    {"def f():\n [(x := 1) for y in z]", "00", "x", L | A, HOME_FREE, "0"},
    {"def f():\n global x\n [(x := 1) for y in z]", "00", "x", G | A, HOME_GLOBAL, ""},
    {"f'{x}'", "", "x", U, HOME_BUILTIN, ""},
    /* Types. */
    {"def f[T](x: T): return T", "0", "T", A | U, HOME_CELL, "0"},
    {"def f[T](x: T): return T", "00", "T", U, HOME_FREE, "0"},
    {"class C[T](B[T]):\n x: T", "0", "T", A | U, HOME_CELL, "0"},
    {"type X[T] = list[T]", "00", "T", U, HOME_FREE, "0"},
    {"type X = y", "", "X", A, HOME_LOCAL, ""},
    {"class C:\n x = 1\n type X = x", "00", "x", U, HOME_FREE, "0"},
    {"class C:\n x = 1\n def f[T: x](self): pass", "000", "x", U, HOME_FREE, "0"},
};
/* clang-format on */

static const struct scope *scope_at(const struct scope *scope, const char *path)
{
    for (; *path && scope; path++) {
        scope = scope->first_child;
        for (char i = '0'; i < *path && scope; i++)
            scope = scope->next;
    }
    return scope;
}

static const char *home_name(enum symbol_home home)
{
    static const char *const names[] = {"local", "cell", "free", "global", "builtin"};

    return names[home];
}

static bool is_as_said(struct python_tree *tree, const struct row *row, const struct scope *module)
{
    const struct scope *scope = scope_at(module, row->scope);
    const struct symbol *s =
        scope ? scope_find(scope, name_get_plain(tree, str_from(row->name))) : NULL;

    if (!s)
        return false;
    printf("# %s: flags %u, %s\n", row->name, s->flags & PUBLIC, home_name(s->home));
    return (s->flags & PUBLIC) == row->flags && s->home == row->home && !s->user &&
           s->owner == scope_at(module, row->owner);
}

static void test_row(const struct row *row)
{
    struct python_tree tree;

    if (!OK(python_parse(str_from(row->program), &(struct python_options){0}, &tree) == 0,
            "%s: parses", row->program))
        return;
    struct scope *module = scope_build(&tree);
    OK(module && is_as_said(&tree, row, module), "%s in %s of: %s", row->name, row->scope,
       row->program);
    python_tree_done(&tree);
}

static struct scope *build(struct python_tree *tree, const char *program)
{
    OK(python_parse(str_from(program), &(struct python_options){0}, tree) == 0, "parses");
    return scope_build(tree);
}

/* Every scope is found by its node, and by that of no other parent. */
static void test_scope_of(void)
{
    struct python_tree tree;
    struct scope *module = build(&tree, "def f[T](): lambda: [x for x in y]\nclass C: pass");

    if (!module)
        return;
    unsigned seen = 0;
    for (struct scope *s = module->first_child, *p = module; s; p = s, s = s->first_child, seen++)
        OK(scope_of(p, s->node) == s && s->parent == p, "scope %u", seen);
    EQ_INT(seen, 4);
    const struct scope *function = scope_at(module, "0"), *class = scope_at(module, "1");
    OK(class && class->kind == SCOPE_CLASS, "the second is the class");
    OK(class && function && !scope_of(class, function->node), "no scope of another parent");
    python_tree_done(&tree);
}

static void test_mangle(void)
{
    struct python_tree tree;
    struct scope *module = build(&tree, "class C:\n def f(self): __x");
    struct name *name = name_get_plain(&tree, STR("__x"));

    if (!module)
        return;
    const struct scope *method = scope_at(module, "00");
    EQ_STR(scope_mangle(&tree, method, name)->text, "_C__x");
    OK(scope_mangle(&tree, module, name) == name, "unchanged in the module");
    OK(scope_find(method, scope_mangle(&tree, method, name)) != NULL, "found");
    OK(!scope_find(method, name), "not as written");
    python_tree_done(&tree);
}

static void test_flags_of_scopes(void)
{
    struct python_tree tree;
    struct scope *m = build(&tree, "from a import *\ndef f(): yield\nasync def g(): pass\n(x for x "
                                   "in y)\nlambda: 1");

    if (!m)
        return;
    OK(m->star_import, "a star");
    OK(scope_at(m, "0")->generator && !scope_at(m, "0")->coroutine, "a generator");
    OK(!scope_at(m, "1")->generator && scope_at(m, "1")->coroutine, "a coroutine");
    OK(scope_at(m, "2")->generator && scope_at(m, "2")->kind == SCOPE_COMPREHENSION, "(for)");
    OK(!scope_at(m, "3")->generator && scope_at(m, "3")->kind == SCOPE_FUNCTION, "lambda");
    python_tree_done(&tree);
}

/* Many names in one scope, each in its place. */
static void test_many(void)
{
    enum { MANY = 20000 };
    AUTO_BUF struct buf text = {0};
    struct python_tree tree;
    unsigned wrong = 0;

    buf_init(&text, 1 << 20);
    for (unsigned i = 0; i < MANY; i++)
        buf_addf(&text, "n%u = %u\n", i, i);
    struct scope *module = build(&tree, text.p);
    if (!module)
        return;
    EQ_INT(module->count, MANY);
    unsigned i = 0;
    for (const struct symbol *s = module->symbols; s; s = s->next, i++) {
        AUTO_FREE char *name = xasprintf("n%u", i);
        wrong += strcmp(s->name->text, name) != 0 || scope_find(module, s->name) != s;
    }
    EQ_INT(wrong, 0);
    python_tree_done(&tree);
}

/* Scopes count as part of what the tree may take. */
static void test_memory(void)
{
    AUTO_BUF struct buf text = {0};
    struct python_tree tree;

    buf_init(&text, 1 << 20);
    for (unsigned i = 0; i < 1000; i++)
        buf_addf(&text, "n%u\n", i);
    OK(build(&tree, text.p) != NULL, "within the limit");
    python_tree_done(&tree);
    OK(python_parse(buf_str(&text), &(struct python_options){0}, &tree) == 0, "parses");
    tree.memory_limit = arena_used(&tree.arena) + 1000;
    OK(!scope_build(&tree), "beyond the limit");
    EQ_INT(tree.error.kind, PYTHON_MEMORY_ERROR);
    python_tree_done(&tree);
}

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        RUN(test_row(&rows[i]));
    RUN(test_scope_of());
    RUN(test_mangle());
    RUN(test_flags_of_scopes());
    RUN(test_many());
    RUN(test_memory());
    return tap_done();
}
