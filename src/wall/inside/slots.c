/* SPDX-License-Identifier: Apache-2.0 */
#include "inside/slots.h"
#include "inside/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

void slots_init(struct slots *ret, const struct inside *in)
{
    void *shared =
        mmap(NULL, SPEC_JAILS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED)
        die_sys("share memory with jails");
    *ret = (struct slots){.networks = in->held & LAYER_BIT(LAYER_NETNS),
                          .uid = in->spec.uid,
                          .uids = in->spec.host_jails,
                          .touched = shared};
    for (size_t i = 0; i < SPEC_JAILS_MAX; i++)
        ret->list[i].net = -1;
}

/* True if the network has sockets, or if it is unknown. Some stay for a short time: the zygote has
 * one for each child until it has waited for that child, and a Unix socket can outlive its process
 * in a message that no process receives. */
static bool has_sockets(void)
{
    static const char none[] = "sockets: used 0\n";
    char text[512];

    return fd_read_file_at(AT_FDCWD, "/proc/self/net/sockstat", text, sizeof text) < 0 ||
           strncmp(text, none, sizeof none - 1) != 0;
}

static int make_network(struct slot *slot)
{
    fd_close(&slot->net);
    if (unshare(CLONE_NEWNET) < 0)
        return -1;
    slot->net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    network_prepare();
    return slot->net < 0 ? -1 : 0;
}

static bool slots_enter(const struct slot *slot)
{
    return setns(slot->net, CLONE_NEWNET) == 0 && !has_sockets();
}

/* Finds a free slot and enters its network: preferably a slot with a clean network, then one
 * without a network, then any; the last two get a new network. Returns NULL with errno. */
static struct slot *slots_find(struct slots *s)
{
    struct slot *bare = NULL, *unclean = NULL;

    for (size_t i = 0; i < SPEC_JAILS_MAX; i++) {
        struct slot *slot = &s->list[i];
        if (slot->init)
            continue;
        if (!s->networks || (slot->net >= 0 && slots_enter(slot)))
            return slot;
        if (slot->net >= 0)
            unclean = slot;
        else if (!bare)
            bare = slot;
    }
    struct slot *slot = bare ? bare : unclean;
    errno = EAGAIN;
    return slot && make_network(slot) == 0 ? slot : NULL;
}

/* There are as many uids as slots, so one is always free. */
static uid_t next_uid(struct slots *s)
{
    for (;;) {
        uid_t uid = SPEC_JAIL_UIDS + s->turn++ % SPEC_JAILS_MAX;
        bool free = true;
        for (size_t i = 0; i < s->used && free; i++)
            free = !s->list[i].init || s->list[i].uid != uid;
        if (free)
            return uid;
    }
}

struct slot *slots_take(struct slots *s)
{
    struct slot *slot = slots_find(s);

    if (!slot)
        return NULL;
    size_t at = (size_t)(slot - s->list);
    s->touched[at] = true;
    slot->uid = s->uids ? next_uid(s) : s->uid;
    if (s->used <= at)
        s->used = (unsigned)at + 1;
    return slot;
}

volatile bool *slots_touched(const struct slots *s, const struct slot *slot)
{
    return &s->touched[slot - s->list];
}

bool slots_give_back(struct slots *s, pid_t init)
{
    for (size_t i = 0; i < s->used; i++) {
        struct slot *slot = &s->list[i];
        if (slot->init != init)
            continue;
        slot->init = 0;
        if (s->networks && s->touched[i]) {
            fd_close(&slot->net);
            s->wanting = true;
        }
        return true;
    }
    return false;
}

void slots_renew(struct slots *s)
{
    for (size_t i = 0; i < s->used; i++) {
        struct slot *slot = &s->list[i];
        if (slot->init || slot->net >= 0)
            continue;
        if (make_network(slot) == 0)
            return;
        break;
    }
    s->wanting = false;
}
