/* SPDX-License-Identifier: Apache-2.0
 *
 * Jails in a nest: making them, giving them a program, forking their guests.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "jail/jail_parts.h"
#include "jail/proto.h"

int jail_open_zygote(struct err *err)
{
    AUTO_FREE char *helper = NULL;

    if (jail_find_helper(&helper, err) < 0)
        return -1;
    char *slash = strrchr(helper, '/');
    AUTO_FREE char *path =
        xasprintf("%.*s/glovebox-zygote.so", (int)(slash ? slash - helper : 0), helper);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? err_sys(err, "open %s", path) : fd;
}

int jail_make(struct jail *nest, const struct jail_spec *spec, const struct jail_fds *fds,
              struct jail **ret, struct err *err)
{
    int pair[2], lent[FD_MSG_MAX];
    size_t count = 0;
    AUTO_BUF struct buf b = {0};

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(err, "make a socket pair");
    AUTO_CLOSE int ours = pair[0];
    AUTO_CLOSE int theirs = pair[1];
    lent[count++] = theirs;
    lent[count++] = fds->in;
    lent[count++] = fds->out;
    lent[count++] = fds->err;
    for (int i = 0; spec->channel && i < 2; i++)
        lent[count++] = fds->channel[i];
    for (unsigned i = 0; i < spec->enter_count + spec->enter_v2; i++)
        lent[count++] = fds->enter[i];
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_MAKE);
    wire_put_u32(&b, (spec->channel ? MAKE_CHANNEL : 0u) | (spec->enter_v2 ? MAKE_ENTER_V2 : 0u));
    wire_put_u32(&b, spec->enter_count);
    if (fd_send(nest->control, b.p, b.n, lent, count) < 0)
        return err_sys(err, "request a warm jail");
    *ret = jail_new(0, fd_take(&ours));
    return 0;
}

/* A cgroup that is entered by its folder can also be entered by a file in it. */
static int open_procs(int folder, int *ret, struct err *err)
{
    *ret = openat(folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    return *ret < 0 ? err_sys(err, "enter the fork's cgroup") : 0;
}

/* The layers that a process and its children cannot remove. */
#define INHERITED_LAYERS                                                                           \
    (LAYER_BIT(LAYER_SECCOMP) | LAYER_BIT(LAYER_LANDLOCK) | LAYER_BIT(LAYER_RLIMITS))

/* The descriptors of MSG_FORK in their order, without the files to enter cgroups. */
static size_t lend_to_fork(const struct jail_fds *fds, const struct jail *origin, int control,
                           int gate, int *ret)
{
    size_t count = 0;

    ret[count++] = control;
    ret[count++] = gate;
    ret[count++] = origin->box;
    ret[count++] = origin->pid_space;
    ret[count++] = origin->user_space;
    ret[count++] = fds->in;
    ret[count++] = fds->out;
    ret[count++] = fds->err;
    ret[count++] = fds->channel[0];
    ret[count++] = fds->channel[1];
    return count;
}

static int ask_for_fork(struct jail *nest, const struct jail *origin, const int *lent, size_t count,
                        size_t enter_count, struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_FORK);
    wire_put_u32(&b, origin->state.held & INHERITED_LAYERS);
    wire_put_u32(&b, (uint32_t)enter_count);
    return fd_send(nest->control, b.p, b.n, lent, count) < 0
               ? err_sys(err, "request a jail for a fork")
               : 0;
}

static int pass_gate(struct jail *root, int gate, const struct jail *origin, struct err *err)
{
    unsigned char raw[4] = {MSG_GATE};
    const int fds[] = {gate, origin->pid_space};

    return fd_send(root->control, raw, sizeof raw, fds, ARRAY_LEN(fds)) < 0
               ? err_sys(err, "open a gate")
               : 0;
}

static int open_pair(int *ret_ours, int *ret_theirs, struct err *err)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(err, "make a socket pair");
    *ret_ours = pair[0];
    *ret_theirs = pair[1];
    return 0;
}

int jail_fork(struct jail *nest, const struct jail_spec *spec, const struct jail_fds *fds,
              const struct jail_origin *origin, struct jail **ret, struct err *err)
{
    AUTO_CLOSE int control = -1;
    AUTO_CLOSE int theirs = -1;
    AUTO_CLOSE int gate = -1;
    AUTO_CLOSE int other_gate = -1;
    AUTO_CLOSE int procs = -1; /* the cgroup v2 file to enter by */
    int lent[FD_MSG_MAX];

    if (origin->jail->pid_space < 0 || origin->jail->user_space < 0 || !spec->channel)
        return err_set(err, ERR_UNSUPPORTED, "this guest was started without support for forks");
    if (spec->enter_v2 && open_procs(fds->enter[spec->enter_count], &procs, err) < 0)
        return -1;
    if (open_pair(&control, &theirs, err) < 0 || open_pair(&gate, &other_gate, err) < 0)
        return -1;
    size_t count = lend_to_fork(fds, origin->jail, theirs, other_gate, lent);
    size_t enter_count = spec->enter_count + spec->enter_v2;
    for (size_t i = 0; i < spec->enter_count; i++)
        lent[count++] = fds->enter[i];
    if (spec->enter_v2)
        lent[count++] = procs;
    if (ask_for_fork(nest, origin->jail, lent, count, enter_count, err) < 0 ||
        pass_gate(origin->root, gate, origin->jail, err) < 0)
        return -1;
    *ret = jail_new(0, fd_take(&control));
    return 0;
}

static void put_words(struct buf *b, char *const *words)
{
    uint32_t n = 0;

    while (words[n])
        n++;
    wire_put_u32(b, n);
    for (uint32_t i = 0; i < n; i++)
        wire_put_cstr(b, words[i]);
}

int jail_go(struct jail *jail, char *const *argv, char *const *env, int64_t wall_ms, int lay,
            struct err *err)
{
    AUTO_BUF struct buf words = {0};
    AUTO_BUF struct buf b = {0};

    buf_init(&words, WORDS_MAX);
    put_words(&words, argv);
    put_words(&words, env);
    if (words.overflow)
        return err_set(err, ERR_USAGE, "arguments and environment are larger than %u MiB",
                       WORDS_MAX >> 20);
    bool is_long = words.n > WORDS_INLINE;
    AUTO_CLOSE int memory = is_long ? fd_memory("glovebox-words", words.p, words.n, err) : -1;
    if (is_long && memory < 0)
        return -1;
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_GO);
    wire_put_u64(&b, (uint64_t)wall_ms);
    if (!is_long)
        (void)buf_add_str(&b, buf_str(&words));
    if (fd_send(jail->control, b.p, b.n, (int[]){lay, memory}, 1 + is_long) < 0)
        return err_sys(err, "start the waiting jail");
    return 0;
}
