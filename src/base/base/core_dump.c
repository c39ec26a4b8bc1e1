/* SPDX-License-Identifier: Apache-2.0 */
#include "base/core_dump.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"

void core_dump_without_memory(void)
{
    AUTO_CLOSE int fd = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC);
    struct rlimit limit;

    if (fd >= 0)
        (void)!write(fd, "0", 1);
    /* The hard limit stays: a guest's own limits may not exceed it. */
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        (void)setrlimit(RLIMIT_CORE, &limit);
    }
}
