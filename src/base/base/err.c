/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int exit_status;
    int http_status;
} kinds[] = {
    [ERR_NONE] = {"none", 0, 200},
    [ERR_USAGE] = {"usage", 2, 400},
    [ERR_POLICY] = {"policy", 126, 403},
    [ERR_LIMIT] = {"limit", 125, 413},
    [ERR_TIMEOUT] = {"timeout", 124, 504},
    [ERR_SYSTEM] = {"system", 125, 500},
    [ERR_UNSUPPORTED] = {"unsupported", 125, 501},
    [ERR_GUEST] = {"guest", 125, 502},
    [ERR_BUG] = {"bug", 125, 500},
};

const char *err_kind_name(enum err_kind kind)
{
    return kinds[kind].name;
}

enum err_kind err_kind_find(const char *name)
{
    for (int k = ERR_USAGE; name && k <= ERR_BUG; k++)
        if (strcmp(name, kinds[k].name) == 0)
            return (enum err_kind)k;
    return ERR_NONE;
}

int err_exit_status(enum err_kind kind)
{
    return kinds[kind].exit_status;
}

int err_http_status(enum err_kind kind)
{
    return kinds[kind].http_status;
}

bool err_is_passing(const struct err *err)
{
    static const int passing[] = {
        EAGAIN,     EINTR,        EBUSY,       ENOMEM,   EMFILE,       ENFILE,    ENOBUFS,
        ECONNRESET, ECONNABORTED, EPIPE,       ENOTCONN, ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH,
        ENETDOWN,   ENETRESET,    ENETUNREACH, ESRCH,    ECHILD,       ESTALE,    EPROTO,
    };
    bool listed = err->sys == 0;

    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        listed |= err->sys == passing[i];
    return err->kind == ERR_SYSTEM && listed;
}

/* Under the analyser, err.h defines these names as macros. */
#undef err_set
#undef err_sys
#undef err_wrap

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
    va_list ap;

    err->kind = kind;
    err->sys = 0;
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    return -1;
}

#define CANNOT "cannot "

int err_sys(struct err *err, const char *fmt, ...)
{
    const size_t cannot = sizeof CANNOT - 1;
    int saved = errno;
    va_list ap;

    err->kind = ERR_SYSTEM;
    err->sys = saved;
    memcpy(err->msg, CANNOT, sizeof CANNOT);
    va_start(ap, fmt);
    int n = vsnprintf(err->msg + cannot, sizeof err->msg - cannot, fmt, ap);
    va_end(ap);
    /* A long message loses its end, not the reason: room for the reason is kept. */
    const char *reason = strerror(saved);
    size_t room = sizeof err->msg - strlen(reason) - 3;
    size_t at = cannot + (n < 0 ? 0 : (size_t)n);
    at = at < room ? at : room;
    snprintf(err->msg + at, sizeof err->msg - at, ": %s", reason);
    return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
    char old[sizeof err->msg - 2]; /* as much as fits after ": " */
    va_list ap;

    memcpy(old, err->msg, sizeof old);
    old[sizeof old - 1] = '\0';
    va_start(ap, fmt);
    int n = vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof err->msg)
        snprintf(err->msg + n, sizeof err->msg - (size_t)n, ": %s", old);
    return -1;
}
