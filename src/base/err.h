/* SPDX-License-Identifier: Apache-2.0
 *
 * One shape for every failure.
 *
 * A function that can fail takes `struct err *err` last and returns 0 or -1 (or a pointer or NULL).
 * On success it leaves *err alone; on failure *err holds a kind, which programs act on, and a
 * message that is ready to print. The struct is a plain value with the message inside, so failing
 * allocates nothing and works between fork and exec as well.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

enum err_kind {
    ERR_NONE,
    ERR_USAGE,       /* the caller asked for something that makes no sense */
    ERR_POLICY,      /* the guard, or what a daemon allows, refused */
    ERR_LIMIT,       /* a ceiling was reached */
    ERR_TIMEOUT,     /* a deadline passed */
    ERR_SYSTEM,      /* the operating system said no */
    ERR_UNSUPPORTED, /* this host or this version cannot do it: a layer, a backend, a limit */
    ERR_GUEST,       /* the guest broke a protocol */
    ERR_BUG,         /* we broke one */
};

struct err {
    enum err_kind kind;
    int sys; /* errno, for ERR_SYSTEM */
    char msg[512];
};

/* Each returns -1, so that `return err_set(...)` is one line. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Like err_set with ERR_SYSTEM; appends ": " and the text of errno. */
int err_sys(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "context: " before the message that *err already holds. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether it is a fault of ours or of this host that another attempt may not meet: a connection
 * that broke, something that is busy or short for the moment, a process that ended early. Of
 * errnos, these are the listed ones; each other one comes from what the host, the image or the
 * request is. */
bool err_is_passing(const struct err *err);

#ifdef __clang_analyzer__ /* it looks at one file at a time and cannot see what they return */
#define err_set(...)  ((err_set)(__VA_ARGS__), -1)
#define err_sys(...)  ((err_sys)(__VA_ARGS__), -1)
#define err_wrap(...) ((err_wrap)(__VA_ARGS__), -1)
#endif

/* The name of a kind as programs see it, and what it becomes outside. */
const char *err_kind_name(enum err_kind kind);
/* ERR_NONE for another name. */
enum err_kind err_kind_find(const char *name);
int err_exit_status(enum err_kind kind);
int err_http_status(enum err_kind kind);

#endif
