/* SPDX-License-Identifier: Apache-2.0
 *
 * Small files of this user's beside the run log: $XDG_STATE_HOME/glovebox, else
 * ~/.local/state/glovebox.
 */
#ifndef CLI_STATE_FILE_H
#define CLI_STATE_FILE_H

/* open(2) by its name there; O_CREAT makes the folders as well. -1 where there is no place. */
int state_file_open(const char *name, int flags);

#endif
