/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups that are kept for the next run: only as many as were asked for, only for the same limits,
 * and only when nothing of the last run can be seen in them.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "cgroup_common.h"

static const struct jail_limits usual = {
    .memory_bytes = 32 * MIB, .pids = 8, .cpu_milli = 1000, .count_cpu = true};

/* The number that the last of our groups was made with: a kept one has an old one. */
static int newest(void)
{
    AUTO_FREE char *prefix = xasprintf("glovebox-%d-", getpid());
    DIR *d = opendir(places[0].where);
    int highest = -1;

    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (!str_starts(str_from(e->d_name), prefix))
            continue;
        int number = 0;
        for (const char *p = strrchr(e->d_name, '-') + 1; *p; p++)
            number = number * 10 + (*p - '0');
        highest = number > highest ? number : highest;
    }
    if (d)
        closedir(d);
    return highest;
}

static void use(struct cgroup *c, size_t bytes)
{
    pid_t pid = fork_into(c);

    if (pid == 0) {
        char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(p, 1, bytes);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void test_kept(void)
{
    struct cgroup *c = open_or_die(usual);
    struct cgroup_usage usage;
    int first = newest(), dirs = count_dirs(getpid());

    use(c, 8 * MIB);
    cgroup_usage(c, &usage);
    OK(usage.memory_peak >= 8 * MIB && usage.cpu_ns > 0, "it was used");
    cgroup_close(c);
    EQ_INT(count_dirs(getpid()), dirs);
    c = open_or_die(usual);
    EQ_INT(newest(), first);
    EQ_INT(count_dirs(getpid()), dirs);
    EQ_INT(cgroup_held(c), CGROUP_LAYERS);
    cgroup_usage(c, &usage);
    OK(usage.memory_peak < 4 * MIB, "the peak is its own: %llu",
       (unsigned long long)usage.memory_peak);
    OK(usage.cpu_ns < 1000000, "and so is the time: %llu ns", (unsigned long long)usage.cpu_ns);
    use(c, 4 * MIB);
    cgroup_usage(c, &usage);
    OK(usage.memory_peak >= 4 * MIB && usage.memory_peak < 8 * MIB, "which count on");
    cgroup_close(c);
}

static void test_other_limits(void)
{
    struct jail_limits more = usual;
    int before = newest();

    more.memory_bytes = 64 * MIB;
    struct cgroup *c = open_or_die(more);
    OK(newest() > before, "who has other limits has another group");
    cgroup_use_once(c);
    cgroup_close(c);
}

/* Each of these groups is removed. */
static void spoil_by_kill(struct cgroup *c)
{
    cgroup_kill(c);
}

static void spoil_by_hand(struct cgroup *c)
{
    cgroup_use_once(c);
}

static void spoil_by_memory(struct cgroup *c)
{
    use(c, 64 * MIB);
}

static void spoil_by_processes(struct cgroup *c)
{
    pid_t pid = fork_into(c);

    if (pid == 0) {
        for (int i = 0; i < 12; i++)
            if (fork() == 0)
                (void)poll(NULL, 0, 300), _exit(0);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void spoil_by_living(struct cgroup *c)
{
    int ends[2];
    char byte;

    if (pipe(ends) < 0)
        abort();
    if (fork_into(c) == 0) {
        close(ends[0]);
        close(ends[1]);
        for (int i = 0; i < 100; i++)
            pause_ms(100);
        _exit(0);
    }
    close(ends[1]);
    (void)!read(ends[0], &byte, 1); /* it is in there */
    close(ends[0]);
}

static void spoil_by_time(struct cgroup *c)
{
    pid_t pid = fork_into(c);

    if (pid == 0) {
        if (fork() == 0)
            for (int64_t end = clock_mono_ms() + 300; clock_mono_ms() < end;)
                ;
        for (int64_t end = clock_mono_ms() + 300; clock_mono_ms() < end;)
            ;
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* Sends datagrams that nobody receives until there is room for none. Some 200 KiB each; at most 32
 * MiB would come together without a limit. */
static void fill_buffers(size_t sockets)
{
    static char block[60000];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof to;
    int from = socket(AF_INET, SOCK_DGRAM, 0);

    for (size_t i = 0; i < sockets; i++) {
        int s = socket(AF_INET, SOCK_DGRAM, 0);
        to.sin_port = 0;
        if (from < 0 || s < 0 || bind(s, (struct sockaddr *)&to, sizeof to) < 0 ||
            getsockname(s, (struct sockaddr *)&to, &size) < 0)
            _exit(99);
        for (int k = 0; k < 4; k++)
            (void)!sendto(from, block, sizeof block, MSG_DONTWAIT, (struct sockaddr *)&to, size);
    }
}

static void use_buffers(struct cgroup *c, size_t sockets)
{
    int status = 0;
    pid_t pid = fork_into(c);

    if (pid == 0) {
        fill_buffers(sockets);
        _exit(0);
    }
    EQ_INT(waitpid(pid, &status, 0), pid);
    EQ_INT(status, 0);
}

static void spoil_by_buffers(struct cgroup *c)
{
    struct cgroup_usage usage;

    use_buffers(c, 160);
    cgroup_usage(c, &usage);
    OK(usage.buffer_hits > 0, "its sockets had no more room");
}

/* 3 of 8 MiB are no reason to throw it away, but nothing of them may show. */
static void test_buffers(void)
{
    struct cgroup *c = open_or_die(usual);
    struct cgroup_usage usage;
    int number = newest();

    use_buffers(c, 16);
    cgroup_usage(c, &usage);
    OK(usage.memory_peak >= 2 * MIB && !usage.buffer_hits, "buffers of sockets count: %llu",
       (unsigned long long)usage.memory_peak);
    for (int i = 0; i < 200 && usage.memory_now > MIB; i++) { /* sockets end after their process */
        pause_ms(10);
        cgroup_usage(c, &usage);
    }
    cgroup_close(c);
    c = open_or_die(usual);
    EQ_INT(newest(), number);
    cgroup_usage(c, &usage);
    OK(usage.memory_peak < 2 * MIB, "the next run sees none of them: %llu",
       (unsigned long long)usage.memory_peak);
    cgroup_use_once(c);
    cgroup_close(c);
}

static const struct {
    void (*spoil)(struct cgroup *c);
    const char *what;
} spoiled[] = {
    {spoil_by_kill, "was killed"},
    {spoil_by_hand, "is for one run"},
    {spoil_by_memory, "was out of memory"},
    {spoil_by_buffers, "was out of buffers"},
    {spoil_by_processes, "was refused a process"},
    {spoil_by_living, "still has a process"},
    {spoil_by_time, "was throttled"},
};

static void test_spoiled(void)
{
    for (size_t i = 0; i < ARRAY_LEN(spoiled); i++) {
        struct cgroup *c = open_or_die(usual);
        int number = newest();
        spoiled[i].spoil(c);
        cgroup_close(c);
        (void)reap_all();
        c = open_or_die(usual);
        OK(newest() > number, "one that %s is not used again", spoiled[i].what);
        cgroup_use_once(c);
        cgroup_close(c);
    }
}

static void test_room(void)
{
    struct cgroup *c[3];
    int each;

    for (size_t i = 0; i < ARRAY_LEN(c); i++)
        c[i] = open_or_die(usual);
    each = count_dirs(getpid()) / 3;
    for (size_t i = 0; i < ARRAY_LEN(c); i++)
        cgroup_close(c[i]);
    EQ_INT(count_dirs(getpid()), 2 * each);
    cgroup_spare(-1);
    EQ_INT(count_dirs(getpid()), each);
    cgroup_spare(-1);
    EQ_INT(count_dirs(getpid()), 0);
    cgroup_close(open_or_die(usual));
    EQ_INT(count_dirs(getpid()), 0);
}

int main(void)
{
    if (!can_run()) {
        SKIP(NEED_ROOT);
        return tap_done();
    }
    if (strcmp(places[0].by, "v1") != 0) {
        SKIP("no control groups of version 1, the only ones that are kept");
        return tap_done();
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    cgroup_spare(2);
    RUN(test_kept());
    RUN(test_other_limits());
    RUN(test_buffers());
    RUN(test_spoiled());
    RUN(test_room());
    return tap_done();
}
