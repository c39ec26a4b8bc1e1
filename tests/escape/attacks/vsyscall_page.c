// SPDX-License-Identifier: Apache-2.0
// source: "vsyscall" of 2011's exploits, seccomp(2): calls at a fixed address past the entry point
// stopped-by: kernel
// alone: emulated (and then the filter is asked), or not there at all
// ends: exit 0 | signal 11
// needs: x86_64
#include "attack.h"
#include <time.h>

int main(void)
{
    time_t (*vtime)(time_t *) = (time_t(*)(time_t *))0xffffffffff600400UL;

    fputs("trying\n", stderr);
    if (vtime(NULL) > 0)
        held("emulated");
    held("refused");
}
