/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of a file's mode, owner and times where there is no private root (FILTER_NO_ROOT).
 * Landlock does not restrict these calls, and the user's own files outside belong to the guest's
 * uid. So the guest never makes such a call: pid 1 opens the file that the call names, finds out
 * where it is, and makes the change itself if the file is in the guest's own folders. All other
 * changes are refused.
 *
 * The path is read from the guest's memory once, and the file is held by a descriptor from then on:
 * nothing that the guest replaces meanwhile (the path, a link, the descriptor) makes a difference.
 * A file cannot get into these folders from elsewhere, neither by rename nor as a hard link:
 * Landlock refuses both.
 */
#ifndef INSIDE_CHANGE_H
#define INSIDE_CHANGE_H

#include <linux/limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>

struct changes {
    int listener;
    char box[PATH_MAX]; /* the folder that contains the guest's folders; "": all changes are refused
                         */
};
/* `box` is an open descriptor of that folder; it is not kept. */
void changes_init(struct changes *ret, int listener, int box);
/* Makes the change that a FILTER_NOTICE_CHANGE call requests. Returns true with the answer in
 * *ret_error, an errno or 0; or false if the call must be refused and reported. */
bool changes_make(const struct changes *c, const struct seccomp_notif *request, int *ret_error);

#endif
