/* SPDX-License-Identifier: Apache-2.0
 *
 * The format of the table of character names, for the program that makes it (tools/make-unicode.c)
 * and the code that reads it (src/reading/syntax/unicode.c).
 *
 * A name is one 64-bit word: a hash of its letters, the version of Python that introduced it, and
 * its character. The letters themselves are not stored. tools/make-unicode.c checks that all hashes
 * differ. A wrong name is accepted with a chance of one in thirty million; the only harm is that a
 * program which CPython refuses is accepted here.
 */
#ifndef SYNTAX_UNICODE_HASH_H
#define SYNTAX_UNICODE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum {
    UNICODE_CODE_BITS = 21,
    UNICODE_SINCE_BITS = 3, /* 0: never; 1: in Python 3.11 and before; 2: since 3.12, and so on */
    UNICODE_HASH_BITS = 64 - UNICODE_CODE_BITS - UNICODE_SINCE_BITS,
};

/* The hash of a name in any case; it is in the upper bits of the result, and the other bits are 0.
 */
static inline uint64_t unicode_name_hash(const char *name, size_t n)
{
    uint64_t hash = 0xCBF29CE484222325;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        hash = (hash ^ (c >= 'a' && c <= 'z' ? c - 32U : c)) * 0x100000001B3;
    }
    /* Spreads every letter over all upper bits. */
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93;
    return hash >> (64 - UNICODE_HASH_BITS) << (64 - UNICODE_HASH_BITS);
}

#endif
