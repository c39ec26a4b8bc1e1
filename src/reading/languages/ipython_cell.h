/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of IPython in a cell of Python: `!ls *.csv` runs a shell command, `files = !ls`
 * makes a list of the lines that it prints, and lines such as `%time f()` or a first line `%%bash`
 * are magic commands (the tables of ipython_magics.c).
 */
#ifndef LANGUAGES_IPYTHON_CELL_H
#define LANGUAGES_IPYTHON_CELL_H

#include "base/buf.h"
#include "base/str.h"

struct ipython_cell {
    struct buf code; /* the cell as Python */
    bool timed;      /* its first line is %%time: the caller reports the time that it took */
};

/* Rewrites a cell with such commands as Python, in which every statement keeps its line; the caller
 * frees *ret with ipython_cell_done in every case. As in IPython, {name} and $name in a command
 * become the value of a global variable with that name, if there is one. False if the cell has no
 * commands that could be rewritten, or is larger than 64 KiB. Commands that install packages, and
 * unknown magic commands, stay as they are: the guard has a hint for them. */
bool ipython_cell_read(struct str cell, struct ipython_cell *ret);
void ipython_cell_done(struct ipython_cell *cell);

#endif
