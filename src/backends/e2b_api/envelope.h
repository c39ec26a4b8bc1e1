/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of an RPC in the Connect protocol, with JSON: envelopes of a byte of flags, four bytes
 * of length (big-endian) and as many bytes. The last one has the result. The other side is as
 * hostile as the guest.
 */
#ifndef E2B_API_ENVELOPE_H
#define E2B_API_ENVELOPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { ENVELOPE_HEAD = 5, ENVELOPE_MAX = 4 << 20 };

/* Appends an envelope with this message. */
void envelope_put(struct buf *out, const json_t *message);

enum envelope_kind { ENVELOPE_PART = 0, ENVELOPE_MESSAGE, ENVELOPE_END };
/* Reads the envelope at the beginning of the bytes: *ret_bytes is its content, and *ret_taken its
 * whole length. ENVELOPE_PART if it is not complete. -1 with ERR_GUEST if it is too long or
 * compressed. */
int envelope_next(struct str bytes, struct str *ret_bytes, size_t *ret_taken, struct err *err);

/* ---- messages of a process ---- */

enum process_event_kind {
    PROCESS_OTHER, /* a keep-alive, or an event of later versions */
    PROCESS_STARTED,
    PROCESS_OUTPUT,
    PROCESS_ENDED,
};
struct process_event {
    enum process_event_kind kind;
    int64_t pid;
    int stream; /* 1 or 2 */
    int exit_code;
    bool exited; /* false: a signal ended it */
};
/* Reads an event; output bytes are appended to `output`. -1 with ERR_GUEST. */
int process_event_read(struct str message, struct process_event *ret, struct buf *output,
                       struct err *err);
/* Reads the end of a stream: 0, or -1 with its "error" in *ret_code and *ret_message, which point
 * into *ret_owner (which the caller releases, also after 0). */
int envelope_end_read(struct str message, json_t **ret_owner, const char **ret_code,
                      struct str *ret_message);

#endif
