/* SPDX-License-Identifier: Apache-2.0
 *
 * Advice about an error, found by its language, type and message. There are three tables:
 * feedback_advice.c has the errors of programs, feedback_names.c missing names and modules, and
 * feedback_ends.c the other causes that end a run.
 */
#ifndef EXPLAIN_FEEDBACK_ADVICE_H
#define EXPLAIN_FEEDBACK_ADVICE_H

#include <stdbool.h>

#include "base/buf.h"
#include "explain/advice_place.h"
#include "languages/traits.h"

/* One piece of advice per topic is enough. */
enum advice_topic {
    TOPIC_NONE,
    TOPIC_TIME,
    TOPIC_MEMORY,
    TOPIC_DISK,
    TOPIC_PROCESSES,
    TOPIC_NETWORK,
    TOPIC_FILE,
    TOPIC_MODULE,
    TOPIC_PERMISSION,
    TOPIC_RECURSION,
    TOPIC_INPUT,
    TOPIC_SYNTAX,
    TOPIC_COUNT
};

/* What to do without a network. */
#define OPENS_NET                                                                                  \
    "Give data with --file, or allow the hosts that are needed, as in --net=api.example.com."

#define ADVICE_LINE_ENDS                                                                           \
    "The script has the line ends of Windows (CR LF), and the shell takes the CR for a part of "   \
    "the last word. Save it with LF alone: sed -i 's/\\r$//' FILE."

/* A row of a table. `*` in the pattern matches anything and is {1}, {2}, ... in the text. */
struct advice {
    enum language_errors errors; /* ERRORS_OTHER: any language */
    const char *type;    /* "KeyError", without its module; NULL: any type, and lines without one */
    const char *pattern; /* for the first line of the message */
    enum advice_topic topic;
    const char *text;
};

enum { ADVICE_CAPTURES = 4 };

/* True if the text matches. The time is linear: each part of the pattern matches at its first
 * occurrence. */
bool advice_match(const char *pattern, struct str text, struct str captures[ADVICE_CAPTURES]);
/* Writes the text with the captures filled in. */
void advice_write(struct buf *b, const char *text, const struct str captures[ADVICE_CAPTURES]);

/* An error: its language, type (may be NULL) and message, and where the program ran. */
struct advice_error {
    const char *language, *type;
    struct str message;
    struct advice_place place;
};

/* Returns the text of the first row that matches, or NULL; the caller frees. */
char *advice_find(const struct advice_error *error, enum advice_topic *ret_topic);
/* Does this, and also searches for missing names and modules. */
char *advice_for_error(const struct advice_error *error);
enum advice_topic advice_topic_of(const struct advice_error *error);

/* ---- feedback_names.c ---- */

/* Appends the place in Python's library of a name that the program uses without defining it; false
 * if the library has no such name. */
bool advice_add_home(struct buf *b, struct str name);
/* Appends what can replace a missing Python module, and how to get it. Always appends something. */
void advice_add_module(struct buf *b, struct str module, struct advice_place place);

/* ---- by the type of a Python error ---- */

/* True if a language's errors have Python's types. */
bool advice_has_types(const char *language);
/* Returns the text for a Python error, by its type or by a base class; or NULL. */
const char *advice_of_type(const char *type);
/* Returns the i-th type that has a text, or NULL. */
const char *advice_type(size_t i);

#endif
