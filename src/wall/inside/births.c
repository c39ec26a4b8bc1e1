/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits the processes and threads of each guest of a fork tree where no control group does.
 * RLIMIT_NPROC would count a guest's forks with it: their user namespaces are below its own. So
 * each clone comes here first (FILTER_TELLS_BIRTHS), to the init of the first guest, which sees the
 * processes of all.
 *
 * Looking at all processes takes a millisecond, so it is done only when a guest may have too many:
 * a number that is at least as large as theirs grows with each call that is let continue. Such a
 * call has not made its process yet. If many processes clone at once, a guest can therefore have
 * more than the limit, at most twice as many: each process waits for one answer.
 *
 * A process belongs to a guest if it has the guest's mounts. If it is not dumpable, it hides its
 * namespaces, but the numbers of its mounts can always be read, and each guest has a root of its
 * own. A dead process that was not reaped has none, so those of an ancestor count.
 */
#include "inside/notice.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "inside/inside.h"

/* The number of the first mount that a process or a thread sees; 0 if it is dead. */
static uint32_t mount_at(const char *folder)
{
    char path[96], text[16];
    int64_t number;

    snprintf(path, sizeof path, "%s/mountinfo", folder);
    AUTO_CLOSE int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
    struct str rest = {text, got > 0 ? (size_t)got : 0}, first;
    return str_next(&rest, ' ', &first) && num_int64(first, &number) ? (uint32_t)number : 0;
}

struct births_thread {
    int64_t pid;
    uint32_t mount;
};

static bool births_thread_look(const char *name, intptr_t with)
{
    struct births_thread *t = (struct births_thread *)with;
    char folder[64];
    int64_t thread;

    if (t->mount || !num_int64(str_from(name), &thread))
        return false;
    snprintf(folder, sizeof folder, "/proc/%d/task/%d", (int)t->pid, (int)thread);
    t->mount = mount_at(folder);
    return t->mount != 0;
}

/* Of a process whose first thread has ended, another thread shows the mounts. */
static uint32_t mount_of(int64_t pid)
{
    struct births_thread t = {.pid = pid};
    char folder[64];

    snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
    t.mount = mount_at(folder);
    if (!t.mount) {
        snprintf(folder, sizeof folder, "/proc/%d/task", (int)pid);
        (void)each_entry(folder, births_thread_look, (intptr_t)&t);
    }
    return t.mount;
}

/* The number in a line of /proc/PID/status. */
static int64_t births_number(const char *status, const char *key)
{
    const char *at = strstr(status, key);
    struct str rest = str_from(at ? at + strlen(key) : ""), line;
    int64_t number;

    return str_next_line(&rest, &line) && num_int64(str_trim(line), &number) ? number : 0;
}

static bool is_init(const char *status)
{
    const char *at = strstr(status, "\nNSpid:"), *end = at ? strchr(at + 1, '\n') : NULL;

    return end && end[-1] == '1' && (end[-2] == '\t' || end[-2] == ' ');
}

struct births_look {
    uint32_t mount;
    uint32_t tasks;
};

static bool births_status(int64_t pid, char *status, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return fd_read_file_at(AT_FDCWD, path, status, size) >= 0;
}

/* The mounts of a dead process are those of the first ancestor that is alive; 0 if none is. */
static uint32_t mount_above(const char *status)
{
    enum { ANCESTORS_MAX = 64 };
    char above[8192];
    uint32_t mount = 0;
    int64_t parent = births_number(status, "\nPPid:");

    for (int i = 0; !mount && parent > 1 && i < ANCESTORS_MAX; i++) {
        mount = mount_of(parent);
        if (mount || !births_status(parent, above, sizeof above))
            break;
        parent = births_number(above, "\nPPid:");
    }
    return mount;
}

/* A process of which nothing is known counts for each guest. */
static bool births_add(const char *name, intptr_t with)
{
    struct births_look *look = (struct births_look *)with;
    char status[8192];
    int64_t pid;

    if (!num_int64(str_from(name), &pid))
        return false;
    uint32_t mount = mount_of(pid);
    if (mount && mount != look->mount)
        return false;
    if (!births_status(pid, status, sizeof status) || is_init(status))
        return false;
    if (!mount)
        mount = mount_above(status);
    if (mount && mount != look->mount)
        return false;
    look->tasks += (uint32_t)births_number(status, "\nThreads:");
    return true;
}

static uint32_t count_tasks(uint32_t mount)
{
    struct births_look look = {.mount = mount};

    (void)each_entry("/proc", births_add, (intptr_t)&look);
    return look.tasks;
}

static struct births_member *births_find(struct births *b, uint32_t mount)
{
    for (size_t i = 0; i < BIRTHS_MEMBERS; i++)
        if (b->members[i].mount == mount)
            return &b->members[i];
    struct births_member *m = &b->members[b->next++ % BIRTHS_MEMBERS];
    *m = (struct births_member){.mount = mount, .most = UINT32_MAX};
    return m;
}

bool births_allow(struct births *b, uint32_t caller)
{
    uint32_t mount = mount_of(caller);

    if (!b->limit)
        return true;
    if (!mount)
        return false;
    struct births_member *m = births_find(b, mount);
    if (m->most >= b->limit)
        m->most = count_tasks(mount);
    if (m->most >= b->limit)
        return false;
    m->most++;
    return true;
}

void births_forget(struct births *b)
{
    memset(b->members, 0, sizeof b->members);
}
