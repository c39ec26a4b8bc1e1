/* SPDX-License-Identifier: Apache-2.0
 *
 * A guest's network by name: from its jail to glovebox-net, and what was reached.
 */
#include "backends/local_parts.h"
#include "base/fd.h"

int local_net_ready(const struct local_guest *l, struct err *err)
{
    return l->job->net_rules ? net_ready(err) : 0;
}

/* A fork has its origin's network, and so its line. */
int local_net_open(struct local_guest *l, struct err *err)
{
    const struct net_order order = {
        .rules = l->job->net_now ? l->job->net_now : l->job->net_rules,
        .bytes_max = NET_BYTES_MAX,
    };
    int fds[FD_MSG_MAX];

    if (!l->job->net_rules || l->line)
        return 0;
    if (l->origin) {
        l->line = net_line_share(l->origin->line);
        return 0;
    }
    size_t count = jail_take_network(l->jail, fds);
    int result = count ? net_line_open(&order, fds, count, &l->line, err)
                       : err_set(err, ERR_BUG, "the jail sent no sockets for its network");
    while (count)
        fd_close(&fds[--count]);
    return result;
}

struct net_line *local_network(struct backend_guest *guest)
{
    return local_of(guest)->line;
}
