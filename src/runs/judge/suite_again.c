/* SPDX-License-Identifier: Apache-2.0
 *
 * A test that failed over the link between two sandboxes may have failed because of the link: the
 * link cannot transfer every property of a value. Such a test is run again with its candidate in
 * one process, as a plain Python would run it. If it fails there, too, it has failed. If it passes,
 * there is no verdict: in that process the candidate can change the test, so that a pass proves
 * nothing.
 */
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "judge/parts.h"
#include "judge/suite_side.h"

char *suite_test_document(const struct suite_task *task, int64_t timeout_ms, json_t *failed)
{
    json_t *tests = json_array();

    for (size_t i = 0; i < task->test_count; i++)
        json_array_append_new(tests, json_text(task->tests[i]));
    json_t *doc = json_pack("{s:o, s:o, s:o, s:s?, s:f}", "prompt", json_text(task->prompt),
                            "setup", json_text(task->setup), "tests", tests, "entry", task->func,
                            "seconds", (double)timeout_ms / 1000);
    if (doc && failed) {
        json_object_set_new(doc, "candidate", json_text(task->code));
        json_object_set(doc, "failed", failed);
    }
    char *text = doc ? json_dumps(doc, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

    json_decref(doc);
    return text;
}

struct again {
    struct suite_side side;
    struct buf out;
};

static void suite_again_on_event(void *ctx, const struct run_event *event)
{
    struct again *again = ctx;

    if (event->kind == RUN_OUTPUT && event->stream == 1)
        (void)buf_add_str(&again->out, event->text);
}

/* Returns why there is no verdict, if there is a line ={"passes": 0}; or NULL. */
static char *disagreement(const struct again *again)
{
    struct str rest = buf_str(&again->out), line;
    json_int_t number = -1;

    while (number < 0 && str_next(&rest, '\n', &line)) {
        json_t *said = line.n ? json_loadb(line.p + 1, line.n - 1, 0, NULL) : NULL;
        const json_t *passes = json_object_get(said, "passes");
        number = json_is_integer(passes) ? json_integer_value(passes) : -1;
        json_decref(said);
    }
    return number < 0 ? NULL
                      : xasprintf("test %lld fails across the link between two sandboxes, and "
                                  "passes in one process with the candidate",
                                  (long long)number + 1);
}

static char *suite_again_run(struct again *again, const struct run_request *candidate,
                             const char *document)
{
    struct suite_side *side = &again->side;

    suite_side_seclude(side, candidate, document);
    side->request.program.env = candidate->program.env;
    suite_side_run(side, suite_again_on_event, again);
    return side->result.error.kind ? xstrdup(side->result.error.msg) : disagreement(again);
}

char *suite_again(const struct judge_request *q, const struct suite_task *task, json_t *failed,
                  int64_t timeout_ms, int cancel_fd, bool *ret_cancelled)
{
    AUTO_FREE char *document = suite_test_document(task, timeout_ms, failed);
    struct again again = {.side.in = {-1, -1}};
    struct err err = {0};
    char *why;

    buf_init(&again.out, KEPT);
    result_init(&again.side.result, 0);
    if (!document)
        why = xstrdup("the test code must be a string");
    else if (suite_side_init(&again.side, q, timeout_ms, &suite_test_program, &err) < 0)
        why = xstrdup(err.msg);
    else {
        again.side.cancel_fd = cancel_fd;
        why = suite_again_run(&again, &q->run, document);
    }
    *ret_cancelled = again.side.result.cancelled;
    suite_side_done(&again.side);
    buf_done(&again.out);
    return why;
}
