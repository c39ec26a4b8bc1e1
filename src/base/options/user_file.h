/* SPDX-License-Identifier: Apache-2.0
 *
 * The current user's files of this program: config files in $XDG_CONFIG_HOME/glovebox, else
 * ~/.config/glovebox; files that the program keeps, such as the run log, in
 * $XDG_STATE_HOME/glovebox, else ~/.local/state/glovebox; files that it can make again in
 * $XDG_CACHE_HOME/glovebox, else ~/.cache/glovebox.
 */
#ifndef OPTIONS_USER_FILE_H
#define OPTIONS_USER_FILE_H

/* The path of a file or folder with this name; the caller frees. NULL when neither variable holds
 * an absolute path. */
char *user_file_config(const char *name);
char *user_file_state(const char *name);
char *user_file_cache(const char *name);

/* Opens the file with this name among the user's state, as open(2). O_CREAT makes the folders as
 * well. -1 on failure, also if the environment names no folder. */
int user_file_open(const char *name, int flags);
/* Opens a file in $TMPDIR or /tmp, as open(2), for a host without such a folder. -1 on failure; an
 * existing file is opened only if it is a regular file of the current user. */
int user_file_open_temporary(const char *name, int flags);

/* Makes the folders that lead to the path, for this user alone; existing ones are not changed.
 * Never makes $HOME, or a folder that leads to it or to $XDG_CONFIG_HOME or $XDG_STATE_HOME: where
 * these are missing, the environment is wrong. -1 with errno; then the path is cut after the folder
 * that could not be made. */
int user_file_make_folders(char *path);
/* The folder that $HOME names, if it is missing; else NULL. */
const char *user_file_missing_home(void);
/* Returns the folder of a file that a user named, if it is missing; else NULL. The caller frees. */
char *user_file_missing_folder(const char *path);

#endif
