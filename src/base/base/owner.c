/* SPDX-License-Identifier: Apache-2.0 */
#include "base/owner.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/num.h"

void owner_name(char ret[OWNER_MAX])
{
    char boot[64] = "", space[64] = "";

    if (fd_read_file_at(-1, "/proc/sys/kernel/random/boot_id", boot, sizeof boot) < 0)
        boot[0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    ssize_t got = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[got > 0 ? got : 0] = '\0';
    snprintf(ret, OWNER_MAX, "%d %s %s", (int)getpid(), boot, space);
}

bool owner_is_dead(const char *owner)
{
    char ours[OWNER_MAX];

    owner_name(ours);
    const char *place = strchr(owner, ' '), *here = strchr(ours, ' ');
    int64_t pid;

    return place && strcmp(place, here) == 0 &&
           num_int64((struct str){owner, (size_t)(place - owner)}, &pid) && pid > 0 &&
           pid <= INT32_MAX && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* The boot's ID in an owner's name; empty if there is none. */
static struct str boot_of(const char *owner)
{
    const char *at = strchr(owner, ' ');

    return at ? (struct str){at + 1, strcspn(at + 1, " ")} : STR("");
}

bool owner_has_other_boot(const char *owner)
{
    char ours[OWNER_MAX];

    owner_name(ours);
    struct str boot = boot_of(owner), here = boot_of(ours);

    return boot.n && here.n && !str_eq(boot, here);
}
