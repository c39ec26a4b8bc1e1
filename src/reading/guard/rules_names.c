/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes whose names are strings: getattr and similar functions.
 */
#include <string.h>

#include "base/mem.h"
#include "guard/rules_call.h"

bool names_are_known(const struct value *v)
{
    if (v->open)
        return false;
    for (size_t i = 0; i < value_count(v); i++) {
        if (value_at(v, i)->kind != VALUE_TEXT)
            return false;
    }
    return true;
}

/* The door (module_is_door) that an object may be; unknown if it is none. */
static const struct value *door_of(const struct value *object)
{
    for (size_t i = 0; i < value_count(object); i++) {
        const struct value *v = value_at(object, i);
        if (v->kind == VALUE_PATH && module_is_door(v->text))
            return v;
    }
    return &value_unknown;
}

static bool is_made(const struct value *names)
{
    for (size_t i = 0; i < value_count(names); i++) {
        if (value_at(names, i)->kind == VALUE_MADE || value_at(names, i)->kind == VALUE_DECODED)
            return true;
    }
    return false;
}

/* With one computed name after another, a program can reach anything. */
static void walks_on(const struct call *k, const struct value *object)
{
    if (object->sought)
        found(k->c, RULE_MADE_NAME, k->n, k->path,
              "%s with a computed name, on an object found by another one", shown(k->path).p);
}

static void computed_name(const struct call *k, const struct value *object,
                          const struct value *names)
{
    const struct value *door = door_of(object);

    if (door->kind == VALUE_PATH)
        found(k->c, RULE_COMPUTED_MODULE_ATTRIBUTE, k->n, door->text,
              "%s on %s with a computed name", shown(k->path).p, door->text.p);
    else if (object->sought)
        walks_on(k, object);
    else if (is_made(names))
        found(k->c, RULE_MADE_NAME, k->n, k->path, "%s with a name made out of characters",
              shown(k->path).p);
    else
        found(k->c, RULE_COMPUTED_ATTRIBUTE, k->n, k->path, "%s with a computed name",
              shown(k->path).p);
}

static void attribute_names(const struct call *k, const struct value *object,
                            const struct value *names)
{
    const char *how = arena_printf(&k->c->arena, ", through %s", shown(k->path).p);

    if (!names_are_known(names))
        computed_name(k, object, names);
    for (size_t i = 0; i < value_count(names); i++) {
        const struct value *name = value_at(names, i);
        if (name->kind != VALUE_TEXT)
            continue;
        attribute_by_name(k->c, k->n, name->text, how);
        if (name->pieced && attribute_leads_behind(name->text))
            found(k->c, RULE_HIDDEN_NAME, k->n, name->text,
                  "%.*s, whose name the program puts together", (int)name->text.n, name->text.p);
    }
}

void names_getattr(const struct call *k)
{
    const struct value *names = arg(k, 1, NULL);

    if (k->args.list.n < 2)
        return;
    attribute_names(k, arg(k, 0, NULL), names);
    for (size_t i = 0; k->n->call.args.n && i < value_count(names); i++) {
        if (value_at(names, i)->kind == VALUE_TEXT)
            escaped_name(k->c, k->n, k->n->call.args.at[0], k->item->scope,
                         value_at(names, i)->text);
    }
}

/* An object of the program's own classes: its attributes are the program's own. */
static bool is_own(const struct value *object)
{
    return !object->open && (object->kind == VALUE_INSTANCE || object->kind == VALUE_CLASS);
}

void names_setattr(const struct call *k)
{
    bool set = str_ends(k->path, "setattr") || str_ends(k->path, "__setattr__");
    const struct value *object = arg(k, 0, NULL), *names = arg(k, 1, NULL);
    const struct value *all = resolve_names(&k->c->resolver, object, names);
    const char *how = set ? "replaced" : "deleted";

    if (!is_own(object) || names_are_known(names))
        attribute_names(k, object, names);
    for (size_t i = 0; is_others(object) && i < value_count(all); i++)
        thing_changed(k->c, k->n, value_at(all, i), how);
    if (value_is_path(object, "builtins") && !names_are_known(names))
        found(k->c, RULE_BUILTINS_CHANGE, k->n, STR("builtins"), "a builtin is %s", how);
}

void names_sought(struct call *k)
{
    k->path = STR("operator.attrgetter");
    resolve_arguments(&k->c->resolver, k->n, k->item->scope, &k->args);
    walks_on(k, arg(k, 0, NULL));
}

void names_attrgetter(const struct call *k)
{
    for (size_t i = 0; i < k->args.list.n - k->args.list.n_named; i++) {
        const struct value *name = k->args.at[i];
        if (is_made(name))
            computed_name(k, &value_unknown, name);
        if (name->kind != VALUE_TEXT)
            continue;
        bool under =
            name->text.n && (name->text.p[0] == '_' || str_find(name->text, STR("._")) >= 0 ||
                             str_find(name->text, STR("obj.")) >= 0); /* `obj` of an exception */
        if (under || name->pieced)
            found(k->c, RULE_ATTRGETTER_WALK, k->n, k->path, "%s of %.*s", k->path.p,
                  (int)name->text.n, name->text.p);
        if (str_ends(k->path, "methodcaller"))
            break;
    }
}

void names_getattribute(struct call *k)
{
    const struct node *f = k->n->call.func;

    if (f->kind != N_ATTRIBUTE || !str_is(name_str(f->attribute.attr), "__getattribute__") ||
        k->n->call.args.n != 1)
        return;
    k->path = STR("__getattribute__");
    resolve_arguments(&k->c->resolver, k->n, k->item->scope, &k->args);
    attribute_names(k, value_of(k->c, f->attribute.value, k->item->scope), arg(k, 0, NULL));
}
