/* SPDX-License-Identifier: Apache-2.0
 *
 * The addresses of a name. A resolver may be silent for half a minute, and getaddrinfo() cannot be
 * cancelled, so a thread calls it. If the answer comes too late, the lookup belongs to the thread,
 * which frees it.
 */
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/cond.h"
#include "base/mem.h"
#include "base/thread.h"
#include "docker/engine_parts.h"

struct lookup {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    char *host, *port;
    struct addrinfo *found;
    int failed;
    bool over;      /* the answer is there */
    bool abandoned; /* the caller has given up: the thread frees this */
};

static int ask(const char *host, const char *port, int flags, struct addrinfo **ret)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};

    return getaddrinfo(host, port, &hints, ret);
}

static struct lookup *lookup_new(const struct engine_place *place)
{
    struct lookup *l = xcalloc(1, sizeof *l);

    l->host = xstrdup(place->host);
    l->port = xstrdup(place->port);
    pthread_mutex_init(&l->lock, NULL);
    cond_init(&l->answered);
    return l;
}

static void lookup_free(struct lookup *l)
{
    if (l->found)
        freeaddrinfo(l->found);
    pthread_cond_destroy(&l->answered);
    pthread_mutex_destroy(&l->lock);
    free(l->host);
    free(l->port);
    free(l);
}

static void *look_up(void *ctx)
{
    struct lookup *l = ctx;
    struct addrinfo *found = NULL;
    int failed = ask(l->host, l->port, 0, &found);

    pthread_mutex_lock(&l->lock);
    l->failed = failed;
    l->found = failed ? NULL : found;
    l->over = true;
    bool abandoned = l->abandoned;
    pthread_cond_signal(&l->answered);
    pthread_mutex_unlock(&l->lock);
    if (abandoned)
        lookup_free(l);
    return NULL;
}

/* False: the lookup belongs to the thread from now on. */
static bool wait_until(struct lookup *l, int64_t ms)
{
    bool in_time = true;

    pthread_mutex_lock(&l->lock);
    while (!l->over && in_time)
        in_time = cond_wait_until(&l->answered, &l->lock, ms);
    bool over = l->over;
    l->abandoned = !over;
    pthread_mutex_unlock(&l->lock);
    return over;
}

static int explain(const struct engine_place *place, int failed, struct err *err)
{
    return err_set(err, ERR_SYSTEM,
                   "%.200s: the name has no address (%s): check DOCKER_HOST, or the Docker context",
                   place->name, gai_strerror(failed));
}

int engine_resolve(const struct engine_place *place, int64_t until_ms, struct addrinfo **ret,
                   struct err *err)
{
    if (ask(place->host, place->port, AI_NUMERICHOST, ret) == 0)
        return 0;
    struct lookup *l = lookup_new(place);
    errno = thread_start_detached(0, look_up, l);
    if (errno) {
        lookup_free(l);
        return err_sys(err, "start a thread for a name");
    }
    if (!wait_until(l, until_ms))
        return err_set(err, ERR_UNSUPPORTED,
                       "%.200s: the name was not resolved in time; is the name server in "
                       "/etc/resolv.conf reachable?",
                       place->name);
    int failed = l->failed;
    *ret = mem_take(&l->found);
    lookup_free(l);
    return failed ? explain(place, failed, err) : 0;
}
