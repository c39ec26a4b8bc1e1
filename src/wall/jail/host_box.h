/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's disk where there can be no private root: a folder of the host. The library removes it
 * after it has read the results. If the library was killed, the helper removes it.
 */
#ifndef JAIL_HOST_BOX_H
#define JAIL_HOST_BOX_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a path that no other process can guess or can have made before us. It is in the first
 * folder of $TMPDIR, /tmp, /var/tmp and /dev/shm that the guest's user can write; if there is none,
 * in $TMPDIR or /tmp. The helper makes the folder, and only if it needs one. The caller frees the
 * path. */
char *host_box_name(void);

/* Removes the folder and its content, whatever the guest made in it; links are not followed. No
 * process may still use the folder. It may be missing. */
void host_box_remove(const char *path);
/* Removes only the content of the folder. False if something is left. */
bool host_box_empty(int folder_fd);
/* The same where a living guest may be filling it, until that time of clock_mono_ms. */
bool host_box_empty_until(int folder_fd, int64_t until_ms);

#endif
