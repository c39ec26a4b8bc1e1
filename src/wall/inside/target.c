/* SPDX-License-Identifier: Apache-2.0 */
#include "inside/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "inside/inside.h"

enum kind {
    THREAD,     /* a number; 0: the caller */
    SIGNALLED,  /* as for kill(2): a negative number is a group, -1 is all */
    GROUP,      /* a group; 0: the caller's */
    DESCRIPTOR, /* a process's descriptor */
    MEMORY,     /* in memory, which may change after the check */
};

enum { ANY = -1, IO_PROCESS = 1, IO_GROUP = 2, SET_OWNER = 0x8901, SET_GROUP = 0x8902 };

static const struct row {
    int nr;
    int option_arg, option; /* the row applies if this argument has this value */
    int arg;                /* the argument with the number */
    enum kind kind;
} rows[] = {
    {SYS_kill, 0, ANY, 0, SIGNALLED},
    {SYS_tkill, 0, ANY, 0, THREAD},
    {SYS_tgkill, 0, ANY, 0, THREAD}, /* the kernel checks that the thread is in that process */
    {SYS_rt_sigqueueinfo, 0, ANY, 0, THREAD},
    {SYS_rt_tgsigqueueinfo, 0, ANY, 0, THREAD},
    {SYS_pidfd_open, 0, ANY, 0, THREAD},
    {SYS_pidfd_send_signal, 0, ANY, 0, DESCRIPTOR},
    {SYS_sched_setaffinity, 0, ANY, 0, THREAD},
    {SYS_sched_setscheduler, 0, ANY, 0, THREAD},
    {SYS_sched_setparam, 0, ANY, 0, THREAD},
    {SYS_setpriority, 0, PRIO_PROCESS, 1, THREAD},
    {SYS_setpriority, 0, PRIO_PGRP, 1, GROUP},
    {SYS_ioprio_set, 0, IO_PROCESS, 1, THREAD},
    {SYS_ioprio_set, 0, IO_GROUP, 1, GROUP},
    {SYS_fcntl, 1, F_SETOWN, 2, SIGNALLED},
    {SYS_fcntl, 1, 15 /* F_SETOWN_EX */, 2, MEMORY},
    {SYS_ioctl, 1, SET_OWNER, 2, MEMORY},
    {SYS_ioctl, 1, SET_GROUP, 2, MEMORY},
};

/* The numbers of a process from our namespace down to its own: their count, and the last one. */
struct numbers {
    int count;
    int64_t last;
};

static struct numbers numbers_of(const char *status, const char *key)
{
    const char *at = strstr(status, key);
    struct numbers found = {0, -1};
    struct str rest = str_from(at ? at + strlen(key) : ""), line, word;

    if (!str_next_line(&rest, &line))
        return found;
    line = str_trim(line);
    while (str_next(&line, '\t', &word) && num_int64(word, &found.last))
        found.count++;
    return found;
}

static bool read_status(int64_t pid, char status[8192])
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return pid > 0 && fd_read_file_at(AT_FDCWD, path, status, 8192) > 0;
}

static uint64_t space_of(int64_t pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
    return namespace_number(path);
}

/* A search over all processes. */
struct search {
    int depth;      /* the depth of the caller's namespace; 1 is ours */
    uint64_t space; /* that namespace's number, if it is not ours */
    int64_t caller; /* the calling thread's number in our namespace */
    const char *key;
    int64_t number; /* the value of that key; 0: any process in a deeper namespace */
};

static bool target_matches(const char *name, intptr_t with)
{
    const struct search *s = (const struct search *)with;
    char status[8192];
    int64_t pid;

    if (!num_int64(str_from(name), &pid) || !read_status(pid, status))
        return false;
    struct numbers own = numbers_of(status, "\nNSpid:");
    if (!s->number)
        return own.count > s->depth;
    return own.count == s->depth && numbers_of(status, s->key).last == s->number &&
           (s->depth == 1 || space_of(pid) == s->space);
}

static bool is_there(const struct search *s)
{
    return each_entry("/proc", target_matches, (intptr_t)s) > 0;
}

static bool has_thread(const struct search *s, int64_t pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return each_entry(path, target_matches, (intptr_t)s) > 0;
}

/* True if the process has the thread that is searched for. /proc does not list threads, but the
 * folder of a process does, and /proc/THREAD exists for each. */
static bool matches_thread(const char *name, intptr_t with)
{
    const struct search *s = (const struct search *)with;
    char status[8192];
    int64_t pid;

    return num_int64(str_from(name), &pid) && read_status(pid, status) &&
           numbers_of(status, "\nNSpid:").count == s->depth && has_thread(s, pid);
}

static int check_thread(struct search *s, int64_t number)
{
    char status[8192];

    if (number == 0)
        return 0;
    if (s->depth == 1) /* the usual case; /proc/NUMBER also exists for a thread's number */
        return read_status(number, status) && numbers_of(status, "\nNSpid:").count == 1 ? 0 : ESRCH;
    s->key = "\nNSpid:";
    s->number = number;
    if (number < 0)
        return ESRCH;
    bool found = has_thread(s, s->caller) || each_entry("/proc", matches_thread, (intptr_t)s);
    return found ? 0 : ESRCH;
}

static int check_group(struct search *s, int64_t number)
{
    if (number == 0)
        return 0;
    s->key = "\nNSpgid:";
    s->number = number;
    return number > 0 && is_there(s) ? 0 : ESRCH;
}

static int check_signalled(struct search *s, int64_t number)
{
    if (number >= 0)
        return check_thread(s, number);
    if (number < -1)
        return check_group(s, -number);
    return is_there(s) ? EPERM : 0;
}

static int check_descriptor(const struct search *s, uint32_t caller, int fd)
{
    char path[64], info[4096];

    snprintf(path, sizeof path, "/proc/%u/fdinfo/%d", caller, fd);
    if (fd_read_file_at(AT_FDCWD, path, info, sizeof info) <= 0)
        return EPERM;
    /* A descriptor of a folder /proc/PID, which these calls also accept, has no such line. */
    return numbers_of(info, "\nNSpid:").count == s->depth ? 0 : ESRCH;
}

static const struct row *row_of(const struct seccomp_data *data)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].nr == data->nr &&
            (rows[i].option == ANY || (int)data->args[rows[i].option_arg] == rows[i].option))
            return &rows[i];
    return NULL;
}

int target_check(const struct seccomp_notif *request)
{
    const struct row *row = row_of(&request->data);
    char status[8192];

    if (!row)
        return 0;
    int number = (int)request->data.args[row->arg];
    if (!read_status(request->pid, status))
        return EPERM;
    struct search s = {.depth = numbers_of(status, "\nNSpid:").count, .caller = request->pid};
    s.space = s.depth > 1 ? space_of(request->pid) : 0;
    switch (row->kind) {
    case THREAD:
        return check_thread(&s, number);
    case SIGNALLED:
        return check_signalled(&s, number);
    case GROUP:
        return check_group(&s, number);
    case DESCRIPTOR:
        return check_descriptor(&s, request->pid, number);
    case MEMORY:
        break;
    }
    return EPERM;
}
