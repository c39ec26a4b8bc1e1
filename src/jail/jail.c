/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/jail.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "jail/proto.h"

struct jail {
    pid_t helper;
    bool reaped;
    int control;
    int init_pidfd;
    int box;
    struct jail_state state;
};

/* ---- starting ---- */

static char *beside_us(void)
{
    Dl_info info;
    char self[4096];
    const char *path = self;

    /* In a shared library that is its own file; in a program, the program (whose name dladdr only knows
     * as it was called). */
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    if (dladdr((const void *)(uintptr_t)&jail_find_helper, &info) && info.dli_fname &&
        strstr(info.dli_fname, ".so"))
        path = info.dli_fname;
    const char *slash = strrchr(path, '/');
    return xasprintf("%.*s/glovebox-jail", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

int jail_find_helper(char **ret, struct err *err)
{
    const char *named = getenv("GLOVEBOX_JAIL");
    char *path = named ? xstrdup(named) : beside_us();

    if (access(path, X_OK) < 0 && !named) {
        free(path);
        path = xstrdup(GLOVEBOX_LIBEXEC "/glovebox-jail");
    }
    if (access(path, X_OK) < 0) {
        err_set(err, ERR_SYSTEM,
                "%s: the helper program is missing; reinstall glovebox or set GLOVEBOX_JAIL", path);
        free(path);
        return -1;
    }
    *ret = path;
    return 0;
}

/* Sources are moved up first, so that placing one never overwrites another. */
static int lend(posix_spawn_file_actions_t *actions, int *copies, size_t *count, int fd, int target)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 64);

    if (high < 0)
        return -1;
    copies[(*count)++] = high;
    return posix_spawn_file_actions_adddup2(actions, high, target) ? -1 : 0;
}

static int lend_all(posix_spawn_file_actions_t *actions, int *copies, size_t *count,
                    const struct jail_spec *spec, const struct jail_fds *fds, int control, int plan)
{
    const int standard[3] = {fds->in, fds->out, fds->err};

    for (int i = 0; i < 3; i++) {
        if (standard[i] >= 0) {
            if (lend(actions, copies, count, standard[i], i) < 0)
                return -1;
        } else if (posix_spawn_file_actions_addopen(actions, i, "/dev/null", i ? O_WRONLY : O_RDONLY,
                                                    0)) {
            return -1;
        }
    }
    if (lend(actions, copies, count, control, SPEC_FD_CONTROL) < 0 ||
        lend(actions, copies, count, plan, SPEC_FD_SPEC) < 0)
        return -1;
    if (spec->lay && lend(actions, copies, count, fds->lay, SPEC_FD_LAY) < 0)
        return -1;
    for (unsigned i = 0; i < spec->enter_count + spec->enter_v2; i++)
        if (lend(actions, copies, count, fds->enter[i], SPEC_FD_CGROUP + (int)i) < 0)
            return -1;
    return 0;
}

static int spawn_helper(const struct jail_spec *spec, const struct jail_fds *fds, int control,
                        int plan, pid_t *ret_pid, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int copies[16];
    size_t count = 0;
    AUTO_FREE char *path = NULL;
    char *argv[] = {(char *)"glovebox-jail", (char *)"--spec", NULL};
    char *envp[] = {NULL};

    if (jail_find_helper(&path, err) < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    int failed = lend_all(&actions, copies, &count, spec, fds, control, plan) < 0
                     ? errno
                     : posix_spawn(ret_pid, path, &actions, NULL, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    while (count)
        close(copies[--count]);
    errno = failed;
    return failed ? err_sys(err, "start %s", path) : 0;
}

int jail_start(struct jail_spec *spec, const struct jail_fds *fds, struct jail **ret,
               struct err *err)
{
    AUTO_BUF struct buf bytes = {0};
    int pair[2];
    pid_t pid;

    spec->host_pid = getpid();
    buf_init(&bytes, SPEC_MAX_BYTES + 4096);
    if (spec_encode(spec, &bytes, err) < 0)
        return -1;
    AUTO_CLOSE int plan = fd_memory("glovebox-spec", bytes.p, bytes.n, err);
    if (plan < 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(err, "make a socket pair");
    AUTO_CLOSE int ours = pair[0];
    AUTO_CLOSE int theirs = pair[1];
    if (spawn_helper(spec, fds, theirs, plan, &pid, err) < 0)
        return -1;

    struct jail *jail = xcalloc(1, sizeof *jail);
    *jail = (struct jail){.helper = pid, .control = fd_take(&ours), .init_pidfd = -1, .box = -1};
    *ret = jail;
    return 0;
}

/* ---- hearing ---- */

static void copy_text(char *out, size_t n, struct str text)
{
    size_t take = text.n < n ? text.n : n - 1;

    memcpy(out, text.p, take);
    out[take] = '\0';
}

static void hear_lost(struct jail *jail, struct wire *w)
{
    layer_mask layers = wire_u32(w);
    struct str why = wire_str(w);

    if (w->bad || jail->state.lost_count == JAIL_LOST_MAX)
        return;
    struct jail_lost *lost = &jail->state.lost[jail->state.lost_count++];
    lost->layers = layers;
    copy_text(lost->why, sizeof lost->why, why);
}

static void hear_phase(struct jail *jail, struct wire *w)
{
    struct str name = wire_str(w);
    uint64_t at = wire_u64(w);

    if (w->bad || jail->state.phase_count == JAIL_PHASES_MAX)
        return;
    struct jail_phase *phase = &jail->state.phases[jail->state.phase_count++];
    copy_text(phase->name, sizeof phase->name, name);
    phase->at_ns = (int64_t)at;
}

static void hear_exit(struct jail *jail, struct wire *w)
{
    struct jail_state *s = &jail->state;

    s->status = (int)wire_u32(w);
    s->user_us = (int64_t)wire_u64(w);
    s->system_us = (int64_t)wire_u64(w);
    s->max_rss_kib = (int64_t)wire_u64(w);
    uint32_t n = wire_count(w, 12);
    for (s->denied_count = 0; s->denied_count < n && s->denied_count < JAIL_DENIED_MAX;
         s->denied_count++) {
        struct jail_denial *d = &s->denied[s->denied_count];
        copy_text(d->name, sizeof d->name, wire_str(w));
        d->count = wire_u64(w);
    }
    s->exited = true;
}

/* A guest that never ended by itself (killed at a limit) is known only by what was told on the way. */
static void hear_denied(struct jail *jail, struct wire *w, struct jail_event *ret)
{
    copy_text(ret->name, sizeof ret->name, wire_str(w));
    ret->count = wire_u64(w);
    if (w->bad || jail->state.denied_count == JAIL_DENIED_MAX)
        return;
    struct jail_denial *d = &jail->state.denied[jail->state.denied_count++];
    memcpy(d->name, ret->name, sizeof d->name);
    d->count = ret->count;
}

static void hear_failure(struct wire *w, struct jail_event *ret)
{
    uint32_t kind = wire_u32(w);

    ret->error.kind = kind > ERR_NONE && kind <= ERR_BUG ? (enum err_kind)kind : ERR_SYSTEM;
    copy_text(ret->error.msg, sizeof ret->error.msg, wire_str(w));
}

static enum jail_event_kind decode(struct jail *jail, struct wire *w, int *fd, struct jail_event *ret)
{
    switch (wire_u32(w)) {
    case MSG_BORN:
        fd_close(&jail->init_pidfd);
        jail->init_pidfd = fd_take(fd);
        return JAIL_NOTHING;
    case MSG_LOST:
        hear_lost(jail, w);
        return JAIL_NOTHING;
    case MSG_PHASE:
        hear_phase(jail, w);
        return JAIL_NOTHING;
    case MSG_READY:
        fd_close(&jail->box);
        jail->box = fd_take(fd);
        return JAIL_READY;
    case MSG_STARTED:
        jail->state.held = wire_u32(w);
        jail->state.started = true;
        return JAIL_STARTED;
    case MSG_DENIED:
        hear_denied(jail, w, ret);
        return JAIL_DENIED;
    case MSG_EXIT:
        hear_exit(jail, w);
        return JAIL_EXITED;
    case MSG_ERROR:
        hear_failure(w, ret);
        return JAIL_FAILED;
    default:
        return JAIL_NOTHING;
    }
}

static void reap_helper(struct jail *jail)
{
    while (!jail->reaped && waitpid(jail->helper, NULL, 0) < 0 && errno == EINTR)
        ;
    jail->reaped = true;
}

void jail_hear(struct jail *jail, struct jail_event *ret)
{
    char message[MSG_MAX];
    int fds[FD_MSG_MAX];
    size_t count;

    *ret = (struct jail_event){.kind = JAIL_GONE};
    ssize_t got = fd_recv(jail->control, message, sizeof message, fds, &count, 0);
    if (got <= 0) {
        reap_helper(jail);
        return;
    }
    struct wire w = {.rest = {message, (size_t)got}};
    int fd = count ? fds[0] : -1;
    ret->kind = decode(jail, &w, &fd, ret);
    fd_close(&fd);
    for (size_t i = 1; i < count; i++)
        close(fds[i]);
}

/* ---- the rest ---- */

int jail_fd(const struct jail *jail)
{
    return jail->control;
}

static void say(struct jail *jail, enum jail_message kind)
{
    unsigned char raw[4] = {(unsigned char)kind};

    (void)fd_send(jail->control, raw, sizeof raw, NULL, 0);
}

/* Killing pid 1 of the namespace ends all in it. Where there is none, init is asked to do it; before the
 * guest runs, the helper's own death is enough. */
void jail_kill(struct jail *jail)
{
    if (jail->reaped)
        return;
    if (!jail->state.started)
        (void)kill(jail->helper, SIGKILL);
    else if (jail->state.held & LAYER_BIT(LAYER_PIDNS))
        (void)syscall(SYS_pidfd_send_signal, jail->init_pidfd, SIGKILL, NULL, 0);
    else
        say(jail, MSG_END);
}

const struct jail_state *jail_state(const struct jail *jail)
{
    return &jail->state;
}

int jail_helper_pid(const struct jail *jail)
{
    return jail->helper;
}

int jail_box(const struct jail *jail)
{
    return jail->box;
}

void jail_free(struct jail *jail)
{
    if (!jail)
        return;
    if (!jail->reaped) {
        jail_kill(jail);
        struct pollfd wait = {.fd = jail->control, .events = 0};
        while (poll(&wait, 1, 2000) < 0 && errno == EINTR)
            ;
        (void)kill(jail->helper, SIGKILL);
        reap_helper(jail);
    }
    fd_close(&jail->control);
    fd_close(&jail->init_pidfd);
    fd_close(&jail->box);
    free(jail);
}
