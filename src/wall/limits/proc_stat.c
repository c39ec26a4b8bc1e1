/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/proc_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

/* The index of each number, counted from the state. */
static const struct {
    int index;
    size_t offset;
} fields[] = {
    {1, offsetof(struct proc_stat, parent)},         {3, offsetof(struct proc_stat, session)},
    {8, offsetof(struct proc_stat, waited_faults)},  {11, offsetof(struct proc_stat, user)},
    {12, offsetof(struct proc_stat, system)},        {13, offsetof(struct proc_stat, waited_user)},
    {14, offsetof(struct proc_stat, waited_system)}, {17, offsetof(struct proc_stat, threads)},
    {19, offsetof(struct proc_stat, start)},
};

int proc_stat_read(pid_t pid, struct proc_stat *ret)
{
    char path[32], text[1024];
    struct proc_stat stat;
    struct str rest, field;
    size_t next = 0;

    (void)snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) < 0)
        return -1;
    /* The process's name, before the state, may contain any character, so search for its end from
     * the end of the line. */
    const char *name_end = strrchr(text, ')');
    rest = str_from(name_end && name_end[1] ? name_end + 2 : "");
    stat.state = rest.n ? rest.p[0] : '?';
    for (int i = 0; next < ARRAY_LEN(fields) && str_next(&rest, ' ', &field); i++) {
        if (i != fields[next].index)
            continue;
        if (!num_int64(field, (int64_t *)((char *)&stat + fields[next].offset)))
            break;
        next++;
    }
    if (next < ARRAY_LEN(fields)) {
        errno = EPROTO;
        return -1;
    }
    *ret = stat;
    return 0;
}
