/* SPDX-License-Identifier: Apache-2.0
 *
 * The protocol between the host and a session's guest, on two pipes: the guest reads descriptor 3
 * and writes descriptor 4. (Pipes, because R can open a pipe by a path, but not a socket.) Both
 * sides send frames:
 *
 *     KIND ID LENGTH\n        KIND is a lower-case word, the others are decimal
 *     LENGTH bytes            of JSON, unless said otherwise
 *
 * so that a shell can read and write them too. The guest is hostile: its frames are decoded with
 * limits, and an invalid frame ends the session (ERR_GUEST).
 *
 * "Typed" is JSON with {"$type": ...} for values that JSON has no form for, as in
 * src/reading/values/value_types.def.
 *
 * Host to guest; the guest handles one frame after the other and answers each exec, set, get and
 * tools:
 *
 *   program 0  the server's own text. Sent only if the interpreter is started with a line that
 * reads and runs it hello 0   {"value": "notebook"|"last", "tools": [TOOL], "final_answer": bool,
 *             "terminal": bool, "preload": ["numpy"], "first": "...", "annotations": bool,
 *             "source": "...", "env": {}, "folder": "src", "limits": {"value": BYTES, "variables":
 * BYTES, "bundle": BYTES, "bundles": N, "text": CHARS, "call": BYTES}} First and once. "source" is
 * Python that defines tools inside; "first" is the host's own Python for the session's profile
 * (run/first.h). "annotations": cells' annotations are evaluated. "terminal": input() is a
 * call of "input()". exec ID   the cell's text, as it is stdin ID  bytes that the cell with this ID
 * will read as its input; comes before it folder ID  the path of the folder in which the cell with
 * this ID runs, in the workspace, as it is; comes before it. Afterwards the guest goes back.
 * "folder" of hello stays set ID    {"NAME": TYPED, ...}: variables get ID    {"names": ["a",
 * ...]}; with "prefix": "np.li" also names that begin so, with "list": true all variables that
 * cells made tools ID  {"add": [TOOL], "remove": ["NAME"]}: of the host's tools; one of the same
 * name as an added one is replaced answer CALL  {"ok": TYPED} or {"error": {"type": "...",
 * "message": "..."}} fork ID   to a guest with forks: fork into the jail that waits (zygote.h). Its
 * "done" is
 *             {"ok": bool, "why": "..."}; the fork sends "forked" on its own pipes, and then
 *             handles frames from them
 *
 * Guest to host:
 *
 *   ready 0   {"language": "python", "version": "3.11.2"}: hello was handled; with an
 *             "exception" when that failed
 *   forked ID  {}: the first frame of a fork, which has everything and waits for frames
 *   display ID  BUNDLE, as it happens
 *   call CALL   {"name": "...", "args": [TYPED], "kwargs": {"K": TYPED}}; CALL counts from 1; the
 *             guest waits for the answer (other threads of it may call meanwhile)
 *   done ID   {"ok": bool, "value": TYPED or null, "results": [BUNDLE], "exception": EXCEPTION or
 *             null, "final_answer": TYPED, "is_final_answer": bool, "exit": N or null,
 *             "exited": bool (a shell's: it ran `exit`), "interrupted": bool}.
 *             After set and tools: {"ok": bool, "exception": ...}. After get: {"ok": bool,
 *             "values": {"NAME": TYPED}, "missing": [...], "failed": {"NAME": "why"}}, "names":
 *             [...], "variables": [{"name", "type", "value"}], the value as a short text
 *
 * TOOL       {"name", "description", "parameters", "returns"}: parameters and returns as in
 *             session/tools.h, or null
 * BUNDLE     {"kind": "value"|"display", "data": {"text/plain": "...", "text/html": "...",
 *             "image/png": BASE64, "application/json": ...}, "metadata": {}, "dropped":
 *             [{"mime": "...", "bytes": N, "why": "..."}]}
 * EXCEPTION  {"type", "message", "line", "column", "cell", "traceback"}: line and cell of the
 *             innermost frame that is in a cell
 *
 * A cell prints to descriptors 1 and 2, and its output is flushed before its "done".
 */
#ifndef BACKENDS_CELL_WIRE_H
#define BACKENDS_CELL_WIRE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

#define CELL_KIND_MAX   16
#define CELL_FRAME_MAX  (64u << 20)
/* The maximum that all readers of this process hold together, not counting the first MiB of each.
 * Without it, guests that send large frames without an end would use up the host's memory. */
#define CELL_FRAMES_MAX (512u << 20)

struct cell_frame {
    char kind[CELL_KIND_MAX];
    uint32_t id;
    struct str bytes; /* in the reader's buffer, until the next cell_reader_fill */
};

/* Assembles frames from the guest's bytes. */
struct cell_reader {
    struct buf bytes;
    size_t taken; /* bytes at its beginning, in frames that were returned to the caller */
    size_t held;  /* its share of CELL_FRAMES_MAX */
};

void cell_reader_init(struct cell_reader *r);
void cell_reader_done(struct cell_reader *r);
/* Reads some available bytes from a non-blocking descriptor; take all whole frames before the next
 * call. Returns 1; 0 at the end; -1 with errno (EAGAIN: no bytes now; ENOBUFS: all readers together
 * hold too much). */
int cell_reader_fill(struct cell_reader *r, int fd);
/* Returns 1 with the next whole frame; 0 if it is not complete; -1 if it is invalid. */
int cell_reader_next(struct cell_reader *r, struct cell_frame *ret, struct err *err);

/* Appends header and bytes to `out`; the ceiling of `out` is the limit. */
int cell_frame_put(struct buf *out, const char *kind, uint32_t id, struct str bytes);

#endif
