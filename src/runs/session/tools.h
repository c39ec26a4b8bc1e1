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
    const char *session; /* the ID of the calling session */
    const char *name;
    json_t *args;   /* an array, lent */
    json_t *kwargs; /* an object, lent */
    int64_t timeout_ms;
    int cancel_fd; /* readable: the answer is not needed any more; -1 for none */
    /* A tool that waits for an answer calls this now and then, and stops waiting if it returns
     * true: the guest's other threads have used up the cell's time. NULL: never. */
    bool (*is_over)(void *ctx);
    void *over_ctx;
};

/* Answers in the calling thread. Returns 0 and a new reference in *ret; or -1 with *err, which the
 * guest sees as an exception. Its type is in the message if that is like "ValueError: no".
 * Otherwise it is TimeoutError for ERR_TIMEOUT, TypeError for ERR_GUEST, and RuntimeError for all
 * others. */
typedef int (*tool_fn)(void *ctx, const struct tool_call *call, json_t **ret, struct err *err);

struct tool {
    char *name;         /* an identifier, not a keyword or a dunder */
    char *description;  /* or NULL */
    char *returns;      /* the type of its value, as a string of Python; or NULL */
    json_t *parameters; /* as tool_parameters_read returns them; or NULL */
    tool_fn fn;
    void *ctx;
    int64_t timeout_ms; /* 0: the timeout of the set applies */
    bool is_input;      /* it answers the guest's input(), and programs cannot call it by name */
};

/* A tool to add; the caller lends all of it. */
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
    char *source;       /* tools as Python source: runs inside, visible to the guest; or NULL */
    int64_t timeout_ms; /* of a call; 30 s */
    size_t max_bytes;   /* of one call's arguments, and of one answer; default 4 MiB */
    size_t max_calls;   /* in one cell; default 1000 */
    bool final_answer;  /* the guest has final_answer(value), which ends the cell with that value */
};

void tool_set_init(struct tool_set *set);
void tool_set_done(struct tool_set *set);
/* Makes *to, which is empty, a copy; functions and their ctx are shared. */
void tool_set_copy(struct tool_set *to, const struct tool_set *from);
/* ERR_USAGE for an invalid name, or one that the set already has. */
int tool_set_add(struct tool_set *set, const struct tool_new *tool, struct err *err);
/* False if there is no tool of that name. */
bool tool_set_remove(struct tool_set *set, const char *name);
/* For a user at a terminal: a Python guest's input(PROMPT) and getpass(PROMPT) call `fn` with
 * (PROMPT, HIDDEN). It returns a string for a line, null for the end of the input, and false for an
 * interrupt. There is no deadline. */
void tool_set_add_input(struct tool_set *set, tool_fn fn, void *ctx);
const struct tool *tool_set_input(const struct tool_set *set); /* or NULL */
/* True if it has a tool that a program can call by its name, which input() is not. */
bool tool_set_has_named(const struct tool_set *set);
/* Returns the tool of that name, or NULL. */
const struct tool *tool_set_find(const struct tool_set *set, const char *name);
/* Calls the tool named call->name, if there is one. Always returns the JSON text of an "answer"
 * frame; the caller frees. Sets call->timeout_ms. */
char *tool_set_call(const struct tool_set *set, struct tool_call *call);
/* Appends Python source of functions that run inside; ERR_USAGE if it cannot be compiled. Messages
 * use `name` for it. */
int tool_set_source(struct tool_set *set, struct str source, const char *name, struct err *err);
/* As tool_set_source, for a file, that of --tools FILE. */
int tool_set_read(struct tool_set *set, const char *path, struct err *err);

/* ---- names, for a reviewer ---- */

/* Returns the names of the tools, of the source's functions, and final_answer. */
void tool_set_names(const struct tool_set *set, struct tool_names *ret);
/* Reads "search,fetch". Call tool_names_done also after -1. */
int tool_names_read(struct str list, struct tool_names *ret, struct err *err);
void tool_names_done(struct tool_names *names);

#endif
