/* SPDX-License-Identifier: Apache-2.0 */
#include "text/format_profiles.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

/* ---- reading a result ---- */

static struct str string_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) ? (struct str){json_string_value(value), json_string_length(value)}
                                 : (struct str){"", 0};
}

static bool flag_of(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void read_files(const json_t *files, struct finished *ret)
{
    const json_t *file;
    size_t i;

    ret->files = xcalloc(json_array_size(files) + 1, sizeof *ret->files);
    json_array_foreach(files, i, file)
    {
        ret->files[ret->file_n++] = (struct finished_file){.name = string_of(file, "path"),
                                                           .mime = string_of(file, "mime"),
                                                           .size = number_of(file, "size")};
    }
}

static void read_exception(const json_t *exception, struct finished *ret)
{
    ret->exception_type = string_of(exception, "type");
    ret->exception_message = string_of(exception, "message");
    ret->exception_traceback = string_of(exception, "traceback");
    ret->exception_line = number_of(exception, "line");
    ret->exception_file = string_of(exception, "file");
    ret->exception_statement = string_of(exception, "statement");
    ret->hint = string_of(exception, "hint");
}

static void read_failure(const json_t *document, struct finished *ret)
{
    const json_t *verdict = json_object_get(document, "verdict");

    ret->error = string_of(json_object_get(document, "error"), "message");
    /* What could not be started for another reason was not refused. */
    struct str kind = string_of(json_object_get(document, "error"), "kind");
    ret->refused =
        json_is_false(json_object_get(verdict, "allowed")) && (!kind.n || str_is(kind, "policy"));
    if (ret->refused && string_of(verdict, "reason").n)
        ret->error = string_of(verdict, "reason");
}

static const json_t *value_of(const json_t *document)
{
    const json_t *value =
        json_object_get(document, flag_of(document, "is_final_answer") ? "final_answer" : "value");

    return json_is_null(value) ? NULL : value;
}

static void read_tests(const json_t *document, struct finished *ret)
{
    const json_t *tests = json_object_get(document, "test_results");

    ret->tests = json_is_array(tests) ? tests : NULL;
    ret->total = number_of(document, "total");
    ret->passed = number_of(document, "passed");
    ret->unjudged = number_of(document, "errors");
    ret->all_passed = flag_of(document, "all_passed");
}

int finished_read(const json_t *document, struct finished *ret, struct err *err)
{
    *ret = (struct finished){0};
    if (!json_is_object(document) ||
        (!json_object_get(document, "stdout") && !json_object_get(document, "exit_code")))
        return err_set(err, ERR_USAGE, "it is not a result of 'glovebox run --json'");
    ret->out = string_of(document, "stdout");
    ret->err = string_of(document, "stderr");
    ret->exit_code = number_of(document, "exit_code");
    ret->signal = number_of(document, "signal");
    ret->reported_beside = str_starts(string_of(document, "backend"), "e2b");
    ret->timed_out = flag_of(document, "timed_out");
    ret->out_of_memory = flag_of(document, "oom_killed");
    read_failure(document, ret);
    const json_t *success = json_object_get(document, "success");
    ret->success = success ? json_is_true(success) : ret->exit_code == 0 && !ret->error.n;
    ret->value = value_of(document);
    read_exception(json_object_get(document, "exception"), ret);
    read_files(json_object_get(document, "files"), ret);
    ret->duration_ms = number_of(document, "duration_ms");
    ret->timeout_ms = number_of(json_object_get(document, "limits_set"), "timeout_ms");
    ret->memory_mb = json_number_value(json_object_get(document, "max_memory_mb"));
    read_tests(document, ret);
    return 0;
}

void finished_done(struct finished *run)
{
    free(run->files);
    *run = (struct finished){0};
}

/* ---- parts of texts ---- */

void format_reason(const struct finished *run, struct buf *out)
{
    if (run->error.n)
        (void)buf_add_str(out, run->error);
    else if (run->timed_out)
        (void)buf_adds(out, "timed out");
    else if (run->out_of_memory)
        (void)buf_adds(out, "out of memory");
    else if (run->signal)
        (void)buf_addf(out, "killed by signal %" PRId64, run->signal);
    else
        (void)buf_addf(out, "exit status %" PRId64, run->exit_code);
}

static size_t longest_run(struct str text, char mark)
{
    size_t longest = 0, n = 0;

    for (size_t i = 0; i < text.n; i++) {
        n = text.p[i] == mark ? n + 1 : 0;
        longest = n > longest ? n : longest;
    }
    return longest;
}

static void add_run(struct buf *out, char mark, size_t n)
{
    while (n--)
        (void)buf_addc(out, mark);
}

void format_fenced(struct buf *out, struct str info, struct str text)
{
    size_t inner = longest_run(text, '`'), n = inner < 3 ? 3 : inner + 1;

    add_run(out, '`', n);
    (void)buf_add_str(out, info);
    (void)buf_addc(out, '\n');
    (void)buf_add_str(out, text);
    if (!str_ends(text, "\n"))
        (void)buf_addc(out, '\n');
    add_run(out, '`', n);
    (void)buf_addc(out, '\n');
}

/* ---- markdown ---- */

#define UNENDED "text (no newline at the end)"

static void add_stream(struct buf *out, const char *title, struct str text)
{
    if (!text.n)
        return;
    (void)buf_addf(out, "%s%s\n\n", out->n ? "\n" : "", title);
    format_fenced(out, str_ends(text, "\n") ? STR("text") : STR(UNENDED), text);
}

/* A name in backticks, more of them than it holds itself. */
static void add_code_span(struct buf *out, struct str text)
{
    size_t n = longest_run(text, '`') + 1;
    const char *space = n > 1 ? " " : "";

    add_run(out, '`', n);
    (void)buf_adds(out, space);
    (void)buf_add_str(out, text);
    (void)buf_adds(out, space);
    add_run(out, '`', n);
}

static void add_files(struct buf *out, const struct finished *run)
{
    if (run->file_n)
        (void)buf_addf(out, "%sFiles:\n\n", out->n ? "\n" : "");
    for (size_t i = 0; i < run->file_n; i++) {
        const struct finished_file *file = &run->files[i];
        (void)buf_adds(out, "- ");
        add_code_span(out, file->name);
        (void)buf_addf(out, " (%" PRId64 " byte%s%s%.*s)\n", file->size, file->size == 1 ? "" : "s",
                       file->mime.n ? ", " : "", (int)file->mime.n, file->mime.p);
    }
}

static void add_place(struct buf *out, const struct finished *run)
{
    struct str file = run->exception_file;

    (void)buf_addf(out, " (line %" PRId64, run->exception_line);
    if (file.n) {
        (void)buf_adds(out, " of ");
        (void)buf_add_str(out, file);
    }
    (void)buf_addc(out, ')');
}

static void add_exception(struct buf *out, const struct finished *run)
{
    (void)buf_add_str(out, run->exception_type);
    if (run->exception_message.n) {
        (void)buf_adds(out, ": ");
        (void)buf_add_str(out, run->exception_message);
    }
    if (run->exception_line)
        add_place(out, run);
}

/* "The program failed: NameError: name 'x' is not defined (line 3)." */
static void add_verdict(struct buf *out, const struct finished *run)
{
    const char *gap = out->n ? "\n" : "";

    if (run->success) {
        if (!out->n)
            (void)buf_adds(out, "The program ran and printed nothing.\n");
        return;
    }
    (void)buf_addf(out, "%s%s: ", gap,
                   run->refused   ? "The program was refused"
                   : run->error.n ? "The program could not be run"
                                  : "The program failed");
    if (run->exception_type.n && !run->error.n && !run->timed_out && !run->out_of_memory)
        add_exception(out, run);
    else
        format_reason(run, out);
    (void)buf_adds(out, ".\n");
    if (run->hint.n)
        (void)buf_addf(out, "Hint: %.*s\n", (int)run->hint.n, run->hint.p);
}

static void add_value(struct buf *out, const json_t *value)
{
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);

    if (json_is_string(value) && !json_string_length(value))
        return;
    add_stream(out, "Value:",
               text ? str_from(text)
                    : (struct str){json_string_value(value), json_string_length(value)});
    free(text);
}

void format_markdown(const struct finished *run, struct buf *out)
{
    add_stream(out, "Output:", run->out);
    add_stream(out, "Errors:", run->err);
    if (run->value)
        add_value(out, run->value);
    if (run->total && !run->error.n)
        format_tests(run, out);
    else
        add_verdict(out, run);
    add_files(out, run);
}

/* The line end that the fence took back. */
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
        if (!str_is(block->info, UNENDED))
            (void)buf_addc(&output, '\n');
        if (str_is(block->language, "text"))
            each(ctx, buf_str(&output));
    }
    blocks_done(&blocks);
}
