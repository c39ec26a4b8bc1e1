/* SPDX-License-Identifier: Apache-2.0
 *
 * The shorter programs, for make-filter.c alone: where somebody listens, a call that is rare or
 * refused goes to the listener, which runs the whole program (filter_judge). Half a microsecond is
 * saved in each run for each instruction less.
 */
#ifndef TOOLS_FILTER_ASKING_H
#define TOOLS_FILTER_ASKING_H

#include "filter-actions.h"

static int ask(struct program *p)
{
    return ret(p, SECCOMP_RET_USER_NOTIF);
}

static int ask_always(struct program *p, unsigned unused)
{
    (void)unused;
    return ask(p);
}

static int below(struct program *p, uint32_t k, int yes, int no)
{
    return add(p, BPF_JMP | BPF_JGE | BPF_K, k, no, yes);
}

static int ask_fcntl(struct program *p, unsigned i)
{
    int rest = equal(p, F_DUPFD_CLOEXEC, allow(p), ask(p));

    return arg(p, i, below(p, F_GETLK + 1, allow(p), rest));
}

/* Those of terminals, which come in one row. */
static int ask_ioctl(struct program *p, unsigned i)
{
    int terminal = allow(p);

    for (size_t r = 0; r < LEN(ioctls); r++)
        if (ioctls[r].action != ACT_ALLOW && ioctls[r].first > TCGETS &&
            ioctls[r].first <= FIOQSIZE)
            terminal = equal(p, ioctls[r].first, ask(p), terminal);
    terminal = below(p, TCGETS, ask(p), terminal);
    return arg(p, i, below(p, FIOQSIZE + 1, terminal, ask(p)));
}

static int ask_prctl(struct program *p, unsigned i)
{
    int rest = equal(p, PR_SET_VMA, quiet(p, EINVAL), ask(p));

    int common = below(p, PR_SET_PDEATHSIG, ask(p), allow(p));

    return arg(p, i, below(p, PR_GET_SECUREBITS, common, rest));
}

static int ask_sockopt(struct program *p, unsigned i)
{
    int tcp = arg(p, i + 1, below(p, TCP_MD5SIG, allow(p), ask(p)));
    int socket = arg(p, i + 1, below(p, SO_ATTACH_FILTER, allow(p), ask(p)));

    return arg(p, i, equal(p, SOL_SOCKET, socket, equal(p, IPPROTO_TCP, tcp, ask(p))));
}

static int ask_socket(struct program *p, unsigned i)
{
    int whole = do_socket(p, i);

    if (!(p->flavour & FILTER_TELLS_SOCKETS))
        return whole;
    return arg(p, i, equal(p, AF_UNIX, unix_type(p, i), ask(p)));
}

static const struct {
    enum action action;
    action_fn *make;
    unsigned k;
} askers[] = {
    {ACT_DENY, ask_always, 0},
    {ACT_UNKNOWN, ask_always, 0},
    {ACT_QUIET, ask_always, 0},
    {ACT_UNSHARE, ask_always, 0},
    {ACT_PERSONALITY, ask_always, 0},
    {ACT_DONE, ask_always, 0},
    {ACT_SECCOMP, ask_always, 0},
    {ACT_MEMFD, ask_always, 0},
    {ACT_SHMGET, ask_always, 0},
    {ACT_SHMCTL, ask_always, 0},
    {ACT_SCHEDULER, ask_always, 0},
    {ACT_PRIORITY, ask_always, 0},
    {ACT_IOPRIO, ask_always, 0},
    {ACT_PROCESS, do_self, 0},
    {ACT_FCNTL, ask_fcntl, 1},
    {ACT_IOCTL, ask_ioctl, 1},
    {ACT_PRCTL, ask_prctl, 0},
    {ACT_SOCKOPT, ask_sockopt, 1},
    {ACT_SOCKET, ask_socket, 0},
    /* About other processes, which may be forks of the caller (inside/target.h). */
    {ACT_SHARED_KILL, ask_always, 0},
    {ACT_SHARED_TKILL, ask_always, 0},
    {ACT_SHARED_TGKILL, ask_always, 0},
    {ACT_SHARED_DENY, ask_always, 0},
    {ACT_SHARED_QUIET, ask_always, 0},
};

static int outcome(struct program *p, enum action action)
{
    for (size_t i = 0; p->flavour & ASKS && i < LEN(askers); i++)
        if (askers[i].action == action)
            return askers[i].make(p, askers[i].k);

    bool shared = p->flavour & FILTER_SHARED_PIDS;
    bool signals = shared && !(p->flavour & FILTER_SCOPED_SIGNALS);

    if (!makers[action].make || (makers[action].when == SIGNALS && !signals) ||
        (makers[action].when == LIMITS && !shared) ||
        (makers[action].when == FILES && !(p->flavour & FILTER_NO_ROOT)))
        return allow(p);
    return makers[action].make(p, makers[action].k);
}

#endif
