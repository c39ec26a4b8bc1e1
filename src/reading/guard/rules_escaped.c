/* SPDX-License-Identifier: Apache-2.0
 *
 * If the guard has lost track of a module (rules_handed.c), `self.m.system("ls")` may be os.system.
 * So an attribute that few other objects have is reported if the object is unknown. A few names are
 * distinctive enough to be reported in any case.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/rules_parts.h"

static const char *const modules[] = {"builtins", "ctypes", "importlib", "os",
                                      "pty",      "shutil", "subprocess"};

/* Only distinctive names: many objects have a `remove` or an `open`. Sorted. */
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
    {"load_module", "imp"},
    {"popen", "os"},
    {"posix_spawn", "os"},
    {"rmtree", "shutil"},
    {"spawnl", "os"},
    {"spawnv", "os"},
    {"subprocess_exec", "asyncio.new_event_loop()"},
    {"subprocess_shell", "asyncio.new_event_loop()"},
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

static unsigned find_lost(struct check *c)
{
    unsigned bits = 0;

    for (size_t k = 0; k < c->program.n; k++) {
        const struct item *i = &c->program.items[k];
        if (i->node->kind != N_NAME || i->node->op != CTX_LOAD ||
            parent_of(c, i)->kind == N_ATTRIBUTE)
            continue;
        bits |= module_bit(handed_module(c, i, value_of(c, i->node, i->scope)));
        resolver_tidy(&c->resolver);
    }
    return bits;
}

static const char *module_of(struct str attr)
{
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (attr.p[0] == marks[i].attr[0] && str_is(attr, marks[i].attr))
            return marks[i].module;
    }
    return NULL;
}

/* True if the resolver cannot know the value, however it got there: getattr(x, y),
 * exception.obj. */
static bool is_out_of_sight(struct check *c, const struct node *from, const struct scope *scope)
{
    if (from->kind == N_ATTRIBUTE && str_is(name_str(from->attribute.attr), "obj"))
        return true;
    return value_of(c, from, scope)->sought ||
           (from->kind == N_CALL &&
            value_is_path(value_of(c, from->call.func, scope), "builtins.getattr"));
}

static bool is_lost(struct check *c, const char *module)
{
    if (!c->lost_known) {
        c->lost_known = true;
        c->lost = find_lost(c);
    }
    return c->lost & module_bit(str_from(module));
}

void escaped_name(struct check *c, const struct node *n, const struct node *from,
                  const struct scope *scope, struct str attr)
{
    const char *module = attr.n >= 4 ? module_of(attr) : NULL;
    bool alone = module && !module_bit(str_from(module)); /* few other modules have such a name */
    const struct known_path *k;
    const struct value *v;
    struct str path;

    if (!module)
        return;
    v = value_of(c, from, scope);
    if (!v->open && v->kind != VALUE_UNKNOWN && v->kind != VALUE_MADE &&
        !(alone && v->kind == VALUE_PATH))
        return;
    path = str_from(arena_printf(&c->arena, "%s.%.*s", module, (int)attr.n, attr.p));
    k = module_path(path);
    if (k && (alone || is_lost(c, module) || is_out_of_sight(c, from, scope)))
        found(c, k->rule, n, path, "%s may be %s", check_source(c, n), path.p);
}

void rules_escaped(struct check *c, const struct item *i)
{
    const struct node *n = i->node;

    if (n->op == CTX_LOAD)
        escaped_name(c, n, n->attribute.value, i->scope, name_str(n->attribute.attr));
}
