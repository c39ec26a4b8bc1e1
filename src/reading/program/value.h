/* SPDX-License-Identifier: Apache-2.0
 *
 * The possible values of an expression, as far as the program's text shows them: a constant, a
 * thing of the library by its full name, a function of the program, or one of several of these.
 * Values never change. Most are in an arena that is emptied from time to time, between two nodes;
 * the values of symbols are kept.
 */
#ifndef PROGRAM_VALUE_H
#define PROGRAM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "syntax/scope.h"

enum value_kind {
    VALUE_UNKNOWN,
    VALUE_NONE,
    VALUE_BOOL,     /* .integer */
    VALUE_INT,      /* .integer */
    VALUE_HUGE,     /* an integer that is too large to compute: .real is its number of bits */
    VALUE_FLOAT,    /* .real */
    VALUE_TEXT,     /* .text */
    VALUE_BYTES,    /* .text */
    VALUE_LIST,     /* .items; also tuples, sets and the items of an iteration */
    VALUE_DICT,     /* .items are the values, .keys the keys */
    VALUE_PATH,     /* .text: "os.system"; "open()" for the result of a call; "builtins.eval" */
    VALUE_SPACE,    /* .text: the namespace of that module; empty for the program's own */
    VALUE_FUNCTION, /* .node, .scope: a def or lambda, and its scope */
    VALUE_CLASS,    /* the same for a class */
    VALUE_INSTANCE, /* an object of such a class */
    VALUE_METHOD,   /* .items[0]'s method .text */
    VALUE_PARTIAL,  /* .items[0] with the other items as its first arguments */
    VALUE_GETTER,   /* operator.attrgetter(.text); with an item: methodcaller or itemgetter; without
                       both, the name is unknown */
    VALUE_OBJECT,   /* an object with attributes, stored like a dict: types.SimpleNamespace(...) */
    VALUE_ENDLESS,  /* an endless iterator; .text is its name */
    VALUE_DECODED,  /* a string or bytes from a decoder, with unknown content */
    VALUE_MADE,     /* a string made out of characters, found among names, or grown in a loop;
                       unknown content */
    VALUE_ANY,      /* one of .items */
};

struct value {
    enum value_kind kind;
    bool pieced;  /* string: put together, not written as such in the program */
    bool decoded; /* string: the result of a decoder */
    bool hidden;  /* path: found by a string that is put together */
    bool sought;  /* unknown: reached by a name that is known only at run time */
    bool guessed; /* path: guessed from a name; nothing is known about the object */
    bool open;    /* it may also be something unknown */
    bool kept;    /* lives as long as the program, see value_keep */
    size_t n;     /* of items and keys */
    const struct value **items, **keys;
    union {
        struct str text;
        int64_t integer;
        double real;
        struct {
            const struct node *node;
            const struct scope *scope;
        };
    };
};

enum {
    VALUE_MAX_TEXT = 64 << 10, /* bytes of a folded text */
    VALUE_MAX_ITEMS = 1000,
    VALUE_MAX_ANY = 8,
    VALUE_MAX_PATH = 160,
};

extern const struct value value_unknown, value_none, value_decoded, value_made, value_sought;

static inline bool value_is_path(const struct value *v, const char *path)
{
    return v->kind == VALUE_PATH && str_is(v->text, path);
}

struct value *value_new(struct arena *a, enum value_kind kind);
const struct value *value_int(struct arena *a, int64_t n);
const struct value *value_huge(struct arena *a, double bits);
/* Keeps a reference to the text; does not copy it. */
const struct value *value_text(struct arena *a, enum value_kind kind, struct str text);
/* A path, or unknown if it is too long. `rest` is appended to `base` and `between` unchanged. */
const struct value *value_path(struct arena *a, struct str base, const char *between,
                               struct str rest);
/* A list with room for n items. */
struct value *value_list(struct arena *a, enum value_kind kind, size_t n);
/* Either x or y; an unknown one is dropped, so the result may be just x or y. */
const struct value *value_either(struct arena *a, const struct value *x, const struct value *y);
/* The same value, marked as one of several possible values. */
const struct value *value_open(struct arena *a, const struct value *v);
/* A copy of the value and everything in it, in an arena that stays. */
const struct value *value_keep(struct arena *a, const struct value *v);
/* The same value, marked as guessed. */
const struct value *value_guess(struct arena *a, const struct value *v);
/* The same value, marked as put together. */
const struct value *value_hide(struct arena *a, const struct value *v);

/* The alternatives of a value: itself, or the items of VALUE_ANY. */
size_t value_count(const struct value *v);
const struct value *value_at(const struct value *v, size_t i);

/* True with the truth value in *ret, if v is a constant. */
bool value_truth(const struct value *v, bool *ret);

#endif
