// SPDX-License-Identifier: Apache-2.0
// source: CVE-2009-0835's kind: strict mode knows four numbers only, but of which architecture?
// stopped-by: seccomp
// alone: the filter stays in force below the stricter mode
// ends: signal 9 | exit 1
#include "attack.h"
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>

int main(void)
{
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
        _exit(1);
    if (syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL) == 0)
        escaped("mounted in strict mode");
    escaped("strict mode is not strict");
}
