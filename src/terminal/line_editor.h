/* SPDX-License-Identifier: Apache-2.0
 *
 * A prompt on a terminal, over libedit: editing, history and its search, completion, and a paste
 * that arrives as one text. The edited text may have several lines.
 */
#ifndef TERMINAL_LINE_EDITOR_H
#define TERMINAL_LINE_EDITOR_H

#include <jansson.h>

#include "base/buf.h"

struct line_editor_use {
    const char *prompt;
    int cancel_fd; /* readable: the line is dropped */
    /* Whether Enter ends the text, or starts another line. */
    bool (*whole)(void *ctx, struct str text);
    /* Completions of the text before the cursor: words that begin with its last *ret_n bytes, as an
     * array (a new reference); NULL for none. */
    json_t *(*complete)(void *ctx, struct str before, size_t *ret_n);
    void *ctx;
};

struct line_editor;

enum line_editor_end {
    LINE_READ,
    LINE_ENDED,     /* Ctrl-D, or the terminal is gone */
    LINE_CANCELLED, /* cancel_fd */
};

/* Standard input and output; NULL where the terminal cannot move its cursor. */
struct line_editor *line_editor_open(const struct line_editor_use *use);
void line_editor_close(struct line_editor *editor); /* NULL is fine */
/* Adds to the history; newest last. */
void line_editor_remember(struct line_editor *editor, struct str text);
/* Appends the text, without its last line end. */
enum line_editor_end line_editor_read(struct line_editor *editor, struct buf *ret);

#endif
