/* SPDX-License-Identifier: Apache-2.0 */
#include "server/run_log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"
#include "base/thread.h"
#include "server/losses.h"
#include "store/store.h"

enum {
    WAITING_MAX = 65536,
    BATCH = 256,
    PAUSE_MS = 50, /* rows that arrive during the pause share a transaction */
    FLUSH_MS = 2000,
    ANSWER_MS = 500, /* how long a run waits for its row while the log fails */
    BEGIN_TRIES = 5, /* each takes up to two seconds */
};

static const char too_many[] = "the run log is too slow: 65536 runs wait to be written";

struct row {
    struct row *next;
    struct run_record record;
};

struct run_log {
    struct run_sink sink;
    struct store *store;  /* only for the thread */
    struct losses losses; /* only for the thread */
    char *path;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more, done;
    struct row *first, **end;
    size_t waiting;
    uint64_t given, settled; /* numbers of all rows so far */
    uint64_t written, lost;
    uint64_t refused; /* lost rows for which the queue had no room, not yet reported to `losses` */
    struct err why;   /* the error of the last batch; kind ERR_NONE: it was written */
    bool ending, hurry;
};

/* ---- the thread ---- */

static struct row *take_batch(struct run_log *log, size_t *ret_n)
{
    struct row *batch = log->first, **end = &log->first;
    size_t n = 0;

    for (; *end && n < BATCH; n++)
        end = &(*end)->next;
    log->first = *end;
    *end = NULL;
    if (!log->first)
        log->end = &log->first;
    log->waiting -= n;
    *ret_n = n;
    return batch;
}

static void rows_free(struct row *row)
{
    while (row) {
        struct row *next = row->next;
        run_record_done(&row->record);
        free(row);
        row = next;
    }
}

/* Tries several times: another process, such as one that deletes old runs, may hold the file for
 * longer than one try waits. */
static int run_log_begin(struct store *store, struct err *err)
{
    for (int tries = 1; store_begin(store, err) < 0; tries++)
        if (tries == BEGIN_TRIES || err->kind != ERR_TIMEOUT)
            return -1;
    err->kind = ERR_NONE;
    return 0;
}

/* Returns the number of rows that are in the file; *err has the reason if some are not. */
static uint64_t append_all(struct run_log *log, const struct row *batch, struct err *err)
{
    struct err later;
    uint64_t written = 0;

    if (run_log_begin(log->store, err) < 0)
        return 0;
    /* After a failure, SQLite may have rolled the whole transaction back; then the commit fails. */
    for (const struct row *row = batch; row && err->kind != ERR_SYSTEM; row = row->next)
        written += store_append(log->store, &row->record, err) == 0;
    return store_commit(log->store, err->kind ? &later : err) == 0 ? written : 0;
}

static void note_losses(struct losses *l, uint64_t lost, uint64_t refused, const struct err *err)
{
    if (lost)
        losses_add(l, lost, err->msg);
    if (refused)
        losses_add(l, refused, too_many);
    if (!lost && !refused)
        (void)losses_end(l);
}

static void pause_for_more(struct run_log *log)
{
    int64_t until = clock_mono_ms() + PAUSE_MS;

    while (!log->ending && !log->hurry && log->waiting < BATCH)
        if (!cond_wait_until(&log->more, &log->lock, until))
            break;
}

/* Call it with the lock held; the lock is released while it writes. */
static void write_batch(struct run_log *log)
{
    struct err err;
    size_t n;
    struct row *batch = take_batch(log, &n);
    uint64_t refused = log->refused;

    log->refused = 0;
    pthread_mutex_unlock(&log->lock);
    uint64_t written = append_all(log, batch, &err);
    rows_free(batch);
    note_losses(&log->losses, n - written, refused, &err);
    pthread_mutex_lock(&log->lock);
    log->why = err;
    log->written += written;
    log->lost += n - written;
    log->settled += n;
    log->hurry = log->hurry && log->first;
    pthread_cond_broadcast(&log->done);
}

static void *log_main(void *ctx)
{
    struct run_log *log = ctx;

    pthread_mutex_lock(&log->lock);
    for (;;) {
        while (!log->first && !log->ending)
            pthread_cond_wait(&log->more, &log->lock);
        if (!log->first)
            break;
        pause_for_more(log);
        write_batch(log);
    }
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

/* ---- for the other threads ---- */

/* Call it with the lock held; the lock is released while it waits. After a failure the next row may
 * still be written, so the caller waits for the outcome of its own row. */
static void wait_for_row(struct run_log *log, int64_t until)
{
    uint64_t wanted = log->given;

    log->hurry = true;
    pthread_cond_signal(&log->more);
    while (log->settled < wanted)
        if (!cond_wait_until(&log->done, &log->lock, until))
            break;
}

/* Copies the row outside of the lock. A caller does not wait for a disk unless the log fails. */
static int run_log_give(void *ctx, const struct run_record *record, struct err *err)
{
    struct run_log *log = ctx;
    struct row *row = xcalloc(1, sizeof *row);

    run_record_copy(record, &row->record);
    pthread_mutex_lock(&log->lock);
    bool full = log->waiting >= WAITING_MAX;
    if (full) {
        err_set(err, ERR_LIMIT, "%s", too_many);
        log->lost++;
        log->refused++;
    } else {
        *log->end = row;
        log->end = &row->next;
        log->given++;
        if (log->waiting++ == 0 || log->waiting == BATCH)
            pthread_cond_signal(&log->more);
        if (log->why.kind)
            wait_for_row(log, clock_mono_ms() + ANSWER_MS);
        *err = log->why;
    }
    pthread_mutex_unlock(&log->lock);
    if (full)
        rows_free(row);
    return err->kind ? -1 : 0;
}

static int run_log_start(struct run_log *log, struct err *err)
{
    int failed = thread_start(&log->thread, NULL, log_main, log);

    return failed
               ? err_set(err, ERR_SYSTEM, "cannot start the run log's thread: %s", strerror(failed))
               : 0;
}

int run_log_open(const char *path, struct run_log **ret, struct err *err)
{
    struct run_log *log = xcalloc(1, sizeof *log);

    *ret = NULL;
    log->sink = (struct run_sink){.append = run_log_give, .ctx = log};
    log->end = &log->first;
    log->losses = (struct losses){.log = "the run log", .rows = "runs"};
    pthread_mutex_init(&log->lock, NULL);
    cond_init(&log->more);
    cond_init(&log->done);
    if (path)
        log->path = xstrdup(path);
    if ((path || store_default_path(&log->path, err) == 0) &&
        store_open(log->path, STORE_CREATE | (path ? 0 : STORE_FOLDERS), &log->store, err) == 0 &&
        run_log_start(log, err) == 0) {
        *ret = log;
        return 0;
    }
    store_close(log->store);
    free(log->path);
    free(log);
    return -1;
}

void run_log_close(struct run_log *log)
{
    if (!log)
        return;
    pthread_mutex_lock(&log->lock);
    log->ending = true;
    pthread_cond_signal(&log->more);
    pthread_mutex_unlock(&log->lock);
    pthread_join(log->thread, NULL);
    losses_close(&log->losses);
    store_close(log->store);
    free(log->path);
    free(log);
}

const struct run_sink *run_log_sink(struct run_log *log)
{
    return log ? &log->sink : NULL;
}

void run_log_flush(struct run_log *log)
{
    int64_t until = clock_mono_ms() + FLUSH_MS;

    if (!log)
        return;
    pthread_mutex_lock(&log->lock);
    wait_for_row(log, until);
    pthread_mutex_unlock(&log->lock);
}

void run_log_stats(struct run_log *log, struct run_log_stats *ret)
{
    *ret = (struct run_log_stats){0};
    if (!log)
        return;
    pthread_mutex_lock(&log->lock);
    *ret = (struct run_log_stats){log->written, log->lost, log->waiting};
    pthread_mutex_unlock(&log->lock);
}

const char *run_log_path(const struct run_log *log)
{
    return log ? log->path : NULL;
}
