/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages, severities, and the facts about each rule, for --list-rules and --explain.
 */
#ifndef POLICY_RULE_INFO_H
#define POLICY_RULE_INFO_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum guard_stage { GUARD_INPUT, GUARD_SYNTAX, GUARD_IMPORTS, GUARD_PATTERNS, GUARD_REVIEW };
#define GUARD_ALL_STAGES 0xfu /* without the review */

enum severity { SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH, SEVERITY_CRITICAL };

const char *guard_stage_name(enum guard_stage stage); /* "input", "syntax", ... */
/* Bits from "input,syntax"; 0 with *err set when a name is unknown. */
unsigned guard_stages_from(struct str names, struct err *err);
const char *severity_name(enum severity s); /* "info" ... "critical" */

struct rule_info {
    const char *id;
    enum guard_stage stage;
    enum severity severity; /* the default; a profile may change it */
    int points;
    const char *summary;     /* half a line */
    const char *explanation; /* a paragraph: what it is, why it matters, an example, what to do */
};

size_t guard_rule_count(void);
const struct rule_info *guard_rule(size_t i);
const struct rule_info *guard_rule_find(struct str id); /* or NULL */

#endif
