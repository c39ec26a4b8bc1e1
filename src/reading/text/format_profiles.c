/* SPDX-License-Identifier: Apache-2.0
 *
 * Results in the wording of other systems. Where those systems would not report a failure (a
 * program that fails without output, or exceeds its time), the reason is added in their form.
 */
#include "text/format_profiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "formats/json_get.h"
#include "formats/printable.h"

enum { FILE_NAME_CHARS = 255 };

static void format_profiles_end_line(struct buf *out)
{
    if (out->n && out->p[out->n - 1] != '\n')
        (void)buf_addc(out, '\n');
}

/* ---- adk ---- */

const struct block_pair format_adk_pair = {{"```tool_output\n", 15}, {"\n```", 4}};

static bool begins_fence(struct str line)
{
    return str_starts(str_slice(line, str_indent(line), line.n), "```");
}

/* Adds one space to each line that begins with a fence, or with `out_again` removes it. */
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

/* True if standard error does not give the reason of the failure. */
static bool is_silent(const json_t *run)
{
    return format_error(run).n || json_get_true(run, "timed_out") ||
           json_get_true(run, "oom_killed") || !json_get_str(run, "stderr").n;
}

static void add_adk_body(const json_t *run, struct buf *out)
{
    if (format_success(run)) {
        (void)buf_add_str(out, json_get_str(run, "stdout"));
        format_profiles_end_line(out);
        return;
    }
    struct str err = json_get_str(run, "stderr");
    if (err.n) {
        (void)buf_adds(out, "Error: ");
        (void)buf_add_str(out, err);
        format_profiles_end_line(out);
    }
    if (!is_silent(run))
        return;
    (void)buf_adds(out, "Execution error: ");
    format_reason(run, out);
    (void)buf_addc(out, '\n');
}

static void add_file_line(struct buf *out, const json_t *file)
{
    (void)buf_adds(out, "- ");
    printable_add_word(out, json_get_str(file, "path"), FILE_NAME_CHARS);
    (void)buf_addf(out, " (%" PRId64 " bytes)\n", json_get_int(file, "size"));
}

static void format_adk(const json_t *run, struct buf *out)
{
    const json_t *files = json_object_get(run, "files"), *file;
    AUTO_BUF struct buf body = {0};
    size_t i;

    buf_init(&body, out->limit);
    add_adk_body(run, &body);
    if (json_array_size(files))
        (void)buf_addf(&body, "\n[Generated %zu output file(s)]\n", json_array_size(files));
    json_array_foreach(files, i, file) add_file_line(&body, file);
    (void)buf_add_str(out, format_adk_pair.open);
    add_shifted(out, buf_str(&body), false);
    (void)buf_add_str(out, format_adk_pair.close);
    out->overflow |= body.overflow;
}

static void format_adk_inline(const json_t *run, struct buf *out)
{
    struct str text = json_get_str(run, "stdout"), err = json_get_str(run, "stderr");
    bool success = format_success(run);

    if (success && text.n) {
        (void)buf_add_str(out, blocks_strip(text));
    } else if (success) {
        (void)buf_adds(out, "Execution completed successfully");
    } else if (err.n && !format_error(run).n) {
        (void)buf_adds(out, "error: ");
        (void)buf_add_str(out, blocks_strip(err));
    } else {
        (void)buf_adds(out, "execution failed: ");
        format_reason(run, out);
    }
}

void format_adk_part(const json_t *run, struct buf *out)
{
    struct str text = json_get_str(run, "stdout"), err = json_get_str(run, "stderr");
    const json_t *files = json_object_get(run, "files"), *file;
    size_t i;

    if (!format_success(run)) {
        if (err.n && !format_error(run).n)
            (void)buf_add_str(out, err);
        else
            format_reason(run, out);
        return;
    }
    if (text.n || !json_array_size(files)) {
        (void)buf_adds(out, "Code execution result:\n");
        (void)buf_add_str(out, text);
        (void)buf_addc(out, '\n');
    }
    if (json_array_size(files))
        (void)buf_addf(out, "%sSaved artifacts:\n", out->n ? "\n\n" : "");
    json_array_foreach(files, i, file)
    {
        (void)buf_adds(out, i ? ",`" : "`");
        printable_add_word(out, json_get_str(file, "path"), FILE_NAME_CHARS);
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

/* Appends the value as Python's str() shows it, as far as JSON has the types. */
static void format_profiles_add_value(struct buf *out, const json_t *value)
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

/* Appends the two traceback lines after the location: the program's line and its caret, which is
 * one column further right. */
static void add_caret(struct buf *out, const json_t *run)
{
    struct str rest = format_exception(run, "traceback"), line;
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

/* Appends smolagents' text for a syntax error of the program itself. (A syntax error in a module
 * that it imports occurs while the program runs.) */
static void add_parse_error(struct buf *out, const json_t *run)
{
    int64_t line = json_get_int(json_object_get(run, "exception"), "line");

    (void)buf_addf(out, "Code parsing failed on line %" PRId64 " due to: ", line);
    format_add_exception(run, out);
    (void)buf_addf(out, " (<unknown>, line %" PRId64 ")", line);
    add_caret(out, run);
}

static void add_smolagents_error(struct buf *out, const json_t *run)
{
    struct str statement = format_exception(run, "statement"), type = format_exception(run, "type");
    int64_t ms = json_get_int(json_object_get(run, "limits_set"), "timeout_ms");

    if (ms && json_get_true(run, "timed_out")) {
        (void)buf_addf(out, "Code execution exceeded the maximum execution time of %g seconds",
                       (double)ms / 1000);
        return;
    }
    if (str_is(type, "InterpreterError")) { /* already in smolagents' words */
        (void)buf_add_str(out, format_exception(run, "message"));
        return;
    }
    if (is_syntax_error(type) && !statement.n) {
        add_parse_error(out, run);
        return;
    }
    if (!type.n || format_error(run).n) {
        format_reason(run, out);
        return;
    }
    (void)buf_adds(out, "Code execution failed");
    if (statement.n)
        (void)buf_addf(out, " at line '%.*s'", (int)statement.n, statement.p);
    (void)buf_adds(out, " due to: ");
    format_add_exception(run, out);
}

static void format_smolagents(const json_t *run, struct buf *out)
{
    (void)buf_adds(out, "Execution logs:\n");
    add_cropped(out, json_get_str(run, "stdout"), SMOLAGENTS_MAX_LOGS);
    if (format_success(run)) {
        (void)buf_adds(out, "Last output from code snippet:\n");
        format_profiles_add_value(out, format_value(run));
        return;
    }
    format_profiles_end_line(out);
    (void)buf_adds(out, "Error:\n");
    add_smolagents_error(out, run);
    if (format_refused(run) && str_find(format_error(run), STR("mport")) >= 0)
        (void)buf_adds(out, "\nConsider passing said import under `additional_authorized_imports` "
                            "when initializing your CodeAgent.");
    (void)buf_adds(out, "\nNow let's retry: take care not to repeat previous errors! If you have "
                        "retried several times, try a completely different approach.\n");
}

/* ---- kodeagent ---- */

#define NO_SUCH_ENV "Unsupported code execution env: "

/* The type of an exception. In kodeagent, syntax errors and failed imports are results with their
 * own text, not exceptions. */
static const char *kodeagent_type(const json_t *run)
{
    if (format_refused(run))
        return json_get_str(run, "stderr").n &&
                       !str_is(format_exception(run, "type"), "CodeSecurityError")
                   ? NULL
                   : "CodeSecurityError";
    if (format_error(run).n)
        return str_starts(format_error(run), NO_SUCH_ENV) ? "UnknownCodeEnvError" : "RuntimeError";
    return json_get_true(run, "timed_out")    ? "TimeoutExpired"
           : json_get_true(run, "oom_killed") ? "MemoryError"
                                              : NULL;
}

static void add_kodeagent_error(const json_t *run, struct buf *out)
{
    struct str error = format_error(run), message = format_exception(run, "message");
    const char *type = kodeagent_type(run);
    long end = str_find(error, STR(" ("));

    if (!type)
        return;
    format_profiles_end_line(out);
    (void)buf_addf(out, "*** Error running code: %s: ", type);
    if (format_refused(run) && message.n)
        (void)buf_add_str(out, message);
    else if (str_starts(error, NO_SUCH_ENV) && end > 0)
        (void)buf_add_str(out, str_slice(error, 0, (size_t)end));
    else
        format_reason(run, out);
}

/* E2B's logs do not contain the traceback that an exception prints. After them come its name and
 * its value, on a line each. */
static void add_beside(const json_t *run, struct buf *out)
{
    struct str logs = str_trim(json_get_str(run, "stderr")),
               trace = str_trim(format_exception(run, "traceback"));

    if (trace.n && trace.n <= logs.n && str_eq(str_slice(logs, logs.n - trace.n, logs.n), trace))
        logs.n -= trace.n;
    (void)buf_add_str(out, logs);
    (void)buf_addc(out, '\n');
    (void)buf_add_str(out, format_exception(run, "type"));
    (void)buf_addc(out, '\n');
    (void)buf_add_str(out, format_exception(run, "message"));
}

static void format_kodeagent(const json_t *run, struct buf *out)
{
    struct str text = json_get_str(run, "stdout"), err = json_get_str(run, "stderr");
    AUTO_BUF struct buf both = {0};

    buf_init(&both, text.n + 2 * err.n + format_exception(run, "message").n + 1000);
    (void)buf_add_str(&both, text);
    (void)buf_addc(&both, '\n');
    if (str_starts(json_get_str(run, "backend"), "e2b") && format_exception(run, "type").n &&
        !json_get_true(run, "timed_out"))
        add_beside(run, &both);
    else
        (void)buf_add_str(&both, err);
    (void)buf_add_str(out, blocks_strip(buf_str(&both)));
    add_kodeagent_error(run, out);
}

/* ---- chapter ---- */

enum { CHAPTER_MAX = 10000 };

/* The restricted mode's words: the lines of its errors, or the exception alone. False if it has
 * none for this run. */
static bool add_restricted(const json_t *run, struct buf *out)
{
    const json_t *exception = json_object_get(run, "exception");

    if (!str_is(json_get_str(run, "profile"), "restricted"))
        return false;
    if (format_refused(run)) {
        (void)buf_add_str(out, format_error(run));
        return true;
    }
    if (!json_is_object(exception))
        return false;
    (void)buf_adds(out, "Error: ");
    (void)buf_add_str(out, json_get_str(exception, "message"));
    return true;
}

static void add_chapter(const json_t *run, struct buf *out)
{
    if (add_restricted(run, out))
        return;
    if (format_error(run).n) {
        (void)buf_adds(out, "Error: ");
        (void)buf_add_str(out, format_error(run));
    } else if (json_get_true(run, "timed_out")) {
        (void)buf_adds(out, "Execution timeout");
    } else if (json_get_true(run, "oom_killed")) {
        (void)buf_adds(out, "Memory limit exceeded");
    } else {
        (void)buf_add_str(out, json_get_str(run, "stdout"));
        if (!format_success(run))
            (void)buf_add_str(out, json_get_str(run, "stderr"));
    }
}

/* An output of exactly CHAPTER_MAX characters is not cut. */
bool format_chapter_cuts(struct str text)
{
    return utf8_count(text) > CHAPTER_MAX;
}

static void format_chapter(const json_t *run, struct buf *out)
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

void format_solution(const json_t *run, struct str problem, struct str code, struct buf *out)
{
    if (format_refused(run)) {
        (void)buf_adds(out, "Invalid code: ");
        (void)buf_add_str(out, format_error(run));
        return;
    }
    if (!format_success(run)) {
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

int format_result(const json_t *run, enum format_profile profile, struct buf *out)
{
    static void (*const formats[FORMAT_COUNT])(const json_t *, struct buf *) = {
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
