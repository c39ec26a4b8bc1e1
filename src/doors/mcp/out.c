/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/out.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/thread.h"

struct item {
    struct item *next;
    char *line;
    size_t n;
};

struct mcp_out {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct item *first, **end;
    size_t waiting, bytes; /* including the line that is being written */
    bool broken, ending;
    int fd;
    int broken_fd; /* -1 after mcp_out_close */
};

static int write_line(const struct mcp_out *out, const struct item *item)
{
    item->line[item->n] = '\n'; /* replaces the NUL */
    return fd_write_all(out->fd, item->line, item->n + 1);
}

static void note_broken(struct mcp_out *out)
{
    const uint64_t one = 1;

    out->broken = true;
    if (out->broken_fd >= 0)
        (void)!write(out->broken_fd, &one, sizeof one);
}

/* Call it with the lock held; the lock is released while it writes. */
static void write_first(struct mcp_out *out)
{
    struct item *item = out->first;
    int status = 0;

    out->first = item->next;
    if (!out->first)
        out->end = &out->first;
    bool broken = out->broken;
    pthread_mutex_unlock(&out->lock);
    if (!broken)
        status = write_line(out, item);
    pthread_mutex_lock(&out->lock);
    out->waiting--;
    out->bytes -= item->n;
    free(item->line);
    free(item);
    if (status < 0)
        note_broken(out);
    pthread_cond_broadcast(&out->changed);
}

static void *writer_main(void *ctx)
{
    struct mcp_out *out = ctx;

    pthread_mutex_lock(&out->lock);
    while (out->first || !out->ending) {
        if (out->first)
            write_first(out);
        else
            pthread_cond_wait(&out->changed, &out->lock);
    }
    pthread_mutex_unlock(&out->lock);
    return NULL;
}

int mcp_out_open(int fd, int broken_fd, struct mcp_out **ret, struct err *err)
{
    struct mcp_out *out = xcalloc(1, sizeof *out);

    *out = (struct mcp_out){.fd = fd, .broken_fd = broken_fd};
    out->end = &out->first;
    pthread_mutex_init(&out->lock, NULL);
    cond_init(&out->changed);
    errno = thread_start(&out->thread, NULL, writer_main, out);
    if (errno) {
        free(out);
        return err_sys(err, "start a thread");
    }
    *ret = out;
    return 0;
}

void mcp_out_close(struct mcp_out *out, int patience_ms)
{
    int64_t until = clock_mono_ms() + patience_ms;
    bool in_time = true;

    pthread_mutex_lock(&out->lock);
    out->ending = true;
    pthread_cond_broadcast(&out->changed);
    while (out->waiting && in_time)
        in_time = cond_wait_until(&out->changed, &out->lock, until);
    bool written = !out->waiting;
    out->broken_fd = -1;
    pthread_mutex_unlock(&out->lock);
    if (!written) {
        /* the thread is blocked in write(), and ends with the process */
        pthread_detach(out->thread);
        return;
    }
    pthread_join(out->thread, NULL);
    pthread_cond_destroy(&out->changed);
    pthread_mutex_destroy(&out->lock);
    free(out);
}

void mcp_out_send(struct mcp_out *out, char *line)
{
    struct item *item = xcalloc(1, sizeof *item);

    item->line = line;
    item->n = strlen(line);
    pthread_mutex_lock(&out->lock);
    *out->end = item;
    out->end = &item->next;
    out->waiting++;
    out->bytes += item->n;
    pthread_cond_broadcast(&out->changed);
    pthread_mutex_unlock(&out->lock);
}

size_t mcp_out_waiting(struct mcp_out *out, size_t *ret_bytes)
{
    pthread_mutex_lock(&out->lock);
    size_t n = out->waiting;
    *ret_bytes = out->bytes;
    pthread_mutex_unlock(&out->lock);
    return n;
}
