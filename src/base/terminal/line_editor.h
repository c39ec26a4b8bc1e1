/* SPDX-License-Identifier: Apache-2.0
 *
 * A prompt on a terminal, based on libedit: editing, a history that can be searched, completion,
 * and pasting several lines at once. The edited text may have several lines, which begin with
 * "... " on the screen after the first.
 */
#ifndef TERMINAL_LINE_EDITOR_H
#define TERMINAL_LINE_EDITOR_H

#include <jansson.h>

#include "base/buf.h"

enum { PROMPT_LITERAL = 1 };

struct line_editor_use {
    const char *prompt; /* PROMPT_LITERAL encloses what the terminal obeys, such as colours */
    int cancel_fd;      /* when it becomes readable, the line is discarded */
    /* True if Enter ends the text; otherwise Enter starts another line. */
    bool (*whole)(void *ctx, struct str text);
    /* Returns completions of the text before the cursor as a new array, or NULL: words that begin
     * with its last *ret_n bytes. */
    json_t *(*complete)(void *ctx, struct str before, size_t *ret_n);
    void *ctx;
};

struct line_editor;

enum line_editor_end {
    LINE_READ,
    LINE_ENDED,     /* Ctrl-D, or the terminal is gone */
    LINE_CANCELLED, /* cancel_fd became readable */
};

/* Uses standard input and output; NULL if the terminal cannot move its cursor. */
struct line_editor *line_editor_open(const struct line_editor_use *use);
void line_editor_close(struct line_editor *editor); /* NULL is fine */
/* Adds the text to the history as its newest entry. */
void line_editor_remember(struct line_editor *editor, struct str text);
/* Reads a text and appends it, without its last line end. */
enum line_editor_end line_editor_read(struct line_editor *editor, struct buf *ret);

#endif
