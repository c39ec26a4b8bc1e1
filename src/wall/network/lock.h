/* SPDX-License-Identifier: Apache-2.0
 *
 * glovebox-net gives up what it does not need: its input is hostile.
 */
#ifndef NETWORK_LOCK_H
#define NETWORK_LOCK_H

/* Drops root, capabilities, and all but reading files and using sockets. What this host cannot take
 * away stays. Call it before the first thread starts. */
void lock_down(void);

#endif
