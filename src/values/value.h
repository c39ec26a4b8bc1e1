/* SPDX-License-Identifier: Apache-2.0
 *
 * Python values on our side of the wall: what a case expects, and what a candidate returned.
 *
 * Their text is JSON, with typed forms for what JSON has not:
 *
 *     null true 1 1.5 NaN "text" [1, 2]       None, True, 1, 1.5, nan, 'text', [1, 2]
 *     {"a": 1}                                {'a': 1}
 *     {"$type": "tuple", "items": [1, 2]}     (1, 2)
 *
 * An object with the key "$type" is a typed form; a dict that has this key itself is written as
 * {"$type": "dict", "items": [["$type", 1]]}. value_types.def lists the forms. The text comes from
 * the guest or from a file: depth and number of values have ceilings, integers may have any size up
 * to one, strings may hold lone surrogates.
 */
#ifndef VALUES_VALUE_H
#define VALUES_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum value_type {
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STR,
    VALUE_LIST,
    VALUE_OBJECT, /* as JSON has it: only until value_resolve */
#define TYPED(kind, name, read) VALUE_##kind,
#include "values/value_types.def"
#undef TYPED
};

enum {
    VALUE_MAX_DEPTH = 200,
    VALUE_MAX_HEX = 65536, /* digits of an integer */
    VALUE_MAX_DECIMAL = 20000,
};

struct value {
    uint8_t type; /* enum value_type */
    uint8_t base; /* of an enum's member that is a number or a text as well: VALUE_INT, VALUE_STR,
                     VALUE_FLOAT */
    bool aware;   /* a date and time that knows its distance from UTC */
    uint32_t at, end;        /* where it stands in the text */
    const char *class_name;  /* of a class of the guest's, or of a relative of dict; or NULL */
    const struct str *names; /* n of them: the fields of a named tuple or a data class */
    union {
        bool truth;
        double real;
        double parts[2]; /* of a complex number */
        struct {
            int64_t integer;
            const uint32_t *limbs; /* lowest first, when it does not fit `integer`; else NULL */
            uint32_t limb_n;
            bool negative; /* of the limbs */
        };
        struct str text; /* str: UTF-8 in which lone surrogates may stand; bytes; a Decimal's, a
                            path's; the repr of what is none of these */
        struct {
            struct value *items; /* of a dict and an object: key, value, key, value */
            size_t n;            /* items; pairs */
            size_t flat_n;       /* of an array: n sizes, then so many items */
        };
        struct {
            int64_t days;  /* of a date from 0001-01-01; of a span */
            int64_t micro; /* in the day, not negative */
            int64_t from_utc;
        } time;
    };
};

struct value_limits {
    size_t nodes; /* values in all */
};

/* Reads the value at *at and leaves *at at what follows it and white space. Everything is made in
 * the arena; strings without escapes stay in the text. -1 with ERR_USAGE and "line 3, column 7:
 * why". */
int value_read_next(struct str text, size_t *at, const struct value_limits *limits,
                    struct arena *arena, struct value *ret, struct err *err);
/* Reads all of the text, which is one value. */
int value_read_json(struct str text, const struct value_limits *limits, struct arena *arena,
                    struct value *ret, struct err *err);
/* Turns the objects inside a value into dicts and typed forms. A person's own text may have
 * fractions that are not in lowest terms; from a guest they are taken as they come, and equal
 * nothing. The message begins with the place in `text`. */
int value_resolve(struct value *v, struct str text, bool ours, struct arena *arena,
                  struct err *err);
/* "line 3, column 7: " before the message. */
int value_error(struct str text, size_t at, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#ifdef __clang_analyzer__ /* see base/err.h */
#define value_error(...) ((value_error)(__VA_ARGS__), -1)
#endif

/* The member of an object; NULL. */
struct value *value_get(const struct value *object, const char *key);
/* What Python calls its type: "int", "datetime", or the class. */
const char *value_type_name(const struct value *v);
/* Appends its repr(), no more than about `max` bytes; a set's members in their order. */
void value_repr(const struct value *v, size_t max, struct buf *ret);
/* Appends its str(). */
void value_show(const struct value *v, size_t max, struct buf *ret);

#endif
