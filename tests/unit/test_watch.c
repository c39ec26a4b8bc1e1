/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/watch.h"
#include "tap.h"

#define MIB ((uint64_t)1 << 20)

static char *use_memory(uint64_t bytes, int flags)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        _exit(99);
    for (uint64_t i = 0; i < bytes; i += 4096)
        p[i] = 1;
    return p;
}

/* Of this process, however busy the machine is. */
static int64_t processor_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void spin_ms(int64_t ms)
{
    int64_t end = processor_ms() + ms;

    while (processor_ms() < end)
        ;
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

/* Starts a session of its own that runs `body` and writes a byte when it is ready to be looked at.
 */
static pid_t start(void (*body)(int ready))
{
    int ends[2];
    char byte;
    struct err err;
    pid_t pid;

    if (fd_pipe(ends, &err) < 0)
        abort();
    pid = fork();
    if (pid == 0) {
        setsid();
        body(ends[1]);
        sleep_for_ever();
    }
    if (read(ends[0], &byte, 1) != 1)
        abort();
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void ready(int fd)
{
    if (write(fd, "r", 1) != 1)
        _exit(99);
}

static void stop(pid_t leader)
{
    kill(-leader, SIGKILL);
    waitpid(leader, NULL, 0);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

static uint64_t empty_bytes, empty_exact; /* a process that does nothing */

static bool near(uint64_t got, uint64_t want, uint64_t processes)
{
    want += processes * empty_bytes;
    return got + 3 * MIB > want && got < want + 3 * MIB; /* a sanitizer needs some of its own */
}

static void body_small(int fd)
{
    ready(fd);
}

/* 20 MiB that a child shares, and 10 MiB of the child's own. */
static void body_private(int fd)
{
    use_memory(20 * MIB, MAP_PRIVATE);
    if (fork() == 0) {
        use_memory(10 * MIB, MAP_PRIVATE);
        ready(fd);
        sleep_for_ever();
    }
}

static void body_shared(int fd)
{
    use_memory(16 * MIB, MAP_SHARED);
    ready(fd);
}

/* 12 MiB in a file that nobody maps, open in two processes; 4 MiB in another, open twice in one. */
static void body_files(int fd)
{
    static char block[MIB];
    int large = memfd_create("large", 0), small = memfd_create("small", 0);

    memset(block, 1, sizeof block);
    for (int i = 0; i < 12; i++)
        if (fd_write_all(large, block, sizeof block) < 0 ||
            (i % 3 == 0 && fd_write_all(small, block, sizeof block) < 0))
            _exit(99);
    if (fork() == 0) {
        if (dup(small) < 0)
            _exit(99);
        ready(fd);
        sleep_for_ever();
    }
    close(small);
}

static void *wait_thread(void *unused)
{
    (void)unused;
    sleep_for_ever();
    return NULL;
}

/* Two processes, one of them with three threads. */
static void body_threads(int fd)
{
    pthread_t thread;

    if (fork() == 0)
        sleep_for_ever();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread, NULL, wait_thread, NULL) != 0)
            _exit(99);
    ready(fd);
}

/* Its grandchild loses its parent. */
static void body_orphan(int fd)
{
    if (fork() == 0) {
        if (fork() == 0) {
            use_memory(12 * MIB, MAP_PRIVATE);
            ready(fd);
            sleep_for_ever();
        }
        _exit(0);
    }
    wait(NULL);
}

static void measure_empty(void)
{
    pid_t pid = start(body_small);
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};

    EQ_INT(watch_tree_memory(&tree, &empty_bytes), 0);
    tree.exact_at_bytes = 1;
    EQ_INT(watch_tree_memory(&tree, &empty_exact), 0);
    stop(pid);
}

static void test_memory(void)
{
    pid_t pid = start(body_private);
    uint64_t low = 0, exact = 0;
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};

    EQ_INT(watch_tree_memory(&tree, &low), 0);
    OK(near(low, 50 * MIB, 2), "an estimate counts what a fork shares in both: %llu KiB",
       (unsigned long long)low / 1024);
    tree.exact_at_bytes = 40 * MIB;
    EQ_INT(watch_tree_memory(&tree, &exact), 0);
    OK(near(exact, 30 * MIB, 1), "near the limit it is counted once: %llu KiB",
       (unsigned long long)exact / 1024);
    tree.exact_at_bytes = 100 * MIB;
    EQ_INT(watch_tree_memory(&tree, &exact), 0);
    OK(near(exact, 50 * MIB, 2), "far below the limit it is not");
    stop(pid);

    pid = start(body_shared);
    tree = (struct watch_tree){.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    EQ_INT(watch_tree_memory(&tree, &low), 0);
    OK(near(low, 16 * MIB, 1), "shared memory counts: %llu KiB", (unsigned long long)low / 1024);
    tree.exact_at_bytes = 1;
    EQ_INT(watch_tree_memory(&tree, &exact), 0);
    OK(near(exact, 16 * MIB + empty_exact, 0), "exactly, too: %llu KiB",
       (unsigned long long)exact / 1024);
    stop(pid);
}

static void test_orphan(void)
{
    pid_t pid = start(body_orphan);
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    uint64_t bytes = 0;

    EQ_INT(watch_tree_memory(&tree, &bytes), 0);
    OK(near(bytes, 0, 1), "an orphan is not below its root any more");
    tree.in_pidns = false;
    EQ_INT(watch_tree_memory(&tree, &bytes), 0);
    OK(near(bytes, 12 * MIB, 2), "its session has it: %llu KiB", (unsigned long long)bytes / 1024);
    stop(pid);
}

static void test_tmpfs(void)
{
    char dir[] = "/tmp/watch-test-XXXXXX";
    AUTO_CLOSE int fd = -1;
    AUTO_CLOSE int file = -1;
    uint64_t before = 0, after = 0;
    struct watch_tree tree;
    pid_t pid = start(body_small);

    tree = (struct watch_tree){.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    (void)watch_tree_memory(&tree, &before);
    if (!mkdtemp(dir) || mount("tmpfs", dir, "tmpfs", 0, "size=32m") < 0) {
        SKIP("needs root and tmpfs");
    } else {
        fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        file = openat(fd, "file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (posix_fallocate(file, 0, 8 * MIB) != 0)
            abort();
        tree.tmpfs_fd = fd;
        EQ_INT(watch_tree_memory(&tree, &after), 0);
        OK(after >= before + 7 * MIB && after <= before + 9 * MIB, "the tmpfs counts: %llu KiB",
           (unsigned long long)after / 1024);
        umount2(dir, MNT_DETACH);
    }
    rmdir(dir);
    stop(pid);
}

/* 100 ms itself, 100 in a child it waits for, 100 in one that still runs. */
static void body_spin(int fd)
{
    if (fork() == 0) {
        spin_ms(100);
        _exit(0);
    }
    wait(NULL);
    spin_ms(100);
    if (fork() == 0) {
        spin_ms(100);
        ready(fd);
        sleep_for_ever();
    }
}

static void test_cpu(void)
{
    pid_t pid = start(body_spin);
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    uint64_t ns = 0;

    EQ_INT(watch_tree_cpu(&tree, &ns), 0);
    /* Each of the three processes is counted in ticks, of 10 ms. */
    OK(ns >= 260000000 && ns <= 400000000, "three times 100 ms give %llu ms",
       (unsigned long long)ns / 1000000);
    stop(pid);
    EQ_INT(watch_tree_cpu(&tree, &ns), -1);
    EQ_INT(errno, ESRCH);
    EQ_INT(watch_tree_memory(&tree, &ns), -1);
}

static void body_many(int fd)
{
    for (int i = 0; i < 400; i++)
        if (fork() == 0)
            sleep_for_ever();
    ready(fd);
}

static void print_cost(const char *what, const struct watch_tree *tree, int times)
{
    uint64_t n = 0;
    int64_t start_ns = clock_mono_ns(), memory_ns;

    for (int i = 0; i < times; i++)
        (void)watch_tree_memory(tree, &n);
    memory_ns = clock_mono_ns() - start_ns;
    start_ns = clock_mono_ns();
    for (int i = 0; i < times; i++)
        (void)watch_tree_cpu(tree, &n);
    printf("# %s: memory %.1f us, cpu %.1f us\n", what, (double)memory_ns / times / 1e3,
           (double)(clock_mono_ns() - start_ns) / times / 1e3);
}

static void print_costs(void)
{
    pid_t pid = start(body_private);
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};

    print_cost("2 processes", &tree, 200);
    tree.exact_at_bytes = 1;
    print_cost("2 processes, exactly", &tree, 200);
    tree = (struct watch_tree){.root = pid, .in_pidns = false, .tmpfs_fd = -1};
    print_cost("2 processes by session", &tree, 50);
    stop(pid);
    pid = start(body_many);
    tree = (struct watch_tree){.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    print_cost("401 processes", &tree, 5);
    tree.in_pidns = false;
    print_cost("401 processes by session", &tree, 5);
    stop(pid);
}

static void test_files(void)
{
    pid_t pid = start(body_files);
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    uint64_t bytes;

    EQ_INT(watch_tree_memory(&tree, &bytes), 0);
    OK(near(bytes, 17 * MIB, 2), "16 MiB in memfds, each counted once: %llu KiB",
       (unsigned long long)bytes / 1024); /* and the block */
    stop(pid);
}

static void test_tasks(void)
{
    pid_t pid = start(body_threads);
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    uint64_t tasks;

    EQ_INT(watch_tree_tasks(&tree, &tasks), 0);
    EQ_INT(tasks, 4);
    stop(pid);
    EQ_INT(watch_tree_tasks(&tree, &tasks), -1);
}

int main(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    measure_empty();
    test_memory();
    test_orphan();
    test_tmpfs();
    test_files();
    test_tasks();
    test_cpu();
    print_costs();
    return tap_done();
}
