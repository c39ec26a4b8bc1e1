/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/guests_memory.h"
#include "base/clock.h"
#include "base/mem.h"
#include "explain/exception.h"
#include "explain/feedback.h"
#include "jail/spec.h"
#include "request/retry.h"
#include "run/arguments.h"
#include "run/check.h"
#include "run/compile.h"
#include "run/first.h"
#include "run/prepare.h"
#include "run/record.h"
#include "run/reporter.h"
#include "run/run_context.h"
#include "run/run_display.h"
#include "run/warm.h"

enum { TREE_KEPT_MAX = 1 << 20 }; /* bytes of a program */

struct run {
    const struct run_request *request;
    const struct run_watch *watch;
    struct result *result;
    struct reporter reporter; /* uses this run's result and watcher */
    struct prepared prepared;
    struct policy *policy; /* NULL: the program is not checked */
    struct examination examination;
    struct buf prelude;    /* then, if there is one, followed by the code */
    int64_t prelude_lines; /* lines of the prelude */
    struct str program;
    struct run_context context;
    struct first first;
    struct beside beside;
    char *name;                 /* the program's path in the workspace */
    struct program_names names; /* where the language derives them from the text */
    struct compiled compiled;
    char *product; /* its path inside; NULL if nothing was compiled */
    bool rich;     /* the program may display something */
    struct run_display display;
    int64_t began_ms; /* start of the program */
    struct backend_sink sink;
    struct recorder recorder;
};

/* ---- reports of the backend ---- */

static void run_on_started(void *ctx, layer_mask held)
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

static void run_on_output(void *ctx, int stream, const char *p, size_t n)
{
    reporter_output(&((struct run *)ctx)->reporter, stream, p, n);
}

static bool run_has_room(void *ctx, int stream, struct pollfd *ret)
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

static void run_on_preparing(void *ctx, const char *line)
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

/* A program with a name of its own keeps it. */
static void name_program(struct run *run, char *out, size_t n)
{
    const char *file = run->request->program.file;
    const char *base = str_after_last(file, '/');
    const struct language_traits *traits = run->prepared.language->traits;

    if (traits->names && traits->names(run->program, &run->names))
        snprintf(out, n, "%s", run->names.file);
    else if (base && *base && strcmp(base, "-") != 0 && strlen(base) < 256)
        snprintf(out, n, "%s", base);
    else
        (void)language_main_name(run->prepared.language, run->request->program.code, out, n);
}

/* The program is in the folder in which it starts: its interpreter looks there for modules. */
static int lay_program(struct run *run, struct err *err)
{
    const struct str folder = run->prepared.folder;
    char base[300];

    name_program(run, base, sizeof base);
    AUTO_FREE char *path =
        xasprintf("%.*s%s%s", (int)folder.n, folder.p, folder.n ? "/" : "", base);
    return lay_add_program(run->result->laid, str_from(path), run->program,
                           run->request->program.code, &run->name, err);
}

/* Copies in everything except the program, which comes last. */
static int lay_inputs(struct run *run, struct err *err)
{
    return run->result->laid ? 0
                             : prepare_lay(&run->prepared, &run->context, &run->result->laid, err);
}

static int run_choose(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (q->program.code.n > RUN_SOURCE_MAX)
        return err_set(err, ERR_USAGE,
                       "the program has %zu MiB, more than %u; give data with --file",
                       q->program.code.n >> 20, RUN_SOURCE_MAX >> 20);
    run->program = q->program.code;
    run->prepared.watch = (struct env_watch){run_on_preparing, run, run->watch->cancel_fd};
    int chosen = prepare_backend(&run->prepared, err);
    if (chosen == 0 && !q->policy.no_check && !(run->policy = check_open_policy(q, err)))
        chosen = -1;
    run->examination.policy = run->policy;
    if (chosen == 0)
        chosen = prepare_language(&run->prepared, &run->examination, err);
    /* The result names the chosen backend even if it is not available. */
    if (run->prepared.backend)
        run->result->backend = run->prepared.backend->name;
    run->result->net_host = q->place.net_host;
    run->result->net_named = q->place.net_rules != NULL;
    if (run->prepared.language)
        run->result->language = run->prepared.language->name;
    if (chosen < 0)
        return -1;
    prepare_warn_backend(&run->prepared, &run->result->warnings);
    prepare_warn_python(&run->prepared, &run->result->warnings);
    reporter_warnings(&run->reporter, 0);
    return check_read_prelude(q, &run->prelude, err);
}

/* Finds the texts and files that run with the program, where nothing may run unread. */
static int find_beside(struct run *run, struct err *err)
{
    const struct run_request *q = run->request;

    if (!q->policy.reads_beside)
        return 0;
    run->beside.reviews = q->policy.review;
    run->examination.beside = &run->beside;
    beside_add_request(&run->beside, q);
    return lay_inputs(run, err) < 0 ? -1 : beside_add_laid(&run->beside, run->result->laid, err);
}

/* Called before anything is started. False if the guard refused, or with *err. */
static bool may_run(struct run *run, struct err *err)
{
    if (!run->policy && !run->request->policy.review)
        return true;
    if (find_beside(run, err) < 0)
        return false;
    run->examination.prelude = buf_str(&run->prelude);
    run->examination.cancel_fd = run->watch->cancel_fd;
    run->examination.run_id = run->result->id;
    examine_for(&run->examination, run->result);
    /* An exception needs the tree again. The tree of a large text is freed and then made again, so
     * that it uses no memory while the program runs. */
    if (run->request->program.code.n > TREE_KEPT_MAX)
        examine_done(&run->examination);
    if (run->result->cancelled)
        return false;
    reporter_event(&run->reporter, (struct run_event){.kind = RUN_VERDICT});
    return !result_refused(run->result);
}

/* Makes a program of a text that the language does not accept alone (struct language_traits). */
static int complete(struct run *run, struct err *err)
{
    const struct language_traits *traits = run->prepared.language->traits;

    if (!traits->complete)
        return 0;
    if (traits->complete(run->program, &run->prelude) < 0)
        return err_set(err, ERR_USAGE, "the program has more than %u MiB", RUN_SOURCE_MAX >> 20);
    run->program = buf_str(&run->prelude);
    return 0;
}

/* Puts the text together: the prelude, an empty line, the code. */
static int put_together(struct run *run, struct err *err)
{
    struct buf *b = &run->prelude;

    if (!request_has_prelude(run->request))
        return complete(run, err);
    if (buf_adds(b, "\n\n") == 0)
        run->prelude_lines = (int64_t)str_lines(buf_str(b));
    if (b->overflow || buf_add_str(b, run->request->program.code) < 0)
        return err_set(err, ERR_USAGE, "the program and its prelude have more than %u MiB",
                       RUN_SOURCE_MAX >> 20);
    run->program = buf_str(b);
    return 0;
}

/* --optimize-data gives data frames, which can draw themselves. */
static bool may_show(const struct run *run)
{
    return (run->request->workspace.optimize_data && run->first.table_count) ||
           run_display_wanted(run->prepared.language, run->program) ||
           (run->request->program.value && run_value_wanted(run->prepared.language, run->program));
}

/* Compiles the program, if its language is compiled. 1 if there is nothing to run. */
static int compile(struct run *run, struct err *err)
{
    const struct compile_input in = {
        .request = run->request,
        .prepared = &run->prepared,
        .reporter = &run->reporter,
        .name = run->name,
        .text = run->program,
        .prelude_lines = run->prelude_lines,
        .laid = run->result->laid,
    };

    if (!run->prepared.language->compile)
        return 0;
    int status = compile_program(&in, &run->compiled, err);
    if (status == 0 &&
        !(run->product = compile_show(&run->prepared, &run->compiled, run->result->laid, err)))
        status = -1;
    return status;
}

/* argv[0]: the program's own name, if it was compiled. */
static char *called_as(const struct run *run)
{
    const struct language_compile *compile = run->prepared.language->compile;

    if (!compile || !compile->native)
        return xstrdup(run->prepared.interpreter.path);
    size_t above = (size_t)(str_after_last(run->name, '/') - run->name);
    return xasprintf("%s/%.*s", SPEC_WORK, (int)(above + strcspn(run->name + above, ".")),
                     run->name);
}

/* 1 if there is nothing to run: the program did not compile. */
static int run_prepare(struct run *run, struct err *err)
{
    int status;

    if (put_together(run, err) < 0)
        return -1;
    if (lay_inputs(run, err) < 0 || lay_program(run, err) < 0 ||
        first_make(run->request, run->prepared.language,
                   run->context.context.document ? &run->context.context : NULL, run->result->laid,
                   &run->first, err) < 0)
        return -1;
    if ((status = compile(run, err)) != 0)
        return status;
    run->rich = may_show(run);
    enum rich_wish wish = run->request->program.value ? RICH_VALUE : RICH_DISPLAYS;
    struct jail_limits limits = prepared_limits(&run->prepared);
    AUTO_FREE char *interpreter = called_as(run);
    run->prepared.argv = arguments_make(&(struct arguments){
        .language = run->prepared.language,
        .interpreter = interpreter,
        .name = run->name,
        .product = run->product,
        .main = run->names.main,
        .first = &run->first,
        .wish = run->rich ? wish : RICH_NOTHING,
        .limits = &limits,
        .own = run->request->program.args,
    });
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
    const char *own_id = run->request->context.execution_id;

    if (run->rich && run_display_open(&run->display, run->prepared.language, err) < 0)
        return -1;
    run->sink = (struct backend_sink){
        .ctx = run,
        .preparing = run_on_preparing,
        .started = run_on_started,
        .output = run_on_output,
        .room = run->watch->room ? run_has_room : NULL,
        .denied = on_denied,
        .limit = on_limit,
        .progress = run->watch->event ? on_progress : NULL,
        .cancel_fd = run->watch->cancel_fd,
        .channel_fd = run->display.from,
        .channel = on_channel,
    };
    memcpy(job.channel, run->display.guest, sizeof job.channel);
    job.id = own_id ? own_id : run->result->id;
    job.lay = lay;
    job.lay_ctx = run;
    struct warm warm = {0};
    struct warm_run what = {run->program, buf_str(&run->first.text), run->result->laid};
    if (!run->product) { /* no other run can use a jail that shows it */
        warm_make(&run->prepared, &what, &warm);
        warm_make_early(&run->prepared, run->result->laid, &warm);
    }
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
        if (!request_may_retry(run->request, run->result->attempts, run->result->started, err))
            return -1;
        if (request_pause(run->request, run->watch->cancel_fd)) {
            run->result->cancelled = true;
            return -1;
        }
    }
    return 0;
}

/* ---- afterwards ---- */

static void read_exception(struct run *run)
{
    const struct language *language = run->prepared.language;
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
                                                            .place = advice_place_of(r),
                                                            .prelude = run->prelude_lines,
                                                            .errors = language->errors,
                                                            .frames = language->frames});
}

static void word_exception(struct run *run, struct result_exception *e)
{
    exception_find_statement(e, run->program, run->examination.text);
    exception_use_words(e, run->request->policy.profile);
}

static void run_advise(struct run *run)
{
    feedback_network(run->result);
    feedback_make(&(struct feedback_input){.result = run->result}, &run->result->feedback);
    if (run->result->exception)
        word_exception(run, run->result->exception);
    else if (run->result->timed_out)
        run->result->exception =
            exception_of_timeout(run->request->policy.profile, run->result->limits_hit & LIMIT_WALL
                                                                   ? run->request->limits.wall_ms
                                                                   : run->request->limits.cpu_ms);
}

static void run_collect(struct run *run)
{
    struct result *r = run->result;
    struct collect_options options = prepared_collect(&run->prepared);
    struct err err = {0};

    options.was_laid = r->started;
    options.cancel_fd = &run->watch->cancel_fd;
    if (!backend_has_files(r->guest))
        return;
    bool here = backend_folder(r->guest) >= 0;
    (void)backend_collect(r->guest, &options, r->laid, &r->files, &err);
    if (err.kind && here && !backend_has_files(r->guest)) { /* they were released meanwhile */
        reporter_limit(&run->reporter, LIMIT_GUESTS);
        err_set(&err, ERR_SYSTEM, GUESTS_MEMORY_WHY);
    }
    reporter_files(&run->reporter, &err);
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
    free(run->name);
    run_display_done(&run->display);
    compiled_done(&run->compiled);
    free(run->product);
}

void run_program(const struct run_request *request, const struct run_watch *watch,
                 struct result *ret)
{
    struct run run = {.request = request,
                      .watch = watch,
                      .result = ret,
                      .reporter = {watch, ret},
                      .compiled = {.lock_fd = -1}};

    prepared_init(&run.prepared, request);
    examine_init(&run.examination, request, NULL);
    result_begin(ret, &request->limits, request->program.code);
    buf_init(&run.prelude, 0);
    buf_init(&run.first.text, 0);
    run_display_init(&run.display, &run.reporter);
    if (run_context_begin(request, watch->cancel_fd, &run.context, ret, &ret->error) == 0 &&
        run_choose(&run, &ret->error) == 0 && may_run(&run, &ret->error) &&
        run_prepare(&run, &ret->error) == 0 && run_with_retries(&run, &ret->error) == 0) {
        ret->error.kind = ERR_NONE;
        result_read_outcome(ret);
        read_exception(&run);
        result_take_network(ret, ret->guest);
        run_collect(&run);
        outcome_phase(&ret->outcome, "collect");
    } else if (ret->cancelled) {
        ret->error.kind = ERR_NONE;
    }
    run_advise(&run);
    reporter_cancel_reason(&run.reporter);
    update_context(&run);
    record_write(&run.recorder, request, ret);
    outcome_phase(&ret->outcome, "log");
    reporter_event(&run.reporter, (struct run_event){.kind = RUN_FINISHED});
    run_done(&run);
}
