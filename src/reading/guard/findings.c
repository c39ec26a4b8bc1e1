/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "guard/check.h"
#include "guard/guard.h"
#include "policy/modules.h"

enum {
    EXCERPT = 200,       /* characters shown of a line */
    EXCERPT_BEFORE = 60, /* of a longer line: characters shown before the finding */
    SOURCE = 60,         /* bytes of an expression in a message */
    LOOK_BACK = 8,       /* how many of the last findings may be the same one */
};

/* ---- the text's lines ---- */

static void find_lines(struct check *c)
{
    struct str text = c->text->tree.text;
    size_t n = 1, k = 0;

    for (const char *p = text.p; p && (p = memchr(p, '\n', (size_t)(text.p + text.n - p))); p++)
        n++;
    uint32_t *lines = arena_alloc(&c->arena, n * sizeof *lines);
    lines[k++] = 0;
    for (const char *p = text.p; p && (p = memchr(p, '\n', (size_t)(text.p + text.n - p))); p++)
        lines[k++] = (uint32_t)(p + 1 - text.p);
    c->lines = lines;
    c->n_lines = n;
}

struct str check_line(struct check *c, uint32_t n)
{
    if (!c->lines)
        find_lines(c);
    if (!n || n > c->n_lines || !c->text->tree.text.p) /* in an unknown encoding there is no text */
        return STR("");
    size_t from = c->lines[n - 1];
    size_t to = n < c->n_lines ? c->lines[n] - 1 : c->text->tree.text.n;
    return str_slice(c->text->tree.text, from, to);
}

const char *check_source(struct check *c, const struct node *n)
{
    struct str line = check_line(c, n->line);
    size_t end = n->end_line == n->line ? n->end_column : line.n;

    if (n->column > line.n || end < n->column)
        return "";
    struct str s = str_slice(line, n->column, end < line.n ? end : line.n);
    bool cut = s.n > SOURCE || n->end_line != n->line;
    s.n = s.n > SOURCE ? utf8_cut(s, SOURCE) : s.n;
    return arena_printf(&c->arena, "%.*s%s", (int)s.n, s.p, cut ? "..." : "");
}

/* Converts a byte column from 0 to a character column from 1. Findings come nearly in the order of
 * the text, so counting continues from the last one: the whole program may be one line. */
static uint32_t character(struct check *c, uint32_t n, uint32_t column)
{
    struct str line = check_line(c, n);

    if (c->counted.line != n || c->counted.byte > column)
        c->counted.line = n, c->counted.byte = 0, c->counted.character = 1;
    column = column < line.n ? column : (uint32_t)line.n;
    c->counted.character += (uint32_t)utf8_count(str_slice(line, c->counted.byte, column));
    c->counted.byte = column;
    return c->counted.character;
}

static bool is_inside(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* The offset after at most n characters, forwards from `at`. */
static size_t forwards(struct str s, size_t at, size_t n)
{
    for (; at < s.n && n; n--) {
        at++;
        while (at < s.n && is_inside(s.p[at]))
            at++;
    }
    return at;
}

static size_t back(struct str s, size_t at, size_t *n)
{
    size_t done = 0;

    for (; at > 0 && done < *n; done++) {
        at--;
        while (at > 0 && is_inside(s.p[at]))
            at--;
    }
    *n = done;
    return at;
}

static void add_excerpt(struct finding *f, struct str line, size_t column)
{
    bool cut = line.n > EXCERPT;
    size_t before = cut ? EXCERPT_BEFORE : EXCERPT;
    size_t from = back(line, column < line.n ? column : line.n, &before);

    f->excerpt = xstrndup(line.p + from, forwards(line, from, EXCERPT) - from);
    f->excerpt_column = (uint32_t)before + 1;
}

/* ---- findings ---- */

static const struct {
    enum guard_stage stage;
} rule_stages[RULE_COUNT] = {
#define RULE(name, id, stage, severity, points, summary) [RULE_##name] = {GUARD_##stage},
#include "policy/rules.def"
#undef RULE
};

bool rule_is_on(const struct check *c, enum rule rule)
{
    return !c->policy->weights[rule].off;
}

static bool known_already(const struct check *c, enum rule rule, const struct span *at)
{
    for (size_t i = c->n; i > 0 && c->n - i < LOOK_BACK; i--) {
        const struct note *n = &c->notes[i - 1];
        uint32_t shift = n->f.line ? c->prelude_lines : 0; /* findings in the prelude have line 0 */
        if (n->rule == rule && n->f.line + shift == at->line && n->column == at->column &&
            n->f.end_line + shift == at->end_line && n->end_byte == at->end_column)
            return true;
    }
    return false;
}

static void place(struct check *c, struct note *n, const struct span *at)
{
    struct str line = check_line(c, at->line);
    bool ours = at->line <= c->prelude_lines;

    n->column = at->column;
    n->end_byte = at->end_column;
    if (!ours) {
        n->f.line = at->line - c->prelude_lines;
        n->f.end_line = at->end_line - c->prelude_lines;
        n->f.column = character(c, at->line, at->column);
        n->f.end_column = character(c, at->end_line, at->end_column);
    } else if (!check_is_earlier(c, at->line)) {
        n->f.prelude_line = at->line;
    }
    add_excerpt(&n->f, line, at->column);
}

/* The rules about names that policies list have consecutive numbers (ORDER LISTED in rules.def). */
static bool is_listed(enum rule rule)
{
    return rule >= RULE_IMPORT_FORBIDDEN && rule <= RULE_NAME_INVALID;
}

static enum severity weigh(struct check *c, enum rule rule, const struct weight *w)
{
    enum guard_stage stage = rule_stages[rule].stage;
    enum severity severity = w->severity;

    if (c->excused && severity >= c->policy->refuse_at && severity > SEVERITY_INFO)
        severity = c->policy->refuse_at - 1;

    c->stages[stage].points += w->points;
    bool refuses = severity >= c->policy->refuse_at;
    c->stages[stage].refuses |= refuses;
    c->stages[stage].listed |= refuses && is_listed(rule);
    return severity;
}

/* ---- the subject of a finding, for other programs ---- */

static char *findings_copy(struct str s)
{
    return s.n ? xstrndup(s.p, s.n) : NULL;
}

static struct str without_builtins(struct str s)
{
    return str_starts(s, "builtins.") ? str_slice(s, strlen("builtins."), s.n) : s;
}

static bool is_import(const struct note *n)
{
    return n->node && (n->node->kind == N_ALIAS || n->node->kind == N_IMPORT ||
                       n->node->kind == N_IMPORT_FROM);
}

/* "urllib.request" of "urllib.request.urlopen", "pathlib" of "pathlib.Path().open". */
static struct str module_of(struct str path)
{
    size_t end = 0;

    if (str_starts(path, "builtins."))
        return STR("builtins");
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] == '.')
            end = i;
        bool starts = !i || path.p[i - 1] == '.';
        if (starts && path.p[i] >= 'A' && path.p[i] <= 'Z' && i)
            break;
        if (path.p[i] == '(')
            break;
    }
    return str_slice(path, 0, end);
}

static void set_subject(struct note *n)
{
    struct str subject = str_from(n->subject);
    bool import = is_import(n) || n->rule == RULE_IMPORT_FORBIDDEN ||
                  n->rule == RULE_IMPORT_NOT_ALLOWED || n->rule == RULE_DYNAMIC_IMPORT;
    bool path = !import && memchr(n->subject, '.', subject.n) &&
                (module_is_library(subject) || module_knows(subject));

    if (n->stage == GUARD_SYNTAX)
        return;
    n->f.name = findings_copy(without_builtins(subject));
    if (import || module_find(subject) != RULE_COUNT)
        n->f.module = findings_copy(import ? subject : module_of(subject));
    else if (path)
        n->f.module = findings_copy(module_of(subject));
    if (n->is_call || (path && n->node && n->node->kind == N_CALL))
        n->f.call = findings_copy(without_builtins(subject));
}

/* Adds a note whose rule, node, message and is_call are set; takes the message over. */
static void findings_add(struct check *c, struct note note, const struct span *at,
                         struct str subject)
{
    enum rule rule = note.rule;
    const struct weight *w = policy_weight(c->policy, rule, subject);

    if (w->off || (at && known_already(c, rule, at))) {
        free(note.f.message);
        return;
    }
    note.f.severity = weigh(c, rule, w);
    if (c->n == GUARD_MAX_FINDINGS) {
        c->left_out++;
        free(note.f.message);
        return;
    }
    if (c->n == c->room) {
        c->room = c->room ? c->room * 2 : 16;
        c->notes = xrealloc_array(c->notes, c->room, sizeof *c->notes);
    }
    note.stage = rule_stages[rule].stage;
    note.subject = subject.n ? arena_str(&c->arena, subject).p : "";
    note.f.rule = guard_rule(rule)->id;
    note.f.points = w->points;
    note.f.hint = rule_hints[rule] ? xstrdup(rule_hints[rule]) : NULL;
    set_subject(&note);
    if (at)
        place(c, &note, at);
    else
        note.f.excerpt = xstrdup("");
    c->notes[c->n++] = note;
}

static struct span span_of(const struct node *n)
{
    return (struct span){n->line, n->column, n->end_line, n->end_column};
}

/* As findings_add, but makes the message. */
__attribute__((format(printf, 5, 0))) static void add_said(struct check *c, struct note note,
                                                           const struct span *at,
                                                           struct str subject, const char *fmt,
                                                           va_list ap)
{
    if (!rule_is_on(c, note.rule))
        return;
    AUTO_FREE char *said = xvasprintf(fmt, ap);
    note.f.message = note.is_call ? xasprintf("call of %s", said) : mem_take(&said);
    findings_add(c, note, at, subject);
}

void found(struct check *c, enum rule rule, const struct node *n, struct str subject,
           const char *fmt, ...)
{
    struct span at = span_of(n);
    va_list ap;

    va_start(ap, fmt);
    add_said(c, (struct note){.rule = rule, .node = n}, &at, subject, fmt, ap);
    va_end(ap);
}

void found_call(struct check *c, enum rule rule, const struct node *n, struct str subject,
                const char *fmt, ...)
{
    struct span at = span_of(n);
    va_list ap;

    va_start(ap, fmt);
    add_said(c, (struct note){.rule = rule, .node = n, .is_call = true}, &at, subject, fmt, ap);
    va_end(ap);
}

void found_at(struct check *c, enum rule rule, const struct span *span, struct str subject,
              const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_said(c, (struct note){.rule = rule}, span, subject, fmt, ap);
    va_end(ap);
}

static int by_place(const void *a, const void *b)
{
    const struct note *x = a, *y = b;

    if (x->f.line != y->f.line)
        return x->f.line < y->f.line ? -1 : 1;
    if (x->f.column != y->f.column)
        return x->f.column < y->f.column ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* Of findings that start at the same location, the outermost comes first: kodeagent's order. */
static int by_nesting(const void *a, const void *b)
{
    const struct note *x = a, *y = b;

    if (x->f.line != y->f.line || x->f.column != y->f.column)
        return by_place(a, b);
    if (x->f.end_line != y->f.end_line)
        return x->f.end_line > y->f.end_line ? -1 : 1;
    if (x->f.end_column != y->f.end_column)
        return x->f.end_column > y->f.end_column ? -1 : 1;
    return by_place(a, b);
}

/* True if the finding is of the stage that refused; with `together`, imports and patterns are one
 * stage. Severe findings refuse by themselves; if there are none, the score refused, and every
 * finding of the stage is a reason. */
static bool is_of_stage(const struct check *c, const struct note *n, enum guard_stage stage)
{
    return n->stage == stage ||
           (c->policy->together && n->stage >= GUARD_IMPORTS && stage >= GUARD_IMPORTS);
}

const struct note *findings_next(const struct check *c, enum guard_stage stage,
                                 const struct note *after)
{
    bool by_score = !c->stages[stage].refuses && !c->policy->together;

    for (size_t i = after ? (size_t)(after - c->notes) + 1 : 0; i < c->n; i++) {
        const struct note *n = &c->notes[i];
        if (is_of_stage(c, n, stage) && (by_score || n->f.severity >= c->policy->refuse_at))
            return n;
    }
    return NULL;
}

static bool is_grave(const struct check *c, const struct note *n)
{
    const struct policy *p = c->policy;

    return n->f.severity >= p->refuse_at &&
           (n->stage <= GUARD_SYNTAX || (p->stages & 1u << n->stage) ||
            (is_listed(n->rule) && !p->stages_said));
}

static void mark_reasons(struct check *c, const struct verdict *v)
{
    bool grave = false;

    if (v->allowed)
        return;
    for (size_t i = 0; i < c->n; i++) {
        struct note *n = &c->notes[i];
        n->f.refuses = is_of_stage(c, n, v->stage) && is_grave(c, n);
        grave |= n->f.refuses;
    }
    for (size_t i = 0; i < c->n && !grave; i++)
        c->notes[i].f.refuses = is_of_stage(c, &c->notes[i], v->stage) && c->notes[i].f.points > 0;
}

bool finding_has_own_hint(const struct finding *f)
{
    for (size_t i = 0; f->hint && i < RULE_COUNT; i++)
        if (strcmp(guard_rule(i)->id, f->rule) == 0)
            return !rule_hints[i] || strcmp(rule_hints[i], f->hint) != 0;
    return f->hint && *f->hint;
}

void finding_done(struct finding *f)
{
    free(f->message);
    free(f->hint);
    free(f->excerpt);
    free(f->name);
    free(f->module);
    free(f->call);
    free(f->label);
}

/* A finding that does not refuse needs no hint about --allow-imports. */
static void drop_permits(struct check *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct finding *f = &c->notes[i].f;
        if (f->refuses || !f->hint || !strstr(f->hint, "--allow-imports"))
            continue;
        free(f->hint);
        f->hint = NULL;
    }
}

void findings_finish(struct check *c, struct verdict *ret)
{
    mark_reasons(c, ret);
    drop_permits(c);
    if (c->n)
        qsort(c->notes, c->n, sizeof *c->notes,
              c->policy->texts == TEXTS_KODEAGENT ? by_nesting : by_place);
    ret->findings = c->n ? xmalloc(c->n * sizeof *ret->findings) : NULL;
    ret->n = ret->room = c->n;
    ret->left_out = c->left_out;
    for (size_t i = 0; i < c->n; i++)
        ret->findings[i] = c->notes[i].f;
    for (size_t i = 0; i <= GUARD_REVIEW; i++)
        ret->risk += c->stages[i].points;
}

void check_done(struct check *c)
{
    for (size_t i = 0; i < c->n; i++)
        finding_done(&c->notes[i].f);
    free(c->notes);
    arena_done(&c->arena);
}
