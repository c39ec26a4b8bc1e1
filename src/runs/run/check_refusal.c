/* SPDX-License-Identifier: Apache-2.0
 *
 * A refusal in a result: the exception, stderr and exit code of a program that did not run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explain/feedback_advice.h"
#include "run/check_parts.h"
#include "text/blocks.h"
#include "text/whole_program.h"

/* ---- a reply instead of a program ---- */

static void replace_hint(struct finding *f, struct str text, const struct code_block *block)
{
    const size_t fence = str_lines(str_slice(text, 0, block->code_start));

    /* An error behind the fence may be one in a program that has fences in its texts. */
    if (f->line > fence || !whole_python(block->code))
        return;
    free(f->hint);
    f->hint = xasprintf("If this is a model's reply, give only the code between its fences, from "
                        "line %zu to %zu ('glovebox blocks' prints it).",
                        fence + 1, fence + str_count_lines(block->code));
}

void check_notice_fences(struct str code, struct verdict *v)
{
    struct code_blocks blocks;

    if (v->allowed || v->stage != GUARD_SYNTAX || !v->n || str_find(code, STR("```")) < 0 ||
        finding_has_own_hint(&v->findings[0]))
        return;
    blocks_read(code, &blocks);
    blocks_keep_code(&blocks);
    if (blocks.n && v->findings[0].line)
        replace_hint(&v->findings[0], code, &blocks.at[blocks.n - 1]);
    blocks_done(&blocks);
}

/* ---- the result ---- */

/* Returns the first finding that refuses, and the number of such findings. */
static const struct finding *first_reason(const struct verdict *v, size_t *ret_n)
{
    const struct finding *first = NULL;

    *ret_n = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (!v->findings[i].refuses)
            continue;
        first = first ? first : &v->findings[i];
        ++*ret_n;
    }
    return first;
}

/* Cuts "IndentationError" off "IndentationError: unexpected indent"; empty if there is no such
 * type. */
static struct str cut_exception_type(struct str *message)
{
    long colon = str_find(*message, STR(": "));
    struct str type = str_slice(*message, 0, colon > 0 ? (size_t)colon : 0);

    if (!str_ends(type, "Error") || str_find(type, STR(" ")) >= 0)
        return (struct str){"", 0};
    *message = str_slice(*message, type.n + 2, message->n);
    return type;
}

static void add_trace_place(struct buf *b, const char *file, const struct finding *f)
{
    (void)buf_addf(b, "  File \"%s\", line %u\n", f->line ? file : RESULT_PRELUDE,
                   f->line ? f->line : f->prelude_line);
    if (!f->excerpt)
        return;
    (void)buf_addf(b, "    %s\n", f->excerpt);
    if (f->column || f->prelude_line)
        (void)buf_addf(b, "    %*s^\n", (int)(f->excerpt_column ? f->excerpt_column - 1 : 0), "");
}

static void set_exception_place(struct result_exception *e, const struct finding *f)
{
    e->line = f->line ? f->line : f->prelude_line;
    e->column = f->column;
    if (!f->line && f->prelude_line)
        e->file = xstrdup(RESULT_PRELUDE);
}

/* The exception as the interpreter would report it; NULL when no interpreter reports this
 * finding. */
static struct result_exception *syntax_exception(const struct finding *f, const char *file)
{
    struct str message = str_from(f->message), type = cut_exception_type(&message);
    AUTO_BUF struct buf trace = {0};

    if (!type.n)
        return NULL;
    struct result_exception *e = xcalloc(1, sizeof *e);
    buf_init(&trace, 64 << 10);
    if (f->line || f->prelude_line)
        add_trace_place(&trace, file, f);
    (void)buf_addf(&trace, "%.*s: %.*s\n", (int)type.n, type.p, (int)message.n, message.p);
    e->type = xstrndup(type.p, type.n);
    e->message = xstrndup(message.p, message.n);
    set_exception_place(e, f);
    e->traceback = buf_take(&trace);
    if (!finding_has_own_hint(f))
        e->hint = advice_for_error(&(struct advice_error){
            .language = "python", .type = e->type, .message = str_from(e->message)});
    if (!e->hint && f->hint)
        e->hint = xstrdup(f->hint);
    return e;
}

static void replace_text(char **text, const char *with)
{
    if (!with)
        return;
    free(*text);
    *text = xstrdup(with);
}

/* The caller passes NULL for `f` if it is unknown which of several findings the profile's texts are
 * about. */
static struct result_exception *refusal_exception(const struct verdict *v, const struct finding *f)
{
    struct result_exception *e = xcalloc(1, sizeof *e);

    e->type = xstrdup("SecurityError");
    e->message = xstrdup(v->reason ? v->reason : "");
    e->traceback = xstrdup("");
    if (f)
        set_exception_place(e, f);
    e->hint = f && f->hint ? xstrdup(f->hint) : NULL;
    return e;
}

/* Uses the profile's own texts where it has some. */
static void set_exception(struct result *r, const char *file)
{
    const struct verdict_texts *texts = &r->verdict.texts;
    size_t n;
    const struct finding *f = first_reason(&r->verdict, &n);

    if (f && r->verdict.stage <= GUARD_SYNTAX)
        r->exception = syntax_exception(f, file);
    if (!texts->exception_type && !texts->exception_message)
        return;
    if (texts->about)
        f = &r->verdict.findings[texts->about - 1];
    if (!r->exception)
        r->exception = refusal_exception(&r->verdict, n == 1 || texts->about ? f : NULL);
    replace_text(&r->exception->type, texts->exception_type);
    replace_text(&r->exception->message, texts->exception_message);
}

void check_describe_refusal(struct result *r, const char *file)
{
    const struct verdict_texts *texts = &r->verdict.texts;

    if (texts->stderr_text)
        capture_add(&r->err, texts->stderr_text, strlen(texts->stderr_text));
    if (texts->has_exit_code)
        r->exit_code = texts->exit_code;
    set_exception(r, file);
}
