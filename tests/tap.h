/* SPDX-License-Identifier: Apache-2.0
 *
 * A test program includes this once, runs its parts with RUN(), checks, and ends with `return
 * tap_done();`.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((weak)) int tap_count, tap_failed; /* one for a program of several files */

__attribute__((format(printf, 4, 5))) static inline int tap_check(int ok, const char *file,
                                                                  int line, const char *fmt, ...)
{
    va_list ap;

    tap_count++;
    tap_failed += !ok;
    printf("%sok %d - ", ok ? "" : "not ", tap_count);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    if (!ok)
        printf("# at %s:%d\n", file, line);
    fflush(stdout);
    return ok;
}

static inline int tap_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

#define OK(condition, ...) tap_check((condition) != 0, __FILE__, __LINE__, __VA_ARGS__)
#define EQ_INT(got, want)                                                                          \
    do {                                                                                           \
        long long g_ = (long long)(got), w_ = (long long)(want);                                   \
        if (!OK(g_ == w_, "%s is %s", #got, #want))                                                \
            printf("# got %lld, want %lld\n", g_, w_);                                             \
    } while (0)
#define EQ_STR(got, want)                                                                          \
    do {                                                                                           \
        const char *g_ = (got), *w_ = (want);                                                      \
        if (!OK(tap_same(g_, w_), "%s is %s", #got, #want))                                        \
            printf("# got \"%s\", want \"%s\"\n", g_ ? g_ : "(null)", w_ ? w_ : "(null)");         \
    } while (0)
#define SKIP(why) (tap_count++, printf("ok %d # SKIP %s\n", tap_count, (why)), fflush(stdout))

/* Tells tests/run-tap what runs, in case it does not end. */
static inline void tap_says(const char *what, const char *call)
{
    printf("# %s %.*s\n", what, (int)strcspn(call, "("), call);
    fflush(stdout);
}

/* RUN(test_name(arguments)); calls a test function by this name. Without parentheses it would test
 * nothing, and pass. */
#define RUN(call)                                                                                  \
    do {                                                                                           \
        if (!strchr(#call, '('))                                                                   \
            OK(0, "RUN(%s) calls nothing", #call);                                                 \
        tap_says("begins", #call);                                                                 \
        (void)(call);                                                                              \
        tap_says("ends", #call);                                                                   \
    } while (0)

static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
