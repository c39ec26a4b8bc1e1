/* SPDX-License-Identifier: Apache-2.0 */
#include "session/run.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/mem.h"
#include "explain/exception.h"
#include "explain/feedback.h"
#include "session/arguments.h"
#include "session/check.h"
#include "session/first.h"
#include "session/prepare.h"
#include "session/record.h"
#include "session/reporter.h"
#include "session/run_context.h"
#include "session/run_display.h"
#include "session/warm.h"

enum { TREE_KEPT_MAX = 1 << 20 }; /* bytes of a program */

struct run {
    const struct run_request *request;
    const struct run_watch *watch;
    struct result *result;
    struct reporter reporter; /* the two */
    struct prepared prepared;
    struct policy *policy; /* NULL: the program is not checked */
    struct examination examination;
    struct buf prelude;    /* and, if there is a prelude, the whole text that runs */
    int64_t prelude_lines; /* of it */
    struct str program;
    struct run_context context;
    struct first first;
    struct beside beside;
    char name[300]; /* the program's file name inside */
    bool rich;      /* it may show something */
    struct run_display display;
    int64_t began_ms; /* the program's start */
    struct backend_sink sink;
    struct recorder recorder;
};

/* ---- reports of the backend ---- */

static void on_started(void *ctx, layer_mask held)
{
    struct run *run = ctx;

    run->result->started = true;
    run->began_ms = clock_mono_ms();
    run->result->outcome.held = held;
    size_t reported = run->result->warnings.n;
    prepare_warn_limits(&run->prepared, held, &run->result->warnings);
    reporter_event(&run->reporter, (struct run_event){.kind = RUN_STARTED});
    reporter_warnings(&run->reporter, reported);
    run_display_started(&run->display);
    /* Opens the log while the guest is busy starting its interpreter. */
    record_open(&run->recorder, run->request);
}

static void on_output(void *ctx, int stream, const char *p, size_t n)
{
    reporter_output(&((struct run *)ctx)->reporter, stream, p, n);
}

static bool has_room(void *ctx, int stream, struct pollfd *ret)
{
    return reporter_room(&((struct run *)ctx)->reporter, stream, ret);
}

static void on_denied(void *ctx, const char *name, uint64_t count)
{
    reporter_denied(&((struct run *)ctx)->reporter, name, count);
}

static void on_limit(void *ctx, enum jail_limit_hit hit)
{
    reporter_limit(&((struct run *)ctx)->reporter, hit);
}

static void on_preparing(void *ctx, const char *line)
{
    reporter_event(&((struct run *)ctx)->reporter,
                   (struct run_event){.kind = RUN_PREPARING, .text = str_from(line)});
}

static void on_progress(void *ctx, struct backend_guest *guest)
{
    struct run *run = ctx;
    struct backend_usage use;

    backend_usage(guest, &use);
    reporter_event(&run->reporter, (struct run_event){
                                       .kind = RUN_PROGRESS,
                                       .count = (uint64_t)(clock_mono_ms() - run->began_ms),
                                       .memory = use.memory_now,
                                       .cpu_ms = use.cpu_ns / 1000000,
                                   });
}

static void on_channel(void *ctx)
{
    struct run *run = ctx;

    run_display_receive(&run->display);
    run->sink.channel_fd = run->display.from;
}

/* ---- preparing ---- */

/* The program keeps its own name if it has one. */
static void name_program(struct run *run)
{
    const char *file = run->request->file;
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *base = slash ? slash + 1 : file;

    if (base && *base && strcmp(base, "-") != 0 && strlen(base) < 256)
        snprintf(run->name, sizeof run->name, "%s", base);
    else
        (void)language_main_name(run->prepared.language, run->request->code, run->name,
                                 sizeof run->name);
}

static int lay_program(struct run *run, struct err *err)
{
    AUTO_FREE char *name = NULL;

    if (lay_add_program(run->result->laid, str_from(run->name), run->program, run->request->code,
                        &name, err) < 0)
        return -1;
    snprintf(run->name, sizeof run->name, "%s", name);
    return 0;
}

/* Everything but the program, which is laid last. */
static int lay_inputs(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (run->result->laid)
        return 0;
    if (prepare_folders(&run->prepared, err) < 0)
        return -1;
    run->result->laid = lay_list_new(q->limits.disk_bytes, q->limits.inodes);
    for (const char *const *path = q->withheld; path && *path; path++)
        lay_withhold(run->result->laid, *path);
    if (prepare_inputs(&run->prepared, run->result->laid, err) < 0)
        return -1;
    for (size_t i = 0; i < run->context.input_count; i++)
        if (lay_add_bytes(run->result->laid, run->context.inputs[i].name,
                          buf_str(&run->context.inputs[i].bytes), 0644, err) < 0)
            return err_wrap(err, "%s", q->context ? q->context : "'context'");
    return prepare_files(&run->prepared, run->result->laid, err);
}

static int choose(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (q->code.n > RUN_SOURCE_MAX)
        return err_set(err, ERR_USAGE,
                       "the program has %zu MiB, more than %u; give data with --file",
                       q->code.n >> 20, RUN_SOURCE_MAX >> 20);
    run->program = q->code;
    int chosen = prepare_backend(&run->prepared, err);
    if (chosen == 0 && !q->no_check && !(run->policy = check_open_policy(q, err)))
        chosen = -1;
    run->examination.policy = run->policy;
    if (chosen == 0)
        chosen = prepare_language(&run->prepared, &run->examination, err);
    /* The result names the chosen backend even if it is not available. */
    if (run->prepared.backend)
        run->result->backend = run->prepared.backend->name;
    if (run->prepared.language)
        run->result->language = run->prepared.language->name;
    if (chosen < 0)
        return -1;
    prepare_warn_backend(&run->prepared, &run->result->warnings);
    prepare_warn_python(&run->prepared, &run->result->warnings);
    reporter_warnings(&run->reporter, 0);
    return check_read_prelude(q, &run->prelude, err);
}

/* Where nothing may run unread. */
static int find_beside(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (!q->reads_beside)
        return 0;
    run->beside.reviews = q->review;
    run->examination.beside = &run->beside;
    beside_add_request(&run->beside, q);
    return lay_inputs(run, err) < 0 ? -1 : beside_add_laid(&run->beside, run->result->laid, err);
}

/* Called before anything is started. False when the guard refused, or with *err. */
static bool may_run(struct run *run, struct err *err)
{
    if (!run->policy && !run->request->review)
        return true;
    if (find_beside(run, err) < 0)
        return false;
    run->examination.prelude = buf_str(&run->prelude);
    run->examination.cancel_fd = run->watch->cancel_fd;
    run->examination.run_id = run->result->id;
    examine_for(&run->examination, run->result);
    /* An exception needs the tree again. That of a large text is made anew then, so that it takes
     * no memory while the program runs. */
    if (run->request->code.n > TREE_KEPT_MAX)
        examine_done(&run->examination);
    if (run->result->cancelled)
        return false;
    reporter_event(&run->reporter, (struct run_event){.kind = RUN_VERDICT});
    return !result_refused(run->result);
}

/* The prelude, an empty line, the code. */
static int put_together(struct run *run, struct err *err)
{
    struct buf *b = &run->prelude;

    if (!request_has_prelude(run->request))
        return 0;
    if (buf_adds(b, "\n\n") == 0)
        run->prelude_lines = (int64_t)str_lines(buf_str(b));
    if (b->overflow || buf_add_str(b, run->request->code) < 0)
        return err_set(err, ERR_USAGE, "the program and its prelude have more than %u MiB",
                       RUN_SOURCE_MAX >> 20);
    run->program = buf_str(b);
    return 0;
}

/* --optimize-data gives data frames, which can draw themselves. */
static bool may_show(const struct run *run)
{
    if (run->prepared.backend->shows_all)
        return true;
    return (run->request->optimize_data && run->first.table_count) ||
           run_display_wanted(run->prepared.language, run->program);
}

static int prepare(struct run *run, struct err *err)
{
    if (put_together(run, err) < 0)
        return -1;
    name_program(run);
    if (lay_inputs(run, err) < 0 || lay_program(run, err) < 0 ||
        first_make(run->request, run->prepared.language,
                   run->context.context.document ? &run->context.context : NULL, run->result->laid,
                   &run->first, err) < 0)
        return -1;
    run->rich = may_show(run);
    run->prepared.argv = arguments_make(run->prepared.language, run->prepared.interpreter.path,
                                        run->name, &run->first, run->rich, run->request->args);
    return prepare_surroundings(&run->prepared, err);
}

/* ---- running ---- */

static int lay(void *ctx, int fd, struct err *err)
{
    return lay_send(((struct run *)ctx)->result->laid, fd, err);
}

static int run_once(struct run *run, struct err *err)
{
    struct backend_job job = prepared_job(&run->prepared);
    const char *own_id = run->request->execution_id;

    if (run->rich && run_display_open(&run->display, run->prepared.language, err) < 0)
        return -1;
    run->sink = (struct backend_sink){
        .ctx = run,
        .preparing = on_preparing,
        .started = on_started,
        .output = on_output,
        .room = run->watch->room ? has_room : NULL,
        .denied = on_denied,
        .limit = on_limit,
        .progress = run->watch->event ? on_progress : NULL,
        .cancel_fd = run->watch->cancel_fd,
        .channel_fd = run->display.from,
        .channel = on_channel,
    };
    memcpy(job.channel, run->display.guest, sizeof job.channel);
    job.id = own_id ? own_id : run->result->id;
    job.program = run->program;
    job.has_arguments = run->request->args && run->request->args[0];
    job.lay = lay;
    job.lay_ctx = run;
    struct warm warm;
    struct warm_run what = {run->program, buf_str(&run->first.text), run->result->laid};
    warm_make(&run->prepared, &what, &warm);
    warm_make_early(&run->prepared, run->result->laid, &warm);
    warm_use(&warm, &run->prepared, &job);
    run->result->attempts++;
    int result = backend_run(run->prepared.backend, &job, &run->sink, &run->result->outcome,
                             &run->result->guest, err);
    if (result < 0)
        prepare_explain(&run->prepared, run->result->outcome.lacking, err);
    warm_done(&warm);
    run_display_end(&run->display);
    if (result < 0)
        outcome_reset(&run->result->outcome);
    return result;
}

static int run_with_retries(struct run *run, struct err *err)
{
    while (run_once(run, err) < 0) {
        if (!prepare_may_retry(run->request, run->result->attempts, run->result->started, err))
            return -1;
        if (prepare_pause(run->request, run->watch->cancel_fd)) {
            run->result->cancelled = true;
            return -1;
        }
    }
    return 0;
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
    if (o->failure)
        err_set(&r->error, ERR_SYSTEM, "%s", o->failure);
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

    if (r->exit_code == 0)
        return;
    buf_init(&text, r->err.limit + 256);
    capture_text(&r->err, &text);
    r->exception = exception_find(&(struct exception_input){.language = r->language,
                                                            .text = buf_str(&text),
                                                            .work = backend_inside(r->guest),
                                                            .program = run->name,
                                                            .code = run->program,
                                                            .prelude = run->prelude_lines});
}

static void word_exception(struct run *run, struct result_exception *e)
{
    exception_find_statement(e, run->program, run->examination.text);
    exception_use_words(e, run->request->profile);
}

static void advise(struct run *run)
{
    struct feedback_input input = {.result = run->result, .limits = &run->request->limits};

    feedback_make(&input, &run->result->feedback);
    if (run->result->exception)
        word_exception(run, run->result->exception);
    else if (run->result->timed_out)
        run->result->exception =
            exception_of_timeout(run->request->profile, run->result->limits_hit & LIMIT_WALL
                                                            ? run->request->limits.wall_ms
                                                            : run->request->limits.cpu_ms);
}

static bool is_readable(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};

    return poll(&look, 1, 0) > 0;
}

static void collect(struct run *run)
{
    struct result *r = run->result;
    struct err err;
    struct collect_options options = {
        .max_total_bytes = run->request->limits.disk_bytes,
        .max_visited = run->request->limits.inodes,
        .out_dirfd = run->prepared.out_dirfd,
        .work_dirfd = run->request->work_dir_kept ? -1 : run->prepared.work_dirfd,
        .was_laid = r->started,
        .cancel_fd = &run->watch->cancel_fd,
    };

    if (!backend_has_files(r->guest))
        return;
    if (backend_collect(r->guest, &options, r->laid, &r->files, &err) < 0) {
        r->cancelled |= is_readable(run->watch->cancel_fd);
        err_wrap(&err, "bring the files out");
        if (!r->cancelled)
            r->error = err;
        r->success = false;
    }
    reporter_files(&run->reporter);
}

static void update_context(struct run *run)
{
    struct err err;

    if (run_context_end(run->request, run->watch->cancel_fd, &run->context, &run->first,
                        run->result, &err) == 0)
        return;
    run->result->success = false;
    if (!run->result->error.kind)
        run->result->error = err;
}

static void run_done(struct run *run)
{
    examine_done(&run->examination);
    policy_free(run->policy);
    prepared_done(&run->prepared);
    buf_done(&run->prelude);
    run_context_done(&run->context);
    first_done(&run->first);
    beside_done(&run->beside);
    run_display_done(&run->display);
}

void session_run(const struct run_request *request, const struct run_watch *watch,
                 struct result *ret)
{
    struct run run = {.request = request, .watch = watch, .result = ret, .reporter = {watch, ret}};

    prepared_init(&run.prepared, request);
    examine_init(&run.examination, request, NULL);
    result_begin(ret, request->code);
    ret->limits = request->limits;
    buf_init(&run.prelude, 0);
    buf_init(&run.first.text, 0);
    run_display_init(&run.display, &run.reporter);
    if (run_context_begin(request, watch->cancel_fd, &run.context, ret, &ret->error) == 0 &&
        choose(&run, &ret->error) == 0 && may_run(&run, &ret->error) &&
        prepare(&run, &ret->error) == 0 && run_with_retries(&run, &ret->error) == 0) {
        ret->error.kind = ERR_NONE;
        read_status(ret);
        read_exception(&run);
        collect(&run);
        outcome_phase(&ret->outcome, "collect");
    } else if (ret->cancelled) {
        ret->error.kind = ERR_NONE;
    }
    advise(&run);
    reporter_cancel_reason(&run.reporter);
    update_context(&run);
    record_write(&run.recorder, request, ret);
    outcome_phase(&ret->outcome, "log");
    reporter_event(&run.reporter, (struct run_event){.kind = RUN_FINISHED});
    run_done(&run);
}
