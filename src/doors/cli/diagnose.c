/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/diagnose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "jail/landlock.h"
#include "languages/interpreter.h"
#include "registry/registry.h"
#include "request/environment.h"

static void keep_output(void *ctx, int stream, const char *p, size_t n)
{
    (void)stream;
    (void)buf_add(ctx, p, n < 4096 ? n : 4096);
}

/* Runs one program with arguments in a jail and keeps the beginning of its output. */
static int try_program(const char *path, char **argv, const struct interpreter *interpreter,
                       struct buf *said, struct backend_outcome *ret, struct err *err)
{
    struct run_request request;
    struct backend_sink sink = {
        .ctx = said, .output = keep_output, .cancel_fd = -1, .channel_fd = -1};

    run_request_init(&request);
    *ret = (struct backend_outcome){0};
    char **env = environment_make(&request, path, NULL, NULL, err);
    if (!env)
        return -1;
    struct backend_job job = {
        .exec_path = path,
        .argv = argv,
        .env = env,
        .views = interpreter ? interpreter->views : NULL,
        .view_count = interpreter ? interpreter->view_count : 0,
        .stdin_fd = -1,
        .channel = {-1, -1},
        .limits = request.limits,
        .layers = LAYERS_ALL,
    };
    job.limits.wall_ms = 10000;
    struct backend_guest *guest;
    int result = backend_run(backends[0], &job, &sink, ret, &guest, err);
    backend_close(guest);
    environment_free(env);
    return result;
}

/* ---- layers ---- */

static void set_reason(struct layer_diagnosis *layer, const char *why)
{
    layer->state = LAYER_ABSENT;
    snprintf(layer->detail, sizeof layer->detail, "%s", why);
}

static void set_lost(struct diagnosis *d, const struct backend_outcome *o)
{
    for (size_t i = 0; i < o->lost_count; i++)
        for (unsigned layer = 0; layer < LAYER_COUNT; layer++)
            if (o->lost[i].layers & LAYER_BIT(layer))
                set_reason(&d->layers[layer], o->lost[i].why);
}

static void set_groups(struct diagnosis *d)
{
    struct cgroup_place places[CGROUP_PLACES];

    cgroup_describe(places);
    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        struct layer_diagnosis *l = &d->layers[places[i].layer];
        if (l->state == LAYER_UNTRIED && places[i].why[0])
            l->state = LAYER_ABSENT; /* cgroup_describe has tried it */
        if (l->state == LAYER_PRESENT)
            snprintf(l->detail, sizeof l->detail, "cgroup %s, in %s", places[i].by,
                     places[i].where);
        else
            snprintf(l->detail, sizeof l->detail, "%s", places[i].why);
        /* Limits on single processes and a watcher replace it. */
        if (l->state == LAYER_ABSENT && places[i].layer != LAYER_CPU)
            l->state = LAYER_PARTIAL;
    }
}

static void set_landlock(struct diagnosis *d)
{
    struct layer_diagnosis *l = &d->layers[LAYER_LANDLOCK];
    int abi = landlock_abi();

    if (!abi)
        set_reason(l, "the kernel has none");
    else if (abi < 4)
        snprintf(l->detail, sizeof l->detail, "ABI %d: files only, no network", abi);
    else if (abi < 6)
        snprintf(l->detail, sizeof l->detail, "ABI %d: files and TCP, not signals", abi);
    else
        snprintf(l->detail, sizeof l->detail, "ABI %d", abi);
    if (l->state == LAYER_PRESENT && abi < 6)
        l->state = LAYER_PARTIAL;
}

static void diagnose_layers(struct diagnosis *d)
{
    char **argv;
    const char *program = backend_trial_program(&argv);
    struct backend_outcome outcome;
    AUTO_BUF struct buf said = {0};
    struct err err;

    buf_init(&said, 8192);
    d->runs = try_program(program, argv, NULL, &said, &outcome, &err) == 0;
    if (!d->runs)
        snprintf(d->why, sizeof d->why, "%s", err.msg);
    d->holds = d->runs;
    for (unsigned i = 0; i < LAYER_COUNT; i++) {
        bool held = outcome.held & LAYER_BIT(i);
        d->layers[i].state = held ? LAYER_PRESENT : d->runs ? LAYER_ABSENT : LAYER_UNTRIED;
        if (!held && jail_layers[i].essential)
            d->holds = false;
    }
    set_lost(d, &outcome);
    set_groups(d);
    set_landlock(d);
}

/* ---- languages ---- */

static char *first_line(const struct buf *said)
{
    struct str rest = buf_str(said), line = {"", 0};
    AUTO_BUF struct buf clean = {0};

    while (!line.n && str_next_line(&rest, &line))
        line = str_trim(line);
    buf_init(&clean, 300);
    (void)utf8_add_clean(&clean, str_slice(line, 0, 80));
    return buf_take(&clean);
}

static void try_language(struct language_diagnosis *l, const struct language *language,
                         const struct interpreter *interpreter)
{
    char *argv[8] = {interpreter->path};
    struct backend_outcome outcome;
    AUTO_BUF struct buf said = {0};
    struct err err;

    for (size_t i = 0; i < 6 && language->check_args[i]; i++)
        argv[i + 1] = (char *)language->check_args[i];
    buf_init(&said, 8192);
    if (try_program(interpreter->path, argv, interpreter, &said, &outcome, &err) < 0)
        l->problem = xstrdup(err.msg);
    else if (outcome.status != 0)
        l->problem = first_line(&said);
    else
        l->version = first_line(&said);
}

/* Why the row's compiler cannot be used; NULL if it can, or if there is none. */
static char *missing_compiler(const struct language *language)
{
    struct language compiler = *language;
    struct interpreter found;
    struct err err;

    if (!language->compile || !language->compile->programs)
        return NULL;
    compiler.programs = language->compile->programs;
    if (interpreter_find(&compiler, &found, &err) < 0)
        return xstrdup(err.msg);
    interpreter_done(&found);
    return NULL;
}

static void diagnose_language(void *ctx, const struct language *language)
{
    struct diagnosis *d = ctx;
    struct interpreter interpreter;
    struct err err;

    d->languages = xrealloc_array(d->languages, d->language_count + 1, sizeof *d->languages);
    struct language_diagnosis *l = &d->languages[d->language_count++];
    *l = (struct language_diagnosis){.name = xstrdup(language->name),
                                     .sessions = language->cells_args != NULL};
    if (interpreter_find(language, &interpreter, &err) < 0) {
        l->problem = xstrdup(err.msg);
        return;
    }
    l->path = xstrdup(interpreter.path);
    l->problem = missing_compiler(language);
    if (d->runs && !l->problem)
        try_language(l, language, &interpreter);
    interpreter_done(&interpreter);
}

void diagnose(const struct language_table *languages, struct diagnosis *ret)
{
    *ret = (struct diagnosis){.where = surroundings_find()};
    diagnose_layers(ret);
    language_each(languages, diagnose_language, ret);
    diagnose_early(languages, ret);
}

void diagnosis_done(struct diagnosis *d)
{
    for (size_t i = 0; i < d->language_count; i++) {
        free(d->languages[i].name);
        free(d->languages[i].path);
        free(d->languages[i].version);
        free(d->languages[i].problem);
    }
    free(d->languages);
    *d = (struct diagnosis){0};
}
