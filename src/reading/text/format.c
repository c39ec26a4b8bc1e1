/* SPDX-License-Identifier: Apache-2.0 */
#include "text/format_profiles.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/json_get.h"

/* ---- parts of a result ---- */

int format_check(const json_t *run, struct err *err)
{
    return json_object_get(run, "stdout") || json_object_get(run, "exit_code")
               ? 0
               : err_set(err, ERR_USAGE, "it is not a result of 'glovebox run --json'");
}

/* True if the guard or a policy refused the program. One that could not start for another reason
 * was not refused. */
bool format_refused(const json_t *run)
{
    struct str kind = json_get_str(json_object_get(run, "error"), "kind");

    return json_is_false(json_object_get(json_object_get(run, "verdict"), "allowed")) &&
           (!kind.n || str_is(kind, "policy"));
}

struct str format_error(const json_t *run)
{
    struct str reason = json_get_str(json_object_get(run, "verdict"), "reason");

    return reason.n && format_refused(run) ? reason
                                           : json_get_str(json_object_get(run, "error"), "message");
}

bool format_success(const json_t *run)
{
    const json_t *success = json_object_get(run, "success");

    return success ? json_is_true(success)
                   : json_get_int(run, "exit_code") == 0 && !format_error(run).n;
}

json_t *format_value(const json_t *run)
{
    json_t *value =
        json_object_get(run, json_get_true(run, "is_final_answer") ? "final_answer" : "value");

    return json_is_null(value) ? NULL : value;
}

bool format_raised(const json_t *run)
{
    return format_exception(run, "type").n && !format_error(run).n &&
           !json_get_true(run, "timed_out") && !json_get_true(run, "oom_killed");
}

struct str format_exception(const json_t *run, const char *key)
{
    return json_get_str(json_object_get(run, "exception"), key);
}

/* ---- parts of texts ---- */

void format_add_exception(const json_t *run, struct buf *out)
{
    (void)buf_add_str(out, format_exception(run, "type"));
    (void)buf_adds(out, ": ");
    (void)buf_add_str(out, format_exception(run, "message"));
}

void format_reason(const json_t *run, struct buf *out)
{
    int64_t signal = json_get_int(run, "signal");

    if (format_error(run).n)
        (void)buf_add_str(out, format_error(run));
    else if (json_get_true(run, "timed_out"))
        (void)buf_adds(out, "timed out");
    else if (json_get_true(run, "oom_killed"))
        (void)buf_adds(out, "out of memory");
    else if (signal)
        (void)buf_addf(out, "killed by signal %" PRId64, signal);
    else
        (void)buf_addf(out, "exit status %" PRId64, json_get_int(run, "exit_code"));
}

size_t format_longest_run(struct str text, char mark)
{
    size_t longest = 0, n = 0;

    for (size_t i = 0; i < text.n; i++) {
        n = text.p[i] == mark ? n + 1 : 0;
        longest = n > longest ? n : longest;
    }
    return longest;
}

void format_add_run(struct buf *out, char mark, size_t n)
{
    while (n--)
        (void)buf_addc(out, mark);
}

void format_fenced(struct buf *out, struct str info, struct str text)
{
    size_t inner = format_longest_run(text, '`'), n = inner < 3 ? 3 : inner + 1;

    format_add_run(out, '`', n);
    (void)buf_add_str(out, info);
    (void)buf_addc(out, '\n');
    (void)buf_add_str(out, text);
    if (!str_ends(text, "\n"))
        (void)buf_addc(out, '\n');
    format_add_run(out, '`', n);
    (void)buf_addc(out, '\n');
}

/* ---- outputs in a text for a model ---- */

/* Calls `each` for each output. A block's code lacks its last line end: it is added, unless the
 * info string says that the output had none. */
void format_extract_markdown(struct str text, void (*each)(void *ctx, struct str output), void *ctx)
{
    struct code_blocks blocks;
    AUTO_BUF struct buf output = {0};

    buf_init(&output, text.n + 2);
    blocks_read(text, &blocks);
    for (size_t i = 0; i < blocks.n; i++) {
        const struct code_block *block = &blocks.at[i];
        buf_clear(&output);
        (void)buf_add_str(&output, block->code);
        if (!str_is(block->info, FORMAT_UNENDED))
            (void)buf_addc(&output, '\n');
        if (str_is(block->language, "text"))
            each(ctx, buf_str(&output));
    }
    blocks_done(&blocks);
}
