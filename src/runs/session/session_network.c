/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of a session's network, which can change while it lives. They are changed by any thread
 * and take effect at once: to lock a network must not wait for the cell that uses it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "network/network.h"
#include "session/session_impl.h"

void network_join(struct session *s)
{
    struct session_shared *shared = s->shared;

    pthread_mutex_lock(&shared->network_lock);
    s->next = shared->all;
    s->here = &shared->all;
    if (s->next)
        s->next->here = &s->next;
    shared->all = s;
    pthread_mutex_unlock(&shared->network_lock);
}

void network_leave(struct session *s)
{
    pthread_mutex_lock(&s->shared->network_lock);
    *s->here = s->next;
    if (s->next)
        s->next->here = s->here;
    pthread_mutex_unlock(&s->shared->network_lock);
    net_line_close(s->line);
}

void network_plan(struct guest *g)
{
    struct session_shared *shared = g->session->shared;

    pthread_mutex_lock(&shared->network_lock);
    free(g->net_now);
    g->net_now = shared->net_now ? xstrdup(shared->net_now) : NULL;
    pthread_mutex_unlock(&shared->network_lock);
    g->job.net_now = g->net_now;
}

/* The rules may have changed while the guest was starting, before it had a line. */
void network_started(struct session *s)
{
    struct net_line *line = backend_network(s->guest->handle), *before;
    struct err ignored; /* without glovebox-net there is no network */

    if (!line)
        return;
    pthread_mutex_lock(&s->shared->network_lock);
    pthread_mutex_lock(&s->lock);
    before = s->line;
    s->line = net_line_share(line);
    pthread_mutex_unlock(&s->lock);
    if (s->shared->net_now)
        (void)net_line_rules(line, s->shared->net_now, &ignored);
    pthread_mutex_unlock(&s->shared->network_lock);
    net_line_close(before);
}

/* The listeners exist since the start, so that no other port can be opened later. */
static int check_ports(const char *first, const struct net_rules *rules, struct err *err)
{
    uint16_t have[NET_PORTS_MAX], want[NET_PORTS_MAX];
    struct net_rules before;

    if (net_rules_read(str_from(first), &before, err) < 0)
        return -1;
    size_t have_n = net_rules_ports(&before, have), want_n = net_rules_ports(rules, want);
    net_rules_done(&before);
    for (size_t i = 0; i < want_n; i++) {
        bool found = false;
        for (size_t k = 0; k < have_n; k++)
            found = found || have[k] == want[i];
        if (!found)
            return err_set(err, ERR_USAGE,
                           "port %u cannot be opened in a running session: a rule for it must be "
                           "among those with which the session starts (80 and 443 always can)",
                           want[i]);
    }
    return 0;
}

/* Returns the rules of a value of --net, "" for none; NULL with *err. The caller frees. */
static char *read_rules(const char *net, const char *first, struct err *err)
{
    struct request_place place = {0};
    struct net_rules rules;

    if (network_read(net, &place, err) < 0)
        return NULL;
    if (place.net_host) {
        err_set(err, ERR_USAGE, "a running session cannot get the host's network");
        return NULL;
    }
    if (!place.net_rules)
        return xstrdup("");
    if (net_rules_read(str_from(place.net_rules), &rules, err) < 0)
        return NULL;
    int result = check_ports(first, &rules, err);
    net_rules_done(&rules);
    return result < 0 ? NULL : xstrdup(place.net_rules);
}

/* Sets the rules of all sessions that belong together. Those that were restarted have networks of
 * their own. */
static int set_all(struct session_shared *shared, const char *rules, struct err *err)
{
    int result = 0;

    for (struct session *s = shared->all; s; s = s->next) {
        pthread_mutex_lock(&s->lock);
        bool live = s->line && s->info.state != SESSION_DEAD;
        if (live && net_line_rules(s->line, rules, err) < 0)
            result = -1;
        pthread_mutex_unlock(&s->lock);
    }
    return result;
}

int session_set_network(struct session *s, const char *net, struct err *err)
{
    struct session_shared *shared = s->shared;
    const char *first = shared->request.run.place.net_rules;

    if (!first)
        return err_set(err, ERR_USAGE,
                       "the session was opened without a network by name, and none can be added "
                       "while it runs: open it with --net, and the hosts");
    char *rules = read_rules(net, first, err);
    if (!rules)
        return -1;
    pthread_mutex_lock(&shared->network_lock);
    int result = set_all(shared, rules, err);
    free(shared->net_now);
    shared->net_now = rules;
    pthread_mutex_unlock(&shared->network_lock);
    return result;
}

char *session_network(struct session *s)
{
    const struct request_place *place = &s->shared->request.run.place;

    pthread_mutex_lock(&s->shared->network_lock);
    const char *rules = s->shared->net_now ? s->shared->net_now : place->net_rules;
    char *net = place->net_host   ? xstrdup("host")
                : rules && *rules ? xasprintf("allow:%s", network_hosts(rules))
                                  : xstrdup("none");
    pthread_mutex_unlock(&s->shared->network_lock);
    return net;
}
