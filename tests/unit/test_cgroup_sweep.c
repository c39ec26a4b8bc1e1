/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "cgroup_common.h"

/* A process that owns a group with a sleeper in it. */
static pid_t start_owner(pid_t *ret_sleeper)
{
    int ends[2];
    struct err err;
    pid_t owner;

    if (fd_pipe(ends, &err) < 0)
        abort();
    owner = fork();
    if (owner == 0) {
        pid_t sleeper = fork_into(open_or_die((struct jail_limits){.pids = 4}));
        if (sleeper)
            (void)!write(ends[1], &sleeper, sizeof sleeper);
        for (;;)
            pause();
    }
    if (read(ends[0], ret_sleeper, sizeof *ret_sleeper) != sizeof *ret_sleeper)
        abort();
    close(ends[0]);
    close(ends[1]);
    return owner;
}

static void print_sweep_beside(int live_dirs)
{
    int64_t start = clock_mono_ns();

    for (int i = 0; i < 100; i++)
        cgroup_sweep();
    printf("# sweep beside %d directories of a live owner: %.1f us\n", live_dirs,
           (double)(clock_mono_ns() - start) / 1e5);
}

static void test_sweep(void)
{
    pid_t live_sleeper, dead_sleeper;
    pid_t live = start_owner(&live_sleeper), dead = start_owner(&dead_sleeper);
    AUTO_FREE char *stranger = xasprintf("%s/glovebox-keep", places[0].where);
    AUTO_FREE char *elsewhere = xasprintf("%s/glovebox-%d-1-1234-0", places[0].where, 0x3ffffe);
    int live_dirs = count_dirs(live);

    OK(live_dirs > 0 && count_dirs(dead) == live_dirs, "two owners have %d directories each",
       live_dirs);
    OK(mkdir(stranger, 0755) == 0 && mkdir(elsewhere, 0755) == 0, "and there are others");
    kill(dead, SIGKILL);
    waitid(P_PID, (id_t)dead, &(siginfo_t){0}, WEXITED | WNOWAIT); /* it stays a zombie */
    cgroup_sweep();
    EQ_INT(count_dirs(dead), 0);
    waitpid(dead, NULL, 0);
    EQ_INT(waitpid(dead_sleeper, NULL, 0), dead_sleeper);
    EQ_INT(count_dirs(live), live_dirs);
    EQ_INT(kill(live_sleeper, 0), 0);
    OK(rmdir(stranger) == 0, "a name it does not know is left alone");
    OK(rmdir(elsewhere) == 0, "so is an owner from another pid namespace");
    print_sweep_beside(live_dirs);
    kill(live, SIGKILL);
    waitpid(live, NULL, 0);
    cgroup_sweep();
    EQ_INT(count_dirs(live), 0);
    EQ_INT(reap_all(), 1);
}

/* ---- figures ---- */

#define ROUNDS 200

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void print_median(const char *what, int64_t ns[ROUNDS])
{
    qsort(ns, ROUNDS, sizeof *ns, by_value);
    printf("# %s: median %.1f us, p99 %.1f us\n", what, (double)ns[ROUNDS / 2] / 1e3,
           (double)ns[ROUNDS - ROUNDS / 100 - 1] / 1e3);
}

static void print_figures(void)
{
    static int64_t sweep[ROUNDS], open[ROUNDS], oom[ROUNDS], enter[ROUNDS], usage[ROUNDS],
        close[ROUNDS];
    struct jail_limits limits = {.memory_bytes = 64 * MIB, .pids = 64, .cpu_milli = 1000};
    int64_t *in_child = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    for (int i = 0; i < ROUNDS; i++) {
        struct cgroup_usage use;
        int64_t at[6];
        at[0] = clock_mono_ns();
        cgroup_sweep();
        at[1] = clock_mono_ns();
        struct cgroup *c = open_or_die(limits);
        at[2] = clock_mono_ns();
        (void)cgroup_oom_fd(c);
        at[3] = clock_mono_ns();
        int fds[CGROUP_ENTER_MAX];
        size_t n = cgroup_enter_fds(c, fds);
        pid_t pid = fork();
        if (pid == 0) {
            int64_t start = clock_mono_ns();
            for (size_t k = 0; k < n; k++)
                (void)!write(fds[k], "0", 1);
            *in_child = clock_mono_ns() - start;
            _exit(0);
        }
        waitpid(pid, NULL, 0);
        enter[i] = *in_child;
        at[4] = clock_mono_ns();
        cgroup_usage(c, &use);
        at[5] = clock_mono_ns();
        cgroup_close(c);
        close[i] = clock_mono_ns() - at[5];
        sweep[i] = at[1] - at[0];
        open[i] = at[2] - at[1];
        oom[i] = at[3] - at[2];
        usage[i] = at[5] - at[4];
    }
    print_median("sweep, nothing to do", sweep);
    print_median("open", open);
    print_median("oom descriptor", oom);
    print_median("enter by descriptors", enter);
    print_median("usage", usage);
    print_median("close", close);
    munmap(in_child, 4096);
}

int main(void)
{
    if (!can_run()) {
        SKIP(NEED_ROOT);
        return tap_done();
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    RUN(test_sweep());
    print_figures();
    EQ_INT(count_dirs(getpid()), 0);
    return tap_done();
}
