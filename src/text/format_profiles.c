/* SPDX-License-Identifier: Apache-2.0
 *
 * Results as other systems word them. Where those would keep silent about a failure (a program that
 * fails without a word, or runs out of time), the reason is said in their form.
 */
#include "text/format_profiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/printable.h"
#include "base/utf8.h"

enum { FILE_NAME_CHARS = 255 };

static void end_line(struct buf *out)
{
    if (out->n && out->p[out->n - 1] != '\n')
        (void)buf_addc(out, '\n');
}

/* ---- adk ---- */

const struct block_pair format_adk_pair = {{"```tool_output\n", 15}, {"\n```", 4}};

static size_t spaces_of(struct str line)
{
    size_t n = 0;

    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

static bool begins_fence(struct str line)
{
    return str_starts(str_slice(line, spaces_of(line), line.n), "```");
}

/* One space more, or one less, for the lines that begin with a fence. */
static void add_shifted(struct buf *out, struct str text, bool out_again)
{
    struct str line;

    while (text.n && str_next(&text, '\n', &line)) {
        bool fence = begins_fence(line);
        if (fence && !out_again)
            (void)buf_addc(out, ' ');
        (void)buf_add_str(out, fence && out_again && line.p[0] == ' ' ? str_slice(line, 1, line.n)
                                                                      : line);
        if (text.p)
            (void)buf_addc(out, '\n');
    }
}

/* Why it failed, where its standard error does not say. */
static bool is_silent(const struct finished *run)
{
    return run->error.n || run->timed_out || run->out_of_memory || !run->err.n;
}

static void add_adk_body(const struct finished *run, struct buf *out)
{
    if (run->success) {
        (void)buf_add_str(out, run->out);
        end_line(out);
        return;
    }
    if (run->err.n) {
        (void)buf_adds(out, "Error: ");
        (void)buf_add_str(out, run->err);
        end_line(out);
    }
    if (!is_silent(run))
        return;
    (void)buf_adds(out, "Execution error: ");
    format_reason(run, out);
    (void)buf_addc(out, '\n');
}

static void add_file_line(struct buf *out, const struct finished_file *file)
{
    (void)buf_adds(out, "- ");
    printable_add_word(out, file->name, FILE_NAME_CHARS);
    (void)buf_addf(out, " (%" PRId64 " bytes)\n", file->size);
}

static void format_adk(const struct finished *run, struct buf *out)
{
    AUTO_BUF struct buf body = {0};

    buf_init(&body, out->limit);
    add_adk_body(run, &body);
    if (run->file_n)
        (void)buf_addf(&body, "\n[Generated %zu output file(s)]\n", run->file_n);
    for (size_t i = 0; i < run->file_n; i++)
        add_file_line(&body, &run->files[i]);
    (void)buf_add_str(out, format_adk_pair.open);
    add_shifted(out, buf_str(&body), false);
    (void)buf_add_str(out, format_adk_pair.close);
    out->overflow |= body.overflow;
}

static void format_adk_inline(const struct finished *run, struct buf *out)
{
    if (run->success && run->out.n) {
        (void)buf_add_str(out, blocks_strip(run->out));
    } else if (run->success) {
        (void)buf_adds(out, "Execution completed successfully");
    } else if (run->err.n && !run->error.n) {
        (void)buf_adds(out, "error: ");
        (void)buf_add_str(out, blocks_strip(run->err));
    } else {
        (void)buf_adds(out, "execution failed: ");
        format_reason(run, out);
    }
}

void format_adk_part(const struct finished *run, struct buf *out)
{
    if (!run->success) {
        if (run->err.n && !run->error.n)
            (void)buf_add_str(out, run->err);
        else
            format_reason(run, out);
        return;
    }
    if (run->out.n || !run->file_n) {
        (void)buf_adds(out, "Code execution result:\n");
        (void)buf_add_str(out, run->out);
        (void)buf_addc(out, '\n');
    }
    if (run->file_n)
        (void)buf_addf(out, "%sSaved artifacts:\n", out->n ? "\n\n" : "");
    for (size_t i = 0; i < run->file_n; i++) {
        (void)buf_adds(out, i ? ",`" : "`");
        printable_add_word(out, run->files[i].name, FILE_NAME_CHARS);
        (void)buf_adds(out, "`");
    }
}

static void extract_adk(struct str text, void (*each)(void *ctx, struct str output), void *ctx)
{
    AUTO_BUF struct buf body = {0};
    long found;

    buf_init(&body, text.n + 1);
    while ((found = str_find(text, format_adk_pair.open)) >= 0) {
        text = str_slice(text, (size_t)found + format_adk_pair.open.n, text.n);
        if ((found = str_find(text, format_adk_pair.close)) < 0)
            return;
        buf_clear(&body);
        add_shifted(&body, str_slice(text, 0, (size_t)found), true);
        each(ctx, buf_str(&body));
        text = str_slice(text, (size_t)found + format_adk_pair.close.n, text.n);
    }
}

/* ---- smolagents ---- */

size_t format_characters(struct str s, size_t n)
{
    size_t at = 0;

    for (; at < s.n; at++)
        if (((unsigned char)s.p[at] & 0xc0) != 0x80 && n-- == 0)
            break;
    return at;
}

enum { SMOLAGENTS_MAX = 20000, SMOLAGENTS_MAX_LOGS = 50000 }; /* characters */

static void add_cropped(struct buf *out, struct str text, size_t most)
{
    size_t count = utf8_count(text);

    if (count <= most) {
        (void)buf_add_str(out, text);
        return;
    }
    (void)buf_add_str(out, str_slice(text, 0, format_characters(text, most / 2)));
    (void)buf_addf(out, "\n..._This content has been truncated to stay below %zu characters_...\n",
                   most);
    (void)buf_add_str(out, str_slice(text, format_characters(text, count - most / 2), text.n));
}

/* As Python's str() shows it, as far as JSON has the types. */
static void add_value(struct buf *out, const json_t *value)
{
    if (json_is_string(value)) {
        add_cropped(out, (struct str){json_string_value(value), json_string_length(value)},
                    SMOLAGENTS_MAX);
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    add_cropped(out,
                !value                 ? STR("None")
                : json_is_true(value)  ? STR("True")
                : json_is_false(value) ? STR("False")
                                       : str_from(text),
                SMOLAGENTS_MAX);
    free(text);
}

enum { TRACE_INDENT = 4 };

/* The two lines below the place: the program's, and its caret, which stands one further right. */
static void add_caret(struct buf *out, const struct finished *run)
{
    struct str rest = run->exception_traceback, line;
    unsigned below = 0;

    while (below < 2 && str_next_line(&rest, &line)) {
        if (str_starts(line, "  File \"")) {
            below = 0;
            if (!str_next_line(&rest, &line))
                return;
        }
        struct str shown = str_slice(line, TRACE_INDENT, line.n);
        if (!str_starts(line, "    ") || (below == 1 && !str_starts(str_trim(line), "^")))
            return;
        (void)buf_adds(out, below++ ? "\n " : "\n");
        (void)buf_add_str(out, shown);
    }
}

static bool is_syntax_error(struct str type)
{
    return str_is(type, "SyntaxError") || str_is(type, "IndentationError") ||
           str_is(type, "TabError");
}

/* The program's own: one of a module that it imported happened while it ran. */
static void add_parse_error(struct buf *out, const struct finished *run)
{
    (void)buf_addf(out, "Code parsing failed on line %" PRId64 " due to: ", run->exception_line);
    (void)buf_add_str(out, run->exception_type);
    (void)buf_adds(out, ": ");
    (void)buf_add_str(out, run->exception_message);
    (void)buf_addf(out, " (<unknown>, line %" PRId64 ")", run->exception_line);
    add_caret(out, run);
}

static void add_smolagents_error(struct buf *out, const struct finished *run)
{
    struct str statement = run->exception_statement;

    if (run->timed_out && run->timeout_ms) {
        (void)buf_addf(out, "Code execution exceeded the maximum execution time of %g seconds",
                       (double)run->timeout_ms / 1000);
        return;
    }
    if (str_is(run->exception_type, "InterpreterError")) { /* in its words already */
        (void)buf_add_str(out, run->exception_message);
        return;
    }
    if (is_syntax_error(run->exception_type) && !statement.n) {
        add_parse_error(out, run);
        return;
    }
    if (!run->exception_type.n || run->error.n) {
        format_reason(run, out);
        return;
    }
    (void)buf_adds(out, "Code execution failed");
    if (statement.n)
        (void)buf_addf(out, " at line '%.*s'", (int)statement.n, statement.p);
    (void)buf_adds(out, " due to: ");
    (void)buf_add_str(out, run->exception_type);
    (void)buf_adds(out, ": ");
    (void)buf_add_str(out, run->exception_message);
}

static void format_smolagents(const struct finished *run, struct buf *out)
{
    (void)buf_adds(out, "Execution logs:\n");
    add_cropped(out, run->out, SMOLAGENTS_MAX_LOGS);
    if (run->success) {
        (void)buf_adds(out, "Last output from code snippet:\n");
        add_value(out, run->value);
        return;
    }
    end_line(out);
    (void)buf_adds(out, "Error:\n");
    add_smolagents_error(out, run);
    if (run->refused && str_find(run->error, STR("mport")) >= 0)
        (void)buf_adds(out, "\nConsider passing said import under `additional_authorized_imports` "
                            "when initializing your CodeAgent.");
    (void)buf_adds(out, "\nNow let's retry: take care not to repeat previous errors! If you have "
                        "retried several times, try a completely different approach.\n");
}

/* ---- kodeagent ---- */

#define NO_SUCH_ENV "Unsupported code execution env: "

/* Syntax errors and imports are results there, with a text of their own: no exceptions. */
static const char *kodeagent_type(const struct finished *run)
{
    if (run->refused)
        return run->err.n && !str_is(run->exception_type, "CodeSecurityError")
                   ? NULL
                   : "CodeSecurityError";
    if (run->error.n)
        return str_starts(run->error, NO_SUCH_ENV) ? "UnknownCodeEnvError" : "RuntimeError";
    return run->timed_out ? "TimeoutExpired" : run->out_of_memory ? "MemoryError" : NULL;
}

static void add_kodeagent_error(const struct finished *run, struct buf *out)
{
    const char *type = kodeagent_type(run);
    long end = str_find(run->error, STR(" ("));

    if (!type)
        return;
    end_line(out);
    (void)buf_addf(out, "*** Error running code: %s: ", type);
    if (run->refused && run->exception_message.n)
        (void)buf_add_str(out, run->exception_message);
    else if (str_starts(run->error, NO_SUCH_ENV) && end > 0)
        (void)buf_add_str(out, str_slice(run->error, 0, (size_t)end));
    else
        format_reason(run, out);
}

/* What an exception printed is not in E2B's logs. Then come its name and its value, a line each. */
static void add_beside(const struct finished *run, struct buf *out)
{
    struct str logs = str_trim(run->err), trace = str_trim(run->exception_traceback);

    if (trace.n && trace.n <= logs.n && str_eq(str_slice(logs, logs.n - trace.n, logs.n), trace))
        logs.n -= trace.n;
    (void)buf_add_str(out, logs);
    (void)buf_addf(out, "\n%.*s\n%.*s", (int)run->exception_type.n, run->exception_type.p,
                   (int)run->exception_message.n, run->exception_message.p);
}

static void format_kodeagent(const struct finished *run, struct buf *out)
{
    AUTO_BUF struct buf both = {0};

    buf_init(&both, run->out.n + 2 * run->err.n + run->exception_message.n + 1000);
    (void)buf_add_str(&both, run->out);
    (void)buf_addc(&both, '\n');
    if (run->reported_beside && run->exception_type.n && !run->timed_out)
        add_beside(run, &both);
    else
        (void)buf_add_str(&both, run->err);
    (void)buf_add_str(out, blocks_strip(buf_str(&both)));
    add_kodeagent_error(run, out);
}

/* ---- chapter ---- */

enum { CHAPTER_MAX = 10000 };

static void add_chapter(const struct finished *run, struct buf *out)
{
    if (run->error.n) {
        (void)buf_adds(out, "Error: ");
        (void)buf_add_str(out, run->error);
    } else if (run->timed_out) {
        (void)buf_adds(out, "Execution timeout");
    } else if (run->out_of_memory) {
        (void)buf_adds(out, "Memory limit exceeded");
    } else {
        (void)buf_add_str(out, run->out);
        (void)buf_add_str(out, run->success ? (struct str){"", 0} : run->err);
    }
}

/* The mark of a cut stands behind as many characters as there may be. */
bool format_chapter_cuts(struct str text)
{
    return utf8_count(text) > CHAPTER_MAX;
}

static void format_chapter(const struct finished *run, struct buf *out)
{
    size_t begin = out->n;

    add_chapter(run, out);
    struct str text = str_slice(buf_str(out), begin, out->n);
    if (utf8_count(text) <= CHAPTER_MAX)
        return;
    out->n = begin + format_characters(text, CHAPTER_MAX);
    out->p[out->n] = '\0';
    (void)buf_adds(out, "...(truncated)");
}

void format_solution(const struct finished *run, struct str problem, struct str code,
                     struct buf *out)
{
    if (run->refused) {
        (void)buf_adds(out, "Invalid code: ");
        (void)buf_add_str(out, run->error);
        return;
    }
    if (!run->success) {
        (void)buf_adds(out, "Failed to execute: ");
        format_chapter(run, out);
        return;
    }
    (void)buf_adds(out, "Problem: ");
    (void)buf_add_str(out, problem);
    (void)buf_adds(out, "\n\nSolution:\n");
    format_fenced(out, STR("python"), code);
    (void)buf_adds(out, "Result: ");
    format_chapter(run, out);
}

/* ---- all of them ---- */

const char *const format_profile_names[FORMAT_COUNT + 1] = {
    "markdown", "adk", "adk-inline", "smolagents", "kodeagent", "chapter", "agentos", NULL,
};

int format_result(const struct finished *run, enum format_profile profile, struct buf *out)
{
    static void (*const formats[FORMAT_COUNT])(const struct finished *, struct buf *) = {
        [FORMAT_MARKDOWN] = format_markdown,     [FORMAT_ADK] = format_adk,
        [FORMAT_ADK_INLINE] = format_adk_inline, [FORMAT_SMOLAGENTS] = format_smolagents,
        [FORMAT_KODEAGENT] = format_kodeagent,   [FORMAT_CHAPTER] = format_chapter,
        [FORMAT_AGENTOS] = format_agentos,
    };

    formats[profile](run, out);
    return out->overflow ? -1 : 0;
}

void format_extract(struct str text, enum format_profile profile,
                    void (*each)(void *ctx, struct str output), void *ctx)
{
    (profile == FORMAT_ADK ? extract_adk : format_extract_markdown)(text, each, ctx);
}
