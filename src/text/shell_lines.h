/* SPDX-License-Identifier: Apache-2.0
 *
 * The shell commands of IPython in a cell of Python: `!ls *.csv` runs a command, and `files = !ls`
 * makes a list of the lines that it prints.
 */
#ifndef TEXT_SHELL_LINES_H
#define TEXT_SHELL_LINES_H

#include "base/buf.h"
#include "base/str.h"

/* The cell with such lines as Python of the same number of lines, in *ret; the caller frees that in
 * every case. {name} and $name in a command are a global variable's value if there is one, as in
 * IPython. False for a cell without such lines, for one that would not be Python then either, and
 * for one of more than 64 KiB. Commands that install packages stay as they are: the guard has a
 * hint for them. */
bool shell_lines(struct str cell, struct buf *ret);

#endif
