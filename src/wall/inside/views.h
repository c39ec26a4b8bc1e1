/* SPDX-License-Identifier: Apache-2.0
 *
 * Views in the private root (spec_op, SPEC_BIND).
 */
#ifndef INSIDE_VIEWS_H
#define INSIDE_VIEWS_H

#include "inside/inside.h"

/* Attaches the tree of a step of the plan at `path`, and covers what was
 * found in it; -1 with errno. */
int view_show(const struct inside *in, const struct spec_op *op, int tree, const char *path);

/* In a nest: keeps the views below the guest's own folders, for its jails. In each jail: clones
 * them before the disk is mounted, and shows them on the disk; in a jail for a fork, after the
 * origin's files were copied. */
int views_keep(struct inside *in, struct err *err);
int views_clone_kept(struct inside *in, struct err *err);
int views_show_kept(struct inside *in, struct err *err);

/* ---- inside/root.c ---- */

/* Mounts the tree at `path`; makes the mount point if it is missing, which is rare. 0, or -1 with
 * errno. */
int root_attach(int tree, const char *path);
/* True if the error is that there is no such file, or that we may not reach it. */
bool root_is_absent(int error);
/* The file that is mounted over sockets and pipes; made only if there are any. */
#define ROOT_EMPTY_FILE "dev/empty"

#endif
