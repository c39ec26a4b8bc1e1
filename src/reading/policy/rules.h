/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules by number. rules.def is the table.
 */
#ifndef POLICY_RULES_H
#define POLICY_RULES_H

enum rule {
#define RULE(name, id, stage, severity, points, summary) RULE_##name,
#include "policy/rules.def"
#undef RULE
    RULE_COUNT,
};

extern const char *const rule_hints[RULE_COUNT]; /* what to do instead */

#endif
