/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "limits/watch.h"
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

/* Pages of zeros that were only read: 16 MiB of tables, and nothing else. */
static void body_tables(int fd)
{
    const size_t size = (size_t)8 << 30;
    char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int sum = 0;

    if (p == MAP_FAILED)
        _exit(99);
    (void)madvise(p, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += (size_t)2 << 20)
        sum += ((volatile char *)p)[i];
    if (sum)
        _exit(99);
    ready(fd);
}

static void test_tables(void)
{
    pid_t pid = start(body_tables);
    struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};
    uint64_t bytes;

    EQ_INT(watch_tree_memory(&tree, &bytes), 0);
    OK(near(bytes, 16 * MIB, 1), "page tables count: %llu KiB", (unsigned long long)bytes / 1024);
    tree.exact_at_bytes = 1;
    EQ_INT(watch_tree_memory(&tree, &bytes), 0);
    OK(near(bytes, 16 * MIB + empty_exact, 0), "exactly, too: %llu KiB",
       (unsigned long long)bytes / 1024);
    stop(pid);
}

#define PAIRS 64

/* Some 200 KiB in each; the senders of every other pair are closed. */
static void fill_sockets(void)
{
    static char block[16384];
    int ends[2];

    for (int i = 0; i < PAIRS; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) < 0)
            _exit(99);
        while (send(ends[0], block, sizeof block, 0) > 0)
            ;
        if (i % 2)
            close(ends[0]);
    }
}

static void body_sockets(int fd)
{
    fill_sockets();
    ready(fd);
}

static void body_shy(int fd)
{
    prctl(PR_SET_DUMPABLE, 0);
    body_sockets(fd);
}

static void *private_table(void *ready_fd)
{
    if (unshare(CLONE_FILES) == 0)
        fill_sockets();
    ready(*(int *)ready_fd);
    sleep_for_ever();
    return NULL;
}

/* Only a thread has them, and the first one has ended. */
static void body_apart(int fd)
{
    static int ready_fd;
    pthread_t thread;

    ready_fd = fd;
    if (pthread_create(&thread, NULL, private_table, &ready_fd) != 0)
        _exit(99);
    pthread_exit(NULL);
}

static bool knows_threads(void)
{
    AUTO_CLOSE int fd = pidfd_open(getpid(), O_EXCL); /* PIDFD_THREAD, Linux 6.9 */

    return fd >= 0;
}

static void test_sockets(void)
{
    static const struct {
        void (*body)(int fd);
        const char *what;
        bool threads, rights;
    } cases[] = {
        {body_sockets, "of a process", false, false},
        {body_shy, "of one that is not dumpable", false, true},
        {body_apart, "that only a thread has", true, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        pid_t pid = start(cases[i].body);
        struct watch_tree tree = {.root = pid, .in_pidns = true, .tmpfs_fd = -1};
        uint64_t without = 0, with = 0;
        (void)watch_tree_memory(&tree, &without);
        tree.with_sockets = true;
        EQ_INT(watch_tree_memory(&tree, &with), 0);
        if (cases[i].threads && !knows_threads())
            SKIP("needs PIDFD_THREAD");
        else if (cases[i].rights && geteuid() != 0)
            SKIP("needs root, or a user namespace");
        else
            OK(with > without + 6 * MIB && with < without + 40 * MIB,
               "buffers of sockets %s: %llu KiB", cases[i].what,
               (unsigned long long)(with - without) / 1024);
        stop(pid);
    }
}

int main(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    measure_empty();
    RUN(test_memory());
    RUN(test_orphan());
    RUN(test_tmpfs());
    RUN(test_files());
    RUN(test_tables());
    RUN(test_sockets());
    RUN(test_tasks());
    RUN(test_cpu());
    print_costs();
    return tap_done();
}
