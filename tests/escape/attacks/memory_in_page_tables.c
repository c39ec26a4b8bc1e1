// SPDX-License-Identifier: Apache-2.0
// source: cgroup-v1/memory.rst: page tables are the kernel's memory, and once were charged to
//     nobody
// stopped-by: memory
// alone: where there are no cgroups the supervisor sees the one page per table
// ends: oom_killed
// args: --memory 48m --timeout 8s
#include "attack.h"
#include <sys/mman.h>

int main(void)
{
    /* One page touched in each 2 MiB costs 4 KiB for the page and 4 KiB for its table. */
    for (size_t i = 0; i < 40000; i++) {
        char *p = mmap((void *)(0x100000000000 + (i << 21)), 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (p == MAP_FAILED)
            held_errno();
        *p = 1;
    }
    escaped("40000 page tables");
}
