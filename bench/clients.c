/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients of the daemon, each of which asks, waits for the answer, and asks again on the same
 * connection, from one thread that costs next to nothing:
 *
 *     clients [-c CLIENTS] [-t SECONDS] [-n COUNT] [-p PAUSE_MS] SOCKET REQUEST...
 *
 * A REQUEST is a file with a whole HTTP request; they take turns. It ends after the time, or when
 * so many were asked. A pause is what a client waits from an answer to its next question; while it
 * does, the others wait too, so it is for one. Prints a JSON object: how many answers of which
 * status, how many of them said "success":true, connections that ended without an answer, and every
 * latency in microseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_MAX = 8 << 20, TIMES_MAX = 4 << 20, REQUESTS_MAX = 16, PATIENCE_MS = 60000 };

struct text {
    char *p;
    size_t n;
};

struct client {
    int fd;
    bool waiting; /* for an answer */
    int64_t asked_ns;
    struct text request;
    size_t sent;
    char *answer;
    size_t have, room, want; /* want: bytes of the whole answer, once its head is there */
};

struct load {
    struct sockaddr_un at;
    struct text requests[REQUESTS_MAX];
    size_t request_count, next;
    int poll;
    int64_t begin_ns, end_ns, left; /* until then, or so many more to be asked */
    useconds_t pause_us;
    int clients;
    long statuses[600], succeeded, dropped, busy;
    uint32_t *us;
    size_t times;
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "clients: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct text read_file(const char *path)
{
    struct text t = {malloc(1 << 20), 0};
    FILE *f = fopen(path, "rb");

    if (!f || !t.p)
        die(path);
    t.n = fread(t.p, 1, 1 << 20, f);
    fclose(f);
    return t;
}

static bool may_ask(const struct load *l)
{
    return l->left > 0 && now_ns() < l->end_ns;
}

static void watch(const struct load *l, struct client *c, uint32_t events, int how)
{
    struct epoll_event e = {.events = events, .data.ptr = c};

    if (epoll_ctl(l->poll, how, c->fd, &e) < 0)
        die("epoll_ctl");
}

/* Of a request, what the socket takes. False when the other side is gone. */
static bool push(const struct load *l, struct client *c)
{
    while (c->sent < c->request.n) {
        ssize_t n = send(c->fd, c->request.p + c->sent, c->request.n - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
            watch(l, c, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
            return true;
        }
        if (n < 0)
            return false;
        c->sent += (size_t)n;
        if (c->sent == c->request.n && c->sent != (size_t)n)
            watch(l, c, EPOLLIN, EPOLL_CTL_MOD);
    }
    return true;
}

static void ask(struct load *l, struct client *c);

static void open_client(struct load *l, struct client *c)
{
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        die("socket");
    /* Where the daemon's backlog is full this waits: no answer is lost by that, only time. */
    if (connect(c->fd, (struct sockaddr *)&l->at, sizeof l->at) < 0)
        die("connect");
    if (fcntl(c->fd, F_SETFL, O_NONBLOCK) < 0)
        die("fcntl");
    watch(l, c, EPOLLIN, EPOLL_CTL_ADD);
    ask(l, c);
}

static void ended(struct load *l, struct client *c)
{
    l->dropped += c->waiting;
    l->busy -= c->waiting;
    c->waiting = false;
    close(c->fd);
    c->fd = -1;
    if (may_ask(l))
        open_client(l, c);
}

static void ask(struct load *l, struct client *c)
{
    if (!may_ask(l))
        return;
    l->left--;
    c->request = l->requests[l->next++ % l->request_count];
    c->sent = c->have = c->want = 0;
    c->asked_ns = now_ns();
    c->waiting = true;
    l->busy++;
    if (!push(l, c))
        ended(l, c);
}

/* The length of the whole answer once its head is complete. */
static size_t whole(const struct client *c)
{
    const char *end = memmem(c->answer, c->have, "\r\n\r\n", 4), *length;

    if (!end)
        return 0;
    length = memmem(c->answer, (size_t)(end - c->answer), "Content-Length:", 15);
    return (size_t)(end + 4 - c->answer) + (length ? strtoul(length + 15, NULL, 10) : 0);
}

static void answered(struct load *l, struct client *c)
{
    unsigned long status = c->have > 12 ? strtoul(c->answer + 9, NULL, 10) : 0;

    l->statuses[status < 600 ? status : 0]++;
    l->succeeded += memmem(c->answer, c->have, "\"success\":true", 14) != NULL;
    if (l->times < TIMES_MAX)
        l->us[l->times++] = (uint32_t)((now_ns() - c->asked_ns) / 1000);
    c->waiting = false;
    l->busy--;
    if (l->pause_us)
        usleep(l->pause_us);
    ask(l, c);
}

static void hear(struct load *l, struct client *c)
{
    if (c->room - c->have < 4096) {
        c->room = c->room ? c->room * 2 : 16384;
        c->answer = c->room <= ANSWER_MAX ? realloc(c->answer, c->room) : NULL;
        if (!c->answer)
            die("an answer's memory");
    }
    ssize_t n = recv(c->fd, c->answer + c->have, c->room - c->have, 0);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0) {
        ended(l, c);
        return;
    }
    c->have += (size_t)n;
    if (!c->want)
        c->want = whole(c);
    if (c->want && c->have >= c->want)
        answered(l, c);
}

static void work(struct load *l, struct client *clients, int count)
{
    struct epoll_event events[256];

    l->begin_ns = now_ns();
    l->end_ns += l->begin_ns;
    for (int i = 0; i < count; i++)
        open_client(l, &clients[i]);
    while (l->busy > 0) {
        int n = epoll_wait(l->poll, events, 256, PATIENCE_MS);
        if (n <= 0)
            break; /* what is still waited for counts as dropped */
        for (int i = 0; i < n; i++) {
            struct client *c = events[i].data.ptr;
            if (events[i].events & EPOLLOUT && !push(l, c))
                ended(l, c);
            else if (events[i].events & ~(uint32_t)EPOLLOUT)
                hear(l, c);
        }
    }
    l->dropped += l->busy;
}

static void say(const struct load *l)
{
    double seconds = (double)(now_ns() - l->begin_ns) / 1e9;
    const char *comma = "";

    printf("{\"seconds\": %.4f, \"succeeded\": %ld, \"dropped\": %ld, \"statuses\": {", seconds,
           l->succeeded, l->dropped);
    for (int i = 0; i < 600; i++)
        if (l->statuses[i]) {
            printf("%s\"%d\": %ld", comma, i, l->statuses[i]);
            comma = ", ";
        }
    printf("}, \"us\": [");
    for (size_t i = 0; i < l->times; i++)
        printf("%s%u", i ? "," : "", l->us[i]);
    printf("]}\n");
}

static int usage(void)
{
    fputs("usage: clients [-c CLIENTS] [-t SECONDS] [-n COUNT] [-p PAUSE_MS] SOCKET REQUEST...\n",
          stderr);
    return 2;
}

/* False when they make no sense. */
static bool read_arguments(struct load *l, int argc, char **argv)
{
    int option;

    l->clients = 1;
    l->left = INT64_MAX;
    l->end_ns = INT64_MAX / 2;
    while ((option = getopt(argc, argv, "c:t:n:p:")) != -1) {
        double value = optarg ? strtod(optarg, NULL) : 0;
        if (option == 'c')
            l->clients = (int)value;
        else if (option == 't')
            l->end_ns = (int64_t)(value * 1e9);
        else if (option == 'n')
            l->left = (int64_t)value;
        else if (option == 'p')
            l->pause_us = (useconds_t)(value * 1e3);
        else
            return false;
    }
    if (optind + 1 >= argc || l->clients < 1 || argc - optind - 1 > REQUESTS_MAX ||
        strlen(argv[optind]) >= sizeof l->at.sun_path)
        return false;
    l->at.sun_family = AF_UNIX;
    memcpy(l->at.sun_path, argv[optind], strlen(argv[optind]));
    while (++optind < argc)
        l->requests[l->request_count++] = read_file(argv[optind]);
    return true;
}

static void allow_many_descriptors(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

int main(int argc, char **argv)
{
    static struct load l;

    if (!read_arguments(&l, argc, argv))
        return usage();
    allow_many_descriptors();
    l.us = calloc(TIMES_MAX, sizeof *l.us);
    l.poll = epoll_create1(EPOLL_CLOEXEC);
    struct client *clients = calloc((size_t)l.clients, sizeof *clients);
    if (!l.us || l.poll < 0 || !clients)
        die("start");
    work(&l, clients, l.clients);
    say(&l);
    free(clients);
    free(l.us);
    return 0;
}
