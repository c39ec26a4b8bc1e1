/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of stages and severities, in policies, findings and reports.
 */
#include "policy/rule_info.h"

static const char *const stage_names[] = {
    [GUARD_INPUT] = "input",       [GUARD_SYNTAX] = "syntax", [GUARD_IMPORTS] = "imports",
    [GUARD_PATTERNS] = "patterns", [GUARD_REVIEW] = "review",
};

static const char *const severity_names[] = {
    [SEVERITY_INFO] = "info", [SEVERITY_LOW] = "low",           [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_HIGH] = "high", [SEVERITY_CRITICAL] = "critical",
};

const char *guard_stage_name(enum guard_stage stage)
{
    return stage_names[stage];
}

const char *severity_name(enum severity s)
{
    return severity_names[s];
}

unsigned guard_stages_from(struct str names, struct err *err)
{
    unsigned bits = 0;
    struct str part;

    while (str_next(&names, ',', &part)) {
        unsigned bit = 0;
        part = str_trim(part);
        for (unsigned s = GUARD_INPUT; s <= GUARD_PATTERNS; s++)
            bit |= str_is(part, stage_names[s]) ? 1u << s : 0;
        bits |= bit;
        if (!bit && part.n) {
            err_set(err, ERR_USAGE, "there is no stage \"%.*s\": input, syntax, imports, patterns",
                    (int)part.n, part.p);
            return 0;
        }
    }
    if (!bits)
        err_set(err, ERR_USAGE, "no stage is named: input, syntax, imports, patterns");
    return bits;
}
