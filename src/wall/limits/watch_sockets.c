/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/watch_sockets.h"

#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "limits/watch_files.h"
#include "limits/watch_walk.h"

#define FEW         8  /* so few sockets in a network are ignored: each has at most some MiB */
#define PENDING_FEW 32 /* connections for which no process has a descriptor */
#define NEAR_PART   16 /* of the memory limit: from here on, other guests are looked at */

/* A harmless program rarely has so many: 16 full backlogs. Up to 768 may be in messages that no
 * process received. 64 guests with so many reach the default of tcp_max_orphans on a large
 * machine. */
#define ADRIFT_MOST       2048
#define ADRIFT_PART       4 /* of the memory limit, as cgroup_v1.c gives to charged buffers */
#define ADRIFT_BYTES_MOST ((uint64_t)64 << 20)

enum kind { KIND_UNIX, KIND_TCP, KIND_UDP, KIND_NETLINK, KIND_OTHER, KINDS };

#define SEEN_MAX                                                                                   \
    (1u << 17) /* half of the slots are used; further sockets count each time they are open */

struct sum {
    uint64_t bytes[KINDS];
    size_t tcp;  /* sockets that are connected or listen, as sockstat counts them */
    ino_t *seen; /* a hash table with SEEN_MAX slots; allocated for the first socket */
    size_t count;
};

/* ---- by descriptor ---- */

static enum kind kind_of(int fd)
{
    int domain = 0, type = 0;
    socklen_t size = sizeof domain;

    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0)
        return KIND_OTHER;
    size = sizeof type;
    (void)getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
    if (domain == AF_UNIX)
        return KIND_UNIX;
    if (domain == AF_NETLINK)
        return KIND_NETLINK;
    if (domain == AF_INET || domain == AF_INET6)
        return type == SOCK_STREAM ? KIND_TCP : type == SOCK_DGRAM ? KIND_UDP : KIND_OTHER;
    return KIND_OTHER;
}

/* The bytes that a Unix socket has received are charged to the sender, which may already be
 * closed. */
static uint64_t unix_bytes(int fd, uint64_t sent)
{
    int received = 0;

    if (ioctl(fd, FIONREAD, &received) < 0 || received < 0)
        return sent;
    return sent > (uint64_t)received ? sent : (uint64_t)received;
}

/* True for a socket that the kernel's lists show. Otherwise a guest could hide connections:
 * unlisted sockets would count as connections that a process has. */
static bool is_listed(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_state != TCP_CLOSE;
}

static void add_socket(struct sum *sum, int fd)
{
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof memory;
    enum kind kind = kind_of(fd);
    uint64_t bytes, sent;

    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &size) < 0)
        return;
    sent = memory[SK_MEMINFO_WMEM_ALLOC];
    if (memory[SK_MEMINFO_WMEM_QUEUED] > sent)
        sent = memory[SK_MEMINFO_WMEM_QUEUED];
    bytes = (uint64_t)memory[SK_MEMINFO_RMEM_ALLOC] + memory[SK_MEMINFO_FWD_ALLOC] +
            memory[SK_MEMINFO_OPTMEM] + memory[SK_MEMINFO_BACKLOG];
    sum->bytes[kind] += bytes + (kind == KIND_UNIX ? unix_bytes(fd, sent) : sent);
    sum->tcp += kind == KIND_TCP && is_listed(fd);
}

static bool is_new(struct sum *sum, ino_t inode)
{
    size_t at = inode * 2654435761u % SEEN_MAX;

    if (!sum->seen)
        sum->seen = xcalloc(SEEN_MAX, sizeof *sum->seen);
    for (; sum->seen[at]; at = (at + 1) % SEEN_MAX)
        if (sum->seen[at] == inode)
            return false;
    if (sum->count < SEEN_MAX / 2) {
        sum->seen[at] = inode;
        sum->count++;
    }
    return true;
}

/* Our copy is closed at once; if the guest closes the socket meanwhile, it lives a moment
 * longer. */
static void look_at_socket(void *ctx, const struct watch_file *file)
{
    struct sum *sum = ctx;

    if (!S_ISSOCK(file->st->st_mode) || !is_new(sum, file->st->st_ino))
        return;
    AUTO_CLOSE int fd = watch_file_get(file);
    if (fd >= 0)
        add_socket(sum, fd);
}

/* ---- by the lists of the network namespace ---- */

static FILE *open_list(pid_t pid, const char *name)
{
    char path[40];

    (void)snprintf(path, sizeof path, "/proc/%d/net/%s", pid, name);
    return fopen(path, "re");
}

/* Field `n` of a line, from 0; fields are separated by one or more spaces. */
static struct str field(struct str line, int n)
{
    struct str word;

    while (str_next(&line, ' ', &word))
        if (word.n && n-- == 0)
            return word;
    return (struct str){"", 0};
}

/* The number after the first two words: "sockets: used 12", "TCP: inuse 3 orphan 0 ..."; 0 if there
 * is no such line. */
static size_t in_use(pid_t pid, const char *list, const char *title)
{
    FILE *f = open_list(pid, list);
    char line[256];
    int64_t n = 0;

    while (f && fgets(line, sizeof line, f))
        if (str_is(field(str_from(line), 0), title))
            (void)num_int64(str_trim(field(str_from(line), 2)), &n);
    if (f)
        (void)fclose(f);
    return n > 0 ? (size_t)n : 0;
}

struct list {
    const char *name;
    int field; /* the field with the bytes; the next one, or the part after a colon, has more */
    int base;
    int owner; /* the field that is 0 if no process has a descriptor; or 0 */
};

static uint64_t line_bytes(const char *line, const struct list *list)
{
    const char *p = field(str_from(line), list->field).p;
    char *rest;
    uint64_t sum = strtoull(p, &rest, list->base); /* 0 for the line with the titles */

    return rest == p ? 0 : sum + strtoull(*rest == ':' ? rest + 1 : rest, NULL, list->base);
}

/* The sum of a list. Adds the bytes without an owner to *adrift, which may be NULL. */
static uint64_t list_bytes(pid_t pid, const struct list *list, uint64_t *adrift)
{
    FILE *f = open_list(pid, list->name);
    char line[512];
    uint64_t sum = 0;

    while (f && fgets(line, sizeof line, f)) {
        uint64_t bytes = line_bytes(line, list);
        sum += bytes;
        if (adrift && str_is(field(str_from(line), list->owner), "0"))
            *adrift += bytes;
    }
    if (f)
        (void)fclose(f);
    return sum;
}

static const struct list netlink = {"netlink", 4, 10, 0};
static const struct list udp[] = {{"udp", 4, 16, 0}, {"udp6", 4, 16, 0}};
static const struct list tcp[] = {{"tcp", 4, 16, 9}, {"tcp6", 4, 16, 9}};

static uint64_t more(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The bytes of a list without those of other guests, whose descriptors were found. */
static uint64_t without_others(uint64_t listed, const struct sum *own, const struct sum *all,
                               enum kind kind)
{
    uint64_t others = all->bytes[kind] - own->bytes[kind];

    return more(own->bytes[kind], listed > others ? listed - others : 0);
}

/* TCP's lists take milliseconds to read, so they are read only if there are connections for which
 * no process has a descriptor. They show the bytes that were sent; the kernel uses a quarter more
 * to hold them. `all` are the sockets of all guests in the network that were looked at. */
static void add_lists(struct sum *sum, const struct sum *all, pid_t pid, struct watch_adrift *ret)
{
    size_t connections = in_use(pid, "sockstat", "TCP:") + in_use(pid, "sockstat6", "TCP6:");
    uint64_t queued;

    sum->bytes[KIND_NETLINK] =
        without_others(list_bytes(pid, &netlink, NULL), sum, all, KIND_NETLINK);
    queued = list_bytes(pid, &udp[0], NULL) + list_bytes(pid, &udp[1], NULL);
    sum->bytes[KIND_UDP] = without_others(queued, sum, all, KIND_UDP);
    if (connections <= all->tcp + PENDING_FEW)
        return;
    queued = list_bytes(pid, &tcp[0], &ret->bytes) + list_bytes(pid, &tcp[1], &ret->bytes);
    ret->bytes += ret->bytes / 4;
    ret->count = connections - all->tcp;
    sum->bytes[KIND_TCP] = without_others(queued + queued / 4, sum, all, KIND_TCP);
}

/* A process whose network is not ours: all entries of its lists belong to the guest. */
static pid_t in_own_network(const struct watch_sockets *watch)
{
    struct stat ours, theirs;
    char path[32];

    if (stat("/proc/self/ns/net", &ours) < 0)
        return 0;
    for (size_t i = watch->count; i > 0; i--) {
        (void)snprintf(path, sizeof path, "/proc/%d/ns/net", watch->pids[i - 1]);
        if (stat(path, &theirs) == 0 && theirs.st_ino != ours.st_ino)
            return watch->pids[i - 1];
    }
    return 0;
}

static uint64_t sum_up(const struct watch_sockets *watch, const struct sum *own,
                       const struct sum *all, pid_t member, struct watch_adrift *ret_adrift)
{
    struct sum sum = *own;
    uint64_t bytes = 0;

    *ret_adrift = (struct watch_adrift){0};
    if (member)
        add_lists(&sum, all, member, ret_adrift);
    for (int i = 0; i < KINDS; i++)
        bytes += i == KIND_UNIX && !watch->with_unix ? 0 : sum.bytes[i];
    return bytes;
}

/* Adds the sockets of the other guests; those that were seen before are not added again. */
static void look_at_family(const struct watch_family *family, struct sum *all)
{
    struct watch_walk w;

    walk_family(family, &w);
    for (size_t i = 0; i < w.count; i++)
        watch_files(w.pids[i], look_at_socket, all);
}

uint64_t watch_sockets(const struct watch_sockets *watch, uint64_t memory_bytes,
                       struct watch_adrift *ret_adrift)
{
    struct sum own = {.seen = NULL};
    pid_t member = in_own_network(watch);

    *ret_adrift = (struct watch_adrift){0};
    if (!watch->count || (member && in_use(member, "sockstat", "sockets:") <= FEW))
        return 0;
    for (size_t i = 0; i < watch->count; i++)
        watch_files(watch->pids[i], look_at_socket, &own);
    struct sum all = own;
    uint64_t bytes = sum_up(watch, &own, &all, member, ret_adrift);
    bool is_near = watch_adrift_over(ret_adrift, memory_bytes) ||
                   (memory_bytes && bytes > memory_bytes / NEAR_PART);
    if (watch->family && watch->family->root && is_near) {
        look_at_family(watch->family, &all);
        bytes = sum_up(watch, &own, &all, member, ret_adrift);
    }
    free(all.seen);
    return bytes;
}

bool watch_adrift_over(const struct watch_adrift *adrift, uint64_t memory_bytes)
{
    uint64_t most = memory_bytes / ADRIFT_PART;

    return adrift->count > ADRIFT_MOST ||
           (memory_bytes && adrift->bytes > (most < ADRIFT_BYTES_MOST ? most : ADRIFT_BYTES_MOST));
}
