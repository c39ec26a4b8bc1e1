/* SPDX-License-Identifier: Apache-2.0
 *
 * Small files of this user's beside the run log: $XDG_STATE_HOME/glovebox, else
 * ~/.local/state/glovebox.
 */
#ifndef CONSOLE_STATE_FILE_H
#define CONSOLE_STATE_FILE_H

/* open(2) of the file with this name in that folder; O_CREAT makes the folders as well. -1 if there
 * is no place for them. */
int state_file_open(const char *name, int flags);
/* open(2) of a file of this user's in $TMPDIR or /tmp, for a host without such a folder: an
 * existing one is opened only if it is a file of this user's. -1 otherwise. */
int state_file_open_temporary(const char *name, int flags);
/* The path of state_file_open; the caller frees. NULL where the environment names no folder. */
char *state_file_path(const char *name);

#endif
