/* SPDX-License-Identifier: Apache-2.0 */
#include "network/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"

static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

static uint32_t v4_of(const struct net_address *a)
{
    return (uint32_t)a->bytes[12] << 24 | (uint32_t)a->bytes[13] << 16 |
           (uint32_t)a->bytes[14] << 8 | a->bytes[15];
}

static void set_v4(uint32_t v4, struct net_address *ret)
{
    memcpy(ret->bytes, mapped, sizeof mapped);
    for (unsigned i = 0; i < 4; i++)
        ret->bytes[12 + i] = (unsigned char)(v4 >> (24 - 8 * i));
}

bool net_address_read(struct str text, struct net_address *ret)
{
    char copy[NET_ADDRESS_TEXT];
    struct in_addr v4;

    if (text.n == 0 || text.n >= sizeof copy || memchr(text.p, '\0', text.n))
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    if (inet_pton(AF_INET6, copy, ret->bytes) == 1)
        return true;
    if (inet_pton(AF_INET, copy, &v4) != 1)
        return false;
    set_v4(ntohl(v4.s_addr), ret);
    return true;
}

void net_address_write(const struct net_address *a, char ret[NET_ADDRESS_TEXT])
{
    bool v4 = net_address_is_v4(a);

    if (!inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? a->bytes + 12 : a->bytes, ret, NET_ADDRESS_TEXT))
        ret[0] = '\0';
}

bool net_address_is_v4(const struct net_address *a)
{
    return memcmp(a->bytes, mapped, sizeof mapped) == 0;
}

bool net_address_eq(const struct net_address *a, const struct net_address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool net_address_of(const struct sockaddr_storage *socket, struct net_address *ret,
                    uint16_t *ret_port)
{
    if (socket->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)socket;
        set_v4(ntohl(in->sin_addr.s_addr), ret);
        *ret_port = ntohs(in->sin_port);
        return true;
    }
    if (socket->ss_family != AF_INET6)
        return false;
    const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)socket;
    memcpy(ret->bytes, &in->sin6_addr, sizeof ret->bytes);
    *ret_port = ntohs(in->sin6_port);
    return true;
}

uint32_t net_address_socket(const struct net_address *a, uint16_t port,
                            struct sockaddr_storage *ret)
{
    memset(ret, 0, sizeof *ret);
    if (net_address_is_v4(a)) {
        struct sockaddr_in *in = (struct sockaddr_in *)ret;
        in->sin_family = AF_INET;
        in->sin_port = htons(port);
        in->sin_addr.s_addr = htonl(v4_of(a));
        return sizeof *in;
    }
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)ret;
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(port);
    memcpy(&in->sin6_addr, a->bytes, sizeof a->bytes);
    return sizeof *in;
}

/* ---- the list ---- */

struct block {
    unsigned char prefix[16];
    unsigned bits;
    const char *what;
};

static bool in_block(const struct net_address *a, const struct block *b)
{
    unsigned whole = b->bits / 8, rest = b->bits % 8;

    if (memcmp(a->bytes, b->prefix, whole) != 0)
        return false;
    return !rest || (a->bytes[whole] ^ b->prefix[whole]) >> (8 - rest) == 0;
}

static const char *find_block(const struct net_address *a, const struct block *blocks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (in_block(a, &blocks[i]))
            return blocks[i].what;
    return NULL;
}

#define V4(a, b, c, d, bits, what)                                                                 \
    {                                                                                              \
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, 96 + (bits), what                  \
    }

static const struct block metadata[] = {
    V4(169, 254, 169, 254, 32, "metadata"),  /* most clouds */
    V4(169, 254, 169, 253, 32, "metadata"),  /* AWS: the name server of a network */
    V4(169, 254, 170, 2, 32, "metadata"),    /* ECS: the keys of a task */
    V4(169, 254, 170, 23, 32, "metadata"),   /* EKS: the keys of a pod */
    V4(168, 63, 129, 16, 32, "metadata"),    /* Azure */
    V4(100, 100, 100, 200, 32, "metadata"),  /* Alibaba */
    V4(192, 0, 0, 192, 32, "metadata"),      /* Oracle */
    {{0xfd, 0, 0x0e, 0xc2}, 32, "metadata"}, /* AWS: fd00:ec2::254 and its neighbours */
    {{0xfd, 0x20, 0, 0xce}, 32, "metadata"}, /* Google: fd20:ce::254 */
};

static const struct block denied_v4[] = {
    V4(127, 0, 0, 0, 8, "this machine's loopback"),
    V4(10, 0, 0, 0, 8, "a private address"),
    V4(172, 16, 0, 0, 12, "a private address"),
    V4(192, 168, 0, 0, 16, "a private address"),
    V4(100, 64, 0, 0, 10, "a private address of a provider"),
    V4(169, 254, 0, 0, 16, "a link-local address"),
    V4(0, 0, 0, 0, 8, "an address of this machine"),
    V4(192, 0, 0, 0, 24, "a reserved address"),
    V4(192, 88, 99, 0, 24, "a reserved address"),
    V4(198, 18, 0, 0, 15, "an address for measurements"),
    V4(224, 0, 0, 0, 4, "a multicast address"),
    V4(240, 0, 0, 0, 4, "a reserved address"),
};

/* Of IPv6 only 2000::/3 is public; these are its parts that are not, and names for some others. */
static const struct block denied_v6[] = {
    {{0x20, 0x02}, 16, "an address with one of IPv4 in it (6to4)"},
    {{0x20, 0x01, 0, 0}, 32, "an address with one of IPv4 in it (Teredo)"},
    {{[15] = 1}, 128, "this machine's loopback"},
    {{0xfc}, 7, "a private address"},
    {{0xfe, 0x80}, 10, "a link-local address"},
    {{0xfe, 0xc0}, 10, "a private address"},
    {{0xff}, 8, "a multicast address"},
};

static const struct block public_v6 = {{0x20}, 3, "public"};
static const struct block nat64 = {{0, 0x64, 0xff, 0x9b}, 96, "NAT64"};

/* The address of IPv4 that a translator of the provider would connect to. */
static bool is_translated(const struct net_address *a, struct net_address *ret)
{
    if (!in_block(a, &nat64))
        return false;
    set_v4(v4_of(a), ret);
    return true;
}

bool net_address_is_metadata(const struct net_address *a)
{
    struct net_address inner;

    return find_block(is_translated(a, &inner) ? &inner : a, metadata, ARRAY_LEN(metadata)) != NULL;
}

const char *net_address_denied(const struct net_address *a)
{
    struct net_address inner = *a;

    if (net_address_is_metadata(a))
        return "the metadata service of a cloud";
    if (is_translated(a, &inner) || net_address_is_v4(&inner))
        return find_block(&inner, denied_v4, ARRAY_LEN(denied_v4));
    const char *what = find_block(a, denied_v6, ARRAY_LEN(denied_v6));
    return what || in_block(a, &public_v6) ? what : "a reserved address";
}

bool net_address_is_loopback(const struct net_address *a)
{
    static const struct net_address v6 = {{[15] = 1}};

    return (net_address_is_v4(a) && a->bytes[12] == 127) || net_address_eq(a, &v6);
}

long net_address_fake(const struct net_address *a)
{
    uint32_t v4 = v4_of(a);

    return net_address_is_v4(a) && v4 >= NET_FAKE_FIRST && v4 - NET_FAKE_FIRST < NET_FAKE_COUNT
               ? (long)(v4 - NET_FAKE_FIRST)
               : -1;
}

void net_address_make_fake(uint32_t position, struct net_address *ret)
{
    set_v4(NET_FAKE_FIRST + position, ret);
}
