/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "judge/judge.h"

static const char *const names[JUDGED_COUNT] = {
#define JUDGED(ID, name) [JUDGED_##ID] = (name),
    JUDGED_EACH(JUDGED)
#undef JUDGED
};

const char *judged_name(enum judged outcome)
{
    return names[outcome];
}

bool judged_from(const char *name, enum judged *ret)
{
    for (size_t i = 0; name && i < JUDGED_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = (enum judged)i;
            return true;
        }
    return false;
}

/* Python reports two ends of a program as exceptions. */
static enum judged of_exception(const struct result_exception *e)
{
    if (e && strcmp(e->type, "MemoryError") == 0)
        return JUDGED_MEMORY;
    return e && strcmp(e->type, "SystemExit") == 0 ? JUDGED_EXITED : JUDGED_EXCEPTION;
}

enum judged case_judged(const struct case_result *r)
{
    static const enum judged by_end[] = {
        [CASE_NOT_RUN] = JUDGED_OURS,     [CASE_ENDED] = JUDGED_WRONG,
        [CASE_RAISED] = JUDGED_EXCEPTION, [CASE_TIMEOUT] = JUDGED_TIMEOUT,
        [CASE_EXITED] = JUDGED_EXITED,    [CASE_KILLED] = JUDGED_EXITED,
        [CASE_MEMORY] = JUDGED_MEMORY,    [CASE_CPU] = JUDGED_TIMEOUT,
        [CASE_LIMIT] = JUDGED_EXITED,     [CASE_UNTOLD] = JUDGED_WRONG,
        [CASE_LOAD] = JUDGED_EXCEPTION,   [CASE_REFUSED] = JUDGED_REFUSED,
        [CASE_OURS] = JUDGED_OURS,
    };

    if (r->passed)
        return JUDGED_PASSED;
    return by_end[r->end] == JUDGED_EXCEPTION ? of_exception(r->exception) : by_end[r->end];
}

static enum judged run_judged(const struct result *run)
{
    if (run->success)
        return JUDGED_PASSED;
    if (run->timed_out || run->limits_hit & LIMIT_CPU)
        return JUDGED_TIMEOUT;
    if (run->oom_killed)
        return JUDGED_MEMORY;
    if (run->exception)
        return of_exception(run->exception);
    return run->exit_code || run->signal || run->limits_hit ? JUDGED_EXITED : JUDGED_WRONG;
}

enum judged judge_judged(const struct judge_result *r)
{
    if (result_refused(&r->run))
        return JUDGED_REFUSED;
    if (r->unjudged || r->run.error.kind || r->run.cancelled)
        return JUDGED_OURS;
    for (size_t i = 0; i < r->total; i++)
        if (!r->cases[i].passed)
            return case_judged(&r->cases[i]);
    return r->total ? JUDGED_PASSED : run_judged(&r->run);
}
