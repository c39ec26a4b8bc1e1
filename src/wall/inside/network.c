/* SPDX-License-Identifier: Apache-2.0
 *
 * A new network namespace of ours, and what lets a guest in it reach names (network/main.c): one
 * local route leads every address to this namespace itself, listeners wait on the ports that the
 * rules name, and our name server has its sockets. All of them go to the library; none is ours or
 * the guest's afterwards.
 */
#include "inside/inside.h"
#include "inside/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

enum {
    BACKLOG = 512,
    /* Of each connection that glovebox-net accepts: the kernel's default grows to 6 MiB. */
    RECEIVE_BYTES = 512 << 10,
    LOOPBACK = 1, /* the number of "lo" in every namespace */
};

/* Limits how many connections may wait for a listener to accept them: by default 4096, and the
 * kernel charges their memory to no group. If /proc is not writable, the default stays. */
static void limit_backlogs(void)
{
    AUTO_CLOSE int most = open("/proc/sys/net/core/somaxconn", O_WRONLY | O_CLOEXEC);

    if (most >= 0)
        (void)!write(most, "512", 3);
}

/* Also brings the loopback up, so that programs can connect to themselves over 127.0.0.1. */
void network_prepare(void)
{
    limit_backlogs();
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    AUTO_CLOSE int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (s >= 0)
        (void)ioctl(s, SIOCSIFFLAGS, &lo);
}

/* Adds "local default dev lo": whatever address a process connects to, it is ours. */
static int add_route(int netlink, unsigned char family)
{
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
        struct rtattr device;
        int index;
    } ask = {
        .head = {.nlmsg_len = sizeof ask,
                 .nlmsg_type = RTM_NEWROUTE,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK},
        .route = {.rtm_family = family,
                  .rtm_table = RT_TABLE_LOCAL,
                  .rtm_protocol = RTPROT_BOOT,
                  .rtm_scope = RT_SCOPE_HOST,
                  .rtm_type = RTN_LOCAL},
        .device = {.rta_len = RTA_LENGTH(sizeof(int)), .rta_type = RTA_OIF},
        .index = LOOPBACK,
    };
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
    } answer;

    if (send(netlink, &ask, sizeof ask, 0) < 0 ||
        recv(netlink, &answer, sizeof answer, 0) < (ssize_t)sizeof answer.head)
        return -1;
    errno = -answer.error.error;
    return answer.head.nlmsg_type == NLMSG_ERROR && !answer.error.error ? 0 : -1;
}

static int add_routes(bool *ret_v6)
{
    AUTO_CLOSE int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

    if (netlink < 0 || add_route(netlink, AF_INET) < 0)
        return -1;
    *ret_v6 = add_route(netlink, AF_INET6) == 0;
    return 0;
}

static int bound(int family, int type, const void *address, socklen_t size)
{
    const int on = 1, off = 0, receive = RECEIVE_BYTES;
    AUTO_CLOSE int s = socket(family, type | SOCK_CLOEXEC, 0);

    if (s < 0)
        return -1;
    (void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    (void)setsockopt(s, SOL_SOCKET, SO_RCVBUF, &receive, sizeof receive);
    if (family == AF_INET6 && setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) < 0)
        return -1;
    if (bind(s, address, size) < 0 || (type == SOCK_STREAM && listen(s, BACKLOG) < 0))
        return -1;
    return fd_take(&s);
}

static int bound_v4(int type, uint32_t address, uint16_t port)
{
    const struct sockaddr_in in = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};

    return bound(AF_INET, type, &in, sizeof in);
}

/* One socket for both families. */
static int listen_on(uint16_t port, bool v6)
{
    const struct sockaddr_in6 in = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_ANY_INIT};

    return v6 ? bound(AF_INET6, SOCK_STREAM, &in, sizeof in)
              : bound_v4(SOCK_STREAM, INADDR_ANY, port);
}

/* Keeps errno. */
static void close_made(int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fd_close(&fds[i]);
}

size_t network_open(const struct jail_spec *spec, int ret_fds[FD_MSG_MAX])
{
    bool v6 = false;
    size_t n = 0;

    if (add_routes(&v6) < 0)
        return 0;
    for (uint32_t i = 0; i < spec->port_count + 2; i++) {
        int fd = i == 0   ? bound_v4(SOCK_DGRAM, INADDR_LOOPBACK, 53)
                 : i == 1 ? bound_v4(SOCK_STREAM, INADDR_LOOPBACK, 53)
                          : listen_on(spec->ports[i - 2], v6);
        if (fd < 0) {
            close_made(ret_fds, n);
            return 0;
        }
        ret_fds[n++] = fd;
    }
    return n;
}

void network_report(int control, int *fds, size_t count)
{
    unsigned char raw[4] = {MSG_NETWORK};

    if (fd_send(control, raw, sizeof raw, fds, count) < 0)
        _exit(1);
    close_made(fds, count);
}
