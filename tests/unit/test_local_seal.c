/* SPDX-License-Identifier: Apache-2.0
 *
 * What a copy in reserve is compared by: sums over a disk, and what two processes share.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/local_seal.h"
#include "base/fd.h"
#include "base/mem.h"
#include "tap.h"

static int box = -1;
static char before[SHA256_HEX], now[SHA256_HEX];

static void put(const char *name, const char *text)
{
    AUTO_CLOSE int fd = openat(box, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
}

/* Whether the sum has changed since it was last asked for. */
static bool changed(void)
{
    memcpy(before, now, sizeof before);
    if (box_sum(box, now) < 0)
        return true;
    return strcmp(before, now) != 0;
}

static void write_by_map(void)
{
    AUTO_CLOSE int fd = openat(box, "d/f", O_RDWR | O_CLOEXEC);
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (p == MAP_FAILED)
        abort();
    p[1] = 'X';
    munmap(p, 4096);
}

static void test_sum(void)
{
    (void)!mkdirat(box, "d", 0755);
    put("d/f", "text");
    (void)!symlinkat("f", box, "d/link");
    (void)!mkfifoat(box, "fifo", 0600);
    (void)changed();
    OK(!changed(), "the same twice");
    write_by_map();
    OK(changed(), "a write by a map, which changes no time");
    put("d/g", "");
    OK(changed(), "a file more");
    (void)!unlinkat(box, "d/g", 0);
    OK(changed(), "and away: the folder's time");
    (void)!fchmodat(box, "d/f", 0600, 0);
    OK(changed(), "a mode");
    (void)!unlinkat(box, "d/link", 0);
    (void)!symlinkat("/etc/passwd", box, "d/link");
    OK(changed(), "a link");
    OK(!changed(), "which is not followed");
}

static void test_times(void)
{
    struct stat st, after;

    put("t", "text");
    (void)!fstatat(box, "t", &st, 0);
    (void)usleep(20000);
    (void)changed();
    (void)!fstatat(box, "t", &after, 0);
    OK(st.st_atim.tv_sec == after.st_atim.tv_sec && st.st_atim.tv_nsec == after.st_atim.tv_nsec,
       "a look does not show in the time of the last read");
}

/* A folder in `at`; that is closed. */
static int deepen(int at)
{
    (void)!mkdirat(at, "x", 0755);
    int next = openat(at, "x", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(at);
    return next;
}

static void test_deep(void)
{
    int at = fcntl(box, F_DUPFD_CLOEXEC, 0);

    for (int i = 0; i < 200; i++)
        at = deepen(at);
    EQ_INT(box_sum(box, now), 0);
    at = deepen(at);
    EQ_INT(box_sum(box, now), -1);
    close(at);
}

static int wait_for_end(void *ctx)
{
    (void)ctx;
    return pause();
}

static void test_shares(void)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    static const struct {
        int flags;
        bool shares;
        const char *name;
    } cases[] = {{0, false, "a fork"},
                 {CLONE_VM, true, "one with the same memory"},
                 {CLONE_FS, true, "one with the same folder"},
                 {CLONE_FILES, true, "one with the same descriptors"}};

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        pid_t pid = clone(wait_for_end, stack + sizeof stack, cases[i].flags | SIGCHLD, NULL);
        OK(pid > 0 && local_seal_shares(getpid(), pid) == cases[i].shares, "%s", cases[i].name);
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
}

int main(void)
{
    char dir[] = "/dev/shm/test-seal-XXXXXX";

    if (!mkdtemp(dir) || (box = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        SKIP("needs /dev/shm");
        return tap_done();
    }
    RUN(test_sum());
    RUN(test_times());
    RUN(test_shares());
    RUN(test_deep());
    close(box);
    AUTO_FREE char *clean = xasprintf("rm -rf %s", dir);
    (void)!system(clean);
    return tap_done();
}
