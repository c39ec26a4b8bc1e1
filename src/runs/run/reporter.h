/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the events of a running program or cell into its result, and reports them to the watcher.
 */
#ifndef RUN_REPORTER_H
#define RUN_REPORTER_H

#include "run/run.h"

struct reporter {
    const struct run_watch *watch;
    struct result *result;
};

enum { DISPLAYS_MAX = 64, DISPLAYS_BYTES_MAX = 32 << 20 }; /* of one result */

/* The size of the "display" frames that the result keeps, and the number of dropped ones. */
struct displays {
    size_t bytes, values, dropped;
};

void reporter_event(const struct reporter *t, struct run_event event);
/* Keeps a frame's bundle, or counts it as dropped. 1 if the bundle is empty, -1 with ERR_GUEST if
 * it is invalid. */
int reporter_display(const struct reporter *t, struct displays *d, struct str bytes,
                     struct err *err);
/* Takes over a bundle. */
void reporter_bundle(const struct reporter *t, json_t *bundle);
/* Keeps the output; events are limited to the output that the result keeps. */
void reporter_output(const struct reporter *t, int stream, const char *p, size_t n);
/* Entries of struct backend_sink. */
bool reporter_room(const struct reporter *t, int stream, struct pollfd *ret);
void reporter_denied(const struct reporter *t, const char *name, uint64_t count);
/* Reports the lines of the result's warnings, beginning at offset `from`. */
void reporter_warnings(const struct reporter *t, size_t from);
void reporter_limit(const struct reporter *t, enum jail_limit_hit hit);
/* Sets the reason of a cancelled result. */
void reporter_cancel_reason(const struct reporter *t);
/* Reports each of the result's files. *err is the reason why some were not copied out, or of kind
 * ERR_NONE. It becomes the result's error, unless the watcher has cancelled the run. */
void reporter_files(const struct reporter *t, struct err *err);

#endif
