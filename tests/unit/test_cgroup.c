/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "cgroup_common.h"

/* What a limit's file in our one open directory says. */
static void read_limit(const struct cgroup_place *place, const char *file, char *out, size_t n)
{
    AUTO_FREE char *prefix = xasprintf("glovebox-%d-", getpid());
    DIR *d = opendir(place->where);

    out[0] = '\0';
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (!str_starts(str_from(e->d_name), prefix))
            continue;
        AUTO_FREE char *path = xasprintf("%s/%s/%s", place->where, e->d_name, file);
        (void)fd_read_file_at(AT_FDCWD, path, out, n);
        out[strcspn(out, "\n")] = '\0';
    }
    if (d)
        closedir(d);
}

/* ---- limits ---- */

static const struct {
    const char *by, *file, *want;
    int place;
} set_limits[] = {
    {"v1", "memory.limit_in_bytes", "33554432", 0},
    {"v1", "memory.kmem.tcp.limit_in_bytes", "8388608", 0},
    {"v1", "pids.max", "11", 1},
    {"v1", "cpu.cfs_quota_us", "50000", 2},
    {"v1", "cpu.cfs_period_us", "100000", 2},
    {"v2", "memory.max", "33554432", 0},
    {"v2", "memory.oom.group", "1", 0},
    {"v2", "hugetlb.2MB.max", "0", 0},
    {"v2", "pids.max", "11", 1},
    {"v2", "cpu.max", "50000 100000", 2},
};

static void test_limits_are_set(void)
{
    struct cgroup *c =
        open_or_die((struct jail_limits){.memory_bytes = 32 * MIB, .pids = 10, .cpu_milli = 500});
    char text[64];

    EQ_INT(cgroup_held(c), CGROUP_LAYERS);
    for (size_t i = 0; i < ARRAY_LEN(set_limits); i++) {
        const struct cgroup_place *place = &places[set_limits[i].place];
        if (strcmp(place->by, set_limits[i].by) != 0)
            continue;
        read_limit(place, set_limits[i].file, text, sizeof text);
        if (!text[0] && str_starts(str_from(set_limits[i].file), "hugetlb."))
            continue; /* a kernel without */
        OK(tap_same(text, set_limits[i].want), "%s %s reads %s", place->by, set_limits[i].file,
           text);
    }
    cgroup_close(c);

    c = open_or_die((struct jail_limits){.cpu_milli = 1});
    EQ_INT(cgroup_held(c), CGROUP_LAYERS);
    cgroup_close(c);
    c = open_or_die((struct jail_limits){.cpu_milli = UINT32_MAX, .pids = UINT32_MAX - 1});
    OK(cgroup_held(c) & LAYER_BIT(LAYER_CPU), "a share beyond all processors is no failure");
    cgroup_close(c);
    EQ_INT(count_dirs(getpid()), 0);
}

static void test_wanted(void)
{
    struct jail_limits limits = {.pids = 4};
    struct cgroup *c = NULL;
    struct err err;

    EQ_INT(cgroup_open(&limits, LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_SECCOMP), &c, &err), 0);
    EQ_INT(cgroup_held(c), LAYER_BIT(LAYER_PIDS));
    EQ_INT(cgroup_oom_fd(c), -1);
    EQ_INT(count_dirs(getpid()), 1);
    cgroup_close(c);
    EQ_INT(cgroup_open(&limits, 0, &c, &err), 0);
    EQ_INT(cgroup_held(c), 0);
    EQ_INT(count_dirs(getpid()), 0);
    cgroup_close(c);
    cgroup_close(NULL);
}

static void use_memory(uint64_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (uint64_t i = 0; p != MAP_FAILED && i < bytes; i += 4096)
        p[i] = 1;
}

static void test_memory(void)
{
    struct cgroup *c = open_or_die((struct jail_limits){.memory_bytes = 32 * MIB, .pids = 8});
    struct pollfd oom = {.fd = cgroup_oom_fd(c), .events = POLLIN};
    struct cgroup_usage use;
    int status = 0;

    OK(oom.fd >= 0, "there is a descriptor for memory running out");
    EQ_INT(poll(&oom, 1, 0), 0);
    pid_t pid = fork_into(c);
    if (pid == 0) {
        use_memory(8 * MIB);
        _exit(7);
    }
    waitpid(pid, &status, 0);
    OK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "8 of 32 MiB may be used");
    cgroup_usage(c, &use);
    OK(use.memory_peak >= 8 * MIB && use.memory_peak < 32 * MIB, "peak is %llu",
       (unsigned long long)use.memory_peak);
    EQ_INT(use.oom_kills, 0);
    EQ_INT(poll(&oom, 1, 0), 0);

    pid = fork_into(c);
    if (pid == 0) {
        use_memory(64 * MIB);
        _exit(7);
    }
    EQ_INT(poll(&oom, 1, 10000), 1);
    waitpid(pid, &status, 0);
    OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "64 of 32 MiB may not");
    cgroup_usage(c, &use);
    OK(use.oom_kills >= 1, "the kill is counted: %llu", (unsigned long long)use.oom_kills);
    OK(use.memory_peak > 24 * MIB && use.memory_peak <= 32 * MIB, "the limit was never passed");
    pause_ms(50); /* v2 holds news back that come within 10 ms of the last */
    cgroup_usage(c, &use);
    EQ_INT(poll(&oom, 1, 0), 0);
    EQ_INT(cgroup_oom_fd(c), oom.fd);
    cgroup_close(c);
}

static void test_pids(void)
{
    struct cgroup *c = open_or_die((struct jail_limits){.memory_bytes = 64 * MIB, .pids = 20});
    struct cgroup_usage use;
    int ends[2], made = -1;
    struct err err;

    if (fd_pipe(ends, &err) < 0)
        abort();
    if (fork_into(c) == 0) {
        int n = 0;
        for (int i = 0; i < 40; i++) {
            pid_t pid = fork();
            if (pid == 0)
                for (;;)
                    pause();
            n += pid > 0;
        }
        (void)!write(ends[1], &n, sizeof n);
        for (;;)
            pause();
    }
    EQ_INT(read(ends[0], &made, sizeof made), (long)sizeof made);
    EQ_INT(made, 20); /* 20 allowed and one for the init, which the bomber is here */
    cgroup_usage(c, &use);
    OK(use.pids_hits >= 1, "refused forks are counted: %llu", (unsigned long long)use.pids_hits);
    cgroup_kill(c);
    EQ_INT(reap_all(), 21);
    cgroup_close(c);
    close(ends[0]);
    close(ends[1]);
}

static void spin_ms(int64_t ms)
{
    int64_t end = clock_mono_ms() + ms;

    while (clock_mono_ms() < end)
        ;
}

static void test_cpu(void)
{
    struct cgroup *c = open_or_die((struct jail_limits){.cpu_milli = 200, .cpu_ms = 60000});
    struct cgroup_usage use;
    pid_t pid = fork_into(c);

    if (pid == 0) {
        spin_ms(600);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    cgroup_usage(c, &use);
    OK(use.cpu_ns > 1000000 && use.cpu_ns < 300000000,
       "a fifth of a processor for 600 ms gives %llu ms", (unsigned long long)use.cpu_ns / 1000000);
    cgroup_close(c);
}

/* ---- ending ---- */

/* Each generation makes the next and ends: no list of pids is ever right. */
static void test_kill_runner(void)
{
    struct cgroup *c = open_or_die((struct jail_limits){.memory_bytes = 64 * MIB, .pids = 30});

    for (int i = 0; i < 5; i++)
        if (fork_into(c) == 0)
            for (;;)
                if (fork() > 0)
                    _exit(0);
    pause_ms(30);
    cgroup_close(c);
    OK(reap_all() >= 5, "closing ends processes that fork all the time");
    EQ_INT(count_dirs(getpid()), 0);
}

static void test_many(void)
{
    for (int i = 0; i < 200; i++) {
        struct cgroup *c = open_or_die((struct jail_limits){.memory_bytes = 32 * MIB, .pids = 4});
        if (i % 20 == 0 && fork_into(c) == 0)
            for (;;)
                pause();
        cgroup_close(c);
    }
    EQ_INT(reap_all(), 10);
    EQ_INT(count_dirs(getpid()), 0);
}

/* ---- without rights ---- */

static int as_nobody(void)
{
    struct cgroup_place none[CGROUP_PLACES];
    struct jail_limits limits = {.memory_bytes = 32 * MIB, .pids = 4, .cpu_milli = 1000};
    struct cgroup_usage use;
    struct cgroup *c = NULL;
    struct err err;
    int fds[CGROUP_ENTER_MAX], bad = 0;

    cgroup_sweep();
    bad += cgroup_open(&limits, CGROUP_LAYERS, &c, &err) != 0;
    bad += cgroup_held(c) != 0 || cgroup_enter_fds(c, fds) != 0 || cgroup_dir_fd(c) != -1;
    bad += cgroup_oom_fd(c) != -1;
    cgroup_usage(c, &use);
    bad += use.cpu_ns || use.memory_now || use.memory_peak || use.oom_kills || use.pids_hits;
    cgroup_kill(c);
    cgroup_close(c);
    cgroup_describe(none);
    for (size_t i = 0; i < CGROUP_PLACES; i++) {
        printf("# %s: %s\n", none[i].by, none[i].why);
        bad += strcmp(none[i].by, "none") != 0 || !none[i].why[0] || none[i].where[0];
    }
    return bad;
}

static void test_ordinary_user(void)
{
    int status = 0;
    pid_t pid;

    if (geteuid() != 0) {
        SKIP("needs root, to become somebody else");
        return;
    }
    pid = fork();
    if (pid == 0) {
        if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
            setresuid(65534, 65534, 65534) < 0)
            _exit(98);
        int bad = as_nobody();
        fflush(stdout);
        _exit(bad);
    }
    waitpid(pid, &status, 0);
    OK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "an ordinary user gets none, and why");
}

int main(void)
{
    RUN(test_ordinary_user());
    if (!can_run()) {
        SKIP(NEED_ROOT);
        return tap_done();
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    RUN(test_limits_are_set());
    RUN(test_wanted());
    RUN(test_memory());
    RUN(test_pids());
    RUN(test_cpu());
    RUN(test_kill_runner());
    RUN(test_many());
    EQ_INT(count_dirs(getpid()), 0);
    return tap_done();
}
