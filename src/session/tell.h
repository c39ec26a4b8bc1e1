/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the events of a running program or cell into its result, and reports them to the watcher.
 */
#ifndef SESSION_TELL_H
#define SESSION_TELL_H

#include "session/run.h"

struct teller {
    const struct run_watch *watch;
    struct result *result;
};

void tell(const struct teller *t, struct run_event event);
/* Keeps the output; events are limited to the output that the result keeps. */
void tell_output(const struct teller *t, int stream, const char *p, size_t n);
/* Of struct backend_sink. */
bool tell_room(const struct teller *t, int stream, struct pollfd *ret);
void tell_denied(const struct teller *t, const char *name, uint64_t count);
/* Reports the lines of the result's warnings from `from` on. */
void tell_warnings(const struct teller *t, size_t from);
void tell_limit(const struct teller *t, enum jail_limit_hit hit);
/* Sets the reason of a cancelled result. */
void tell_why(const struct teller *t);
/* Reports each of the result's files. */
void tell_files(const struct teller *t);

#endif
