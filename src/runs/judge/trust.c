/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether a verdict is valid. A failure outside the candidate proves nothing about it. A
 * candidate that ran without the layers that separate it from its judge may have reached the judge.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "judge/parts.h"
#include "run/record.h"

/* These layers separate the candidate from expected values, the judge's memory and its processes.
 * For files, one of the first two layers is enough. */
static const layer_mask files = LAYER_BIT(LAYER_ROOT) | LAYER_BIT(LAYER_LANDLOCK);
static const layer_mask needed = LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_CAPS) |
                                 LAYER_BIT(LAYER_NNP) | LAYER_BIT(LAYER_SECCOMP);

static layer_mask lacking(layer_mask held)
{
    return (needed & ~held) | (held & files ? 0 : LAYER_BIT(LAYER_ROOT));
}

bool judge_walls(layer_mask held)
{
    return lacking(held) == 0;
}

/* The log also shows a failure of ours as an error. */
void judge_record(struct recorder *recorder, const struct run_request *request, struct result *run,
                  const char *doubt)
{
    struct err error = run->error;

    if (doubt && !run->error.kind && !run->cancelled && !result_refused(run))
        (void)err_set(&run->error, ERR_SYSTEM, "%s", doubt);
    if (!run->began_ms)
        result_begin(run, &request->limits, request->program.code);
    run->limits = request->limits; /* not the limits of the driver */
    record_write(recorder, request, run);
    run->error = error;
}

void judge_doubt(struct judge *j, const char *why)
{
    j->ret->unjudged = true;
    if (!j->ret->doubt)
        j->ret->doubt = xstrdup(why);
}

static void doubt_layers(struct judge *j)
{
    layer_mask missing = lacking(j->held);
    AUTO_BUF struct buf b = {0};

    if (!j->has_started || !missing || j->ret->doubt)
        return;
    buf_init(&b, 1024);
    (void)buf_adds(&b, "without");
    for (unsigned layer = 0; layer < LAYER_COUNT; layer++)
        if (missing & LAYER_BIT(layer))
            (void)buf_addf(&b, " %s", jail_layers[layer].name);
    (void)buf_adds(&b, " the program could have reached its judge");
    j->ret->doubt = buf_take(&b);
}

enum error_type case_error_type(const struct case_result *r)
{
    static const enum error_type others[] = {
        [CASE_NOT_RUN] = ERROR_TYPE_OURS,    [CASE_OURS] = ERROR_TYPE_OURS,
        [CASE_REFUSED] = ERROR_TYPE_REFUSED, [CASE_TIMEOUT] = ERROR_TYPE_LIMIT,
        [CASE_MEMORY] = ERROR_TYPE_LIMIT,    [CASE_LIMIT] = ERROR_TYPE_LIMIT,
        [CASE_UNTOLD] = ERROR_TYPE_LIMIT,    [CASE_CPU] = ERROR_TYPE_LIMIT,
    };

    return r->passed ? ERROR_TYPE_NONE : others[r->end] ? others[r->end] : ERROR_TYPE_GUEST;
}

enum error_type judge_error_type(const struct judge_result *r)
{
    enum error_type type = result_error_type(&r->run);

    if (r->unjudged && type != ERROR_TYPE_REFUSED)
        return ERROR_TYPE_OURS;
    for (size_t i = 0; i < r->total; i++)
        if (!r->cases[i].passed)
            return case_error_type(&r->cases[i]);
    return type;
}

void judge_settle_trust(struct judge *j)
{
    struct judge_result *ret = j->ret;

    if (result_error_type(&ret->run) == ERROR_TYPE_OURS)
        judge_doubt(j, ret->run.error.kind ? ret->run.error.msg : "it was stopped");
    for (size_t i = 0; i < ret->total; i++)
        if (case_error_type(&ret->cases[i]) == ERROR_TYPE_OURS) {
            ret->errors++;
            judge_doubt(j, ret->cases[i].detail ? ret->cases[i].detail : "not all cases were run");
        }
    doubt_layers(j);
    ret->trustworthy = !ret->doubt;
    ret->scored = ret->total && !ret->unjudged;
}
