/* SPDX-License-Identifier: Apache-2.0
 *
 * How the table of character names is made (tools/make-unicode.c) and read (src/python/unicode.c).
 *
 * A name is one word: a hash of its letters, since when it is known, its character. The letters
 * themselves are not kept. That the names of the table differ in their hashes is checked when it is
 * made; a wrong name has one chance in thirty million to pass for a right one, and the worst that
 * comes of it is that a program which CPython refuses passes for a right one too.
 */
#ifndef PYTHON_UNICODE_HASH_H
#define PYTHON_UNICODE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum {
    UNICODE_CODE_BITS = 21,
    UNICODE_SINCE_BITS = 3, /* 0: never; 1: in Python 3.11 and before; 2: since 3.12, and so on */
    UNICODE_HASH_BITS = 64 - UNICODE_CODE_BITS - UNICODE_SINCE_BITS,
};

/* Of a name in any case, in the upper bits of the result; the others are 0. */
static inline uint64_t unicode_name_hash(const char *name, size_t n)
{
    uint64_t hash = 0xCBF29CE484222325;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        hash = (hash ^ (c >= 'a' && c <= 'z' ? c - 32U : c)) * 0x100000001B3;
    }
    /* Every letter into every upper bit. */
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93;
    return hash >> (64 - UNICODE_HASH_BITS) << (64 - UNICODE_HASH_BITS);
}

#endif
