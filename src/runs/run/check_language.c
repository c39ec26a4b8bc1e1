/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the language of a program, and the version of Python as which the guard reads it.
 */
#include <string.h>

#include "languages/interpreter.h"
#include "languages/preludes.h"
#include "languages/pythons.h"
#include "run/check_parts.h"

struct guess {
    const struct policy *policy;
    const struct language *best;
};

static void try_language(void *ctx, const struct language *language)
{
    struct guess *g = ctx;
    bool fits = policy_allows_language(g->policy, str_from(language->name));

    if (fits && (!g->best || policy_reads(str_from(language->name))))
        g->best = language;
}

int check_find_python(const struct run_request *q, struct interpreter *ret)
{
    const struct language *python = language_find(q->program.languages, STR("python"));
    const struct backend *backend = check_backend(q);
    struct err err;

    if (backend && backend->interpreter)
        return backend->interpreter(python, q->program.python, request_image(q), ret, &err);
    return q->program.python ? python_find(q->program.python, ret, &err)
                             : interpreter_find_recent(python, ret, &err);
}

/* Returns the Python version that the guard will assume if the program turns out to be Python. */
static unsigned likely_target(const struct examination *e)
{
    const struct run_request *q = e->request;
    struct interpreter found = {0};

    if (q->policy.target || !e->runs || !e->policy || check_find_python(q, &found) < 0)
        return q->policy.target;
    unsigned target = check_target_of(interpreter_minor(&found));
    interpreter_done(&found);
    return target;
}

void check_aim(struct examination *e, unsigned target)
{
    if (!target && e->policy)
        target = policy_target(e->policy);
    if (!e->text->parsed)
        e->text->options = (struct python_options){.target = target, .top_await = e->cell};
}

/* Guesses the language. For text without signs of a language, it is one that the policy allows:
 * Python with most policies. */
static const struct language *guess(struct examination *e)
{
    const struct run_request *q = e->request;
    struct guess g = {.policy = e->policy};

    check_aim(e, likely_target(e));
    const struct language *looks = language_guess(q->program.languages, q->program.code, e->text);
    if (!e->policy || policy_allows_language(e->policy, str_from(looks->name)))
        return looks;
    language_each(q->program.languages, try_language, &g);
    return g.best ? g.best : looks;
}

/* --lang python3.12 is --lang python --python 3.12. */
static int examine_python(struct examination *e, struct err *err)
{
    const struct run_request *q = e->request;
    unsigned minor, chosen;

    if (!python_is_version(str_from(q->program.language), &minor))
        return err_set(err, ERR_USAGE,
                       "language '%s' is not known; 'python3.12' or --python=3.12 choose a version",
                       q->program.language);
    if (q->program.python &&
        (!python_is_version(str_from(q->program.python), &chosen) || chosen != minor))
        return err_set(err, ERR_USAGE, "language '%s' and --python %s name two interpreters",
                       q->program.language, q->program.python);
    e->language = language_find(q->program.languages, STR("python"));
    e->python = q->program.language;
    if (minor >= PYTHON_OLDEST && minor <= PYTHON_NEWEST)
        e->target = minor;
    return 0;
}

int examine_language(struct examination *e, struct err *err)
{
    const struct run_request *q = e->request;

    if (q->program.language && strcmp(q->program.language, "auto") != 0) {
        e->language = language_find(q->program.languages, str_from(q->program.language));
        if (!e->language && str_starts(str_from(q->program.language), "python"))
            return examine_python(e, err);
        return e->language
                   ? 0
                   : language_unknown(q->program.languages, str_from(q->program.language), err);
    }
    e->language = language_stated(q->program.languages, q->program.file, q->program.code);
    if (!e->language && q->program.prelude)
        e->language = prelude_language(q->program.languages, q->program.prelude);
    if (!e->language)
        e->language = guess(e);
    return 0;
}

int check_language_allowed(const struct policy *policy, const struct language *language,
                           struct err *err)
{
    if (!policy || policy_allows_language(policy, str_from(language->name)))
        return 0;
    const char *who = policy_wants_read(policy);
    return err_set(err, ERR_POLICY, "language %s is not allowed by profile %s%s%s%s",
                   language->name, policy_name(policy), who ? ", and " : "", who ? who : "",
                   who ? " runs only what the guard reads" : "");
}

unsigned check_python_target(const struct examination *e)
{
    return e->request->policy.target ? e->request->policy.target : e->target;
}

int check_find_language(const struct run_request *q, const struct language **ret, struct err *err)
{
    struct policy *policy = check_open_policy(q, err);
    struct examination e;

    if (!policy)
        return -1;
    examine_init(&e, q, policy);
    int status = examine_language(&e, err);
    if (status == 0)
        *ret = e.language;
    examine_done(&e);
    policy_free(policy);
    return status;
}
