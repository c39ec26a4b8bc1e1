/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools: host functions that a guest may call by name. The call crosses as typed JSON
 * (backends/cell_wire.h), the function and its data stay outside. A name that is not in the set
 * cannot be called; arguments and answers have a ceiling, each call a deadline.
 */
#ifndef SESSION_TOOLS_H
#define SESSION_TOOLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "request/reviewer.h"

struct tool_call {
    const char *session; /* the ID of the session that calls */
    const char *name;
    json_t *args;   /* an array, lent */
    json_t *kwargs; /* an object, lent */
    int64_t timeout_ms;
    int cancel_fd; /* readable: the answer is not needed any more; -1 for none */
    /* A tool that waits for an answer asks this now and then, and ends when it is true: the guest's
     * other threads have used up the cell's time meanwhile. NULL: it never is. */
    bool (*is_over)(void *ctx);
    void *over_ctx;
};

/* Answers in the calling thread. 0 and a new reference in *ret; or -1, and the guest sees an
 * exception. A message "ValueError: no" names its type; else ERR_TIMEOUT is TimeoutError, ERR_GUEST
 * TypeError, and any other RuntimeError. */
typedef int (*tool_fn)(void *ctx, const struct tool_call *call, json_t **ret, struct err *err);

struct tool {
    char *name;         /* an identifier, not a keyword or a dunder */
    char *description;  /* or NULL */
    char *returns;      /* the type of its value, as Python's text; or NULL */
    json_t *parameters; /* as tool_parameters_read returns them; or NULL */
    tool_fn fn;
    void *ctx;
    int64_t timeout_ms; /* 0: the set's */
    bool is_input;      /* it answers the guest's input() and has no name inside */
};

/* A tool that is to be added; all of it is lent. */
struct tool_new {
    const char *name, *description, *returns;
    const json_t *parameters; /* in any form of session/tool_parameters.h; NULL for none */
    tool_fn fn;
    void *ctx;
    int64_t timeout_ms;
};

struct tool_set {
    struct tool *items;
    size_t count;
    char *source; /* tools as Python source, which run inside, visible to the guest; or NULL */
    int64_t timeout_ms; /* of a call; 30 s */
    size_t max_bytes;   /* of one call's arguments, and of one answer; 4 MiB */
    size_t max_calls;   /* in one cell; 1000 */
    bool final_answer;  /* the guest has final_answer(value), which ends the cell with that */
};

void tool_set_init(struct tool_set *set);
void tool_set_done(struct tool_set *set);
/* Makes *to, which is empty, the same set; functions and their ctx are shared. */
void tool_set_copy(struct tool_set *to, const struct tool_set *from);
/* ERR_USAGE for an invalid name, or one that exists. */
int tool_set_add(struct tool_set *set, const struct tool_new *tool, struct err *err);
/* False when there is none of that name. */
bool tool_set_remove(struct tool_set *set, const char *name);
/* Someone sits at a terminal: a Python guest's input(PROMPT) and getpass(PROMPT) call this with
 * (PROMPT, HIDDEN). A text is the line; null is the end of the input; false is an interrupt. There
 * is no deadline. */
void tool_set_add_input(struct tool_set *set, tool_fn fn, void *ctx);
const struct tool *tool_set_input(const struct tool_set *set); /* or NULL */
/* Whether it has a tool that a program can call by its name: input() has none. */
bool tool_set_has_named(const struct tool_set *set);
/* The tool of that name, or NULL. */
const struct tool *tool_set_find(const struct tool_set *set, const char *name);
/* Calls the tool named call->name, if there is one, and returns the JSON text of an "answer" frame
 * in every case; the caller frees. Sets call->timeout_ms. */
char *tool_set_call(const struct tool_set *set, struct tool_call *call);
/* Appends Python source of functions that run inside; ERR_USAGE when it cannot compile. Messages
 * call it `name`. */
int tool_set_source(struct tool_set *set, struct str source, const char *name, struct err *err);
/* --tools FILE: the same from a file. */
int tool_set_read(struct tool_set *set, const char *path, struct err *err);

/* ---- names, for a reviewer ---- */

/* Those of the tools, of the source's functions, and final_answer. */
void tool_set_names(const struct tool_set *set, struct tool_names *ret);
/* "search,fetch". Call tool_names_done in both cases. */
int tool_names_read(struct str list, struct tool_names *ret, struct err *err);
void tool_names_done(struct tool_names *names);

#endif
