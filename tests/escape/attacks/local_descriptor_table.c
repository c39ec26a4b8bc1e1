// SPDX-License-Identifier: Apache-2.0
// source: CVE-2015-5157, CVE-2017-17053: modify_ldt and 16-bit segments
// stopped-by: seccomp
// expect: EPERM
// alone: a part of the kernel that nothing of today needs
// denied: modify_ldt
// needs: x86_64
// bare: yes
#include "attack.h"
#include <asm/ldt.h>

int main(void)
{
    struct user_desc entry = {.entry_number = 1, .base_addr = 0, .limit = 0xfff, .seg_32bit = 0};

    judge(syscall(SYS_modify_ldt, 1, &entry, sizeof entry), "an LDT entry");
}
