/* SPDX-License-Identifier: Apache-2.0
 *
 * Config files: a small part of TOML, read from memory, item by item.
 *
 *     # comment
 *     timeout = 30s                     a bare word, up to the end of the line or a comment
 *     model = "name \"quoted\" \u00e9"  escapes \" \\ \n \t \r \uXXXX
 *     pattern = 'taken \literally'
 *     require = ["seccomp",             an array, over as many lines as it likes
 *                landlock]
 *     [language.ruby]                   keys below belong to this section
 *     command = ruby
 *
 * CRLF line ends and a byte order mark are accepted; values may hold any byte but NUL, bytes that
 * are not UTF-8 included. Nothing is recursive, and time is linear in the text.
 */
#ifndef OPTIONS_CONF_H
#define OPTIONS_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    CONF_MAX_BYTES = 1 << 20,
    CONF_MAX_LINE = 64 << 10,
    CONF_MAX_KEYS = 1000, /* in the whole file; headings count too */
};

struct conf_item {
    struct str section; /* "language.ruby", empty above the first heading */
    struct str key;
    const struct str *values; /* one value, or the array's */
    size_t n;
    bool array;
    size_t line; /* the line of the key, from 1 */
};

/* Called once per key, in order. What the item points to is valid until the function returns. A
 * result other than 0 ends the parse. */
typedef int conf_item_fn(void *ctx, const struct conf_item *item, struct err *err);

/* 0; -1 with ERR_USAGE "name:line: what was expected" (fn was called for the items before); or the
 * result of fn other than 0, with the error that fn set. A duplicate key or heading is an error. */
int conf_parse(struct str text, const char *name, conf_item_fn *fn, void *ctx, struct err *err);

/* Appends a value in the form that conf_parse reads: bare if possible, else quoted. -1 at the
 * buffer's ceiling. The value must not hold NUL. */
int conf_add_value(struct buf *b, struct str value);

#endif
