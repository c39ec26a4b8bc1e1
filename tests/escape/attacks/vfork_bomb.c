// SPDX-License-Identifier: Apache-2.0
// source: vfork(2): the parent waits in the kernel while the child goes on, to any depth
// stopped-by: pids
// then: rlimits
// expect: EAGAIN
// args: --pids 16 --timeout 5s
#include "attack.h"

static void deeper(int depth)
{
    if (depth > 200)
        escaped("200 processes deep");
    pid_t pid = vfork();
    if (pid < 0)
        held_errno();
    if (pid == 0)
        deeper(depth + 1);
    _exit(0);
}

int main(void)
{
    deeper(0);
}
