/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox mcp --daemon`: a client of the daemon's /mcp, like any other client over HTTP.
 *
 * Theory. Each line of standard input is a POST of its own, sent by a worker on a connection of its
 * own. The messages of the answer, which is JSON or a stream of events, become lines of standard
 * output. Calls about the same session wait for each other here, so that they arrive in the
 * client's order; the daemon lets them take turns in any case. To cancel a request, its connection
 * is closed, which ends its call. In the older generations a stream outlives its connection, so the
 * daemon receives the client's notification, too.
 *
 * A request that fails is answered with an error and is not sent again, because it may have run.
 * There is one exception: a daemon that was started again does not know the client's conversation,
 * so the request did not run. Then `initialize` is repeated, and the request is sent once more.
 */
#ifndef REMOTE_MCP_DAEMON_H
#define REMOTE_MCP_DAEMON_H

#include "console/options.h"

/* Serves until the client closes its end, or quit_fd is readable. -1 if it could not start: there
 * is no daemon at this address, or it does not accept the token. */
int mcp_daemon_serve(const struct cli_settings *settings, size_t message_max, int quit_fd,
                     struct err *err);

#endif
