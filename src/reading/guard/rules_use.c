/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses of the library: modules.def lists the functions and classes that matter. A use is reported
 * once, where the program first reaches the function, and again at each call through another name.
 */
#include <string.h>

#include "guard/rules_parts.h"

static bool makes_code(enum rule rule)
{
    return rule == RULE_EXEC_CALL || rule == RULE_EVAL_CALL || rule == RULE_COMPILE_CALL ||
           rule == RULE_IMPORT_CALL;
}

/* Reports a name that is written in look-alike letters. An attribute's name is at the end of its
 * node. */
void report_disguise(struct check *c, const struct node *n, struct str subject)
{
    struct str name, line, written;

    if (n->kind != N_NAME && n->kind != N_ATTRIBUTE)
        return;
    name = name_str(n->kind == N_NAME ? n->name.id : n->attribute.attr);
    line = check_line(c, n->end_line);
    if (n->end_column > line.n || n->end_column < name.n)
        return;
    written = str_slice(line, n->end_column - name.n, n->end_column);
    if (!str_eq(written, name))
        found(c, RULE_DISGUISED_NAME, n, subject, "%s is %.*s in look-alike letters",
              check_source(c, n), (int)name.n, name.p);
}

static bool starts_command(struct str path)
{
    return str_is(path, "os.system") || str_is(path, "os.popen") || str_is(path, "os.execv") ||
           str_is(path, "os.execl") || str_starts(path, "os.spawn");
}

static void rules_use_report(struct check *c, const struct item *i, struct str path,
                             const struct known_path *k, bool called)
{
    struct str name = shown(path);
    const char *how = reached(c, i->node, path);

    if (called)
        found_call(c, k->rule, i->node, path, "%s%s", name.p, how);
    else if (makes_code(k->rule))
        found(c, RULE_CODE_REFERENCE, i->node, path, "%s is passed on%s", name.p, how);
    else
        found(c, k->rule, i->node, path, "%s is used%s", name.p, how);
    if (called && i->node->kind == N_ATTRIBUTE && starts_command(path))
        found_call(c, RULE_COMMAND_CALL, i->node, path, "%s", name.p);
    if (called && k->rule == RULE_FORK_CALL && is_in_loop(c, i))
        found(c, RULE_FORK_LOOP, i->node, path, "%s is called in a loop", name.p);
    report_disguise(c, i->node, path);
}

static void report_hidden(struct check *c, const struct item *i, struct str path)
{
    struct str name = shown(path);

    bool module = !memchr(path.p, '.', path.n) && module_find(path) != RULE_COUNT;

    if (module || module_path(path) || module_is_powerful(path))
        found(c, RULE_HIDDEN_NAME, i->node, path, "%.*s, whose name the program puts together",
              (int)name.n, name.p);
}

/* `x in sys.modules` and sys.modules[__name__]: a program uses these to ask about itself. */
static bool is_question(const struct check *c, const struct item *i)
{
    const struct node *up = parent_of(c, i);

    if (up->kind == N_SUBSCRIPT)
        return up->op == CTX_LOAD && up->subscript.slice->kind == N_NAME &&
               str_is(name_str(up->subscript.slice->name.id), "__name__");
    return up->kind == N_COMPARE && up->compare.left != i->node &&
           (up->compare.ops[0] == OP_IN || up->compare.ops[0] == OP_NOT_IN);
}

/* True if rules_call.c reports the call with its arguments. */
static bool told_with_arguments(struct str path, const struct known_path *k)
{
    return str_is(path, "builtins.open") || k->rule == RULE_UNSAFE_YAML;
}

/* Checks a text that a function of a package evaluates; @ marks a variable in pandas. True also for
 * a text that does not compile but contains no call: it has a syntax of its own. */
static bool text_is_read(struct check *c, const struct node *call, struct str text)
{
    char *plain = memcpy(arena_alloc(&c->arena, text.n + 1), text.p, text.n);

    for (size_t i = 0; i < text.n; i++)
        plain[i] = plain[i] == '@' ? ' ' : plain[i];
    return text.n < 3 || check_run_text(c, call, (struct str){plain, text.n}) ||
           !memchr(plain, '(', text.n);
}

/* sympy.sympify("x + 1"): true if the argument is a number, or a string that can be checked. */
static bool reads_texts(struct check *c, const struct item *i)
{
    const struct node *call = parent_of(c, i);
    const struct value *all;

    if (call->kind != N_CALL || !call->call.args.n)
        return false;
    all = value_of(c, call->call.args.at[0], i->scope);
    for (size_t k = 0; k < value_count(all); k++) {
        const struct value *v = value_at(all, k);
        if (v->kind == VALUE_TEXT ? !text_is_read(c, call, v->text) : v->kind != VALUE_INT)
            return false;
    }
    return !all->open;
}

/* True for doctests of the program itself, if their code can be checked. */
static bool runs_own_doctests(struct check *c, const struct item *i, struct str path)
{
    bool module = str_is(path, "doctest.testmod");

    return (module || str_is(path, "doctest.run_docstring_examples")) &&
           doctest_is_read(c, parent_of(c, i), module);
}

static bool evaluates_annotations(struct str path)
{
    return str_starts(path, "functools.singledispatch") || str_is(path, "typing.get_type_hints");
}

/* inspect.signature(f): true if string annotations are not evaluated, which is the default. */
static bool leaves_annotations(struct check *c, const struct item *i, struct str path)
{
    const struct node *call = parent_of(c, i);
    const struct value *asked;
    struct arguments args;
    bool truth = false;

    if (!str_is(path, "inspect.signature") && !str_ends(path, ".get_annotations") &&
        !str_is(path, "inspect.Signature.from_callable"))
        return false;
    if (call->kind != N_CALL)
        return true;
    resolve_arguments(&c->resolver, call, i->scope, &args);
    asked = argument_at(&args, -1, "eval_str");
    for (size_t k = 0; k < args.list.n_named; k++) {
        if (str_is(args.names[k], "eval_str"))
            return value_truth(asked, &truth) && !truth;
    }
    return args.whole;
}

/* True for builtins of which the policy forbids every use, such as passing open to map(). */
static bool is_spelled(const struct check *c, struct str path)
{
    return str_starts(path, "builtins.") && name_set_has(&c->policy->spelled_builtins, shown(path));
}

static void use_of_path(struct check *c, const struct item *i, const struct value *v)
{
    const struct known_path *k = module_path(v->text);
    bool called = is_called(c, i);

    if (v->hidden)
        report_hidden(c, i, v->text);
    if (!k)
        return;
    if ((called && told_with_arguments(v->text, k)) ||
        (k->rule == RULE_SYS_MODULES && is_question(c, i)))
        return;
    if (evaluates_annotations(v->text) && annotations_are_read(c))
        return;
    if (called && ((k->use == USE_TEXT && reads_texts(c, i)) || runs_own_doctests(c, i, v->text) ||
                   leaves_annotations(c, i, v->text)))
        return;
    if (called || k->use == USE_ANY || makes_code(k->rule) || is_spelled(c, v->text))
        rules_use_report(c, i, v->text, k, called);
}

/* functools.partial(os.system)("ls"), methodcaller("system", "ls")(os): a call of a function
 * through a wrapper with another name. */
static void use_by_result(struct check *c, const struct item *i, const struct value *v)
{
    const struct value *f = value_of(c, i->node->call.func, i->scope);
    struct str path = {v->text.p, v->text.n - 2};
    const struct value *plain;
    const struct known_path *k;

    bool wraps = f->kind == VALUE_GETTER ||
                 (f->kind == VALUE_PARTIAL && f->items[0]->kind != VALUE_FUNCTION);

    if (!wraps)
        return;
    plain = value_path(c->resolver.fold.arena, path, "", STR(""));
    k = plain->kind == VALUE_PATH ? module_path(plain->text) : NULL;
    if (k)
        rules_use_report(c, i, plain->text, k, true);
    if (v->hidden)
        report_hidden(c, i, plain->text);
}

static bool is_load(const struct node *n)
{
    if (n->kind == N_NAME || n->kind == N_ATTRIBUTE || n->kind == N_SUBSCRIPT)
        return n->op == CTX_LOAD;
    return true;
}

/* Reports __builtins__, __loader__ and __spec__, which every module has. */
static void own_name(struct check *c, const struct node *n)
{
    struct str name = name_str(n->name.id);

    if (!str_starts(name, "__"))
        return;
    if (str_is(name, "__builtins__"))
        found(c, RULE_BUILTINS_ACCESS, n, name, "__builtins__ is used");
    else if (str_is(name, "__loader__") || str_is(name, "__spec__"))
        found(c, RULE_IMPORT_MACHINERY, n, name, "%s is used", name.p);
}

/* *x iterates over x to its end. */
void rules_starred(struct check *c, const struct item *i)
{
    const struct value *v;

    if (i->node->op != CTX_LOAD)
        return;
    v = value_of(c, i->node->value_of.value, i->scope);
    if (v->kind == VALUE_ENDLESS)
        found(c, RULE_ENDLESS_ITERATION, i->node, v->text, "%s never ends", v->text.p);
}

/* True if the node is the builtin's own name: no statement binds that name, so no earlier finding
 * is about it. */
static bool is_own_name(const struct node *n, const struct value *v)
{
    return n->kind == N_NAME && str_starts(v->text, "builtins.") &&
           str_eq(shown(v->text), name_str(n->name.id));
}

void rules_use(struct check *c, const struct item *i)
{
    const struct value *all;
    bool vague;

    if (i->node->kind == N_NAME)
        annotations_by_name(c, i, name_str(i->node->name.id));
    if (!is_load(i->node))
        return;
    if (i->node->kind == N_NAME)
        own_name(c, i->node);
    all = value_of(c, i->node, i->scope);
    handed_on(c, i, all);
    /* A name that may be several things, and is not called, was reported where it was bound. */
    vague = all->kind == VALUE_ANY && i->node->kind == N_NAME;
    if (all->kind != VALUE_PATH && all->kind != VALUE_ANY)
        return;
    for (size_t n = 0; n < value_count(all); n++) {
        const struct value *v = value_at(all, n);
        if (v->kind != VALUE_PATH || (vague && !is_called(c, i) && !is_own_name(i->node, v)))
            continue;
        if (i->node->kind == N_CALL && str_ends(v->text, "()"))
            use_by_result(c, i, v);
        else
            use_of_path(c, i, v);
    }
}
