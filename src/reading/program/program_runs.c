/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an expression can run one of the program's functions. Code reaches a function only by
 * naming it (or its class), by a lambda, by a decorator, or by a library function that looks it up
 * by a string. Before the first of these, no function has run, whatever else the module did.
 */
#include <string.h>

#include "base/mem.h"
#include "program/program_sure.h"

/* Modules with no function that takes the name of another function as a string, or reads this
 * program. */
static const char *const quiet_modules[] = {
    "abc",           "argparse", "array",      "base64",      "bisect",   "collections",
    "contextlib",    "copy",     "csv",        "dataclasses", "datetime", "decimal",
    "enum",          "errno",    "fractions",  "functools",   "glob",     "hashlib",
    "heapq",         "io",       "itertools",  "json",        "logging",  "math",
    "matplotlib",    "numbers",  "numpy",      "operator",    "os",       "pandas",
    "pathlib",       "platform", "random",     "re",          "secrets",  "shutil",
    "socket",        "stat",     "statistics", "string",      "struct",   "subprocess",
    "sys",           "tempfile", "textwrap",   "threading",   "time",     "typing",
    "unittest.mock", "uuid",     "warnings",   "weakref",     "zoneinfo",
};

/* Decorators that keep the function and do not call it. */
static const char *const quiet_decorators[] = {
    "abstractmethod", "cache",        "cached_property", "classmethod",
    "contextmanager", "dataclass",    "final",           "lru_cache",
    "overload",       "override",     "property",        "setter",
    "singledispatch", "staticmethod", "total_ordering",  "wraps",
};

static bool is_quiet_module(struct str name)
{
    const char *dot = memchr(name.p ? name.p : "", '.', name.n);

    if (name_is_in(name, quiet_modules, ARRAY_LEN(quiet_modules)))
        return true;
    return dot && name_is_in((struct str){name.p, (size_t)(dot - name.p)}, quiet_modules,
                             ARRAY_LEN(quiet_modules));
}

static const struct symbol_facts *facts_of(const struct scope *scope, const struct name *name,
                                           bool *ret_builtin)
{
    const struct symbol *s = program_symbol(scope, name, ret_builtin);

    return s ? s->user : NULL;
}

static bool is_import(const struct binding *b)
{
    return b->kind == BIND_IMPORT || b->kind == BIND_FROM;
}

static bool names_function(const struct scope *scope, const struct node *n)
{
    bool builtin = false;
    const struct symbol_facts *facts = facts_of(scope, n->name.id, &builtin);

    if (!facts)
        return false;
    for (const struct binding *b = facts->first; b; b = b->next) {
        if (b->kind == BIND_FUNCTION || b->kind == BIND_CLASS)
            return true;
    }
    return facts->n > PROGRAM_MAX_BINDINGS;
}

static const struct node *root_of(const struct node *n)
{
    for (;;) {
        if (n->kind == N_ATTRIBUTE)
            n = n->attribute.value;
        else if (n->kind == N_CALL)
            n = n->call.func;
        else if (n->kind == N_SUBSCRIPT)
            n = n->subscript.value;
        else
            return n;
    }
}

/* True for values from a module that may look up functions by name. Other values come from before
 * any function was defined. */
static bool is_loud(const struct scope *scope, const struct node *n)
{
    const struct node *root = root_of(n);
    bool builtin = false;
    const struct symbol_facts *facts;

    if (root->kind != N_NAME)
        return false;
    facts = facts_of(scope, root->name.id, &builtin);
    for (const struct binding *b = facts ? facts->first : NULL; b; b = b->next) {
        if (is_import(b) && !is_quiet_module(b->module))
            return true;
    }
    return false;
}

static bool is_quiet_decorator(const struct scope *scope, const struct node *n)
{
    bool builtin = false;
    const struct symbol_facts *facts;
    struct str last;

    if (n->kind == N_CALL)
        n = n->call.func;
    if (n->kind != N_NAME && n->kind != N_ATTRIBUTE)
        return false;
    last = name_str(n->kind == N_NAME ? n->name.id : n->attribute.attr);
    if (!name_is_in(last, quiet_decorators, ARRAY_LEN(quiet_decorators)) || is_loud(scope, n))
        return false;
    facts = n->kind == N_NAME ? facts_of(scope, n->name.id, &builtin) : NULL;
    for (const struct binding *b = facts ? facts->first : NULL; b; b = b->next) {
        if (b->kind != BIND_FROM || !str_eq(b->member, last)) /* `from atexit import register as` */
            return false;
    }
    return true;
}

static bool decorated_loudly(const struct scope *scope, struct node_list list)
{
    for (size_t i = 0; i < list.n; i++) {
        if (!is_quiet_decorator(scope, list.at[i]))
            return true;
    }
    return false;
}

/* Making a class may run functions of its bases and their metaclasses; the value of `metaclass=` is
 * itself a name in the tree. */
static bool class_runs(const struct scope *scope, const struct node *n)
{
    for (size_t i = 0; i < n->class_def.bases.n; i++) {
        const struct node *base = root_of(n->class_def.bases.at[i]);
        bool builtin = false;
        const struct symbol_facts *facts =
            base->kind == N_NAME ? facts_of(scope, base->name.id, &builtin) : NULL;
        if (facts && facts->first && is_import(facts->first) &&
            str_is(facts->first->module, "enum"))
            return true;
        if (is_loud(scope, base))
            return true;
    }
    return decorated_loudly(scope, n->class_def.decorator_list);
}

bool runs_functions(const struct scope *scope, const struct node *n)
{
    switch ((int)n->kind) {
    case N_NAME:
        return n->op == CTX_LOAD && names_function(scope, n);
    case N_LAMBDA:
        return true;
    case N_CALL:
        return is_loud(scope, n->call.func);
    case N_FUNCTION_DEF:
    case N_ASYNC_FUNCTION_DEF:
        return decorated_loudly(scope, n->function.decorator_list);
    case N_CLASS_DEF:
        return class_runs(scope, n);
    }
    return false;
}
