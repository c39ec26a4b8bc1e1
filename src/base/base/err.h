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
    ERR_USAGE,       /* the request is wrong or contradicts itself */
    ERR_POLICY,      /* the guard or the daemon's policy refused */
    ERR_LIMIT,       /* a ceiling was reached */
    ERR_TIMEOUT,     /* a deadline passed */
    ERR_SYSTEM,      /* a call to the operating system failed */
    ERR_UNSUPPORTED, /* this host or this version lacks it: a layer, a backend, a limit */
    ERR_GUEST,       /* the guest broke a protocol */
    ERR_BUG,         /* our own code broke a protocol */
};

struct err {
    enum err_kind kind;
    int sys; /* errno, for ERR_SYSTEM */
    char msg[512];
};

/* Each returns -1, so that `return err_set(...)` is one line. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Like err_set with ERR_SYSTEM, for a failed system call. `fmt` is a verb and its object, such as
 * "open %s": the message gets "cannot " before it, and ": " and the text of errno after it. */
int err_sys(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "context: " before the message that *err already holds. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* True if the failure is a passing fault of ours or of this host, which another attempt may not
 * meet: a broken connection, a resource that is busy or used up for the moment, a process that
 * ended early. Only the errnos in the table of err.c are passing; every other one is caused by the
 * host, the image or the request itself. */
bool err_is_passing(const struct err *err);

#ifdef __clang_analyzer__ /* it reads one file at a time, so it does not know that these functions \
                             return -1 */
#define err_set(...)  ((err_set)(__VA_ARGS__), -1)
#define err_sys(...)  ((err_sys)(__VA_ARGS__), -1)
#define err_wrap(...) ((err_wrap)(__VA_ARGS__), -1)
#endif

/* The name of a kind as other programs see it, and the exit and HTTP status for it. */
const char *err_kind_name(enum err_kind kind);
/* ERR_NONE if no kind has this name. */
enum err_kind err_kind_find(const char *name);
int err_exit_status(enum err_kind kind);
int err_http_status(enum err_kind kind);

#endif
