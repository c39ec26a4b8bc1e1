/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose arguments matter: what getattr reads, how open opens, what is imported.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/rules_call.h"

/* ---- code ---- */

static void on_exec(const struct call *k)
{
    const struct value *text = arg(k, 0, "source");
    bool decoded = false;

    for (size_t i = 0; i < value_count(text); i++) {
        const struct value *v = value_at(text, i);
        bool constant = v->kind == VALUE_TEXT || v->kind == VALUE_BYTES;
        decoded |= v->kind == VALUE_DECODED || (constant && v->decoded);
        if (constant)
            check_run_text(k->c, k->n, v->text);
    }
    if (decoded)
        found(k->c, RULE_EXEC_DECODED, k->n, k->path, "%s of decoded data", shown(k->path).p);
}

/* timeit.timeit("..."), cProfile.run("..."): checks the text; another rule reports the call. */
static void on_run_text(const struct call *k)
{
    for (int at = 0; at < 2; at++) {
        const struct value *text = arg(k, at, at ? "setup" : "stmt");
        for (size_t i = 0; i < value_count(text); i++) {
            if (value_at(text, i)->kind == VALUE_TEXT)
                check_run_text(k->c, k->n, value_at(text, i)->text);
        }
    }
}

static void on_import(const struct call *k)
{
    const struct value *names = arg(k, 0, "name");

    if (!names_are_known(names))
        found(k->c, RULE_COMPUTED_IMPORT, k->n, k->path, "import of a computed name, by %s",
              shown(k->path).p);
    for (size_t i = 0; i < value_count(names); i++) {
        const struct value *name = value_at(names, i);
        if (name->kind != VALUE_TEXT)
            continue;
        found(k->c, RULE_DYNAMIC_IMPORT, k->n, name->text, "import of %.*s, by %s",
              (int)name->text.n, name->text.p, shown(k->path).p);
        if (name->pieced &&
            (module_is_powerful(name->text) || module_find(name->text) != RULE_COUNT))
            found(k->c, RULE_HIDDEN_NAME, k->n, name->text,
                  "%.*s, whose name the program puts together", (int)name->text.n, name->text.p);
        module_came(k->c, k->n, name->text,
                    arena_printf(&k->c->arena, ", by %s", shown(k->path).p));
    }
}

static void on_type(const struct call *k)
{
    if (k->args.list.n >= 3)
        found(k->c, RULE_DYNAMIC_TYPE, k->n, k->path, "a class is made by calling type()");
}

static void on_vars(const struct call *k)
{
    if (!k->n->call.args.n && !k->n->call.keywords.n)
        found_call(k->c, RULE_NAMESPACE_ACCESS, k->n, k->path, "vars");
}

static void gone_through(const struct call *k, struct str module)
{
    found(k->c, RULE_NAMESPACE_LOOKUP, k->n, module, "all names in %.*s are searched",
          (int)module.n, module.p);
}

static void on_members(const struct call *k)
{
    const struct value *v = arg(k, 0, "object");

    if (v->kind == VALUE_PATH && module_leads(v->text))
        gone_through(k, v->text);
}

static void on_yaml(const struct call *k)
{
    const struct value *loader = arg(k, 1, "Loader");
    bool safe = loader->kind == VALUE_PATH && (str_find(loader->text, STR("Safe")) >= 0 ||
                                               str_find(loader->text, STR("Base")) >= 0);

    if (!safe)
        found_call(k->c, RULE_UNSAFE_YAML, k->n, k->path, "%s without a safe loader", k->path.p);
}

/* ---- files and processes ---- */

static void on_open(const struct call *k)
{
    const struct value *mode = arg(k, 1, "mode");
    bool write = false;

    for (size_t i = 0; mode->kind == VALUE_TEXT && i < mode->text.n; i++)
        write |= strchr("wax+", mode->text.p[i]) != NULL;
    found_call(k->c, write ? RULE_FILE_WRITE : RULE_FILE_OPEN, k->n, k->path, "%s%s%s",
               shown(k->path).p, write ? " for writing" : "",
               reached(k->c, k->n->call.func, k->path));
}

static void on_subprocess(const struct call *k)
{
    const struct value *shell = arg(k, -1, "shell");
    bool truth = false;

    if (value_truth(shell, &truth) && truth)
        found(k->c, RULE_SHELL_COMMAND, k->n, k->path, "%s with shell=True", k->path.p);
}

static void on_process(const struct call *k)
{
    if (is_in_loop(k->c, k->item))
        found(k->c, RULE_FORK_LOOP, k->n, k->path, "%s is called in a loop", k->path.p);
}

static void on_sleep(const struct call *k)
{
    const struct value *v = arg(k, 0, NULL);
    bool huge = v->kind == VALUE_HUGE || (v->kind == VALUE_FLOAT && v->real >= 3600);

    if (huge || (v->kind == VALUE_INT && v->integer >= 3600))
        found(k->c, RULE_LONG_SLEEP, k->n, k->path, "sleeps for an hour or more");
}

/* ---- sizes ---- */

enum { TOO_MANY = 100000000 };
#define MANY_ELEMENTS 1e10

static bool is_many(const struct value *v)
{
    return v->kind == VALUE_HUGE || (v->kind == VALUE_INT && v->integer > TOO_MANY);
}

static void on_size(const struct call *k)
{
    if (is_many(arg(k, 0, NULL)))
        found(k->c, RULE_HUGE_REPETITION, k->n, k->path, "%s of enormous length", shown(k->path).p);
}

static void on_power(const struct call *k)
{
    const struct value *v =
        fold_binary(&k->c->resolver.fold, OP_POW, arg(k, 0, "base"), arg(k, 1, "exp"));

    if (k->args.list.n == 2 && v->kind == VALUE_HUGE && v->real > 8e6)
        found(k->c, RULE_HUGE_POWER, k->n, k->path, "a power too large to compute");
}

static void on_factorial(const struct call *k)
{
    const struct value *v = arg(k, 0, NULL);

    if (v->kind == VALUE_HUGE || (v->kind == VALUE_INT && v->integer > 1000000))
        found(k->c, RULE_HUGE_POWER, k->n, k->path, "%s of a number too large", k->path.p);
}

/* numpy.zeros((10**6, 10**6)) */
static void on_array(const struct call *k)
{
    const struct value *shape = arg(k, 0, "shape");
    double size = 1;

    if (shape->kind != VALUE_LIST) {
        on_size(k);
        return;
    }
    for (size_t i = 0; i < shape->n; i++) {
        const struct value *v = shape->items[i];
        size *= v->kind == VALUE_INT ? (double)v->integer : v->kind == VALUE_HUGE ? 1e30 : 0;
    }
    if (size > MANY_ELEMENTS)
        found(k->c, RULE_HUGE_REPETITION, k->n, k->path, "%s of enormous size", k->path.p);
}

/* os.path.join(home, ".ssh", "id_rsa") */
static void on_join(const struct call *k)
{
    const struct value *whole = value_of(k->c, k->n, k->item->scope);

    for (size_t i = 0; i < k->args.list.n; i++) {
        if (k->args.at[i]->kind == VALUE_TEXT)
            path_part(k->c, k->n, k->args.at[i]->text);
    }
    if (whole->kind == VALUE_TEXT)
        said_text(k->c, k->n, whole->text);
}

/* Functions that run until their iterator ends. */
static void on_consumer(const struct call *k)
{
    const struct value *v = arg(k, 0, NULL);

    if (k->n->call.args.n)
        range_of(k->c, k->n->call.args.at[0], k->item->scope);
    if (v->kind == VALUE_ENDLESS)
        found(k->c, RULE_ENDLESS_ITERATION, k->n, v->text, "%s over %s, which never ends",
              shown(k->path).p, v->text.p);
}

static void on_bytes(const struct call *k)
{
    on_size(k);
    on_consumer(k);
}

static void on_format(const struct call *k)
{
    const struct value *spec = arg(k, 1, NULL);

    if (spec->kind == VALUE_TEXT)
        percent_text(
            k->c, k->n,
            str_from(arena_printf(&k->c->arena, "%%%.*s", (int)spec->text.n, spec->text.p)));
}

static void on_numpy(const struct call *k)
{
    bool truth = false;

    if (value_truth(arg(k, 2, "allow_pickle"), &truth) && truth)
        found(k->c, RULE_UNPICKLE, k->n, k->path, "numpy.load with allow_pickle=True");
}

static void on_string_format(const struct call *k)
{
    const struct value *v = arg(k, 0, NULL);

    if (v->kind == VALUE_TEXT)
        format_text(k->c, k->n, v->text);
}

/* Sorted by name. */
static const struct {
    const char *path;
    void (*fn)(const struct call *k);
} handlers[] = {
    {"builtins.__import__", on_import},
    {"builtins.bytearray", on_bytes},
    {"builtins.bytes", on_bytes},
    {"builtins.compile", on_exec},
    {"builtins.delattr", names_setattr},
    {"builtins.dict.fromkeys", on_consumer},
    {"builtins.eval", on_exec},
    {"builtins.exec", on_exec},
    {"builtins.format", on_format},
    {"builtins.frozenset", on_consumer},
    {"builtins.getattr", names_getattr},
    {"builtins.list", on_consumer},
    {"builtins.max", on_consumer},
    {"builtins.min", on_consumer},
    {"builtins.object.__getattribute__", names_getattr},
    {"builtins.object.__setattr__", names_setattr},
    {"builtins.open", on_open},
    {"builtins.pow", on_power},
    {"builtins.set", on_consumer},
    {"builtins.setattr", names_setattr},
    {"builtins.sorted", on_consumer},
    {"builtins.str.format", on_string_format},
    {"builtins.str.format_map", on_string_format},
    {"builtins.sum", on_consumer},
    {"builtins.tuple", on_consumer},
    {"builtins.type", on_type},
    {"builtins.type.__getattribute__", names_getattr},
    {"builtins.vars", on_vars},
    {"cProfile.run", on_run_text},
    {"collections.Counter", on_consumer},
    {"collections.deque", on_consumer},
    {"importlib.import_module", on_import},
    {"inspect.getattr_static", names_getattr},
    {"inspect.getmembers", on_members},
    {"inspect.getmembers_static", on_members},
    {"math.factorial", on_factorial},
    {"math.fsum", on_consumer},
    {"math.prod", on_consumer},
    {"multiprocessing.Process", on_process},
    {"numpy.arange", on_size},
    {"numpy.empty", on_array},
    {"numpy.full", on_array},
    {"numpy.load", on_numpy},
    {"numpy.ones", on_array},
    {"numpy.zeros", on_array},
    {"operator.attrgetter", names_attrgetter},
    {"operator.methodcaller", names_attrgetter},
    {"operator.pow", on_power},
    {"os.path.join", on_join},
    {"subprocess.Popen", on_subprocess},
    {"subprocess.call", on_subprocess},
    {"subprocess.check_call", on_subprocess},
    {"subprocess.check_output", on_subprocess},
    {"subprocess.run", on_subprocess},
    {"time.sleep", on_sleep},
    {"timeit.Timer", on_run_text},
    {"timeit.repeat", on_run_text},
    {"timeit.timeit", on_run_text},
    {"yaml.load", on_yaml},
    {"yaml.load_all", on_yaml},
};

static void on_path(struct call *k)
{
    size_t low = 0, high = ARRAY_LEN(handlers);

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(k->path.p, handlers[middle].path);
        if (order == 0) {
            resolve_arguments(&k->c->resolver, k->n, k->item->scope, &k->args);
            handlers[middle].fn(k);
            return;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
}

/* ---- methods of constants and namespaces ---- */

static void endless_argument(const struct call *k, const struct value *v)
{
    if (v->kind == VALUE_ENDLESS)
        found(k->c, RULE_ENDLESS_ITERATION, k->n, v->text, "%s never ends", v->text.p);
}

static void said_together(const struct call *k)
{
    const struct value *v = value_of(k->c, k->n, k->item->scope);

    if (v->kind == VALUE_TEXT)
        said_text(k->c, k->n, v->text);
}

static void on_list_method(const struct call *k, struct str name)
{
    struct arguments args;

    if (!str_is(name, "extend"))
        return;
    resolve_arguments(&k->c->resolver, k->n, k->item->scope, &args);
    endless_argument(k, argument_at(&args, 0, NULL));
}

static void on_text_method(const struct call *k, const struct value *self, struct str name)
{
    struct arguments args;

    if (str_is(name, "format") || str_is(name, "format_map")) {
        format_text(k->c, k->n, self->text);
        resolve_arguments(&k->c->resolver, k->n, k->item->scope, &args);
        for (size_t i = 0; i < args.list.n && str_find(self->text, STR(":{")) >= 0; i++)
            given_widths(k->c, k->n, self->text, args.at[i], '{');
    } else if (str_is(name, "join")) {
        resolve_arguments(&k->c->resolver, k->n, k->item->scope, &args);
        endless_argument(k, argument_at(&args, 0, NULL));
        said_together(k);
    } else if (str_is(name, "ljust") || str_is(name, "rjust") || str_is(name, "center") ||
               str_is(name, "zfill")) {
        resolve_arguments(&k->c->resolver, k->n, k->item->scope, &args);
        if (is_many(argument_at(&args, 0, NULL)))
            found(k->c, RULE_HUGE_REPETITION, k->n, STR("str"), "a text of enormous length");
    }
}

static void on_space_method(const struct call *k, const struct value *self, struct str name)
{
    struct arguments args;

    if (self->kind == VALUE_LIST)
        on_list_method(k, name);
    if (self->kind == VALUE_SPACE && (str_is(name, "items") || str_is(name, "values")) &&
        (self->text.n ? module_leads(self->text) : own_space_leads(k->c, k->item, k->n->call.func)))
        gone_through(k, self->text.n ? self->text : STR("globals()"));
    if (self->kind != VALUE_SPACE || (!str_is(name, "get") && !str_is(name, "__getitem__") &&
                                      !str_is(name, "pop") && !str_is(name, "setdefault")))
        return;
    resolve_arguments(&k->c->resolver, k->n, k->item->scope, &args);
    space_lookup(k->c, k->n, self, argument_at(&args, 0, NULL));
}

void rules_call(struct check *c, const struct item *i)
{
    const struct value *f = value_of(c, i->node->call.func, i->scope);
    struct call k = {.c = c, .item = i, .n = i->node};

    names_getattribute(&k);
    for (size_t n = 0; n < value_count(f); n++) {
        const struct value *v = value_at(f, n);
        if (v->kind == VALUE_PATH) {
            k.path = v->text;
            on_path(&k);
        } else if (v->kind == VALUE_METHOD && v->items[0]->kind == VALUE_TEXT) {
            on_text_method(&k, v->items[0], v->text);
        } else if (v->kind == VALUE_GETTER && !v->text.p && !v->n) {
            names_sought(&k);
        } else if (v->kind == VALUE_METHOD) {
            on_space_method(&k, v->items[0], v->text);
        }
    }
}
