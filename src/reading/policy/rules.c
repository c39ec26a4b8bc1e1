/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rules.h"

#include "policy/rule_info.h"

/* clang-format off */
#define WHY(name, hint, explanation) [RULE_##name] = (hint),
const char *const rule_hints[RULE_COUNT] = {
#include "policy/rules_why.def"
};
#undef WHY

/* NOLINTNEXTLINE(bugprone-macro-parentheses): an array takes no text in parentheses */
#define WHY(name, hint, explanation) static const char why_##name[] = explanation;
#include "policy/rules_why.def"
#undef WHY

#define RULE(name, id, stage, severity, points, summary) \
    [RULE_##name] = {id, GUARD_##stage, SEVERITY_##severity, points, summary, why_##name},
static const struct rule_info infos[RULE_COUNT] = {
#include "policy/rules.def"
};
#undef RULE
/* clang-format on */

size_t guard_rule_count(void)
{
    return RULE_COUNT;
}

const struct rule_info *guard_rule(size_t i)
{
    return &infos[i];
}

const struct rule_info *guard_rule_find(struct str id)
{
    for (size_t i = 0; i < RULE_COUNT; i++) {
        if (str_is(id, infos[i].id))
            return &infos[i];
    }
    return NULL;
}
