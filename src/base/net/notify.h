/* SPDX-License-Identifier: Apache-2.0
 *
 * Receives sockets from systemd, and reports to it (sd_listen_fds(3), sd_notify(3)), without its
 * library.
 */
#ifndef NET_NOTIFY_H
#define NET_NOTIFY_H

/* The number of sockets that were passed, from descriptor 3 on; they are close-on-exec afterwards.
 * 0 if none were passed to this process. */
int notify_listen_fds(void);
/* Sends "READY=1\nSTATUS=..." to the service manager, if there is one. */
void notify_send(const char *text);

#endif
