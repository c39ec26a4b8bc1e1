/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes, by name, that reach the internals of an object; and changes to objects that other
 * code uses.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/rules_parts.h"

/* Sorted by name. */
static const struct {
    const char *name;
    enum rule rule;
} attributes[] = {
    {"__base__", RULE_DUNDER_ATTRIBUTE},
    {"__bases__", RULE_DUNDER_ATTRIBUTE},
    {"__builtins__", RULE_BUILTINS_ACCESS},
    {"__class__", RULE_DUNDER_ATTRIBUTE},
    {"__closure__", RULE_FUNCTION_INTERNALS},
    {"__code__", RULE_FUNCTION_INTERNALS},
    {"__dict__", RULE_DUNDER_ATTRIBUTE},
    {"__getattribute__", RULE_DUNDER_ATTRIBUTE},
    {"__globals__", RULE_FUNCTION_INTERNALS},
    {"__loader__", RULE_IMPORT_MACHINERY},
    {"__mro__", RULE_DUNDER_ATTRIBUTE},
    {"__objclass__", RULE_DUNDER_ATTRIBUTE},
    {"__reduce__", RULE_FUNCTION_INTERNALS},
    {"__reduce_ex__", RULE_FUNCTION_INTERNALS},
    {"__self__", RULE_DUNDER_ATTRIBUTE},
    {"__spec__", RULE_IMPORT_MACHINERY},
    {"__subclasses__", RULE_SUBCLASSES_WALK},
    {"ag_await", RULE_GENERATOR_FRAME},
    {"ag_code", RULE_GENERATOR_FRAME},
    {"ag_frame", RULE_GENERATOR_FRAME},
    {"co_code", RULE_FUNCTION_INTERNALS},
    {"co_consts", RULE_FUNCTION_INTERNALS},
    {"cr_await", RULE_GENERATOR_FRAME},
    {"cr_code", RULE_GENERATOR_FRAME},
    {"cr_frame", RULE_GENERATOR_FRAME},
    {"cr_origin", RULE_GENERATOR_FRAME},
    {"f_back", RULE_FRAME_ACCESS},
    {"f_builtins", RULE_FRAME_ACCESS},
    {"f_code", RULE_FRAME_ACCESS},
    {"f_generator", RULE_FRAME_ACCESS},
    {"f_globals", RULE_FRAME_ACCESS},
    {"f_locals", RULE_FRAME_ACCESS},
    {"f_trace", RULE_FRAME_ACCESS},
    {"func_code", RULE_FUNCTION_INTERNALS},
    {"func_globals", RULE_FUNCTION_INTERNALS},
    {"gi_code", RULE_GENERATOR_FRAME},
    {"gi_frame", RULE_GENERATOR_FRAME},
    {"gi_yieldfrom", RULE_GENERATOR_FRAME},
    {"tb_frame", RULE_TRACEBACK_FRAME},
};

/* Excludes most names: all listed attributes have an underscore at one of a few positions. */
static bool may_matter(struct str s)
{
    return s.n >= 6 &&
           ((s.p[0] == '_' && s.p[1] == '_') || s.p[1] == '_' || s.p[2] == '_' || s.p[4] == '_');
}

static enum rule rule_of(struct str attr)
{
    size_t low = 0, high = ARRAY_LEN(attributes);

    if (!may_matter(attr))
        return RULE_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *name = attributes[middle].name;
        int order = strncmp(attr.p, name, attr.n);
        if (order == 0 && !name[attr.n])
            return attributes[middle].rule;
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return RULE_COUNT;
}

bool attribute_leads_behind(struct str attr)
{
    return rule_of(attr) != RULE_COUNT;
}

void attribute_by_name(struct check *c, const struct node *n, struct str attr, const char *how)
{
    enum rule rule = rule_of(attr);

    if (rule != RULE_COUNT)
        found(c, rule, n, attr, "access to %.*s%s", (int)attr.n, attr.p, how);
}

/* ---- changes ---- */

/* Streams, hooks and options that programs may set. */
static bool may_be_set(struct str path)
{
    static const char *const names[] = {
        "sys.stdout",
        "sys.stderr",
        "sys.stdin",
        "sys.argv",
        "sys.excepthook",
        "sys.path",
        "sys.dont_write_bytecode",
        "sys.displayhook",
        "sys.ps1",
        "sys.last_value",
        "sys.last_type",
        "sys.last_traceback",
        "sys.last_exc",
        "sys.ps2",
        "sys.tracebacklimit",
        "sys.unraisablehook",
        "os.environ",
        "random.seed",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_is(path, names[i]))
            return true;
    }
    return false;
}

void thing_changed(struct check *c, const struct node *n, const struct value *v, const char *how)
{
    struct str path = v->text, name = shown(path);

    if (v->kind != VALUE_PATH || memchr(path.p, '(', path.n) || may_be_set(path))
        return;
    if (str_starts(path, "builtins.") && !module_is_builtin(name))
        return;
    if (str_starts(path, "builtins."))
        found(c, RULE_BUILTINS_CHANGE, n, path, "the builtin %s is %s", name.p, how);
    else if (memchr(path.p, '.', path.n) && module_is_library(path))
        found(c, RULE_MODULE_CHANGE, n, path, "%s is %s", path.p, how);
}

static const char *change_name(const struct node *n)
{
    return n->op == CTX_DEL ? "deleted" : "replaced";
}

bool is_others(const struct value *object)
{
    for (size_t i = 0; i < value_count(object); i++) {
        const struct value *v = value_at(object, i);
        if ((v->kind == VALUE_PATH && !str_is(v->text, "__main__")) || v->kind == VALUE_SPACE)
            return true;
    }
    return false;
}

static void changed(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    const struct value *all;

    if (n->op == CTX_LOAD ||
        !is_others(value_of(c, n->kind == N_ATTRIBUTE ? n->attribute.value : n->subscript.value,
                            i->scope)))
        return;
    all = value_of(c, n, i->scope);
    for (size_t k = 0; k < value_count(all); k++)
        thing_changed(c, n, value_at(all, k), change_name(n));
}

/* True if the program sets __reduce__, or calls super().__reduce__. Any other __reduce__ may be a
 * library object's, whose result includes functions such as getattr. */
static bool is_own_reduce(const struct node *n)
{
    const struct node *of = n->attribute.value;

    if (n->op != CTX_LOAD)
        return str_starts(name_str(n->attribute.attr), "__reduce");
    return of->kind == N_CALL && of->call.func->kind == N_NAME &&
           str_is(name_str(of->call.func->name.id), "super") &&
           str_starts(name_str(n->attribute.attr), "__reduce");
}

/* ---- annotations ---- */

static bool only_reads(struct str method)
{
    static const char *const names[] = {"copy", "get", "items", "keys", "values"};

    for (size_t k = 0; k < ARRAY_LEN(names); k++) {
        if (str_is(method, names[k]))
            return true;
    }
    return false;
}

/* g.__annotations__ = f.__annotations__ */
static bool is_copied(const struct node *assign)
{
    const struct node *v = assign->kind == N_ASSIGN ? assign->assign.value : assign;

    return v->kind == N_ATTRIBUTE && str_is(name_str(v->attribute.attr), "__annotations__");
}

static bool sets_attribute(const struct node *n)
{
    const struct node *f = n->kind == N_CALL ? n->call.func : n;

    return (f->kind == N_NAME && str_is(name_str(f->name.id), "setattr")) ||
           (f->kind == N_ATTRIBUTE && str_is(name_str(f->attribute.attr), "__setattr__"));
}

void annotations_by_name(struct check *c, const struct item *i, struct str name)
{
    const struct node *up = parent_of(c, i);
    bool load =
        (i->node->kind == N_NAME || i->node->kind == N_ATTRIBUTE) && i->node->op == CTX_LOAD;

    if (!str_is(name, "__annotations__"))
        return;
    if (up->kind == N_SUBSCRIPT           ? up->op != CTX_LOAD
        : load && up->kind == N_ATTRIBUTE ? !only_reads(name_str(up->attribute.attr))
        : i->node->kind == N_CONSTANT     ? up->kind == N_DICT || sets_attribute(up)
                                          : !load && !is_copied(up))
        found(c, RULE_EXEC_BY_LIBRARY, i->node, name,
              "annotations are set as data, which the library runs as code");
}

/* x.__class__.__name__ and similar, which are used only for messages. */
static bool is_for_its_name(const struct check *c, const struct item *i)
{
    static const char *const names[] = {"__name__", "__qualname__", "__module__", "__doc__"};
    const struct node *above = c->program.items[i->parent].node;

    if (above->kind != N_ATTRIBUTE || above->op != CTX_LOAD)
        return false;
    for (size_t k = 0; k < ARRAY_LEN(names); k++) {
        if (str_is(name_str(above->attribute.attr), names[k]))
            return true;
    }
    return false;
}

void rules_attribute(struct check *c, const struct item *i)
{
    struct str attr = name_str(i->node->attribute.attr);

    changed(c, i);
    annotations_by_name(c, i, attr);
    if (i->node->op == CTX_STORE && str_is(attr, "__code__"))
        found(c, RULE_CODE_OBJECT, i->node, attr, "the code of a function is replaced");
    if (str_is(attr, "__class__") && is_for_its_name(c, i)) {
        found(c, RULE_CLASS_NAME, i->node, attr, "the name of a class, through __class__");
    } else if (is_own_reduce(i->node)) {
        found(c, RULE_DUNDER_ATTRIBUTE, i->node, attr, "access to %s", attr.p);
    } else if (may_matter(attr) && rule_of(attr) != RULE_COUNT) {
        attribute_by_name(c, i->node, attr, "");
        report_disguise(c, i->node, attr);
    }
}

/* case object(__self__=x) also reads the attribute. */
void rules_match(struct check *c, const struct item *i)
{
    const struct name_list attrs = i->node->match_class.kwd_attrs;

    for (size_t k = 0; k < attrs.n; k++)
        attribute_by_name(c, i->node, name_str(attrs.at[k]), ", by a pattern");
}

/* ---- subscripts ---- */

void space_lookup(struct check *c, const struct node *n, const struct value *v,
                  const struct value *key)
{
    struct str module = v->kind == VALUE_PATH ? v->text : v->text.n ? v->text : STR("globals()");

    for (size_t i = 0; i < value_count(key); i++) {
        const struct value *name = value_at(key, i);
        if (name->kind == VALUE_TEXT)
            attribute_by_name(c, n, name->text, ", by name");
        else
            found(c, RULE_NAMESPACE_LOOKUP, n, module, "a computed name is looked up in %.*s",
                  (int)module.n, module.p);
    }
}

void rules_subscript(struct check *c, const struct item *i)
{
    const struct node *n = i->node;
    const struct value *v = value_of(c, n->subscript.value, i->scope), *key;

    if (v->kind == VALUE_UNKNOWN)
        return;
    if (v->kind != VALUE_SPACE || v->text.n) /* globals()["x"] = 1 only makes a variable */
        changed(c, i);
    if (v->kind != VALUE_SPACE && !value_is_path(v, "builtins"))
        return;
    key = value_of(c, n->subscript.slice, i->scope);
    if (n->op == CTX_LOAD)
        space_lookup(c, n, v, key);
    else if (key->kind == VALUE_UNKNOWN && str_is(v->text, "builtins"))
        found(c, RULE_BUILTINS_CHANGE, n, v->text, "a builtin is %s", change_name(n));
}
