/* SPDX-License-Identifier: Apache-2.0 */
#include "run/syntax_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "run/run.h"

enum { PROBE_MS = 10000, PROBE_OUTPUT = 64 << 10, EXCERPT_MAX = 200 };

const struct rule_info syntax_unchecked_rule = {
    .id = "syntax-unchecked",
    .stage = GUARD_SYNTAX,
    .severity = SEVERITY_INFO,
    .summary = "the syntax of the program could not be checked",
    .explanation =
        "The syntax of a program in another language than Python is checked by the language's own "
        "tool, inside the jail: node --check, bash -n, sh -n, R's parse(). This program was not "
        "checked, and the message has the reason: the interpreter is not installed, the jail does "
        "not start here, or the language has no such tool. The program is not refused for this; "
        "the interpreter reports a syntax error when the program runs.",
};

/* ---- reading their output ---- */

static struct str cut_number(struct str s, uint32_t *ret)
{
    size_t n = 0;
    int64_t value = 0;

    while (n < s.n && n < 9 && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    if (n && num_int64(str_slice(s, 0, n), &value))
        *ret = (uint32_t)value;
    return str_slice(s, n, s.n);
}

static struct str skip(struct str s, const char *what)
{
    return str_starts(s, what) ? str_slice(s, strlen(what), s.n) : s;
}

/* Reads the location after the file's name: ":3", ":3:7: text", ": 3: text", ": line 3: text". */
static struct str read_place(struct str line, struct syntax_complaint *ret)
{
    line = cut_number(skip(skip(skip(line, ":"), " "), "line "), &ret->line);
    if (line.n > 1 && line.p[0] == ':' && line.p[1] >= '0' && line.p[1] <= '9') {
        uint32_t column = 0; /* at the end of a file, R counts columns from 0 */
        line = cut_number(skip(line, ":"), &column);
        ret->column = column;
    }
    return str_trim(skip(line, ":"));
}

static bool names_error(struct str line)
{
    long at = str_find(line, STR("Error: "));

    return at >= 0 && str_find(str_slice(line, 0, (size_t)at), STR(" ")) < 0;
}

/* Reads node's output: the line, a mark below the column, an empty line, the error. */
static struct str read_node(struct str rest, struct syntax_complaint *ret)
{
    struct str line, message = {NULL, 0};

    while (!message.n && str_next_line(&rest, &line)) {
        struct str marks = str_trim(line);
        if (!ret->column && str_starts(marks, "^"))
            ret->column = (uint32_t)(marks.p - line.p) + 1;
        if (names_error(line))
            message = str_trim(line);
    }
    return message;
}

bool syntax_complaint_read(struct str text, const char *file, struct syntax_complaint *ret)
{
    struct str line, rest = text, name = str_from(file), message;

    *ret = (struct syntax_complaint){0};
    while (str_next_line(&rest, &line)) {
        long at = str_find(line, name);
        if (at < 0)
            continue;
        message = read_place(str_slice(line, (size_t)at + name.n, line.n), ret);
        if (!ret->line)
            continue;
        if (!message.n)
            message = read_node(rest, ret);
        message.n = message.n ? strnlen(message.p, message.n) : 0;
        ret->message = message.n ? xstrndup(message.p, message.n) : NULL;
        return message.n > 0;
    }
    return false;
}

/* ---- the finding ---- */

/* Returns false for the line after the last one, where tools report the end of the file. */
static bool find_line(struct str text, uint32_t n, struct str *ret)
{
    while (str_next_line(&text, ret))
        if (--n == 0)
            return true;
    return false;
}

static struct finding *new_finding(struct verdict *v, const struct rule_info *rule, char *message)
{
    v->findings = xrealloc_array(v->findings, v->n + 1, sizeof *v->findings);
    v->room = v->n + 1;
    struct finding *f = &v->findings[v->n++];
    *f = (struct finding){
        .rule = rule->id,
        .severity = rule->severity,
        .points = rule->points,
    };
    f->message = message;
    v->risk += f->points;
    return f;
}

static void add_unchecked(struct verdict *v, const char *why)
{
    new_finding(v, &syntax_unchecked_rule, xasprintf("the syntax was not checked: %s", why));
}

/* Adds the line. A long line is cut, and the reported column may be in the cut part. */
static void add_excerpt(struct finding *f, struct str code, uint32_t column)
{
    AUTO_BUF struct buf clean = {0};
    struct str line;

    if (!find_line(code, f->line, &line))
        return;
    buf_init(&clean, 3 * EXCERPT_MAX);
    (void)utf8_add_clean(&clean, str_slice(line, 0, utf8_cut(line, EXCERPT_MAX)));
    if (column && column <= utf8_count(buf_str(&clean)) + 1) {
        f->column = f->excerpt_column = column;
        f->end_column = column + 1;
    }
    f->excerpt = buf_take(&clean);
}

static void add_complaint(struct verdict *v, struct str code, struct syntax_complaint *c)
{
    const struct rule_info *rule = guard_rule_find(STR("syntax"));

    if (!rule) {
        free(c->message);
        return;
    }
    struct finding *f = new_finding(v, rule, c->message);
    f->refuses = true;
    f->line = f->end_line = c->line;
    add_excerpt(f, code, c->column);
    v->allowed = false;
    free(v->reason);
    v->reason = xstrdup(f->message);
}

/* ---- asking ---- */

static void conclude(const struct result *r, const struct run_request *q, struct verdict *v)
{
    AUTO_FREE char *path = xasprintf("/work/%s", q->program.file);
    AUTO_BUF struct buf said = {0};
    struct syntax_complaint complaint;
    char why[700];

    buf_init(&said, PROBE_OUTPUT + 256);
    capture_text(&r->err, &said);
    v->stage = GUARD_SYNTAX;
    if (r->success)
        return;
    if (!r->error.kind && !r->timed_out && !r->oom_killed &&
        syntax_complaint_read(buf_str(&said), path, &complaint)) {
        add_complaint(v, q->program.code, &complaint);
        return;
    }
    result_summary(r, why, sizeof why);
    struct str first, rest = buf_str(&said);
    if (!why[0] && str_next_line(&rest, &first))
        snprintf(why, sizeof why, "%.*s", (int)(first.n < 300 ? first.n : 300), first.p);
    add_unchecked(v, why);
}

/* Returns a name without characters that a tool might quote. It keeps the extension, by which node
 * recognises modules. */
static const char *plain_name(const struct run_request *q, const struct language *language,
                              char *out, size_t n)
{
    const char *dot = q->program.file ? strrchr(q->program.file, '.') : NULL;

    for (const char *const *e = language->extensions; dot && e && *e; e++)
        if (strcmp(dot, *e) == 0) {
            snprintf(out, n, "main%s", dot);
            return out;
        }
    return language_main_name(language, q->program.code, out, n);
}

/* Runs the same interpreter with other arguments. */
void syntax_probe(const struct run_request *request, const struct language *language,
                  struct verdict *v)
{
    struct language asked = *language, *row = &asked;
    struct language_table table = {.user = &row, .user_count = 1};
    struct run_watch watch = {.cancel_fd = -1};
    struct run_request q;
    struct result result;
    char name[64];

    if (!language->syntax_args) {
        AUTO_FREE char *why = xasprintf("there is no tool that checks %s", language->name);
        add_unchecked(v, why);
        return;
    }
    asked.args = language->syntax_args;
    run_request_init(&q);
    q.program.code = request->program.code;
    q.program.file = plain_name(request, language, name, sizeof name);
    q.program.language = language->name;
    q.program.languages = &table;
    q.place.required = request->place.required;
    q.limits.wall_ms = PROBE_MS;
    q.policy.no_check = true;
    q.door.log = "off";
    result_init(&result, PROBE_OUTPUT);
    run_program(&q, &watch, &result);
    conclude(&result, &q, v);
    result_done(&result);
}
