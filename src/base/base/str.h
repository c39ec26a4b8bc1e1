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
/* What comes after the last `sep`: all of s if there is none. NULL stays NULL. */
const char *str_after_last(const char *s, char sep);
/* The environment variable's value; NULL if it is empty or not set. */
const char *str_variable(const char *name);
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *s);
bool str_is_nocase(struct str a, const char *s);
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
bool str_ends_nocase(struct str s, const char *suffix); /* compares ASCII letters */
/* The position of the first needle in s, or -1. */
long str_find(struct str s, struct str needle);
/* True if s is one of the words, a list that ends with NULL. `words` may be NULL: false. */
bool str_one_of(struct str s, const char *const *words);
bool str_one_of_nocase(struct str s, const char *const *words);
bool str_starts_one_of(struct str s, const char *const *beginnings);
struct str str_trim(struct str s);  /* without ASCII white space at both ends */
size_t str_indent(struct str line); /* the number of spaces at its beginning */
struct str str_slice(struct str s, size_t from, size_t to);

/* Cuts the part before the next `sep` off *rest. False when nothing is left; "a,,b" has three
 * parts. */
bool str_next(struct str *rest, char sep, struct str *ret_piece);
/* As str_next, for lines; a CR before the LF belongs to the line end. */
bool str_next_line(struct str *rest, struct str *ret_line);
/* The number of line ends as Python counts them: \n, \r or \r\n. */
size_t str_lines(struct str s);
/* The number of lines that str_next_line returns. */
size_t str_count_lines(struct str s);

#endif
