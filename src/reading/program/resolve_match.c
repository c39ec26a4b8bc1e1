/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of the subject to which a pattern of a match statement binds a name.
 */
#include "program/resolve.h"

/* A positional argument of a class pattern: the attribute that __match_args__ of a class of the
 * program names, otherwise the object itself, as for str, int and dict. */
static const struct value *argument_part(struct resolver *r, const struct match_part *part,
                                         const struct value *of, const struct scope *scope)
{
    const struct value *class = resolve(r, part->node, scope), *names, *name;

    if (class->kind != VALUE_CLASS)
        return part->index ? &value_unknown : of;
    names = fold_list(&r->fold, resolve_member(r, class, STR("__match_args__")));
    name = fold_item(&r->fold, names, value_int(r->fold.arena, part->index));
    return name->kind == VALUE_TEXT ? resolve_attribute(r, of, name->text) : &value_unknown;
}

const struct value *resolve_matched(struct resolver *r, const struct match_part *part,
                                    const struct scope *scope)
{
    const struct value *of = part->of ? resolve_matched(r, part->of, scope) : NULL;
    const struct value *index = value_int(r->fold.arena, part->index);

    switch (part->kind) {
    case PART_SUBJECT:
        return resolve(r, part->node, scope);
    case PART_ITEM:
        return fold_item(&r->fold, of, index);
    case PART_REST:
        return fold_slice(&r->fold, of,
                          (const struct value *const[3]){index, &value_none, &value_none});
    case PART_ATTRIBUTE:
        return resolve_attribute(r, of, part->attribute);
    case PART_KEY:
        return resolve_item(r, of, resolve(r, part->node, scope));
    case PART_ARGUMENT:
        return argument_part(r, part, of, scope);
    }
    return &value_unknown;
}
