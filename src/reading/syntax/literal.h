/* SPDX-License-Identifier: Apache-2.0
 *
 * Converts literals to values: digits to numbers, escapes to text. Also writes values as literals,
 * like Python's repr().
 */
#ifndef SYNTAX_LITERAL_H
#define SYNTAX_LITERAL_H

#include "base/buf.h"
#include "syntax/source.h"

/* Stores the value of a NUMBER token in node->op and node->constant. -1 with tree->error if it has
 * more digits than CPython converts. */
int literal_number(struct python_tree *tree, struct str text, struct node *ret_constant);

enum {
    LITERAL_BYTES = 1 << 0,
    LITERAL_RAW = 1 << 1,
    LITERAL_UNICODE = 1 << 2, /* u'...' */
    LITERAL_FORMAT = 1 << 3,
    LITERAL_TEMPLATE = 1 << 4,
};

/* Removes the prefix and the quotes of a STRING token: *ret_body is the text between the quotes.
 * Returns flags. */
unsigned literal_open(struct str token, struct str *ret_body);

/* Why decoding failed. */
struct literal_error {
    size_t at;         /* byte offset in the body of the invalid escape */
    size_t end;        /* its exclusive end */
    char message[160]; /* as in CPython: "(unicode error) 'unicodeescape' codec can't decode ..." */
};

/* Decodes the escapes of a body. The result is the body itself if it has none, otherwise in the
 * arena. Invalid escapes stay as they are; *ret_bad_escape is the offset of the first one's
 * backslash (CPython warns of it), or -1. False with *ret_error on failure. */
bool literal_decode(struct python_tree *tree, struct str body, unsigned flags, struct str *ret,
                    long *ret_bad_escape, struct literal_error *ret_error);

/* Appends the repr() of a constant, as in Python 3.target. -1 at the ceiling, or for an integer of
 * more digits than CPython prints. */
int literal_repr(const struct node *constant, unsigned target, struct buf *ret);
int literal_repr_str(struct str text, unsigned target, struct buf *ret);
int literal_repr_int(int64_t value, struct buf *ret);

#endif
