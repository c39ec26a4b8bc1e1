/* SPDX-License-Identifier: Apache-2.0
 *
 * One connection with TLS, whose bytes are relayed from and to a socket.
 */
#ifndef FETCH_TUNNEL_H
#define FETCH_TUNNEL_H

struct tunnel_place {
    const char *host, *port;
    const char *ca, *cert,
        *key; /* paths; "" for the system's authorities, and for no certificate */
};

/* Until one side closes. -1 after a failure, of which a line is written to the standard error. */
int tunnel_run(const struct tunnel_place *place, int socket);

#endif
