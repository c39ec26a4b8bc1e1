/* SPDX-License-Identifier: Apache-2.0
 *
 * What an expression may stand for, as far as it can be read off the program: a constant, a thing
 * of the library by its full name, a function of the program, or one of several of these. Values
 * never change. Most live in an arena that is emptied from time to time, between two nodes; what a
 * symbol stands for is kept.
 */
#ifndef GUARD_VALUE_H
#define GUARD_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "python/scope.h"

enum value_kind {
    VALUE_UNKNOWN,
    VALUE_NONE,
    VALUE_BOOL,     /* .integer */
    VALUE_INT,      /* .integer */
    VALUE_HUGE,     /* an integer not worth computing: .real is how many bits it has */
    VALUE_FLOAT,    /* .real */
    VALUE_TEXT,     /* .text */
    VALUE_BYTES,    /* .text */
    VALUE_LIST,     /* .items; tuples, sets and what iterates alike */
    VALUE_DICT,     /* .items are the values, .keys beside them */
    VALUE_PATH,     /* .text: "os.system"; "open()" for what a call gives; "builtins.eval" */
    VALUE_SPACE,    /* .text: the namespace of that module; empty for the program's own */
    VALUE_FUNCTION, /* .node, .scope: a def or lambda, and where it stands */
    VALUE_CLASS,    /* the same for a class */
    VALUE_INSTANCE, /* of such a class */
    VALUE_METHOD,   /* .items[0]'s method .text */
    VALUE_PARTIAL,  /* .items[0] called with the others before its own arguments */
    VALUE_GETTER,   /* operator.attrgetter(.text); with an item methodcaller, itemgetter */
    VALUE_OBJECT,   /* with attributes like a dict: types.SimpleNamespace(...) */
    VALUE_ENDLESS,  /* an iterator without end; .text says which */
    VALUE_DECODED,  /* text or bytes that were decoded, content unknown */
    VALUE_MADE,     /* text made out of characters or found among names, or several; unknown */
    VALUE_ANY,      /* one of .items */
};

struct value {
    enum value_kind kind;
    bool pieced;  /* text: not written so in the program but put together */
    bool decoded; /* text: made readable by a decoder */
    bool hidden;  /* path: found through pieced text */
    bool guessed; /* path: what a name says, of a thing of which nothing is known */
    bool open;    /* it may be something else as well, of which nothing is known */
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

extern const struct value value_unknown, value_none, value_decoded, value_made;

static inline bool value_is_path(const struct value *v, const char *path)
{
    return v->kind == VALUE_PATH && str_is(v->text, path);
}

struct value *value_new(struct arena *a, enum value_kind kind);
const struct value *value_int(struct arena *a, int64_t n);
const struct value *value_huge(struct arena *a, double bits);
/* The text itself is kept, not copied. */
const struct value *value_text(struct arena *a, enum value_kind kind, struct str text);
/* A path, or unknown when it is too long to be anything. `rest` is put behind `base` as it is. */
const struct value *value_path(struct arena *a, struct str base, const char *between,
                               struct str rest);
/* Room for n items. */
struct value *value_list(struct arena *a, enum value_kind kind, size_t n);
/* a or b; unknown ones fall away, so the result may be a or b itself. */
const struct value *value_either(struct arena *a, const struct value *x, const struct value *y);
/* The same value, marked as not the only one that is possible. */
const struct value *value_open(struct arena *a, const struct value *v);
/* A copy of all that belongs to it, in an arena that stays. */
const struct value *value_keep(struct arena *a, const struct value *v);
/* The same value, marked as guessed. */
const struct value *value_guess(struct arena *a, const struct value *v);
/* The same value, marked as put together. */
const struct value *value_hide(struct arena *a, const struct value *v);

/* The alternatives of a value: itself, or the items of VALUE_ANY. */
size_t value_count(const struct value *v);
const struct value *value_at(const struct value *v, size_t i);

/* True and *ret for constants that Python would call true or false. */
bool value_truth(const struct value *v, bool *ret);

#endif
