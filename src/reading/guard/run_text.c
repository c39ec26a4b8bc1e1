/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts that a program runs as code: exec("import os; os.system(...)"). A text that the guard can
 * compute is read as a program of its own; its findings are reported at the call. Names that it
 * does not bind are the outer program's. Texts within texts are followed one step further.
 */
#include "guard/check.h"
#include "guard/guard.h"

enum { MAX_AROUND = 2, MAX_TEXTS = 200, MAX_BYTES = 256 << 10, MAX_TOLD = 20 };

static unsigned depth_of(const struct check *c)
{
    unsigned n = 0;

    for (; c->around; c = c->around)
        n++;
    return n;
}

/* True if the text may be checked; counts it for the whole program. */
static bool may_look(struct check *c, struct str text)
{
    if (c->policy->texts != TEXTS_PLAIN || depth_of(c) >= MAX_AROUND || text.n < 3)
        return false;
    c->run_bytes += text.n;
    return ++c->run_texts <= MAX_TEXTS && c->run_bytes <= MAX_BYTES;
}

static void run_text_report(struct check *c, const struct node *n, const struct check *inner)
{
    for (size_t i = 0; i < inner->n && i < MAX_TOLD; i++) {
        const struct note *k = &inner->notes[i];
        if (k->f.line)
            found(c, k->rule, n, str_from(k->subject), "%s, in line %u of the text it runs",
                  k->f.message, k->f.line);
    }
}

static void run_text_look(struct check *c, struct check *inner)
{
    inner->has_program = true;
    program_init(&inner->program, &inner->own.tree, false);
    resolver_init(&inner->resolver, &inner->program);
    inner->resolver.outer = &c->resolver;
    inner->resolver.spelled = c->resolver.spelled;
    inner->resolver.fold.fuel = c->resolver.fold.fuel;
    check_imports(inner);
    check_patterns(inner);
    c->resolver.fold.fuel = inner->resolver.fold.fuel;
    c->resolver.fold.gave_up |= inner->resolver.fold.gave_up;
    resolver_done(&inner->resolver);
    program_done(&inner->program);
}

bool check_run_text(struct check *c, const struct node *n, struct str text)
{
    struct guard_input in = {.code = str_trim(text)};
    struct check inner = {.policy = c->policy, .in = &in, .around = c, .text = &inner.own};
    bool read;

    if (!may_look(c, text))
        return false;
    inner.run_texts = c->run_texts;
    inner.run_bytes = c->run_bytes;
    inner.own.options.target = c->policy->target;
    read = python_text_check(&inner.own, in.code);
    if (read) {
        run_text_look(c, &inner);
        run_text_report(c, n, &inner);
    }
    c->run_texts = inner.run_texts;
    c->run_bytes = inner.run_bytes;
    python_text_done(&inner.own);
    check_done(&inner);
    return read;
}
