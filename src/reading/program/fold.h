/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes constant expressions, because programs can hide names and strings in them: + * % on
 * strings, slices, join, chr, format, base64, rot13 and similar functions, and small integers. An
 * integer that is too large is marked (VALUE_HUGE), not computed; every other result that is not
 * known is value_unknown.
 */
#ifndef PROGRAM_FOLD_H
#define PROGRAM_FOLD_H

#include "program/value.h"

struct fold {
    struct arena *arena;
    size_t fuel;  /* bytes and steps left for the whole program; at 0 everything is unknown */
    bool gave_up; /* set when fuel or memory ran out */
};

enum { FOLD_ROOM = 64 << 20 }; /* bytes in the arena, which is emptied between two nodes */

/* The arguments of a call; the last n_named of them have names. */
struct fold_args {
    const struct value *const *at;
    const struct str *names; /* of the last n_named arguments */
    size_t n, n_named;
};

/* Takes `cost` off the fuel. False if less than that is left; then nothing more is computed. */
bool fold_pay(struct fold *f, size_t cost);

const struct value *fold_binary(struct fold *f, enum operator op, const struct value *x,
                                const struct value *y);
const struct value *fold_unary(struct fold *f, enum operator op, const struct value *x);
/* x[index], and x[lower:upper:step]; a bound that is left out is value_none. */
const struct value *fold_item(struct fold *f, const struct value *x, const struct value *index);
const struct value *fold_slice(struct fold *f, const struct value *x,
                               const struct value *const bounds[3]);
/* The items of an iteration over x, as a VALUE_LIST; unknown if x is not constant. */
const struct value *fold_list(struct fold *f, const struct value *x);

/* x.name(...), where x is a string, bytes, a list or a dict. */
const struct value *fold_method(struct fold *f, const struct value *x, struct str name,
                                const struct fold_args *args);
/* Calls of functions of builtins and the library by their full names: chr(...), str(...),
 * "base64.b64decode"(...). *ret_known is false if there is no such function here. */
const struct value *fold_call(struct fold *f, struct str path, const struct fold_args *args,
                              bool *ret_known);
/* str(x), as an f-string does it; unknown if x is not a simple constant. */
const struct value *fold_str(struct fold *f, const struct value *x);

/* ---- between the files of this family ---- */

const struct value *fold_text(struct fold *f, enum value_kind kind, struct str text, bool decoded);
/* A string or bytes value with room for n bytes, which the caller fills in; NULL if it is too
 * long. */
struct value *fold_room(struct fold *f, enum value_kind kind, size_t n, char **ret);
const struct value *fold_format(struct fold *f, const struct value *x,
                                const struct fold_args *args);
const struct value *fold_percent(struct fold *f, const struct value *x, const struct value *args);
/* Decodes by the codec's name, as bytes.decode, str.encode and codecs.decode do. */
const struct value *fold_decode(struct fold *f, const struct value *x, struct str codec);
const struct value *fold_base64(struct fold *f, const struct value *x);
const struct value *fold_base32(struct fold *f, const struct value *x);
const struct value *fold_hex(struct fold *f, const struct value *x);

#endif
