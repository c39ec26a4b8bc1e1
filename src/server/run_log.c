/* SPDX-License-Identifier: Apache-2.0 */
#include "server/run_log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"
#include "base/thread.h"
#include "store/store.h"

enum {
    WAITING_MAX = 65536,
    BATCH = 256,
    PAUSE_MS = 50, /* rows that arrive during the pause share a transaction */
    FLUSH_MS = 2000,
};

struct row {
    struct row *next;
    struct run_record record;
};

struct run_log {
    struct run_sink sink;
    struct store *store; /* used by the thread only */
    char *path;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more, done;
    struct row *first, **end;
    size_t waiting;
    uint64_t given, settled; /* total number of rows */
    uint64_t written, lost;
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

static uint64_t append_all(struct run_log *log, struct row *batch)
{
    struct err err;
    uint64_t written = 0;
    bool together = store_begin(log->store, &err) == 0;

    for (struct row *row = batch, *next; row; row = next) {
        next = row->next;
        written += store_append(log->store, &row->record, &err) == 0;
        run_record_done(&row->record);
        free(row);
    }
    if (together && store_commit(log->store, &err) < 0)
        written = 0;
    return written;
}

static void pause_for_more(struct run_log *log)
{
    int64_t until = clock_mono_ms() + PAUSE_MS;

    while (!log->ending && !log->hurry && log->waiting < BATCH)
        if (!cond_wait_until(&log->more, &log->lock, until))
            break;
}

static void *log_main(void *ctx)
{
    struct run_log *log = ctx;
    size_t n;

    pthread_mutex_lock(&log->lock);
    for (;;) {
        while (!log->first && !log->ending)
            pthread_cond_wait(&log->more, &log->lock);
        if (!log->first)
            break;
        pause_for_more(log);
        struct row *batch = take_batch(log, &n);
        pthread_mutex_unlock(&log->lock);
        uint64_t written = append_all(log, batch);
        pthread_mutex_lock(&log->lock);
        log->written += written;
        log->lost += n - written;
        log->settled += n;
        log->hurry = log->hurry && log->first;
        pthread_cond_broadcast(&log->done);
    }
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

/* ---- for the other threads ---- */

/* Copies outside of the lock; the thread that hands over a row does not wait for a disk. */
static void give(void *ctx, const struct run_record *record)
{
    struct run_log *log = ctx;
    struct row *row = xcalloc(1, sizeof *row);

    run_record_copy(record, &row->record);
    pthread_mutex_lock(&log->lock);
    bool full = log->waiting >= WAITING_MAX;
    if (full) {
        log->lost++;
    } else {
        *log->end = row;
        log->end = &row->next;
        log->given++;
        if (log->waiting++ == 0 || log->waiting == BATCH)
            pthread_cond_signal(&log->more);
    }
    pthread_mutex_unlock(&log->lock);
    if (full) {
        run_record_done(&row->record);
        free(row);
    }
}

static int start(struct run_log *log, struct err *err)
{
    int failed = thread_start(&log->thread, NULL, log_main, log);

    return failed ? err_set(err, ERR_SYSTEM, "no thread for the run log: %s", strerror(failed)) : 0;
}

int run_log_open(const char *path, struct run_log **ret, struct err *err)
{
    struct run_log *log = xcalloc(1, sizeof *log);

    *ret = NULL;
    log->sink = (struct run_sink){.append = give, .ctx = log};
    log->end = &log->first;
    pthread_mutex_init(&log->lock, NULL);
    cond_init(&log->more);
    cond_init(&log->done);
    if (path)
        log->path = xstrdup(path);
    if ((path || store_default_path(&log->path, err) == 0) &&
        store_open(log->path, STORE_CREATE, &log->store, err) == 0 && start(log, err) == 0) {
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
    uint64_t wanted = log->given;
    log->hurry = true;
    pthread_cond_signal(&log->more);
    while (log->settled < wanted)
        if (!cond_wait_until(&log->done, &log->lock, until))
            break;
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
