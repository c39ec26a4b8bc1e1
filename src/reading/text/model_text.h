/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the text that a model reads after a run (format_for_model).
 */
#ifndef TEXT_MODEL_TEXT_H
#define TEXT_MODEL_TEXT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Appends at most `most` bytes: a longer text gets its head and tail, and between them a line with
 * the number of bytes that are left out and the note, such as "URI has them"; "" for no note. If
 * `total` is not 0, the text is an output of so many bytes with a line about those that were not
 * kept (result/capture.h): they are counted, too, if that line is left out. */
void model_add_cut(struct buf *out, struct str text, size_t most, struct str note, uint64_t total);

/* Appends a program's error stream without the frames of libraries in its tracebacks: one line
 * gives the number of frames left out. Frames of the program's own files stay. Knows the tracebacks
 * of Python and Node. */
void model_add_errors(struct buf *out, struct str text);

/* Appends what a model can do of a piece of advice: the clauses that name an option ("--memory")
 * are left out, for a model cannot set it. Appends nothing if no clause is left. */
void model_add_advice(struct buf *out, struct str advice);

#endif
