/* SPDX-License-Identifier: Apache-2.0
 *
 * Classes of ASCII characters, independent of the locale. Other characters are in no class.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

/* True for the characters that most languages allow in a name, except those beyond ASCII. */
static inline bool ascii_is_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static inline bool ascii_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool ascii_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The value of a hexadecimal digit, or -1. */
static inline int ascii_hex(char c)
{
    char lower = ascii_lower(c);

    return ascii_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif
