/* SPDX-License-Identifier: Apache-2.0
 *
 * What the C attacks share: one verdict line, and where the canaries are. See README.md.
 */
#ifndef ATTACK_H
#define ATTACK_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline _Noreturn void held(const char *reason)
{
    printf("HELD %s\n", reason);
    fflush(stdout);
    _exit(0);
}

__attribute__((format(printf, 1, 2))) static inline _Noreturn void escaped(const char *fmt, ...)
{
    va_list ap;

    fputs("ESCAPED ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
    _exit(0);
}

/* The errno of the last call. */
static inline _Noreturn void held_errno(void)
{
    const char *name = strerrorname_np(errno);

    held(name ? name : "unknown errno");
}

/* Where `result` is what a call returned: an escape, or the errno of its failure. */
static inline _Noreturn void judge(long result, const char *what)
{
    if (result >= 0)
        escaped("%s", what);
    held_errno();
}

static inline const char *canary(const char *name)
{
    char variable[64];

    snprintf(variable, sizeof variable, "CANARY_%s", name);
    const char *value = getenv(variable);
    return value ? value : "";
}

#endif
