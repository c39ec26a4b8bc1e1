/* SPDX-License-Identifier: Apache-2.0
 *
 * The stage of the rules, and the table of the families for each kind of node.
 */
#include "guard/rules_parts.h"
#include "policy/features.h"

enum { MAX_FAMILIES = 3 };

static rule_fn *const families[N_COUNT][MAX_FAMILIES] = {
    [N_NAME] = {rules_use},
    [N_ATTRIBUTE] = {rules_use, rules_attribute, rules_escaped},
    [N_CALL] = {rules_use, rules_call, rules_limit},
    [N_SUBSCRIPT] = {rules_use, rules_subscript},
    [N_BIN_OP] = {rules_number},
    [N_AUG_ASSIGN] = {rules_augmented},
    [N_STARRED] = {rules_starred},
    [N_LAMBDA] = {rules_function},
    [N_CONSTANT] = {rules_text},
    [N_JOINED_STR] = {rules_joined},
    [N_TEMPLATE_STR] = {rules_joined},
    [N_WHILE] = {rules_while},
    [N_FOR] = {rules_for},
    [N_COMPREHENSION] = {rules_generator},
    [N_MATCH_CLASS] = {rules_match},
    [N_FUNCTION_DEF] = {rules_function},
    [N_IMPORT] = {rules_import},
    [N_IMPORT_FROM] = {rules_import},
};

static bool has_language_rules(const struct policy *p)
{
    return p->forbidden_features || p->invalid_names.n || p->reserved_names.n ||
           p->forbidden_attributes.n || p->foreign_attributes.n || p->list_dunders ||
           p->forbidden_calls.n;
}

static void report_if_unread(struct check *c)
{
    if (c->resolver.fold.gave_up)
        found_at(c, RULE_TOO_MUCH_FOLDING, NULL, STR(""),
                 "the program puts together more strings than the guard computes: parts of it are "
                 "unread");
}

/* The prelude is our own text: it may do what the code may not. */
static bool is_prelude(const struct check *c, const struct node *n)
{
    if (n->kind == N_COMPREHENSION)
        n = n->comprehension.iter;
    return node_types[n->kind].position && n->line <= c->prelude_lines;
}

void check_patterns(struct check *c)
{
    bool language = has_language_rules(c->policy);

    resolver_begin(&c->resolver);
    for (size_t k = 0; k < c->program.n; k++) {
        const struct item *i = &c->program.items[k];
        rule_fn *const *family = families[i->node->kind];
        if (c->prelude_lines && is_prelude(c, i->node))
            continue;
        resolver_tidy(&c->resolver);
        if (language)
            rules_language(c, i);
        for (int f = 0; f < MAX_FAMILIES && family[f]; f++)
            family[f](c, i);
    }
    report_if_unread(c);
}
