/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes messages of a session's guest: each may be wrong, too large or too deep.
 */
#ifndef SESSION_CELL_DECODE_H
#define SESSION_CELL_DECODE_H

#include <jansson.h>

#include "base/err.h"
#include "base/str.h"
#include "explain/exception.h"

enum {
    CELL_DEPTH_MAX = 400, /* of lists and objects */
    CELL_VALUES_MAX =
        1 << 20, /* in one frame: a value takes far more of our memory than of the guest's text */
};

/* A new reference, or NULL with ERR_GUEST. */
json_t *cell_decode(struct str bytes, struct err *err);
/* The number of values in it, including itself. Each takes some fifty bytes or more of our memory,
 * however short the guest's text is. */
size_t cell_count_values(const json_t *value);
/* A copy (a new reference) of the well-formed parts of a BUNDLE; NULL when there is nothing to
 * show. */
json_t *cell_bundle(const json_t *bundle);
/* Its size, roughly. */
size_t cell_bundle_bytes(const json_t *bundle);

/* An EXCEPTION of cell `number`, which has the text `code`; NULL when it is invalid. `profile` may
 * be NULL. Free with result_exception_free. */
struct result_exception *cell_exception(const json_t *from, const char *language, struct str code,
                                        unsigned number, const char *profile);

/* A member of an object; false when it is not a boolean. */
bool cell_flag(const json_t *object, const char *key);
/* The text, at most `max` bytes of it, without NUL; the caller frees. NULL when it is not a
 * string. */
char *cell_text(const json_t *object, const char *key, size_t max);
/* False when it is not an integer between low and high. */
bool cell_integer(const json_t *object, const char *key, int64_t low, int64_t high, int64_t *ret);

#endif
