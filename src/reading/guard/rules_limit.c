/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits that some policies set for builtins: the length of a range, and lists made of a string.
 */
#include "guard/rules_parts.h"

static void long_range(struct check *c, const struct item *i)
{
    size_t limit = c->policy->max_range_items;
    double n = limit ? range_rounds(c, i->node, i->scope) : 0;

    if (limit && n > (double)limit)
        found(c, RULE_LONG_RANGE, i->node, STR("range"), "range() of more than %zu items", limit);
}

static void list_of_text(struct check *c, const struct item *i, const struct value *f)
{
    const struct value *all;
    struct str name = shown(f->text);

    if (i->node->call.args.n != 1)
        return;
    all = value_of(c, i->node->call.args.at[0], i->scope);
    for (size_t k = 0; k < value_count(all); k++) {
        if (value_at(all, k)->kind == VALUE_TEXT)
            found(c, RULE_TEXT_AS_LIST, i->node, name, "%s() of a text", name.p);
    }
}

void rules_limit(struct check *c, const struct item *i)
{
    bool texts = rule_is_on(c, RULE_TEXT_AS_LIST);
    const struct value *all;

    if (!texts && !c->policy->max_range_items)
        return;
    all = value_of(c, i->node->call.func, i->scope);
    for (size_t k = 0; k < value_count(all); k++) {
        const struct value *f = value_at(all, k);
        if (value_is_path(f, "builtins.range"))
            long_range(c, i);
        else if (texts && (value_is_path(f, "builtins.list") || value_is_path(f, "builtins.tuple")))
            list_of_text(c, i, f);
    }
}
