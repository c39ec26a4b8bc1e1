/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens while a program or a cell runs, put into its result and told to who watches.
 */
#ifndef SESSION_TELL_H
#define SESSION_TELL_H

#include "session/run.h"

struct teller {
    const struct run_watch *watch;
    struct result *result;
};

void tell(const struct teller *t, struct run_event event);
/* Keeps it; live output is limited like what is kept. */
void tell_output(const struct teller *t, int stream, const char *p, size_t n);
/* Of struct backend_sink. */
bool tell_room(const struct teller *t, int stream, struct pollfd *ret);
void tell_denied(const struct teller *t, const char *name, uint64_t count);
/* The lines of the result's warnings from `from` on. */
void tell_warnings(const struct teller *t, size_t from);
void tell_limit(const struct teller *t, enum jail_limit_hit hit);
/* Of a result that was cancelled. */
void tell_why(const struct teller *t);
/* Each of the result's files. */
void tell_files(const struct teller *t);

#endif
