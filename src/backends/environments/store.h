/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder in which environments are kept: $XDG_DATA_HOME/glovebox/env, else
 * ~/.local/share/glovebox/env; without the variable, root's is /var/lib/glovebox/env.
 *
 *     wheels/SHA256/FILE.whl   as they came, once their hash is known
 *     trees/SHA256-TAG/        a wheel unpacked and compiled for a kind of Python: `files` and
 *                              `manifest`
 *     env/ID/                  an environment: hard links to files of trees, and `glovebox.json`
 *     name/NAME -> ID, asked/HASH -> ID
 *     lock/NAME                flock: shared while something is in use, exclusive to make or
 *                              remove it. A lock file's time is that of the last use
 *     stage/NAME/              half made things; what no living process holds is swept away
 *
 * Things are made in a stage, and get their place by rename. Names, trees and environments never
 * change afterwards; an environment that is made again has another ID.
 */
#ifndef ENVIRONMENTS_STORE_H
#define ENVIRONMENTS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { ENV_NAME_MAX = 64, ENV_ID_MAX = 48 };

/* "a", "data-2", "my.env": letters, digits, and "._-" after the first character. */
bool env_name_is_valid_here(const char *name);

/* The path of the store, or of something in it; the caller frees it. Never NULL: without a home it
 * is below /var/lib. */
char *env_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Makes the store's folders. */
int env_store_make(struct err *err);

/* Opens and locks lock/NAME, `how` as for flock. Returns the descriptor; -1 with *err, ERR_LIMIT if
 * it is held elsewhere and `how` has LOCK_NB, or if cancel_fd (-1: none) became readable. */
int env_lock(const char *name, int how, int cancel_fd, struct err *err);

/* A new folder in stage/, with a lock that the caller keeps until it has removed the folder. */
struct env_stage {
    char *path;
    int fd; /* of the folder; holds its lock */
};
int env_stage_open(struct env_stage *ret, struct err *err);
void env_stage_close(struct env_stage *stage); /* removes what is left of it */

/* Makes a folder that guests may read; 0 as well if it exists. */
int env_folder(const char *path, struct err *err);
/* Moves something that is complete. 0 as well if `to` exists already. */
int env_place(const char *from, const char *to, struct err *err);
/* Removes a folder with everything in it; through a stage, so that it is gone at once. */
int env_drop(const char *path, struct err *err);
/* Makes the link name -> id, or changes it. */
int env_link_set(const char *path, const char *id, struct err *err);
/* Reads a link to an environment that exists. False if there is none. */
bool env_link_get(const char *path, char ret_id[ENV_ID_MAX]);
/* Writes a whole new file. */
int env_write(const char *path, const char *text, size_t n, unsigned mode, struct err *err);

/* Bytes that the folder takes on the disk. A file with several names counts for each as its part.
 */
uint64_t env_bytes(const char *path);

#endif
