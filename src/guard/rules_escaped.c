/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that the guard loses track of: put into an attribute, a list, a call that is not
 * followed. After that `self.m.system("ls")` may be os.system. So an attribute that few other
 * things have is reported when it is unknown what it is read from.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/rules_parts.h"

static const char *const modules[] = {"builtins", "ctypes", "importlib", "os",
                                      "pty",      "shutil", "subprocess"};

/* Distinctive names only: many things have a `remove` or an `open`. Sorted. */
static const struct {
    const char *attr, *module;
} marks[] = {
    {"CDLL", "ctypes"},
    {"Popen", "subprocess"},
    {"__import__", "builtins"},
    {"check_call", "subprocess"},
    {"check_output", "subprocess"},
    {"environ", "os"},
    {"eval", "builtins"},
    {"exec", "builtins"},
    {"execl", "os"},
    {"execv", "os"},
    {"execve", "os"},
    {"execvp", "os"},
    {"fork", "os"},
    {"forkpty", "os"},
    {"getoutput", "subprocess"},
    {"import_module", "importlib"},
    {"popen", "os"},
    {"posix_spawn", "os"},
    {"rmtree", "shutil"},
    {"spawnl", "os"},
    {"spawnv", "os"},
    {"system", "os"},
};

static unsigned module_bit(struct str name)
{
    for (unsigned i = 0; i < ARRAY_LEN(modules); i++) {
        if (str_is(name, modules[i]))
            return 1u << i;
    }
    return 0;
}

static bool asks_only(struct check *c, const struct node *call, const struct scope *scope)
{
    static const char *const names[] = {"getattr", "hasattr", "setattr",    "delattr",
                                        "vars",    "dir",     "isinstance", "print"};
    const struct value *f = value_of(c, call->call.func, scope);

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (f->kind == VALUE_PATH && str_is(shown(f->text), names[i]))
            return true;
    }
    return false;
}

/* Whether resolve.h loses sight of what is handed on there. */
static bool is_lost(struct check *c, const struct item *i)
{
    const struct node *up = parent_of(c, i);

    switch ((int)up->kind) {
    case N_ATTRIBUTE:
    case N_EXPR:
    case N_COMPARE:
    case N_SUBSCRIPT:
        return false;
    case N_ASSIGN:
        return up->assign.targets.at[0]->kind != N_NAME;
    case N_CALL:
        return up->call.func != i->node && !asks_only(c, up, i->scope);
    }
    return true;
}

static unsigned find_lost(struct check *c)
{
    unsigned bits = 0;

    for (size_t k = 0; k < c->program.n; k++) {
        const struct item *i = &c->program.items[k];
        const struct value *v;
        if (i->node->kind != N_NAME || i->node->op != CTX_LOAD)
            continue;
        if (parent_of(c, i)->kind == N_ATTRIBUTE)
            continue;
        v = value_of(c, i->node, i->scope);
        if (v->kind == VALUE_PATH && module_bit(v->text) && is_lost(c, i))
            bits |= module_bit(v->text);
        resolver_tidy(&c->resolver);
    }
    return bits;
}

static const char *module_of(struct str attr)
{
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (str_is(attr, marks[i].attr))
            return marks[i].module;
    }
    return NULL;
}

void rules_escaped(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    struct str attr = name_str(n->attribute.attr), path;
    const char *module = n->op == CTX_LOAD && attr.n >= 4 ? module_of(attr) : NULL;
    const struct known_path *k;

    if (!module || value_of(c, n->attribute.value, i->scope)->kind != VALUE_UNKNOWN)
        return;
    if (!c->lost_known) {
        c->lost_known = true;
        c->lost = find_lost(c);
    }
    path = str_from(arena_printf(&c->arena, "%s.%s", module, attr.p));
    k = module_path(path);
    if (k && (c->lost & module_bit(str_from(module))))
        found(c, k->rule, n, path, "%s may be %s: %s is handed on in the program",
              check_source(c, n), path.p, module);
}
