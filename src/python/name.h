/* SPDX-License-Identifier: Apache-2.0
 *
 * Every spelling of a tree once, and with it whether it is a keyword: the lexer's one look-up for
 * both. (Others use name_get() of lex.h.)
 *
 * A slot holds the first and the last eight bytes, which is all there is of most names. The hash is
 * keyed by where the process happens to lie in memory: a program whose names all fall together
 * would cost quadratic time.
 */
#ifndef PYTHON_NAME_H
#define PYTHON_NAME_H

#include <string.h>

#include "python/lex.h"

struct name_slot {
    uint64_t head, tail; /* tail: 0 for names of up to eight bytes */
    struct name *name;   /* NULL: free */
    uint32_t n;
    uint8_t kind; /* enum token_kind */
};

struct names {
    struct name_slot *slots;
    uint32_t mask, count;
    uint64_t key[2];
    struct name *newest;
};

/* Makes tree->names when it is not there yet, for about as many names as a text of n bytes has. */
void names_start(struct python_tree *tree, size_t n);
/* What names_find does when the name is new. */
struct name_slot *names_add(struct python_tree *tree, const char *p, struct name_slot slot);

static inline uint64_t name_mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t name_load(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* Up to eight bytes, zeroes behind them; `end` is how far p may be read. */
static inline uint64_t name_load_few(const char *p, size_t n, const char *end)
{
    uint64_t word = 0;

    if (n < 8 && end - p >= 8)
        return name_load(p) & ~(~(uint64_t)0 << (8 * n));
    memcpy(&word, p, n < 8 ? n : 8);
    return word;
}

uint64_t name_hash_middle(const struct names *names, uint64_t hash, const char *p, size_t n);

static inline uint32_t name_hash(const struct names *names, const char *p,
                                 const struct name_slot *s)
{
    uint64_t hash = name_mix(s->head ^ names->key[0], (s->tail + s->n) ^ names->key[1]);

    return (uint32_t)(s->n > 16 ? name_hash_middle(names, hash, p, s->n) : hash);
}

/* The slot of the name that is the n bytes at p; `end` is how far p may be read. */
static inline const struct name_slot *names_find(struct python_tree *tree, const char *p, size_t n,
                                                 const char *end)
{
    const struct names *names = tree->names;
    struct name_slot want = {.n = (uint32_t)n, .kind = T_NAME};

    want.head = name_load_few(p, n, end);
    want.tail = n > 8 ? name_load(p + n - 8) : 0;
    for (uint32_t i = name_hash(names, p, &want);; i++) {
        const struct name_slot *s = &names->slots[i & names->mask];
        if (!s->name)
            return names_add(tree, p, want);
        if (s->head == want.head && s->tail == want.tail && s->n == want.n &&
            (n <= 16 || memcmp(s->name->text, p, n) == 0))
            return s;
    }
}

#endif
