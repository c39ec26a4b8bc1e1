/* SPDX-License-Identifier: Apache-2.0
 *
 * What literals mean: digits to numbers, escapes to text; and back, as Python's repr().
 */
#ifndef PYTHON_LITERAL_H
#define PYTHON_LITERAL_H

#include "base/buf.h"
#include "python/python.h"

/* The value of a NUMBER token, into node->op and node->constant. -1 with tree->error: more digits
 * than CPython converts. */
int literal_number(struct python_tree *tree, struct str text, struct node *ret_constant);

enum {
    LITERAL_BYTES = 1 << 0,
    LITERAL_RAW = 1 << 1,
    LITERAL_UNICODE = 1 << 2, /* u'...' */
    LITERAL_FORMAT = 1 << 3,
    LITERAL_TEMPLATE = 1 << 4,
};

/* Takes prefix and quotes off a STRING token: *ret_body is what stands between. Returns flags. */
unsigned literal_open(struct str token, struct str *ret_body);

/* How decoding failed. */
struct literal_error {
    size_t at;         /* byte offset in the body at which the bad thing starts */
    size_t end;        /* and ends */
    char message[160]; /* as CPython: "(unicode error) 'unicodeescape' codec can't decode ..." */
};

/* The text of a body with its escapes resolved; the result is the body itself where there is
 * nothing to resolve, else in the arena. Invalid escapes are kept: *ret_bad_escape is the offset
 * of the first invalid escape's backslash (of which CPython warns), or -1. False with
 * *ret_error on failure. */
bool literal_decode(struct python_tree *tree, struct str body, unsigned flags, struct str *ret,
                    long *ret_bad_escape, struct literal_error *ret_error);

/* Appends the repr() of a constant (as Python 3.target has it). -1 at the ceiling, or for an
 * integer of more digits than CPython prints. */
int literal_repr(const struct node *constant, unsigned target, struct buf *ret);
int literal_repr_str(struct str text, unsigned target, struct buf *ret);
int literal_repr_int(int64_t value, struct buf *ret);

#endif
