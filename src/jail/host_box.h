/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's disk where there can be no private root is a folder of the host's. The library
 * removes it after it has read the results. When the library was killed, the helper does.
 */
#ifndef JAIL_HOST_BOX_H
#define JAIL_HOST_BOX_H

#include <stdbool.h>

/* A path that no other process can have guessed or made before us, in the first folder of $TMPDIR,
 * /tmp, /var/tmp and /dev/shm that the guest's user can write, else in $TMPDIR or /tmp. The helper
 * makes the folder, and only if it needs one. The caller frees. */
char *host_box_name(void);

/* Removes the folder with everything in it, whatever a guest made of it; links are not followed.
 * No process may be working in there any more. It need not be there. */
void host_box_remove(const char *path);
/* The same with its content only. False: something is left. */
bool host_box_empty(int folder_fd);

#endif
