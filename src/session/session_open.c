/* SPDX-License-Identifier: Apache-2.0
 *
 * A session's beginning, new beginning and end.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "session/arguments.h"
#include "session/check.h"
#include "session/session_impl.h"
#include "session/workspace_parts.h"

void session_request_init(struct session_request *request)
{
    *request = (struct session_request){.grace_ms = SESSION_GRACE_MS};
    run_request_init(&request->run);
}

/* ---- open ---- */

static void add_name(void *ctx, const struct language *language)
{
    struct buf *b = ctx;

    if (language->cells_args)
        (void)buf_addf(b, "%s%s", b->n ? ", " : "", language->name);
}

static int check_language(const struct session *s, struct err *err)
{
    AUTO_BUF struct buf names = {0};

    if (s->prepared.language->cells_args)
        return 0;
    buf_init(&names, 300);
    language_each(s->request.run.languages, add_name, &names);
    return err_set(err, ERR_UNSUPPORTED, "there are no sessions in %s; there are in %s",
                   s->prepared.language->name, names.n ? names.p : "no language");
}

static int check_backend(const struct session *s, struct err *err)
{
    if (s->request.run.own_backend)
        return err_set(err, ERR_UNSUPPORTED, "backend %s has no sessions",
                       s->request.run.own_backend->name);
    return 0;
}

static int lay_inputs(struct session *s, struct err *err)
{
    const struct jail_limits *limits = &s->request.run.limits;

    s->laid = lay_list_new(limits->disk_bytes, limits->inodes);
    return prepare_inputs(&s->prepared, s->laid, err) < 0
               ? -1
               : prepare_files(&s->prepared, s->laid, err);
}

static int prepare(struct session *s, struct err *err)
{
    struct prepared *p = &s->prepared;

    if (check_backend(s, err) < 0 || prepare_backend(p, err) < 0 || prepare_language(p, err) < 0 ||
        check_language(s, err) < 0 || guard_open(s, err) < 0 || prepare_folders(p, err) < 0 ||
        lay_inputs(s, err) < 0 || prepare_surroundings(p, err) < 0)
        return -1;
    p->argv = arguments_cells(p->language, p->interpreter.path);
    if (!s->request.run.target)
        s->request.run.target = check_target_of(p->interpreter.path);
    s->info.language = p->language->name;
    return 0;
}

/* Ours runs first; it is no cell. */
static int run_prelude(struct session *s, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct run_watch watch = {.cancel_fd = -1};
    struct result result;
    struct cell_request cell = {.no_check = true};

    if (!s->request.run.prelude)
        return 0;
    if (check_read_prelude(&s->request.run, &text, err) < 0)
        return -1;
    cell.code = buf_str(&text);
    result_init(&result, 64 << 10);
    struct teller t = {&watch, &result};
    exec_silently(s, &cell, &t);
    int failed = !result.success;
    if (failed && result.error.kind)
        *err = result.error;
    else if (failed && result.exception)
        err_set(err, ERR_USAGE, "%.200s, line %lld: %.100s: %.200s", s->request.run.prelude,
                (long long)result.exception->line, result.exception->type,
                result.exception->message);
    else if (failed)
        err_set(err, ERR_USAGE, "%.200s failed", s->request.run.prelude);
    result_done(&result);
    return failed ? err_wrap(err, "--prelude") : 0;
}

/* Only what may be our own fault, and passing, is tried again. */
static int start(struct session *s, struct lay_list *laid, struct err *err)
{
    for (int left = s->request.run.retries;; left--) {
        if (guest_start(s, laid, err) == 0)
            break;
        if (err->kind != ERR_SYSTEM || left <= 0)
            return -1;
        (void)poll(NULL, 0, (int)(s->request.run.retry_delay_ms % 60000));
    }
    if (run_prelude(s, err) == 0)
        return 0;
    struct err why = *err;
    guest_end(s, ERR_GUEST, err->msg);
    guest_forget(s);
    *err = why;
    return -1;
}

static struct session *session_new(const struct session_request *request)
{
    struct session *s = xcalloc(1, sizeof *s);

    s->request = *request;
    prepared_init(&s->prepared, &s->request.run);
    outcome_init(&s->outcome);
    link_init(&s->link);
    buf_init(&s->prelude, 0);
    buf_init(&s->names, 0);
    for (int i = 0; i < 2; i++)
        capture_init(&s->between[i], request->run.output_limit);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->turn, NULL);
    result_make_id(s->info.id);
    s->info.created_ms = s->info.used_ms = clock_wall_ms();
    return s;
}

static void session_free(struct session *s)
{
    guest_forget(s);
    link_close(&s->link);
    record_close(&s->recorder);
    prepared_done(&s->prepared);
    policy_free(s->policy);
    buf_done(&s->prelude);
    buf_done(&s->names);
    lay_list_free(s->laid);
    for (int i = 0; i < 2; i++)
        capture_done(&s->between[i]);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->turn);
    free(s);
}

int session_open(const struct session_request *request, struct session **ret, struct err *err)
{
    struct session *s = session_new(request);

    if (prepare(s, err) < 0 || start(s, s->laid, err) < 0) {
        session_free(s);
        return -1;
    }
    *ret = s;
    return 0;
}

/* ---- close, restart ---- */

/* --work-dir gets what the session leaves. The guest is dead. */
static int save_work(struct session *s, struct err *err)
{
    struct collect_options options = {
        .max_total_bytes = s->request.run.limits.disk_bytes,
        .max_visited = s->request.run.limits.inodes,
        .out_dirfd = -1,
        .work_dirfd = s->prepared.work_dirfd,
        .was_laid = true,
    };
    struct file_set files;

    if (s->prepared.work_dirfd < 0 || s->outcome.work_fd < 0)
        return 0;
    if (workspace_collect(&options, s->outcome.work_fd, s->laid, &files, err) < 0)
        return err_wrap(err, "bring the work folder up to date");
    file_set_done(&files);
    return 0;
}

void session_close(struct session *s)
{
    struct err err;

    if (!s)
        return;
    turn_close(s);
    if (s->live)
        guest_end(s, ERR_USAGE, "it was closed");
    (void)save_work(s, &err); /* nobody is left to hear of it */
    session_free(s);
}

/* The owner, which may be us, can have locked what is now to be read. */
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

/* What is in the old workspace is what the new one begins with. */
static int restart(struct session *s, struct err *err)
{
    const struct jail_limits *limits = &s->request.run.limits;

    guest_end(s, ERR_USAGE, "it could not be restarted");
    if (save_work(s, err) < 0)
        return -1;
    if (s->outcome.work_fd >= 0) {
        struct lay_list *laid = lay_list_new(limits->disk_bytes, limits->inodes);
        unlock_all(s->outcome.work_fd);
        if (lay_add_tree(laid, s->outcome.work_fd, err) < 0) {
            lay_list_free(laid);
            return -1;
        }
        lay_list_free(s->laid);
        s->laid = laid;
    }
    struct backend_outcome old = s->outcome;
    outcome_init(&s->outcome);
    guest_forget(s);
    buf_clear(&s->names);
    int result = start(s, s->laid, err);
    if (result < 0) { /* its files are still there for another try */
        s->outcome = old;
        return -1;
    }
    outcome_done(&old);
    return 0;
}

int session_restart(struct session *s, struct err *err)
{
    if (turn_take(s, err) < 0)
        return -1;
    int result = restart(s, err);
    turn_give(s);
    return result;
}
