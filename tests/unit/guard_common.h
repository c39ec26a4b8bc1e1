/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GUARD_COMMON_H
#define GUARD_COMMON_H

#include <stdlib.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "tap.h"

static struct verdict last;

/* Checks and leaves the verdict in `last`. */
static inline const struct verdict *judge(const char *profile, const char *code,
                                          struct guard_input input)
{
    struct err err = {0};
    struct policy *p = policy_open(profile, &err);

    verdict_done(&last);
    if (!p) {
        printf("# %s\n", err.msg);
        return NULL;
    }
    if (!input.code.p)
        input.code = str_from(code);
    guard_check(p, &input, &last);
    policy_free(p);
    return &last;
}

/* "1:exec-call 2:shell-command": lines and rules of what is found. */
static inline const char *findings_with(const char *profile, const char *code,
                                        struct guard_input input)
{
    static char out[4096];
    AUTO_BUF struct buf b = {0};

    buf_init(&b, sizeof out - 1);
    if (!judge(profile, code, input))
        return "no profile";
    for (size_t i = 0; i < last.n; i++)
        (void)buf_addf(&b, "%s%u:%s", i ? " " : "", last.findings[i].line, last.findings[i].rule);
    snprintf(out, sizeof out, "%s", b.p);
    return out;
}

static inline const char *findings_of(const char *profile, const char *code)
{
    return findings_with(profile, code, (struct guard_input){0});
}

#endif
