/* SPDX-License-Identifier: Apache-2.0
 *
 * A session's guest: its start, until it is ready for cells, and its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "session/cell_decode.h"
#include "session/plain.h"
#include "session/session_impl.h"

/* ---- start ---- */

static int lay(void *ctx, int fd, struct err *err)
{
    return lay_send(ctx, fd, err);
}

static int start_once(struct session *s, struct lay_list *laid, struct err *err)
{
    if (link_open(&s->link, err) < 0)
        return -1;
    s->job = prepared_job(&s->prepared);
    s->job.lay = lay;
    s->job.lay_ctx = laid;
    s->job.stdin_fd = -1;
    memcpy(s->job.channel, s->link.guest, sizeof s->job.channel);
    /* Each cell's, not the guest's: looked at in session_talk.c. */
    s->job.limits.wall_ms = 0;
    s->job.limits.cpu_ms = 0;
    s->sink = talk_sink;
    s->sink.ctx = s;
    s->sink.channel_fd = s->link.poll;
    if (live_open(&s->job, &s->sink, &s->outcome, &s->live, err) < 0)
        return -1;
    link_started(&s->link);
    live_deadline(s->live, 0);
    return 0;
}

/* The last words of an interpreter that did not come up. */
static void add_last_line(struct session *s, struct err *err)
{
    AUTO_BUF struct buf text = {0}, shown = {0};
    struct str rest, line, last = STR("");

    buf_init(&text, s->between[1].limit + 256);
    buf_init(&shown, 400);
    capture_text(&s->between[1], &text);
    rest = buf_str(&text);
    while (str_next_line(&rest, &line))
        if (str_trim(line).n)
            last = str_trim(line);
    plain_add_word(&shown, last, 200);
    struct err before = *err;
    if (shown.n)
        err_set(err, before.kind, "%.200s: %s", before.msg, shown.p);
}

static int become_ready(struct session *s, struct err *err)
{
    struct exchange x = {.session = s,
                         .await = "ready",
                         .cancel_fd = -1,
                         .wall_ms = SESSION_READY_MS,
                         .grace_ms = 1};
    AUTO_FREE char *hello = hello_json(s);
    AUTO_BUF struct buf program = {0};

    buf_init(&program, 16u << 20);
    (void)hello_program(s->prepared.language, &program);
    if ((program.n && link_put(&s->link, "program", 0, buf_str(&program), err) < 0) ||
        link_put(&s->link, "hello", 0, str_from(hello), err) < 0)
        return -1;
    int result = talk(&x);
    if (result < 0 && x.err.kind)
        *err = x.err;
    else if (result < 0 && x.killed)
        err_set(err, ERR_TIMEOUT, "%s was not ready for cells after %d s",
                s->prepared.language->name, SESSION_READY_MS / 1000);
    else if (result < 0)
        err_set(err, ERR_SYSTEM, "%s ended before it was ready for cells",
                s->prepared.language->name);
    if (result < 0)
        add_last_line(s, err);
    exchange_done(&x);
    return result;
}

static void forget_output(struct session *s)
{
    for (int i = 0; i < 2; i++) {
        size_t limit = s->between[i].limit;
        capture_done(&s->between[i]);
        capture_init(&s->between[i], limit);
    }
}

int guest_start(struct session *s, struct lay_list *laid, struct err *err)
{
    outcome_init(&s->outcome);
    forget_output(s);
    s->used = (struct cgroup_usage){0};
    if (start_once(s, laid, err) < 0 || become_ready(s, err) < 0) {
        struct err why = *err;
        guest_end(s, ERR_GUEST, err->msg);
        guest_forget(s);
        *err = why;
        return -1;
    }
    s->changes = changes_new(&(struct changes_limits){
        .max_bytes = s->request.run.limits.disk_bytes ? s->request.run.limits.disk_bytes
                                                      : (uint64_t)256 << 20,
        .max_entries = s->request.run.limits.inodes ? s->request.run.limits.inodes : 65536,
        .max_files = 10000,
    });
    if (live_work(s->live) >= 0)
        changes_begin(s->changes, live_work(s->live), laid);
    pthread_mutex_lock(&s->lock);
    s->info.state = SESSION_IDLE;
    s->info.held = s->outcome.held;
    s->info.why[0] = '\0';
    pthread_mutex_unlock(&s->lock);
    return 0;
}

/* ---- end ---- */

void guest_end(struct session *s, enum err_kind kind, const char *why)
{
    struct err ignored;

    if (s->live)
        (void)live_end(mem_take(&s->live), &ignored);
    /* Nobody may wake a link that is gone: `running` is false by now. */
    pthread_mutex_lock(&s->lock);
    link_close(&s->link);
    s->info.state = SESSION_DEAD;
    s->info.memory_bytes = 0;
    s->why_kind = kind;
    snprintf(s->info.why, sizeof s->info.why, "%s", why);
    pthread_mutex_unlock(&s->lock);
}

void guest_forget(struct session *s)
{
    outcome_done(&s->outcome);
    outcome_init(&s->outcome);
    changes_free(s->changes);
    s->changes = NULL;
}

int guest_work(const struct session *s)
{
    return s->live ? live_work(s->live) : s->outcome.work_fd;
}

int guest_check(struct session *s, struct err *err)
{
    if (s->live)
        return 0;
    return err_set(err, s->why_kind, "the session ended: %s; restart it", s->info.why);
}
