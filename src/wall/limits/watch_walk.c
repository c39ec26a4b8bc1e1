/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/watch_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"
#include "base/str.h"

static bool parse_pid(struct str s, pid_t *ret)
{
    int64_t n;

    if (!num_int64(s, &n) || n <= 0 || n > INT32_MAX)
        return false;
    *ret = (pid_t)n;
    return true;
}

static void watch_add_below(struct watch_walk *w, pid_t pid, size_t parent)
{
    if (w->count == WATCH_PROCESSES_MAX) {
        w->full = true;
        return;
    }
    w->parents[w->count] = (uint16_t)parent;
    w->pids[w->count++] = pid;
}

static void watch_add(struct watch_walk *w, pid_t pid)
{
    watch_add_below(w, pid, w->count);
}

static bool has(const struct watch_walk *w, pid_t pid)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->pids[i] == pid)
            return true;
    return false;
}

static bool belongs(const struct watch_walk *w, pid_t pid)
{
    char path[32];
    struct stat st;

    if (!w->pid_space)
        return true;
    (void)snprintf(path, sizeof path, "/proc/%d/ns/pid", pid);
    return stat(path, &st) == 0 && st.st_ino == w->pid_space;
}

#define CHILDREN_TEXT (8 * WATCH_PROCESSES_MAX)

static void add_children_of_thread(struct watch_walk *w, bool again, pid_t pid, const char *thread)
{
    char path[64], text[CHILDREN_TEXT];
    struct str rest, word;
    ssize_t n;
    pid_t child;

    (void)snprintf(path, sizeof path, "/proc/%d/task/%.12s/children", pid, thread);
    n = fd_read_file_at(AT_FDCWD, path, text, sizeof text);
    rest = (struct str){text, n < 0 ? 0 : (size_t)n};
    while (!w->full && str_next(&rest, ' ', &word))
        if (parse_pid(word, &child) && !(again && has(w, child)) && belongs(w, child))
            watch_add_below(w, child, w->looked);
}

#define THREADS_MAX 1024 /* of one process; children of further threads are not found */

/* Children belong to the thread that made them. The folder of the threads has two links and one
 * more for each thread (fs/proc/base.c, proc_task_getattr), so most processes need not be
 * listed. */
static void add_children(struct watch_walk *w, bool again, pid_t pid)
{
    char path[32], self[12];
    struct stat st;
    DIR *dir;

    (void)snprintf(path, sizeof path, "/proc/%d/task", pid);
    (void)snprintf(self, sizeof self, "%d", pid);
    if (stat(path, &st) < 0)
        return;
    dir = st.st_nlink > 3 ? opendir(path) : NULL;
    if (!dir) {
        add_children_of_thread(w, again, pid, self);
        return;
    }
    struct dirent *entry = readdir(dir);
    for (int i = 0; entry && i < THREADS_MAX; entry = readdir(dir), i++)
        if (entry->d_name[0] != '.')
            add_children_of_thread(w, again, pid, entry->d_name);
    closedir(dir);
}

static void add_session(struct watch_walk *w, pid_t leader)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    pid_t pid;

    while (dir && !w->full && (entry = readdir(dir)))
        if (parse_pid(str_from(entry->d_name), &pid) && pid != leader && getsid(pid) == leader)
            watch_add(w, pid);
    if (dir)
        closedir(dir);
}

static void walk_begin(struct watch_walk *w, pid_t root, pid_t beside, uint64_t pid_space)
{
    w->count = 0;
    w->full = false;
    w->pid_space = pid_space;
    watch_add(w, root);
    if (beside && belongs(w, beside))
        watch_add(w, beside);
}

static void walk_down(struct watch_walk *w, bool again)
{
    for (w->looked = 0; w->looked < w->count && !w->full; w->looked++)
        add_children(w, again, w->pids[w->looked]);
}

void walk_tree(const struct watch_tree *tree, struct watch_walk *w)
{
    walk_begin(w, tree->root, tree->beside, tree->pid_space);
    if (!tree->in_pidns)
        add_session(w, tree->root);
    walk_down(w, !tree->in_pidns);
}

void walk_family(const struct watch_family *family, struct watch_walk *w)
{
    walk_begin(w, family->root, family->beside, family->pid_space);
    w->pid_space = 0;
    walk_down(w, false);
}
