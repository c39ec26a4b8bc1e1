/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of the filter: the table as data, and an interpreter for its programs.
 */
#ifndef FILTER_RUN_H
#define FILTER_RUN_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "jail/filter.h"

enum action {
#define ACTION(name, error) ACT_##name,
#include "jail/syscalls.def"
};

static const struct row {
    const char *name;
    int number;
    bool x86_only;
    enum action action;
} rows[] = {
#define CALL_AT(call, number, action, why) {#call, number, false, ACT_##action},
#define X86_AT(call, number, action, why)  {#call, number, true, ACT_##action},
#include "jail/syscalls.def"
};

static const struct span {
    uint32_t first, last;
    enum action action;
} prctls[] =
    {
#define PRCTL(first, last, action, options) {first, last, ACT_##action},
#include "jail/syscalls.def"
},
  fcntls[] =
      {
#define FCNTL(first, last, action, names) {first, last, ACT_##action},
#include "jail/syscalls.def"
},
  ioctls[] = {
#define IOCTLS(first, last, requests)       {first, last, ACT_ALLOW},
#define IOCTL(request, number, action, why) {number, number, ACT_##action},
#include "jail/syscalls.def"
};

static const struct {
    uint32_t level;
    struct span option;
} sockopts[] = {
#define SOCKOPT(names, level, first, last, action) {level, {first, last, ACT_##action}},
#include "jail/syscalls.def"
};

static const uint32_t tokens[FILTER_ARCH_COUNT] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64};
static const char *const arch_names[FILTER_ARCH_COUNT] = {"x86_64", "aarch64"};

/* Classic BPF as the kernel allows it for seccomp; `ret_steps` counts. KILL when it runs wild. */
static uint32_t run(const struct sock_filter *code, unsigned count, const struct seccomp_data *data,
                    unsigned *ret_steps)
{
    uint32_t a = 0;

    *ret_steps = 0;
    for (unsigned pc = 0; pc < count; pc++) {
        const struct sock_filter *f = &code[pc];
        ++*ret_steps;
        switch (f->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (f->k % 4 || f->k >= sizeof *data)
                return SECCOMP_RET_KILL_PROCESS;
            memcpy(&a, (const char *)data + f->k, sizeof a);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= f->k;
            break;
        case BPF_JMP | BPF_JA:
            pc += f->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += a == f->k ? f->jt : f->jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            pc += a > f->k ? f->jt : f->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            pc += a >= f->k ? f->jt : f->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            pc += a & f->k ? f->jt : f->jf;
            break;
        case BPF_RET | BPF_K:
            return f->k;
        default:
            return SECCOMP_RET_KILL_PROCESS;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

/* One shape for all answers: the program's value, and TOLD with the errno the supervisor gives. In
 * the quiet flavour it is a RET_ERRNO instead. */
#define TOLD  0x10000000U
#define YES   SECCOMP_RET_ALLOW
#define NO(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))

static uint32_t tell(unsigned flavour, int error)
{
    return flavour & FILTER_QUIET ? NO(error) : TOLD | (uint32_t)error;
}

static uint32_t ours(enum filter_arch arch, unsigned flavour, const struct seccomp_data *data,
                     unsigned *ret_steps)
{
    struct filter_program p = filter_program(arch, flavour);
    uint32_t value = run(p.insns, p.count, data, ret_steps);

    return value == SECCOMP_RET_USER_NOTIF ? TOLD | (uint32_t)filter_denial_errno(arch, data)
                                           : value;
}

static const struct row *row_of(enum filter_arch arch, int nr)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int number = seccomp_syscall_resolve_name_arch(tokens[arch], rows[i].name);
        if (rows[i].number && !(rows[i].x86_only && arch != FILTER_X86_64))
            number = rows[i].number;
        if (number == nr)
            return &rows[i];
    }
    return NULL;
}

enum { MAX_NR = 1024 };

static const struct row *row_at[FILTER_ARCH_COUNT][MAX_NR];

/* What libseccomp's rules call it: the number on the machine that runs this test (a negative one
 * for a call of the other architecture), or __NR_SCMP_ERROR for one too new. */
static int rule_numbers[ARRAY_LEN(rows)];

static void fill_rows(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        rule_numbers[i] = seccomp_syscall_resolve_name(rows[i].name);
    for (unsigned arch = 0; arch < FILTER_ARCH_COUNT; arch++)
        for (int nr = 0; nr < MAX_NR; nr++)
            row_at[arch][nr] = row_of((enum filter_arch)arch, nr);
}

#endif
