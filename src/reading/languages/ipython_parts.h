/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that translate IPython's commands (ipython_cell.h).
 */
#ifndef LANGUAGES_IPYTHON_PARTS_H
#define LANGUAGES_IPYTHON_PARTS_H

#include "languages/ipython_cell.h"

/* One line: "    files = !ls *.csv", "%time f()". */
struct ipython_line {
    struct str indent, name; /* name: empty for a command alone */
    char kind;               /* '!' or '%' */
    struct str command;      /* what follows it */
    bool last;               /* no line follows, so the translation may have several */
};

/* ---- ipython_shell.c ---- */

/* A string literal of Python. */
void ipython_add_literal(struct buf *b, struct str text);
/* An expression of Python for a text in which {name} and $name are variables. */
void ipython_add_text(struct buf *b, struct str text);
/* The line with this command of the shell as Python. False if the command installs packages. */
bool ipython_add_shell(struct buf *b, const struct ipython_line *line, struct str command);

/* ---- ipython_magics.c ---- */

/* Both return false for an unknown magic command, or arguments that it does not have here. */
bool ipython_add_line_magic(struct buf *b, const struct ipython_line *line);
/* `head` is what follows "%%", `body` the lines after it. */
bool ipython_add_cell_magic(struct ipython_cell *cell, struct str head, struct str body);

#endif
