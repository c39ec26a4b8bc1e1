/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an expression can run one of the program's functions. Code reaches a function only by
 * naming it (or its class), by a lambda, by a decorator, or by having the library look it up by a
 * text. Before any of these, no function has run, whatever the module did.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/program_sure.h"

/* Of their calls none takes the name of a function as a text, or reads this program. */
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

static bool listed(const char *const *names, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++) {
        if (str_is(name, names[i]))
            return true;
    }
    return false;
}

static bool is_quiet_module(struct str name)
{
    const char *dot = memchr(name.p ? name.p : "", '.', name.n);

    if (listed(quiet_modules, ARRAY_LEN(quiet_modules), name))
        return true;
    return dot && listed(quiet_modules, ARRAY_LEN(quiet_modules),
                         (struct str){name.p, (size_t)(dot - name.p)});
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

/* What comes from a module that may look functions up. Other values are made of what was here
 * before, and that was no function. */
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
    if (!listed(quiet_decorators, ARRAY_LEN(quiet_decorators), last) || is_loud(scope, n))
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

/* Making a class runs what its bases and their metaclasses want; `metaclass=` is a name itself. */
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

bool drains_generator(const struct scope *scope, const struct node *n)
{
    static const char *const names[] = {"all", "any",    "dict", "list", "max",
                                        "min", "sorted", "set",  "sum",  "tuple"};
    bool builtin = false;

    if (n->call.args.n == 0 || n->call.args.at[0]->kind != N_GENERATOR_EXP)
        return false;
    if (n->call.func->kind == N_ATTRIBUTE)
        return str_is(name_str(n->call.func->attribute.attr), "join");
    for (size_t i = 0; n->call.func->kind == N_NAME && i < ARRAY_LEN(names); i++) {
        if (str_is(name_str(n->call.func->name.id), names[i]))
            return !program_symbol(scope, n->call.func->name.id, &builtin) && builtin;
    }
    return false;
}
