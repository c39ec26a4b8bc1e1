/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes messages of a session's guest: each may be wrong, too large or too deep.
 */
#ifndef RUN_CELL_DECODE_H
#define RUN_CELL_DECODE_H

#include <jansson.h>

#include "base/err.h"
#include "base/str.h"
#include "explain/exception.h"

enum {
    CELL_DEPTH_MAX = 400, /* of lists and objects */
    CELL_VALUES_MAX =
        1 << 20, /* in one frame: a value needs far more of our memory than of the guest's text */
};

/* Returns a new reference, or NULL with ERR_GUEST. */
json_t *cell_decode(struct str bytes, struct err *err);
/* Returns the number of values in it, including itself. Each needs 50 bytes of our memory or more,
 * however short the guest's text is. */
size_t cell_count_values(const json_t *value);
/* Returns a copy of the well-formed parts of a BUNDLE as a new reference; NULL if nothing can be
 * shown. */
json_t *cell_bundle(const json_t *bundle);
/* Returns its approximate size. */
size_t cell_bundle_bytes(const json_t *bundle);

/* Reads an EXCEPTION of the result's cell, whose code is `code`; NULL if it is invalid. `profile`
 * may be NULL. Free with result_exception_free. */
struct result_exception *cell_exception(const json_t *from, const struct result *result,
                                        struct str code, const char *profile);

/* Returns a boolean member of an object; false if it is not a boolean. */
bool cell_flag(const json_t *object, const char *key);
/* Returns at most `max` bytes of a string member, without NUL; the caller frees. NULL if it is not
 * a string. */
char *cell_text(const json_t *object, const char *key, size_t max);
/* Reads an integer member. False if it is not an integer between low and high. */
bool cell_integer(const json_t *object, const char *key, int64_t low, int64_t high, int64_t *ret);

#endif
