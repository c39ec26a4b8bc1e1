/* SPDX-License-Identifier: Apache-2.0
 *
 * struct str: a view of bytes that it does not own, passed by value. It may contain NUL.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

struct str {
    const char *p;
    size_t n;
};

/* A file's path and content, or a variable and its value. */
struct named_bytes {
    struct str name, bytes;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})

struct str str_from(const char *s); /* NULL gives the empty string */
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *s);
bool str_is_nocase(struct str a, const char *s);
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
bool str_ends_nocase(struct str s, const char *suffix); /* of ASCII letters */
/* The first place of needle in s, or -1. */
long str_find(struct str s, struct str needle);
struct str str_trim(struct str s); /* ASCII white space off both ends */
struct str str_slice(struct str s, size_t from, size_t to);

/* Cuts the piece before the next `sep` off *rest. False when nothing is left; "a,,b" gives three
 * pieces. */
bool str_next(struct str *rest, char sep, struct str *ret_piece);
/* The same for lines; a trailing CR belongs to the line end. */
bool str_next_line(struct str *rest, struct str *ret_line);
/* How many line ends it has, as Python counts them: \n, \r or \r\n. */
size_t str_lines(struct str s);
/* How many lines str_next_line finds. */
size_t str_count_lines(struct str s);

#endif
