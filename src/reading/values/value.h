/* SPDX-License-Identifier: Apache-2.0
 *
 * Python values outside the sandbox: the values that a case expects, and those that a candidate
 * returned.
 *
 * They are written as JSON, with typed forms for values that JSON does not have:
 *
 *     null true 1 1.5 NaN "text" [1, 2]       None, True, 1, 1.5, nan, 'text', [1, 2]
 *     {"a": 1}                                {'a': 1}
 *     {"$type": "tuple", "items": [1, 2]}     (1, 2)
 *
 * An object with the key "$type" is a typed form; a dict with this key is written as {"$type":
 * "dict", "items": [["$type", 1]]}. value_types.def lists the forms. The text comes from the guest
 * or from a file, so the depth, the number of values and the size of integers are limited. Strings
 * may hold lone surrogates.
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
    VALUE_OBJECT, /* a JSON object; exists only until value_resolve */
#define TYPED(kind, name, read) VALUE_##kind,
#include "values/value_types.def"
#undef TYPED
};

enum {
    VALUE_MAX_DEPTH = 200,
    VALUE_MAX_HEX = 65536, /* hexadecimal digits of an integer */
    VALUE_MAX_DECIMAL = 20000,
};

struct value {
    uint8_t type; /* enum value_type */
    /* for an enum member that is also a number or a str: VALUE_INT, VALUE_STR or VALUE_FLOAT */
    uint8_t base;
    bool aware;              /* a date and time with an offset from UTC */
    uint32_t at, end;        /* its location in the text */
    const char *class_name;  /* the guest's class, or a class derived from dict; or NULL */
    const struct str *names; /* n names: the fields of a named tuple or a data class */
    union {
        bool truth;
        double real;
        double parts[2]; /* of a complex number */
        struct {
            int64_t integer;
            /* lowest first, if the number does not fit `integer`; else NULL */
            const uint32_t *limbs;
            uint32_t limb_n;
            bool negative; /* the sign, if there are limbs */
        };
        /* Of a str (UTF-8 in which lone surrogates are allowed), bytes, a Decimal or a path; for
         * type "other" the repr. */
        struct str text;
        struct {
            struct value *items; /* of a dict and an object: key, value, key, value, ... */
            size_t n;            /* the number of items or pairs */
            size_t flat_n;       /* of an array: n sizes, then flat_n items */
        };
        struct {
            int64_t days;  /* of a date: since 0001-01-01; of a span: its days */
            int64_t micro; /* within the day, not negative */
            int64_t from_utc;
        } time;
    };
};

struct value_limits {
    size_t nodes; /* values in all */
};

/* Reads the value at *at, and moves *at past it and the white space that follows. Everything is
 * allocated in the arena; strings without escapes point into the text. -1 with ERR_USAGE and "line
 * 3, column 7: why". */
int value_read_next(struct str text, size_t *at, const struct value_limits *limits,
                    struct arena *arena, struct value *ret, struct err *err);
/* Reads a text that is exactly one value. */
int value_read_json(struct str text, const struct value_limits *limits, struct arena *arena,
                    struct value *ret, struct err *err);
/* Checks a text of any size without building values. *ret_special: it has NaN or Infinity, which
 * Python accepts and other JSON readers do not. */
int value_check_json(struct str text, bool *ret_special, struct err *err);
/* Turns the objects inside a value into dicts and typed forms. With `ours`, the text is a user's,
 * and its fractions are reduced to lowest terms. A guest's fractions are taken unchanged, and if
 * not in lowest terms equal nothing. Error messages begin with the location in `text`. */
int value_resolve(struct value *v, struct str text, bool ours, struct arena *arena,
                  struct err *err);
/* Always -1; puts "line 3, column 7: " in front of the message. */
int value_error(struct str text, size_t at, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#ifdef __clang_analyzer__ /* see base/err.h */
#define value_error(...) ((value_error)(__VA_ARGS__), -1)
#endif

/* The member of an object, or NULL. */
struct value *value_get(const struct value *object, const char *key);
/* The name of its type in Python: "int", "datetime", or the class. */
const char *value_type_name(const struct value *v);
/* Appends its repr(), at most about `max` bytes; the members of a set are in the order in which
 * they were read. */
void value_repr(const struct value *v, size_t max, struct buf *ret);
/* Appends its str(), with the same limit. */
void value_show(const struct value *v, size_t max, struct buf *ret);

#endif
