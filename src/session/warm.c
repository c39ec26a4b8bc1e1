/* SPDX-License-Identifier: Apache-2.0 */
#include "session/warm.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/environment.h"

/* What an interpreter, its libc or its loader read when they start. */
static bool is_read_at_start(const char *pair)
{
    static const char *const prefixes[] = {"PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "GLIBC_"};

    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (strncmp(pair, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool has_argument(const struct language *language, const char *arg)
{
    for (const char *const *a = language->args; *a; a++)
        if (strcmp(*a, arg) == 0)
            return true;
    return false;
}

static bool can_be_warm(const struct prepared *p)
{
    const struct run_request *q = p->request;

    if (!q->pool || q->cold || !p->language->zygote || p->backend->unsafe ||
        !has_argument(p->language, "{boot}") || !has_argument(p->language, "{runner}"))
        return false;
    for (char *const *pair = q->env; pair && *pair; pair++)
        if (is_read_at_start(*pair))
            return false;
    return true;
}

/* As the language's own arguments, with the zygote's text in the place of the boot's. */
static char **zygote_arguments(const struct prepared *p)
{
    const struct language *language = p->language;
    size_t n = 0;

    while (strcmp(language->args[n], "{boot}") != 0)
        n++;
    char **argv = xcalloc(n + 4, sizeof *argv);
    argv[0] = xstrdup(p->interpreter.path);
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = xstrdup(language->args[i]);
    argv[n + 1] = xstrdup(language->zygote);
    argv[n + 2] = xstrdup(language->runner);
    return argv;
}

void warm_make(const struct prepared *p, struct warm *ret)
{
    struct run_request plain = *p->request;
    struct err err;

    *ret = (struct warm){0};
    if (!can_be_warm(p))
        return;
    plain.env = NULL;
    ret->env = environment_make(&plain, p->interpreter.path, &err);
    ret->argv = zygote_arguments(p);
}

void warm_done(struct warm *warm)
{
    environment_free(warm->argv);
    environment_free(warm->env);
}

void warm_use(const struct warm *warm, const struct prepared *p, struct backend_job *job)
{
    size_t n = 0;

    if (!warm->argv)
        return;
    job->pool = p->request->pool;
    job->zygote_argv = warm->argv;
    job->zygote_env = warm->env;
    while (strcmp(p->language->args[n], "{runner}") != 0)
        n++;
    job->warm_argv = p->argv + n + 2; /* what comes after the runner */
}
