/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a failed run: two bytes say the language and how it ended, one the length of the
 * message; then the program's text up to the first NUL, and its error stream.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "explain/exception.h"
#include "explain/feedback.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const languages[] = {"python", "javascript", "r", "bash", "sh", "cobol"};

static void assert_plain(const char *text)
{
    assert(utf8_valid(str_from(text)));
    for (; *text; text++)
        assert((unsigned char)*text >= 0x20 || *text == '\n' || *text == '\t');
}

static void check_exception(const struct result_exception *e)
{
    assert(e->type[0] && !strpbrk(e->type, " \n:/\"(") && utf8_valid(str_from(e->type)));
    assert(utf8_valid(str_from(e->message)) && utf8_valid(str_from(e->traceback)));
    assert(e->line >= 0 && e->column >= 0);
    assert(!e->source || utf8_valid(str_from(e->source)));
    assert(!e->calls || utf8_valid(str_from(e->calls)));
    if (e->hint)
        assert_plain(e->hint);
    if (e->cause) {
        assert(!e->cause->cause);
        check_exception(e->cause);
    }
}

static void check_feedback(struct result *r, size_t max)
{
    struct feedback_test tests[] = {{"name", false, r->exception ? r->exception->message : ""}};
    struct feedback_input in = {
        .result = r, .tests = tests, .test_count = max % 2, .max_chars = max};
    struct feedback f;

    feedback_make(&in, &f);
    assert(f.n > 0 && f.n <= FEEDBACK_TEXTS);
    for (size_t i = 0; i < f.n; i++) {
        assert(f.texts[i][0]);
        assert_plain(f.texts[i]);
        for (size_t k = 0; k < i; k++)
            assert(strcmp(f.texts[i], f.texts[k]) != 0);
    }
    AUTO_FREE char *text = feedback_text(&in, &f);
    assert_plain(text);
    assert(*text && utf8_count(str_from(text)) <= (max < 200 ? 200 : max));
    feedback_done(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct result r;

    if (n < 3)
        return 0;
    result_init(&r, 1 << 20);
    r.language = languages[data[0] % ARRAY_LEN(languages)];
    r.started = true;
    r.exit_code = data[1] & 64 ? 1 : 139;
    r.limits_hit = data[1] & 63;
    r.signal = data[1] & 128 ? data[1] & 31 : 0;
    r.timed_out = r.limits_hit & (LIMIT_WALL | LIMIT_CPU);
    struct str text = {(const char *)data + 3, n - 3}, code = {"", 0};
    long nul = str_find(text, (struct str){"", 1});
    if (nul >= 0) {
        code = str_slice(text, 0, (size_t)nul);
        text = str_slice(text, (size_t)nul + 1, text.n);
    }
    capture_add(&r.err, text.p, text.n);
    r.exception = exception_find(&(struct exception_input){.language = r.language,
                                                           .text = text,
                                                           .work = "/box/work/",
                                                           .program = "main.py",
                                                           .code = code});
    if (r.exception)
        check_exception(r.exception);
    check_feedback(&r, (size_t)data[2] * 40 + 1);
    result_done(&r);
    return 0;
}
