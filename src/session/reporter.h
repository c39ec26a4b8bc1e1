/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the events of a running program or cell into its result, and reports them to the watcher.
 */
#ifndef SESSION_REPORTER_H
#define SESSION_REPORTER_H

#include "session/run.h"

struct reporter {
    const struct run_watch *watch;
    struct result *result;
};

void reporter_event(const struct reporter *t, struct run_event event);
/* Keeps the output; events are limited to the output that the result keeps. */
void reporter_output(const struct reporter *t, int stream, const char *p, size_t n);
/* Of struct backend_sink. */
bool reporter_room(const struct reporter *t, int stream, struct pollfd *ret);
void reporter_denied(const struct reporter *t, const char *name, uint64_t count);
/* Reports the lines of the result's warnings from `from` on. */
void reporter_warnings(const struct reporter *t, size_t from);
void reporter_limit(const struct reporter *t, enum jail_limit_hit hit);
/* Sets the reason of a cancelled result. */
void reporter_cancel_reason(const struct reporter *t);
/* Reports each of the result's files. */
void reporter_files(const struct reporter *t);

#endif
