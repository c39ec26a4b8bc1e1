/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

#include "tap.h"

static void check_small(void)
{
    struct arena a = {0};
    bool apart = true, aligned = true;
    char *before = NULL;

    for (size_t i = 1; i < 5000; i++) {
        char *p = arena_alloc(&a, i % 61);
        aligned &= (uintptr_t)p % 8 == 0;
        memset(p, (int)(i & 0xff), i % 61);
        apart &= !before || before[0] == (char)((i - 1) & 0xff) || (i - 1) % 61 == 0;
        before = p;
    }
    OK(aligned, "every piece is aligned");
    OK(apart, "no piece writes into the one before");
    OK(arena_used(&a) >= 5000 / 61 * 61 * 30, "used counts what was asked for");
    arena_done(&a);
    EQ_INT(arena_used(&a), 0);
}

static void check_large(void)
{
    struct arena a = {0};
    char *small = arena_alloc(&a, 10);
    memset(small, 7, 10);
    char *large = arena_alloc(&a, 5 << 20);
    memset(large, 8, 5 << 20);
    size_t used = arena_used(&a);
    char *next = arena_alloc(&a, 100);

    OK(next == large + (5 << 20), "the chunk of a large thing has room for what follows");
    EQ_INT(small[9], 7);
    EQ_INT(arena_used(&a) - used, 104);
    char *zero = arena_zalloc(&a, 3000);
    bool clear = true;
    for (size_t i = 0; i < 3000; i++)
        clear &= !zero[i];
    OK(clear, "arena_zalloc clears");
    arena_done(&a);
}

static void check_strings(void)
{
    struct arena a = {0};
    struct str s = arena_str(&a, STR("one\0two"));

    EQ_INT(s.n, 7);
    EQ_INT(s.p[7], 0);
    EQ_STR(arena_str(&a, (struct str){0}).p, "");
    EQ_STR(arena_printf(&a, "%s-%d", "x", 42), "x-42");
    arena_done(&a);
}

int main(void)
{
    RUN(check_small());
    RUN(check_large());
    RUN(check_strings());
    return tap_done();
}
