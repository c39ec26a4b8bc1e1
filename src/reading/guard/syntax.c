/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the code compiles. The prelude is put before it, as it will be when it runs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "guard/check.h"
#include "guard/foreign_line.h"
#include "guard/guard.h"

enum { READ_AGAIN_MAX = 1 << 20 }; /* bytes of a text that is read for newer versions, too */

/* Copies a text and two line ends to *p; returns the number of lines. */
static uint32_t syntax_put(char **p, struct str s)
{
    if (!s.n)
        return 0;
    memcpy(*p, s.p, s.n);
    (*p)[s.n] = (*p)[s.n + 1] = '\n';
    *p += s.n + 2;
    return (uint32_t)str_lines(s) + 2;
}

/* The text to parse. Sets c->prelude_lines to the number of lines before the program's own. */
static struct str whole_text(struct check *c)
{
    struct str prelude = c->in->prelude, earlier = c->in->earlier, code = c->in->code;
    size_t mark = str_starts(code, "\xEF\xBB\xBF") ? 3 : 0;

    if (!prelude.n && !earlier.n)
        return code;
    code = str_slice(code, mark, code.n);
    char *text = arena_alloc(&c->arena, prelude.n + earlier.n + code.n + 5), *p = text;
    c->prelude_lines = syntax_put(&p, prelude);
    c->earlier_lines = syntax_put(&p, earlier);
    c->prelude_lines += c->earlier_lines;
    if (code.n)
        memcpy(p, code.p, code.n);
    return (struct str){text, (size_t)(p - text) + code.n};
}

static uint32_t byte_column(struct check *c, const struct python_error *e, uint32_t line,
                            int32_t column)
{
    struct str s = check_line(c, line);
    size_t i = 0;

    if (e->bytes)
        return column > 0 ? (uint32_t)column - 1 : 0;

    for (int32_t n = column > 0 ? column - 1 : 0; n > 0 && i < s.n; n--) {
        i++;
        while (i < s.n && ((unsigned char)s.p[i] & 0xC0) == 0x80)
            i++;
    }
    return (uint32_t)i;
}

static bool reads(const struct check *c, unsigned target)
{
    struct python_text text = {.options = c->text->options};

    text.options.target = target;
    bool good = python_text_check(&text, c->text->bytes);
    python_text_done(&text);
    return good;
}

/* The N of the first newer Python 3.N that can read the text; 0 if none can, or for a long text.
 * Most errors are errors in each version, so the newest is asked first. */
static unsigned newer_that_reads(const struct check *c)
{
    unsigned n = c->text->options.target;

    if (!n || n >= PYTHON_NEWEST || c->text->bytes.n > READ_AGAIN_MAX || !reads(c, PYTHON_NEWEST))
        return 0;
    for (n++; n < PYTHON_NEWEST && !reads(c, n); n++)
        ;
    return n;
}

/* Replaces the general hint, which only reports that there is an error. */
static void improve_hint(struct check *c, struct note *n, uint32_t line)
{
    const char *foreign = n->rule == RULE_SYNTAX ? foreign_line_hint(check_line(c, line)) : NULL;
    unsigned newer = n->rule == RULE_SYNTAX && !foreign ? newer_that_reads(c) : 0;

    if (!foreign && !newer)
        return;
    free(n->f.hint);
    n->f.hint = foreign
                    ? xstrdup(foreign)
                    : xasprintf("Python 3.%u has this syntax, and 3.%u does not; --python names "
                                "another version.",
                                newer, c->text->options.target);
}

static void syntax_report(struct check *c, enum rule rule, const struct python_error *e)
{
    size_t before = c->n;
    struct span at = {.line = e->line, .end_line = e->end_line ? e->end_line : e->line};
    const char *kind = python_error_name(e->kind), *message = e->message ? e->message : "";

    if (!e->line) {
        found_at(c, rule, NULL, str_from(kind), "%s: %s", kind, message);
        return;
    }
    at.column = byte_column(c, e, e->line, e->column);
    at.end_column = e->end_column > 0 ? byte_column(c, e, at.end_line, e->end_column) : at.column;
    found_at(c, rule, &at, str_from(kind), "%s: %s", kind, message);
    if (c->n > before)
        improve_hint(c, &c->notes[before], e->line);
}

static void nesting(struct check *c)
{
    size_t limit = c->policy->max_nesting, height = c->text->tree.module->height;

    if (limit && height > limit)
        found_at(c, RULE_TOO_NESTED, NULL, STR(""), "nested %zu deep, more than %zu", height,
                 limit);
}

/* The caller's text, if it holds or may hold this tree: only if the code is parsed alone. */
static struct python_text *text_for(struct check *c, struct str whole)
{
    struct python_options options = {
        .target = c->in->target ? c->in->target : c->policy->target,
        .top_await = c->in->cell,
    };

    c->own.options = options;
    if (c->in->text && whole.p == c->in->code.p && python_text_fits(c->in->text, &options))
        return c->in->text;
    return &c->own;
}

void check_syntax(struct check *c)
{
    struct str whole = whole_text(c);

    c->text = text_for(c, whole);
    if (python_text_check(c->text, whole)) {
        program_init(&c->program, &c->text->tree, c->in->cell);
        program_give(&c->program, c->in->given);
        c->has_program = true;
        resolver_init(&c->resolver, &c->program);
        c->resolver.spelled = &c->policy->spelled_builtins;
        nesting(c);
    } else {
        syntax_report(
            c, c->text->tree.error.kind == PYTHON_UNICODE_ERROR ? RULE_BAD_ENCODING : RULE_SYNTAX,
            &c->text->tree.error);
    }
    for (size_t i = 0; i < c->text->tree.warnings.n; i++) {
        if (!check_is_earlier(c, c->text->tree.warnings.at[i].line))
            syntax_report(c, RULE_SYNTAX_WARNING, &c->text->tree.warnings.at[i]);
    }
}
