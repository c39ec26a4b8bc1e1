/* SPDX-License-Identifier: Apache-2.0
 *
 * Where nothing may run unread, this code makes the guard read two kinds of files: those with which
 * a session begins, and those in its workspace whenever the guest is about to run something. A cell
 * can write a module there, which the next cell, or the reading of a value, can import.
 */
#include <string.h>

#include "base/clock.h"
#include "session/session_impl.h"

static const struct run_request *request_of(const struct session *s)
{
    return &s->shared->request.run;
}

int guard_find_beside(struct session *s, int cancel_fd, struct beside *ret, struct err *err)
{
    const struct run_request *q = request_of(s);
    bool read = q->policy.reads_beside && (s->shared->policy || q->policy.review);

    *ret = (struct beside){.reviews = q->policy.review};
    if (!read)
        return 0;
    int work = guest_work(s);
    if (work < 0)
        return err_set(err, ERR_UNSUPPORTED,
                       "the files of this session cannot be read from this host, and unread "
                       "programs may not run here");
    struct beside_stop stop = {.cancel_fd = cancel_fd};
    if (q->limits.wall_ms)
        stop.until_ms = clock_mono_ms() + q->limits.wall_ms;
    ret->stop = &stop;
    int result = beside_add_folder(ret, work, &s->known, err);
    ret->stop = NULL;
    return result;
}

/* Gets the verdict on these texts and `code`; -1 with ERR_POLICY and the reason if they are
 * refused. */
static int session_beside_look(struct session *s, const struct beside *beside, struct str code,
                               bool reviews, struct err *err)
{
    struct run_request q = *request_of(s);
    struct result result;
    struct examination e;

    q.program.code = code;
    q.program.file = NULL;
    q.policy.review &= reviews;
    result_init(&result, 1);
    examine_init(&e, &q, s->shared->policy);
    e.language = s->shared->prepared.language;
    e.beside = beside;
    e.cancel_fd = guest_start_cancel(s);
    examine_for(&e, &result);
    examine_done(&e);
    bool refused = result_refused(&result);
    if (refused)
        err_set(err, ERR_POLICY, "%.500s", result.verdict.reason ? result.verdict.reason : "");
    else if (result.cancelled)
        err_set(err, ERR_TIMEOUT, "stopped while the session's prelude and tools were reviewed");
    refused |= result.cancelled;
    result_done(&result);
    return refused ? -1 : 0;
}

int guard_files(struct session *s, struct err *err)
{
    struct beside beside;
    int result = guard_find_beside(s, guest_start_cancel(s), &beside, err);

    if (result == 0 && beside.n)
        result = session_beside_look(s, &beside, STR(""), true, err);
    if (result == 0)
        beside_learn(&s->known, &beside);
    beside_done(&beside);
    return result;
}

/* Only the guard reads the file now; the reviewer reads it before the next cell. */
int guard_upload(struct session *s, const char *path, int fd, struct err *err)
{
    const struct run_request *q = request_of(s);
    struct beside beside = {.reviews = q->policy.review};
    int result = 0;

    if (q->policy.reads_beside && (s->shared->policy || q->policy.review))
        result = beside_add_file(&beside, path, fd, err);
    if (result == 0 && beside.n)
        result = session_beside_look(s, &beside, STR(""), false, err);
    beside_done(&beside);
    return result;
}

/* ---- at its opening ---- */

/* Appends the modules to load, as a program that imports them. */
static void add_preload(const struct session *s, struct buf *code)
{
    for (char *const *name = s->shared->request.preload; name && *name; name++)
        (void)buf_addf(code, "import %s\n", *name);
}

static int find_opening(struct session *s, struct beside *ret, struct err *err)
{
    const char *source = s->tools.source;

    beside_add_request(ret, request_of(s));
    if (ret->reviews && source)
        beside_add(ret,
                   &(struct beside_text){.what = "the source of tools", .text = str_from(source)});
    return beside_add_laid(ret, s->laid, err);
}

int guard_opening(struct session *s, struct err *err)
{
    const struct run_request *q = request_of(s);
    struct beside beside = {.reviews = q->policy.review};
    AUTO_BUF struct buf code = {0};

    if (!q->policy.reads_beside || (!s->shared->policy && !q->policy.review))
        return 0;
    buf_init(&code, RUN_SOURCE_MAX);
    add_preload(s, &code);
    int result = find_opening(s, &beside, err);
    if (result == 0 && code.overflow)
        result = err_set(err, ERR_LIMIT, "the names of modules to load are too long");
    if (result == 0 && (beside.n || code.n))
        result = session_beside_look(s, &beside, buf_str(&code), true, err);
    if (result == 0)
        beside_learn(&s->known, &beside);
    beside_done(&beside);
    return result;
}
