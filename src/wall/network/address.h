/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of the internet, and the list of those that no name may lead a guest to. The list
 * stands above every rule: a name belongs to
 * its owner, and can be made to point anywhere.
 */
#ifndef NETWORK_ADDRESS_H
#define NETWORK_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct sockaddr_storage;

/* IPv4 as ::ffff:a.b.c.d. */
struct net_address {
    unsigned char bytes[16];
};

#define NET_ADDRESS_TEXT 46

/* "10.1.2.3" with all four numbers in decimal, or IPv6 without brackets and without a zone. */
bool net_address_read(struct str text, struct net_address *ret);
/* As people write it: an IPv4 address without the prefix. */
void net_address_write(const struct net_address *a, char ret[NET_ADDRESS_TEXT]);
bool net_address_is_v4(const struct net_address *a);
bool net_address_eq(const struct net_address *a, const struct net_address *b);
/* False for a family that is neither IPv4 nor IPv6. */
bool net_address_of(const struct sockaddr_storage *socket, struct net_address *ret,
                    uint16_t *ret_port);
/* Returns the length. */
uint32_t net_address_socket(const struct net_address *a, uint16_t port,
                            struct sockaddr_storage *ret);

/* What the address is, if no name may lead there: "a private address"; NULL for a public one. An
 * address that contains one of IPv4 is judged by that one. Those for documentation are public. */
const char *net_address_denied(const struct net_address *a);
/* True for the service of a cloud that gives keys to programs on its machines: no rule can allow
 * it. */
bool net_address_is_metadata(const struct net_address *a);
bool net_address_is_loopback(const struct net_address *a);

/* The addresses that stand for names inside: 198.18.0.0/15 (names.h). */
#define NET_FAKE_FIRST 0xc6120000u
#define NET_FAKE_COUNT 0x20000u
/* The position in that range, or -1. */
long net_address_fake(const struct net_address *a);
void net_address_make_fake(uint32_t position, struct net_address *ret);

#endif
