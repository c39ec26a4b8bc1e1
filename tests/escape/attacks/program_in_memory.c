// SPDX-License-Identifier: Apache-2.0
// source: fileless malware (memfd_create and execveat): allowed, but whoever runs is still inside
// stopped-by: seccomp
// then: capabilities
// expect: EPERM
// denied: mount
#include "attack.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>

int main(int argc, char **argv)
{
    char *again[] = {argv[0], (char *)"inside", NULL};

    if (argc > 1)
        judge(mount("none", "/tmp", "tmpfs", 0, NULL), "mounted from a memfd");
    int memory = memfd_create("program", 0);
    int self = open("/proc/self/exe", O_RDONLY);
    while (sendfile(memory, self, NULL, 1 << 20) > 0)
        ;
    syscall(SYS_execveat, memory, "", again, environ, AT_EMPTY_PATH);
    held_errno();
}
