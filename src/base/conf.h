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
#ifndef BASE_CONF_H
#define BASE_CONF_H

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
    const struct str *values; /* one, or as many as the array holds */
    size_t n;
    bool array;
    size_t line; /* where the key stands, from 1 */
};

/* Called once per key, in order; what the item points to lives until it returns. Not 0 ends the
 * parse. */
typedef int conf_item_fn(void *ctx, const struct conf_item *item, struct err *err);

/* 0; -1 with ERR_USAGE "name:line: what was expected" (fn was called for the items before); or
 * what fn returned, with the error fn set. A key or heading that comes twice is a mistake. */
int conf_parse(struct str text, const char *name, conf_item_fn *fn, void *ctx, struct err *err);

/* Appends a value so that conf_parse reads it back: bare where that is possible, else quoted. -1 at
 * the buffer's ceiling. The value must not hold NUL. */
int conf_add_value(struct buf *b, struct str value);

/* $XDG_CONFIG_HOME/program/program.conf, else ~/.config/program/program.conf, for the caller to
 * free; NULL when neither variable holds an absolute path. */
char *conf_user_path(const char *program);
/* The same for another file or folder beside it. */
char *conf_user_file(const char *program, const char *name);

#endif
