/* SPDX-License-Identifier: Apache-2.0
 *
 * What a guest may reach, as data: `--net allow:api.example.com,*.example.org:443,10.1.2.3:5432`.
 *
 *     api.example.com      ports 80 and 443
 *     api.example.com:8443
 *     *.example.org        every name below it, but not example.org itself
 *     *                    every name
 *     10.1.2.3:5432, [2001:db8::7]:443    this address
 *
 * Names are kept in lower case. A rule has no path: what is inside TLS cannot be seen.
 */
#ifndef NETWORK_RULES_H
#define NETWORK_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "jail/spec.h"
#include "network/address.h"

enum {
    NET_NAME_MAX = 253,
    NET_RULES_MAX = 100,
    NET_PORTS_MAX = SPEC_PORTS_MAX, /* different ones, 80 and 443 included */
    NET_TEXT_MAX = 16 << 10,
};

/* The prefix of a setting's value; it may be left out where a value cannot be another mode. */
#define NET_ALLOW "allow:"

enum net_port { NET_PORT_WEB, NET_PORT_ONE, NET_PORT_ANY };

struct net_rule {
    char name[NET_NAME_MAX + 1]; /* without "*."; "" for an address, and for "*" */
    bool below;                  /* the names below it; with "": every name */
    bool is_address;
    struct net_address address;
    enum net_port ports; /* 80 and 443; `port` alone; or, in a pattern, all */
    uint16_t port;
};

struct net_rules {
    struct net_rule *list;
    size_t n;
};

/* Reads rules that are separated by commas, with or without NET_ALLOW. */
int net_rules_read(struct str text, struct net_rules *ret, struct err *err);
/* Reads what an operator allows clients to write: as rules, but a port may be "*". */
int net_patterns_read(struct str text, struct net_rules *ret, struct err *err);
void net_rules_done(struct net_rules *rules);

/* Whether a rule allows this name, in lower case; with port 0, at any port. */
bool net_rules_allow_name(const struct net_rules *rules, struct str name, uint16_t port);
/* Whether a rule writes this name itself. */
bool net_rules_has_name(const struct net_rules *rules, struct str name);
bool net_rules_allow_address(const struct net_rules *rules, const struct net_address *address,
                             uint16_t port);
/* The ports that have listeners inside: 80 and 443, where refusals can be explained or are at
 * least noticed, and those of the rules. Returns their number. */
size_t net_rules_ports(const struct net_rules *rules, uint16_t ret[NET_PORTS_MAX]);
/* The first rule that no pattern covers; NULL if all are covered. */
const struct net_rule *net_rules_beyond(const struct net_rules *rules,
                                        const struct net_rules *patterns);
/* Writes the rule as it is read. */
void net_rule_write(const struct net_rule *rule, struct buf *ret);

/* True if the lower case text can be a host's name; false for one that a resolver would read as a
 * number. */
bool net_name_ok(struct str name);

#endif
