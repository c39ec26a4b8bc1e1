/* SPDX-License-Identifier: Apache-2.0
 *
 * A table with each spelling of a tree once, and whether it is a keyword: the lexer needs one
 * look-up for both. (Others use name_get() of lex.h.)
 *
 * A slot holds the first and the last eight bytes, which is the whole of most names. The hash is
 * keyed by addresses in memory, which are random. Otherwise a program could choose names that all
 * collide, which would take quadratic time.
 */
#ifndef SYNTAX_NAME_H
#define SYNTAX_NAME_H

#include <string.h>

#include "syntax/lex.h"

struct name_slot {
    uint64_t head, tail; /* tail: 0 if the name has up to eight bytes */
    struct name *name;   /* NULL: the slot is free */
    uint32_t n;
    uint8_t kind; /* enum token_kind */
};

struct names {
    struct name_slot *slots;
    uint32_t mask, count;
    uint64_t key[2];
    struct name *newest;
};

/* Makes tree->names if it is missing, with room for the usual number of names in n bytes of text.
 */
void names_start(struct python_tree *tree, size_t n);
/* Called by names_find for a new name. */
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

/* Loads up to eight bytes, and fills up with zeros; `end` is the end of the readable bytes at p. */
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

/* The slot of the name of n bytes at p; `end` is the end of the readable bytes at p. */
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
