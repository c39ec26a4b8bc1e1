/* SPDX-License-Identifier: Apache-2.0
 *
 * Kills a guest that has no pid namespace. (In one, all its processes die with init.)
 *
 * Killing races with forking: a few processes that fork all the time are faster than a loop that
 * kills one after the other, because each that dies makes room for another. A stopped process makes
 * no room. So all are stopped first, again and again, until two looks see the same processes and
 * none runs; at the latest when stopped processes fill the limit, so that no process can fork. Then
 * all are killed.
 */
#include "inside/inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

#define ROUNDS    1000 /* each of a millisecond or more; the library waits two seconds for us */
#define STOPS     50   /* rounds of waiting for processes that do not stop */
#define TREE_MAX  8192
#define LIST_TEXT 65536

struct tree {
    pid_t pids[TREE_MAX];
    size_t count;
};

static bool to_pid(struct str digits, pid_t *ret)
{
    pid_t pid = 0;

    for (size_t i = 0; i < digits.n && digits.p[i] >= '0' && digits.p[i] <= '9'; i++)
        pid = pid * 10 + (digits.p[i] - '0');
    *ret = pid;
    return pid > 1;
}

static void add_children(struct tree *t, pid_t pid, const char *thread)
{
    static char text[LIST_TEXT];
    char path[64];
    struct str rest, one;
    pid_t child;

    snprintf(path, sizeof path, "/proc/%d/task/%.12s/children", (int)pid, thread);
    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) < 0)
        return;
    rest = str_from(text);
    while (t->count < TREE_MAX && str_next(&rest, ' ', &one))
        if (to_pid(one, &child))
            t->pids[t->count++] = child;
}

/* /proc lists children by the thread that made them. */
static void add_children_of(struct tree *t, pid_t pid)
{
    char path[32];
    struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            add_children(t, pid, entry->d_name);
    if (dir)
        closedir(dir);
}

static void look(struct tree *t)
{
    t->count = 0;
    add_children_of(t, getpid());
    for (size_t i = 0; i < t->count; i++)
        add_children_of(t, t->pids[i]);
}

/* True if the process is stopped, dead, or in a wait that only SIGKILL can end, by the letter after
 * its name (proc(5)). */
static bool is_still(pid_t pid)
{
    char path[32], text[512];
    const char *end;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) < 0)
        return true;
    end = strrchr(text, ')');
    return !end || strchr("TtZXD", end[2]);
}

static bool all_stopped(const struct tree *t, const struct tree *before)
{
    bool still =
        t->count == before->count && memcmp(t->pids, before->pids, t->count * sizeof *t->pids) == 0;

    for (size_t i = 0; i < t->count; i++) {
        if (is_still(t->pids[i]))
            continue;
        (void)kill(t->pids[i], SIGSTOP);
        still = false;
    }
    return still;
}

static bool all_children_ended(void)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        ;
    return pid < 0; /* ECHILD */
}

void end_children(void)
{
    static struct tree trees[2];
    unsigned running = 0;

    for (int round = 0; round < ROUNDS && !all_children_ended(); round++) {
        struct tree *now = &trees[round % 2];
        look(now);
        if (!all_stopped(now, &trees[!(round % 2)]) && ++running < STOPS) {
            usleep(200);
            continue;
        }
        for (size_t i = 0; i < now->count; i++)
            (void)kill(now->pids[i], SIGKILL);
        running = 0;
        usleep(1000);
    }
}
