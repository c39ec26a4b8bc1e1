/* SPDX-License-Identifier: Apache-2.0
 *
 * Computing with constants, as far as names and texts are hidden behind it: + * % on texts, slices,
 * join, chr, format, base64, rot13 and the like, and integers as far as they are small. A value
 * that is too large is marked (VALUE_HUGE), not computed; any other unknown value is value_unknown.
 */
#ifndef GUARD_FOLD_H
#define GUARD_FOLD_H

#include "guard/value.h"

struct fold {
    struct arena *arena;
    size_t fuel;  /* bytes and steps left for the whole program; at 0 everything is unknown */
    bool gave_up; /* once, for want of fuel or room */
};

enum { FOLD_ROOM = 64 << 20 }; /* bytes in the arena, which is emptied between two nodes */

/* The arguments of a call, with their names where they have some. */
struct fold_args {
    const struct value *const *at;
    const struct str *names; /* of the last n_named of them */
    size_t n, n_named;
};

/* False, and nothing more is computed, when `cost` is more than is left. */
bool fold_pay(struct fold *f, size_t cost);

const struct value *fold_binary(struct fold *f, enum operator op, const struct value *x,
                                const struct value *y);
const struct value *fold_unary(struct fold *f, enum operator op, const struct value *x);
/* x[index], and x[lower:upper:step] with value_none for what is left out. */
const struct value *fold_item(struct fold *f, const struct value *x, const struct value *index);
const struct value *fold_slice(struct fold *f, const struct value *x,
                               const struct value *const bounds[3]);
/* What iterating over it gives, as a VALUE_LIST; unknown when it is no constant. */
const struct value *fold_list(struct fold *f, const struct value *x);

/* x.name(...) of a text, bytes, list or dict. */
const struct value *fold_method(struct fold *f, const struct value *x, struct str name,
                                const struct fold_args *args);
/* chr(...), str(...), "base64.b64decode"(...): functions of builtins and the library by their full
 * names. *ret_known says whether there is such a function here at all. */
const struct value *fold_call(struct fold *f, struct str path, const struct fold_args *args,
                              bool *ret_known);
/* str(x) as an f-string has it; unknown for what is no simple constant. */
const struct value *fold_str(struct fold *f, const struct value *x);

/* ---- between the files of this family ---- */

const struct value *fold_text(struct fold *f, enum value_kind kind, struct str text, bool decoded);
/* A text made of n bytes that the caller fills in; NULL when too long. */
struct value *fold_room(struct fold *f, enum value_kind kind, size_t n, char **ret);
const struct value *fold_format(struct fold *f, const struct value *x,
                                const struct fold_args *args);
const struct value *fold_percent(struct fold *f, const struct value *x, const struct value *args);
/* By the codec's name, as bytes.decode, str.encode and codecs.decode have it. */
const struct value *fold_decode(struct fold *f, const struct value *x, struct str codec);
const struct value *fold_base64(struct fold *f, const struct value *x);
const struct value *fold_base32(struct fold *f, const struct value *x);
const struct value *fold_hex(struct fold *f, const struct value *x);

#endif
