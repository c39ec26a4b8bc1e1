/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of an RPC in the Connect protocol, with JSON: envelopes of a byte of flags, four bytes
 * of length (big-endian) and as many bytes. The last one says how it ended. The other side is as
 * hostile as the guest.
 */
#ifndef E2B_ENVELOPE_H
#define E2B_ENVELOPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { ENVELOPE_HEAD = 5, ENVELOPE_MAX = 4 << 20 };

/* Appends one with this message. */
void envelope_put(struct buf *out, const json_t *message);

enum envelope_kind { ENVELOPE_PART = 0, ENVELOPE_MESSAGE, ENVELOPE_END };
/* The next whole envelope at the beginning of the bytes: *ret_bytes is its content, and *ret_taken
 * its whole length. PART when more has to come. -1 with ERR_GUEST when it is too long or
 * compressed. */
int envelope_next(struct str bytes, struct str *ret_bytes, size_t *ret_taken, struct err *err);

/* ---- messages of a process ---- */

enum process_event_kind {
    PROCESS_OTHER, /* a sign of life, or what later versions add */
    PROCESS_STARTED,
    PROCESS_OUTPUT,
    PROCESS_ENDED,
};
struct process_event {
    enum process_event_kind kind;
    int64_t pid;
    int stream; /* 1 or 2 */
    int exit_code;
    bool exited; /* else a signal ended it */
};
/* The bytes of an output are appended to `output`. -1 with ERR_GUEST. */
int process_event_read(struct str message, struct process_event *ret, struct buf *output,
                       struct err *err);
/* The end of a stream: 0, or -1 with its "error" in *ret_code and *ret_message, which are views of
 * *ret_owner (the caller's to release, also after 0). */
int envelope_end_read(struct str message, json_t **ret_owner, const char **ret_code,
                      struct str *ret_message);

#endif
