/* SPDX-License-Identifier: Apache-2.0 */
#include "session/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "session/arguments.h"
#include "session/check.h"
#include "session/environment.h"
#include "session/exception.h"
#include "session/first.h"
#include "session/interpreter.h"
#include "session/record.h"
#include "session/run_context.h"
#include "session/views.h"

struct run {
    const struct run_request *request;
    const struct run_watch *watch;
    struct result *result;
    const struct backend_ops *backend;
    const struct language *language;
    struct interpreter interpreter;
    struct buf prelude; /* and, when there is one, all that runs */
    struct str program;
    int work_dirfd, out_dirfd;
    struct run_context context;
    struct first first;
    char name[300]; /* the program's file name inside */
    char **argv, **env;
    struct views views;
    struct recorder recorder;
};

void run_request_init(struct run_request *request)
{
    *request = (struct run_request){
        .stdin_fd = -1,
        .limits = {.wall_ms = 30000,
                   .memory_bytes = 512u << 20,
                   .disk_bytes = 256u << 20,
                   .inodes = 65536,
                   .pids = 64,
                   .cpu_milli = 1000,
                   .open_files = 1024},
        .output_limit = 1u << 20,
        .retries = 2,
        .retry_delay_ms = 1000,
    };
}

static void emit(const struct run *run, struct run_event event)
{
    event.result = run->result;
    if (run->watch->event)
        run->watch->event(run->watch->ctx, &event);
}

/* ---- what the backend tells ---- */

static void on_started(void *ctx, layer_mask held)
{
    struct run *run = ctx;

    run->result->started = true;
    run->result->outcome.held = held;
    emit(run, (struct run_event){.kind = RUN_STARTED});
    /* The guest is busy starting its interpreter: the time to get the log ready. */
    record_open(&run->recorder, run->request);
}

static void on_output(void *ctx, int stream, const char *p, size_t n)
{
    struct run *run = ctx;
    struct capture *c = stream == 1 ? &run->result->out : &run->result->err;

    /* Live output is limited like what is kept. */
    uint64_t before = c->total;
    capture_add(c, p, n);
    if (before < c->limit)
        emit(run, (struct run_event){.kind = RUN_OUTPUT,
                                     .stream = stream,
                                     .text = {p, c->limit - before < n ? c->limit - before : n}});
    if (before <= c->limit && capture_truncated(c)) {
        run->result->limits_hit |= LIMIT_OUTPUT;
        emit(run, (struct run_event){.kind = RUN_LIMIT, .name = limit_name(LIMIT_OUTPUT)});
    }
}

static void on_denied(void *ctx, const char *name, uint64_t count)
{
    emit(ctx, (struct run_event){.kind = RUN_DENIED, .name = name, .count = count});
}

static void on_limit(void *ctx, enum jail_limit_hit hit)
{
    struct run *run = ctx;

    run->result->limits_hit |= hit;
    emit(run, (struct run_event){.kind = RUN_LIMIT, .name = limit_name(hit)});
}

/* ---- preparing ---- */

/* Time first, so that ids sort; 26 characters of Crockford's base 32. */
static void make_id(char out[RESULT_ID])
{
    static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
    uint64_t time = (uint64_t)clock_wall_ms();
    unsigned char random[16] = {0};

    (void)!getrandom(random, sizeof random, 0);
    for (int i = 0; i < 10; i++)
        out[i] = digits[time >> (45 - 5 * i) & 31];
    for (int i = 0; i < 16; i++)
        out[10 + i] = digits[random[i] & 31];
    out[26] = '\0';
}

static int choose_backend(struct run *run, struct err *err)
{
    const char *name = run->request->backend ? run->request->backend : "jail";

    run->backend =
        run->request->own_backend ? run->request->own_backend : backend_find(str_from(name), err);
    if (!run->backend)
        return -1;
    run->result->backend = run->backend->name;
    if (run->backend->unsafe && !run->request->allow_unsafe)
        return err_set(err, ERR_USAGE,
                       "local executor requires explicit opt-in to unsafe execution via "
                       "WithAllowUnsafe(true): add --allow-unsafe, or leave --backend %s out",
                       name);
    if (run->request->without && !run->request->allow_unsafe)
        return err_set(err, ERR_USAGE,
                       "--without takes layers of the wall away: add --allow-unsafe");
    return 0;
}

static int choose_language(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (q->language && strcmp(q->language, "auto") != 0) {
        run->language = language_find(q->languages, str_from(q->language));
        if (!run->language)
            return err_set(err, ERR_USAGE,
                           "language '%s' is not known; 'glovebox doctor' lists those that are, "
                           "'glovebox help languages' tells how to add one",
                           q->language);
    } else {
        run->language = language_detect(q->languages, q->file, q->code);
    }
    run->result->language = run->language->name;
    return interpreter_find(run->language, &run->interpreter, err);
}

/* The program keeps its own name where it has one. */
static void name_program(struct run *run)
{
    const char *file = run->request->file;
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *base = slash ? slash + 1 : file;

    if (base && *base && strcmp(base, "-") != 0 && strlen(base) < 256)
        snprintf(run->name, sizeof run->name, "%s", base);
    else
        (void)language_main_name(run->language, run->request->code, run->name, sizeof run->name);
}

static int lay_inputs(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    run->result->laid = lay_list_new(q->limits.disk_bytes, q->limits.inodes);
    if (lay_add_program(run->result->laid, str_from(run->name), run->program, err) < 0)
        return -1;
    for (size_t i = 0; i < q->input_count; i++)
        if (lay_add_bytes(run->result->laid, q->inputs[i].name, q->inputs[i].bytes, 0644, err) < 0)
            return -1;
    for (size_t i = 0; i < run->context.input_count; i++)
        if (lay_add_bytes(run->result->laid, run->context.inputs[i].name,
                          buf_str(&run->context.inputs[i].bytes), 0644, err) < 0)
            return err_wrap(err, "%s", q->context);
    for (char *const *f = q->files; f && *f; f++)
        if (lay_add_file(run->result->laid, *f, err) < 0)
            return -1;
    if (run->work_dirfd >= 0 && lay_add_tree(run->result->laid, run->work_dirfd, err) < 0)
        return -1;
    return 0;
}

static int open_folders(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (q->work_dir && (run->work_dirfd = workspace_open_dir(q->work_dir, false, err)) < 0)
        return err_wrap(err, "--work-dir");
    if (q->out_dir && (run->out_dirfd = workspace_open_dir(q->out_dir, true, err)) < 0)
        return err_wrap(err, "--out");
    return 0;
}

static int choose(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (q->code.n > RUN_SOURCE_MAX)
        return err_set(err, ERR_USAGE,
                       "the program has %zu MiB, more than %u; give data with --file",
                       q->code.n >> 20, RUN_SOURCE_MAX >> 20);
    run->program = q->code;
    if (choose_backend(run, err) < 0 || choose_language(run, err) < 0)
        return -1;
    return check_read_prelude(q, &run->prelude, err);
}

/* Before anything is laid out or started. False with *err, or when the guard refused. */
static bool may_run(struct run *run, struct err *err)
{
    if (run->request->no_check)
        return true;
    if (check_program(run->request, run->language->name, run->interpreter.path,
                      buf_str(&run->prelude), run->result, err) < 0)
        return false;
    emit(run, (struct run_event){.kind = RUN_VERDICT});
    return !result_refused(run->result);
}

/* The prelude, an empty line, the code. */
static int put_together(struct run *run, struct err *err)
{
    struct buf *b = &run->prelude;

    if (!run->request->prelude)
        return 0;
    if (buf_adds(b, "\n\n") < 0 || buf_add_str(b, run->request->code) < 0)
        return err_set(err, ERR_USAGE, "the program and its prelude have more than %u MiB",
                       RUN_SOURCE_MAX >> 20);
    run->program = buf_str(b);
    return 0;
}

static int prepare(struct run *run, struct err *err)
{
    if (put_together(run, err) < 0 || open_folders(run, err) < 0)
        return -1;
    name_program(run);
    if (lay_inputs(run, err) < 0 ||
        first_make(run->request, run->language,
                   run->request->context ? &run->context.context : NULL, run->result->laid,
                   &run->first, err) < 0 ||
        views_make(&run->interpreter, run->request->ro, &run->views, err) < 0)
        return -1;
    run->argv = arguments_make(run->language, run->interpreter.path, run->name, &run->first,
                               run->request->args);
    run->env = environment_make(run->request, run->interpreter.path, err);
    return run->env ? 0 : -1;
}

/* ---- running ---- */

static int lay(void *ctx, int fd, struct err *err)
{
    return lay_send(((struct run *)ctx)->result->laid, fd, err);
}

static int run_once(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;
    struct backend_job job = {
        .exec_path = run->interpreter.path,
        .argv = run->argv,
        .env = run->env,
        .views = run->views.at,
        .view_count = run->views.n,
        .lay = lay,
        .lay_ctx = run,
        .stdin_fd = q->stdin_fd,
        .limits = q->limits,
        .layers = run->backend->unsafe ? 0 : LAYERS_ALL & ~q->without,
        .required = q->required,
        .net_host = q->net_host || run->backend->unsafe,
    };
    struct backend_sink sink = {
        .ctx = run,
        .started = on_started,
        .output = on_output,
        .denied = on_denied,
        .limit = on_limit,
        .cancel_fd = run->watch->cancel_fd,
    };

    run->result->attempts++;
    int result = run->backend->run(&job, &sink, &run->result->outcome, err);
    if (result < 0)
        outcome_done(&run->result->outcome);
    return result;
}

/* True when the user asked to stop meanwhile. */
static bool pause_ms(const struct run *run, int64_t ms)
{
    struct pollfd wait = {.fd = run->watch->cancel_fd, .events = POLLIN};
    int64_t until = clock_mono_ms() + ms, left;

    while ((left = until - clock_mono_ms()) > 0)
        if (poll(&wait, 1, left > 60000 ? 60000 : (int)left) > 0)
            return true;
    return false;
}

/* Only what may be our own fault, and passing, is tried again; never what the guest did. */
static int run_with_retries(struct run *run, struct err *err)
{
    for (int left = run->request->retries;; left--) {
        if (run_once(run, err) == 0)
            return 0;
        if (err->kind != ERR_SYSTEM || run->result->started || left <= 0)
            return run->result->attempts > 1
                       ? err_wrap(err, "Failed after %d attempts", run->result->attempts)
                       : -1;
        if (pause_ms(run, run->request->retry_delay_ms)) {
            run->result->cancelled = true;
            return -1;
        }
    }
}

/* ---- afterwards ---- */

static void read_status(struct result *r)
{
    const struct backend_outcome *o = &r->outcome;

    r->cancelled = o->cancelled;
    r->limits_hit |= o->limits_hit;
    r->timed_out = o->limits_hit & (LIMIT_WALL | LIMIT_CPU);
    r->oom_killed = o->limits_hit & LIMIT_MEMORY;
    if (r->timed_out)
        r->oom_killed = false;
    if (WIFSIGNALED(o->status)) {
        r->signal = WTERMSIG(o->status);
        r->exit_code = 128 + r->signal;
    } else {
        r->exit_code = WEXITSTATUS(o->status);
    }
    if (r->timed_out)
        r->exit_code = 124;
    else if (r->oom_killed)
        r->exit_code = 137;
    r->success = r->started && r->exit_code == 0 && !r->signal && !r->timed_out && !r->oom_killed &&
                 !r->cancelled;
    r->duration_ms = (o->wall_ns + 500000) / 1000000;
    r->cpu_ms = o->cpu_us / 1000;
    r->memory_peak = o->memory_peak;
}

static void read_exception(struct run *run)
{
    struct result *r = run->result;
    AUTO_BUF struct buf text = {0};
    AUTO_FREE char *work = r->outcome.held & LAYER_BIT(LAYER_ROOT)
                               ? xstrdup(SPEC_WORK "/")
                               : xasprintf("%s/work/", r->outcome.box_host);

    if (r->exit_code == 0)
        return;
    buf_init(&text, r->err.limit + 256);
    capture_text(&r->err, &text);
    r->exception = exception_find(&(struct exception_input){.language = r->language,
                                                            .text = buf_str(&text),
                                                            .work = work,
                                                            .program = run->name,
                                                            .code = run->program});
}

static void advise(struct run *run)
{
    struct feedback_input input = {.result = run->result, .limits = &run->request->limits};

    feedback_make(&input, &run->result->feedback);
    if (run->result->exception)
        exception_use_words(run->result->exception, run->request->profile, run->program);
}

static void collect(struct run *run)
{
    struct result *r = run->result;
    struct err err;
    struct collect_options options = {
        .max_total_bytes = run->request->limits.disk_bytes,
        .max_visited = run->request->limits.inodes,
        .out_dirfd = run->out_dirfd,
        .work_dirfd = run->work_dirfd,
        .was_laid = r->started,
    };

    if (r->outcome.work_fd < 0)
        return;
    if (workspace_collect(&options, r->outcome.work_fd, r->laid, &r->files, &err) < 0) {
        err_wrap(&err, "bring the files out");
        r->error = err;
        r->success = false;
    }
    for (size_t i = 0; i < r->files.count; i++)
        emit(run, (struct run_event){.kind = RUN_FILE, .file = &r->files.entries[i]});
}

static void note_lost(struct result *r)
{
    for (size_t i = 0; i < r->outcome.lost_count; i++) {
        const struct jail_lost *lost = &r->outcome.lost[i];
        (void)buf_adds(&r->notes, "without");
        for (unsigned layer = 0; layer < LAYER_COUNT; layer++)
            if (lost->layers & LAYER_BIT(layer))
                (void)buf_addf(&r->notes, " %s", jail_layers[layer].name);
        (void)buf_addf(&r->notes, ": %s ('glovebox doctor' says more)\n", lost->why);
    }
}

static void update_context(struct run *run)
{
    struct err err;

    if (run_context_end(run->request, run->watch->cancel_fd, &run->first, run->result, &err) == 0)
        return;
    run->result->success = false;
    if (!run->result->error.kind)
        run->result->error = err;
}

static void run_done(struct run *run)
{
    interpreter_done(&run->interpreter);
    buf_done(&run->prelude);
    run_context_done(&run->context);
    first_done(&run->first);
    fd_close(&run->work_dirfd);
    fd_close(&run->out_dirfd);
    environment_free(run->argv);
    environment_free(run->env);
    views_done(&run->views);
}

static void hash_source(struct run *run)
{
    struct sha256 hash;

    sha256_init(&hash);
    sha256_add(&hash, run->request->code.p, run->request->code.n);
    sha256_hex(&hash, run->result->source_sha256);
}

void session_run(const struct run_request *request, const struct run_watch *watch,
                 struct result *ret)
{
    struct run run = {
        .request = request, .watch = watch, .result = ret, .work_dirfd = -1, .out_dirfd = -1};

    make_id(ret->id);
    hash_source(&run);
    buf_init(&run.prelude, 0);
    buf_init(&run.first.text, 0);
    if (run_context_begin(request, watch->cancel_fd, &run.context, ret, &ret->error) == 0 &&
        choose(&run, &ret->error) == 0 && may_run(&run, &ret->error) &&
        prepare(&run, &ret->error) == 0 && run_with_retries(&run, &ret->error) == 0) {
        ret->error.kind = ERR_NONE;
        read_status(ret);
        read_exception(&run);
        collect(&run);
        outcome_phase(&ret->outcome, "collect");
        note_lost(ret);
    } else if (ret->cancelled) {
        ret->error.kind = ERR_NONE;
    }
    advise(&run);
    update_context(&run);
    record_write(&run.recorder, request, ret);
    outcome_phase(&ret->outcome, "log");
    emit(&run, (struct run_event){.kind = RUN_FINISHED});
    run_done(&run);
}
