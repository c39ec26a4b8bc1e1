/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a line of a suite, as a line of its results, and as text for JUnit's XML.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "judge/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void try_task(struct str line, bool reference)
{
    struct suite_task task;
    struct err err = {0};
    const struct suite_form form = {.reference = reference, .extract = !reference};

    if (suite_task_read(line, &form, 0, &task, &err) == 0) {
        assert(task.id && task.code.n <= line.n * 2 + 1 && task.timeout_ms >= 0);
        assert(task.is_code || task.cases.text.n);
        size_t sum = 0;
        for (size_t i = 0; i < task.test_count; i++)
            sum += task.tests[i].n;
        assert(sum <= line.n * 16 + 65536);
    } else {
        assert(err.kind == ERR_USAGE && *err.msg);
    }
    suite_task_done(&task);
}

static void try_result(struct str line)
{
    struct suite_result r, again;

    if (suite_result_read(line, &r)) {
        char *text = suite_result_line(&r);
        assert(suite_result_read(str_from(text), &again));
        assert(again.passed == r.passed && again.all_passed == r.all_passed);
        free(text);
        suite_result_done(&again);
    }
    suite_result_done(&r);
}

static void try_escape(struct str text)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 20);
    junit_escape(&b, text);
    for (size_t i = 0; i < b.n; i++)
        assert((unsigned char)b.p[i] >= 0x20 && b.p[i] != '<' && b.p[i] != '"' && b.p[i] != 0x7F);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = {(const char *)data, n};

    try_task(text, false);
    try_task(text, true);
    try_result(text);
    try_escape(text);
    return 0;
}
