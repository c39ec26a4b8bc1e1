/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens, restarts and closes a session.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/idle.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "guard/earlier.h"
#include "registry/registry.h"
#include "request/retry.h"
#include "run/arguments.h"
#include "run/check.h"
#include "session/session_impl.h"
#include "workspace/workspace_parts.h"

void session_request_init(struct session_request *request)
{
    *request =
        (struct session_request){.grace_ms = SESSION_GRACE_MS, .forks = SESSION_FORKS_IF_POOL};
    run_request_init(&request->run);
}

void session_request_options(struct session_request *request, const struct settings *settings)
{
    request->value_set = settings->value != 0;
    request->value = settings->value == 2 ? SESSION_VALUE_LAST : SESSION_VALUE_NOTEBOOK;
    request->preload = settings->preload.items;
    if (settings_asked(settings, SETTING_grace))
        request->grace_ms = settings->grace ? settings->grace : 1;
    if (settings_asked(settings, SETTING_pause_after))
        request->pause_ms = settings->pause_after ? settings->pause_after : BACKEND_PAUSE_NEVER;
    if (settings_asked(settings, SETTING_forks))
        request->forks = (int)settings->forks;
}

/* ---- open ---- */

static void session_open_add_name(void *ctx, const struct language *language)
{
    struct buf *b = ctx;

    if (language->cells_args)
        (void)buf_addf(b, "%s%s", b->n ? ", " : "", language->name);
}

static int check_language(const struct session *s, struct err *err)
{
    AUTO_BUF struct buf names = {0};

    if (s->shared->prepared.language->cells_args)
        return 0;
    buf_init(&names, 300);
    language_each(s->shared->request.run.program.languages, session_open_add_name, &names);
    return err_set(err, ERR_UNSUPPORTED, "sessions in %s are not supported; use %s",
                   s->shared->prepared.language->name, names.n ? names.p : "no language");
}

/* About the making of an environment. */
static void on_environment(void *ctx, const char *line)
{
    const struct run_watch *watch = ((const struct session *)ctx)->shared->request.opening;
    const struct run_event event = {.kind = RUN_PREPARING, .text = str_from(line)};

    if (watch && watch->event)
        watch->event(watch->ctx, &event);
}

static int choose_language(struct session *s, struct err *err)
{
    struct session_shared *f = s->shared;
    const struct run_watch *opening = f->request.opening;
    struct examination e;

    f->prepared.watch = (struct env_watch){on_environment, s, opening ? opening->cancel_fd : -1};

    examine_init(&e, &f->request.run, f->policy);
    int chosen = prepare_language(&f->prepared, &e, err);
    examine_done(&e);
    if (chosen < 0 || check_language_allowed(f->policy, f->prepared.language, err) < 0)
        return -1;
    return check_language(s, err);
}

static int check_backend(const struct session *s, struct err *err)
{
    const struct backend *backend = s->shared->prepared.backend;
    const char *why_not = backend_need(backend, CAN_SESSIONS).why_not;

    if (!why_not && tool_set_has_named(&s->tools))
        why_not = backend_need(backend, CAN_TOOLS).why_not;
    return why_not ? err_set(err, ERR_UNSUPPORTED, "backend %s %s", backend->name, why_not)
                   : pause_check(s, err);
}

/* Variables are sent as JSON: an interpreter that was started early can get them only in this
 * way. */
static int check_env(const struct run_request *q, struct err *err)
{
    for (char *const *pair = q->program.env; pair && *pair; pair++) {
        const char *value = strchr(*pair, '=') ? NULL : getenv(*pair);
        if (!utf8_valid(str_from(*pair)) || !utf8_valid(str_from(value)))
            return err_set(err, ERR_USAGE,
                           "--env: '%.100s' is not UTF-8, which variables of a session must be",
                           *pair);
    }
    return 0;
}

static int find_pool(struct session_shared *f, struct err *err)
{
    const struct backend_pool_options few = {.ready_max = 1, .kinds_max = 2};

    if (f->request.run.place.pool)
        return 0;
    if (f->request.forks < 0)
        return err_set(err, ERR_UNSUPPORTED, "it was opened without a pool, which forks need");
    if (backend_pool_open(backends, &few, &f->own_pool, err) < 0)
        return -1;
    f->request.run.place.pool = f->own_pool;
    return 0;
}

/* A session that cannot be forked is opened, too. */
static void plan_forks(struct session *s)
{
    struct session_shared *f = s->shared;
    struct err err;
    int result = f->request.forks
                     ? warm_make_cells(&f->prepared, f->request.preload, &f->warm, &err)
                     : err_set(&err, ERR_UNSUPPORTED, "it was opened with forks disabled");

    if (result == 0 && find_pool(f, &err) < 0) {
        warm_done(&f->warm);
        f->warm = (struct warm){0};
        result = -1;
    }
    if (result < 0)
        snprintf(f->no_fork, sizeof f->no_fork, "%.199s", err.msg);
    AUTO_BUF struct buf program = {0};
    buf_init(&program, 16u << 20);
    if (f->request.run.place.pool && hello_program(f->prepared.language, &program) == 0)
        warm_make_waiting(&f->prepared, buf_str(&program), &f->warm);
    s->levels = f->request.forks < 0 ? SESSION_FORKS_MOST : (unsigned)f->request.forks;
}

static int session_open_prepare(struct session *s, struct err *err)
{
    struct prepared *p = &s->shared->prepared;

    if (check_env(&s->shared->request.run, err) < 0 || prepare_backend(p, err) < 0 ||
        check_backend(s, err) < 0 || guard_open(s, err) < 0 || choose_language(s, err) < 0 ||
        prepare_lay(p, NULL, &s->laid, err) < 0 || guard_opening(s, err) < 0 ||
        prepare_surroundings(p, err) < 0)
        return -1;
    s->work_dirfd = p->work_dirfd;
    s->out_dirfd = p->out_dirfd;
    struct jail_limits limits = prepared_limits(p);
    p->argv = arguments_cells(p->language, p->interpreter.path, &limits);
    if (!s->shared->request.run.policy.target)
        s->shared->request.run.policy.target = check_target_of(p->python);
    s->info.language = p->language->name;
    plan_forks(s);
    return 0;
}

static const char *prelude_name(const struct run_request *q)
{
    return q->program.prelude_text.p ? "its text" : q->program.prelude;
}

/* Runs the prelude before the first cell; it does not count as a cell. */
static int run_prelude(struct session *s, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct run_watch watch = {.cancel_fd = guest_start_cancel(s)};
    struct result result;
    struct cell_request cell = {.no_check = true};

    if (!request_has_prelude(&s->shared->request.run))
        return 0;
    if (check_read_prelude(&s->shared->request.run, &text, err) < 0)
        return -1;
    cell.code = buf_str(&text);
    result_init(&result, 64 << 10);
    struct reporter t = {&watch, &result};
    exec_silently(s, &cell, &t);
    int failed = !result.success;
    if (failed && result.error.kind)
        *err = result.error;
    else if (failed && result.exception)
        err_set(err, ERR_USAGE, "%.200s, line %lld: %.100s: %.200s",
                prelude_name(&s->shared->request.run), (long long)result.exception->line,
                result.exception->type, result.exception->message);
    else if (failed)
        err_set(err, ERR_USAGE, "%.200s failed", prelude_name(&s->shared->request.run));
    result_done(&result);
    return failed ? err_wrap(err, "--prelude") : 0;
}

static int session_open_start(struct session *s, struct lay_list *laid, struct err *err)
{
    const struct run_request *q = &s->shared->request.run;

    for (int attempts = 1; guest_start(s, laid, err) < 0; attempts++)
        if (!request_may_retry(q, attempts, false, err) || request_pause(q, guest_start_cancel(s)))
            return -1;
    if (run_prelude(s, err) == 0)
        return 0;
    struct err why = *err;
    guest_end(s, ERR_GUEST, err->msg);
    *err = why;
    return -1;
}

/* ---- shared by forks ---- */

static struct session_shared *shared_new(const struct session_request *request)
{
    struct session_shared *f = xcalloc(1, sizeof *f);

    atomic_init(&f->sessions, 0);
    f->request = *request;
    prepared_init(&f->prepared, &f->request.run);
    buf_init(&f->prelude, 0);
    pthread_mutex_init(&f->network_lock, NULL);
    return f;
}

static void shared_release(struct session_shared *f)
{
    if (atomic_fetch_sub(&f->sessions, 1) != 1)
        return;
    backend_pool_close(f->own_pool);
    warm_done(&f->warm);
    prepared_done(&f->prepared);
    policy_free(f->policy);
    buf_done(&f->prelude);
    pthread_mutex_destroy(&f->network_lock);
    free(f->net_now);
    free(f);
}

struct session *session_new(struct session_shared *shared, const struct tool_set *tools,
                            struct guest *guest)
{
    struct session *s = xcalloc(1, sizeof *s);

    atomic_fetch_add(&shared->sessions, 1);
    s->shared = shared;
    s->guest = guest ? guest : guest_new(s);
    s->guest->session = s;
    s->work_dirfd = s->out_dirfd = s->review_fd = -1;
    buf_init(&s->names, EARLIER_MAX);
    if (tools)
        tool_set_copy(&s->tools, tools);
    else
        tool_set_init(&s->tools);
    tool_set_names(&s->tools, &s->tool_names);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->turn, NULL);
    network_join(s);
    result_make_id(s->info.id);
    s->info.language = shared->prepared.language ? shared->prepared.language->name : "";
    s->info.created_ms = s->info.used_ms = clock_wall_ms();
    return s;
}

static void session_free(struct session *s)
{
    network_leave(s);
    guest_free(s->guest);
    record_close(&s->recorder);
    buf_done(&s->names);
    beside_known_done(&s->known);
    tool_set_done(&s->tools);
    tool_names_done(&s->tool_names);
    lay_list_free(s->laid);
    lay_list_free(s->left);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->turn);
    shared_release(s->shared);
    free(s);
}

int session_open(const struct session_request *request, struct session **ret, struct err *err)
{
    struct session *s = session_new(shared_new(request), request->tools, NULL);

    if (session_open_prepare(s, err) < 0 || session_open_start(s, s->laid, err) < 0) {
        session_free(s);
        return -1;
    }
    s->shared->request.opening = NULL;
    pause_begin(s);
    *ret = s;
    return 0;
}

/* ---- close, restart ---- */

/* Copies the session's files to --work-dir. The guest is dead. */
static int save_work(struct session *s, struct err *err)
{
    struct collect_options options = prepared_collect(&s->shared->prepared);
    struct file_set files;

    options.out_dirfd = -1; /* not for --out: cells have already copied their files there */
    if (s->work_dirfd < 0 || !backend_has_files(s->guest->handle))
        return 0;
    if (backend_collect(s->guest->handle, &options, s->left ? s->left : s->laid, &files, err) < 0)
        return err_wrap(err, "cannot update the work folder");
    file_set_done(&files);
    return 0;
}

void session_close(struct session *s)
{
    struct err err;

    if (!s)
        return;
    session_stop(s);
    pause_end(s);
    turn_close(s);
    if (s->guest->live)
        guest_end(s, ERR_USAGE, "it was closed");
    (void)save_work(s, &err); /* closing returns no error to the caller */
    session_free(s);
}

/* Makes everything readable again: the owner, which may be us, can have removed its own
 * permissions. */
static void unlock_all(int root_fd)
{
    struct walk walk;
    enum walk_step step = WALK_DONE;

    if (walk_init(&walk, root_fd, 128, true) == 0)
        while ((step = walk_next(&walk)) != WALK_DONE) {
            if (step != WALK_ENTRY)
                continue;
            if (S_ISREG(walk.st.st_mode))
                (void)unlock_at(walk_dirfd(&walk), walk.name, &walk.st, 0400);
            else if (S_ISDIR(walk.st.st_mode))
                (void)walk_enter(&walk);
        }
    walk_done(&walk);
}

/* Sets *ret to the files of the old guest; NULL if they were lost with the guest. */
static int lay_left(struct session *s, struct lay_list **ret, struct err *err)
{
    const struct jail_limits *limits = &s->shared->request.run.limits;
    int work = guest_work(s);

    *ret = NULL;
    if (work < 0)
        return 0;
    struct lay_list *laid = lay_list_new(limits->disk_bytes, limits->inodes);
    unlock_all(work);
    if (lay_add_tree(laid, work, err) < 0) {
        lay_list_free(laid);
        return -1;
    }
    *ret = laid;
    return 0;
}

/* The new workspace begins with the contents of the old one, or as at the opening. */
static int restart(struct session *s, struct err *err)
{
    struct lay_list *left;

    guest_end(s, ERR_USAGE, "it could not be restarted");
    if (save_work(s, err) < 0 || lay_left(s, &left, err) < 0)
        return -1;
    struct guest *old = s->guest;
    s->guest = guest_new(s);
    buf_clear(&s->names);
    if (session_open_start(s, left ? left : s->laid, err) == 0) {
        lay_list_free(s->left);
        s->left = left;
        guest_free(old);
        return 0;
    }
    lay_list_free(left);
    guest_free(s->guest); /* the old guest's files are kept for another attempt */
    s->guest = old;
    return -1;
}

/* If the files were lost with the guest, the session begins with those of its opening, which the
 * guard has read already. */
static int guard_left(struct session *s, struct err *err)
{
    guest_notice_end(s);
    return s->guest->live || backend_has_files(s->guest->handle) ? guard_files(s, err) : 0;
}

int session_restart(struct session *s, struct err *err)
{
    if (turn_take(s, err) < 0)
        return -1;
    int result = guard_left(s, err) < 0 ? -1 : restart(s, err);
    turn_give(s);
    return result;
}
