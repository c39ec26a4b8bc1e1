/* SPDX-License-Identifier: Apache-2.0 */
#include "network/lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "network/loop.h"

/* A few guests that ask for names with slow servers could keep all threads busy. So half of the
 * threads are for guests that have no other lookup. */
enum { THREADS_MAX = 32, FURTHER_MAX = THREADS_MAX / 2, STACK = 256 << 10 };

struct queue {
    struct lookup *first, **end;
};

/* Protected by the lock: the queues, and the numbers of threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct queue firsts = {NULL, &firsts.first}, further = {NULL, &further.first};
static struct lookup *answered_list;
static unsigned threads, idle, waiting, busy_further;

static struct watched bell = {.fd = -1};
static void (*on_answer)(struct lookup *lookup);

static void keep_addresses(struct lookup *l, const struct addrinfo *list)
{
    uint16_t port;

    for (; list && l->n < LOOKUP_ADDRESSES; list = list->ai_next) {
        struct sockaddr_storage socket = {0};
        memcpy(&socket, list->ai_addr, list->ai_addrlen);
        l->n += net_address_of(&socket, &l->list[l->n], &port);
    }
}

static void resolve(struct lookup *l)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *list = NULL;

    int error = getaddrinfo(l->name, NULL, &hints, &list);
    if (error == 0)
        keep_addresses(l, list);
    if (list)
        freeaddrinfo(list);
    l->why = l->n                  ? NULL
             : error == EAI_AGAIN  ? "no name server answered"
             : error == EAI_NONAME ? "there is no such name"
                                   : "it has no address";
}

static void put(struct queue *queue, struct lookup *l)
{
    *queue->end = l;
    queue->end = &l->next;
    waiting++;
}

/* Returns NULL if there is none that a thread may work at. */
static struct lookup *take(void)
{
    struct queue *queue = firsts.first ? &firsts : &further;
    struct lookup *l = queue->first;

    if (!l || (l->is_further && busy_further == FURTHER_MAX))
        return NULL;
    queue->first = l->next;
    if (!queue->first)
        queue->end = &queue->first;
    waiting--;
    busy_further += l->is_further;
    return l;
}

static void *lookup_work(void *unused)
{
    const uint64_t one = 1;
    struct lookup *l;

    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!(l = take())) {
            idle++;
            pthread_cond_wait(&work, &lock);
            idle--;
        }
        pthread_mutex_unlock(&lock);
        resolve(l);
        pthread_mutex_lock(&lock);
        busy_further -= l->is_further;
        l->next = answered_list;
        answered_list = l;
        (void)!write(bell.fd, &one, sizeof one);
    }
    return NULL;
}

static void bell_rings(struct watched *w, uint32_t events)
{
    uint64_t count;

    (void)events;
    (void)!read(w->fd, &count, sizeof count);
    pthread_mutex_lock(&lock);
    struct lookup *list = mem_take(&answered_list);
    pthread_mutex_unlock(&lock);
    while (list) {
        struct lookup *l = list;
        list = l->next;
        on_answer(l);
        free(l->name);
        free(l);
    }
}

void lookup_open(void (*answered)(struct lookup *lookup))
{
    on_answer = answered;
    bell = (struct watched){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .ready = bell_rings};
    if (bell.fd < 0)
        abort();
    loop_watch(&bell, EPOLLIN);
}

/* Call it with the lock. A failure is none while other threads are there. */
static void add_thread(void)
{
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK);
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attr, lookup_work, NULL);
    pthread_attr_destroy(&attr);
    if (error && !threads)
        abort();
    threads += !error;
}

struct lookup *lookup_begin(const char *name, void *owner, uint64_t guest, bool is_further)
{
    struct lookup *l = xcalloc(1, sizeof *l);

    *l = (struct lookup){
        .name = xstrdup(name), .owner = owner, .guest = guest, .is_further = is_further};
    pthread_mutex_lock(&lock);
    put(is_further ? &further : &firsts, l);
    if (waiting > idle && threads < THREADS_MAX)
        add_thread();
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    return l;
}
