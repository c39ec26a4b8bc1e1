/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session's guest says, decoded: all of it may be wrong, too large or too deep.
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
        1 << 20, /* in one frame: each takes us far more memory than the guest's text */
};

/* A new reference, or NULL with ERR_GUEST. */
json_t *cell_decode(struct str bytes, struct err *err);
/* How many values it is of, itself one of them. Each takes us some fifty bytes and more, whatever
 * it took of the guest's text. */
size_t cell_count_values(const json_t *value);
/* A copy, a new reference, of what is well-formed in a BUNDLE; NULL when there is nothing to show.
 */
json_t *cell_bundle(const json_t *bundle);
/* Its size, roughly. */
size_t cell_bundle_bytes(const json_t *bundle);

/* An EXCEPTION of cell `number`, whose text is `code`; NULL when it is none. `profile` may be
 * NULL. result_exception_free. */
struct result_exception *cell_exception(const json_t *from, const char *language, struct str code,
                                        unsigned number, const char *profile);

/* A member of an object; NULL, false or 0 when it is not of that kind. */
bool cell_flag(const json_t *object, const char *key);
/* The text, at most `max` bytes of it, without NUL; the caller frees. NULL when it is no text. */
char *cell_text(const json_t *object, const char *key, size_t max);
/* False when it is no number, or none between low and high. */
bool cell_integer(const json_t *object, const char *key, int64_t low, int64_t high, int64_t *ret);

#endif
