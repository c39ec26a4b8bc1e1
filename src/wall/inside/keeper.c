/* SPDX-License-Identifier: Apache-2.0
 *
 * The keeper: glovebox-jail when it becomes a jail.
 *
 * Theory of operation
 *
 *   library (in any host program)
 *     | posix_spawn; descriptors 0-2 the guest's, 3 control socket, 4 spec, 5 files, 6.. cgroups
 *   keeper   this program, in the host's namespaces and with the caller's rights
 *     | clone3 with new user, pid, mount, net, ipc and uts namespaces
 *   init     pid 1 inside: builds the root, lays the files, gives up every privilege
 *     | fork
 *   guest    pid 2 inside: Landlock, system call filter, exec of the interpreter
 *
 * Why it is a separate program: after clone() in a host with threads even malloc is unsafe, and a
 * static program of 1 MB starts in half a millisecond with nothing of the host in its memory.
 *
 * The keeper exists for three things that must be done from outside: writing the id maps, trying
 * again with fewer layers where the host forbids user namespaces, and dying with the library.
 * Keeper and init each ask for SIGKILL when their parent dies, so `kill -9` of the library kills
 * the keeper, which kills the init, and with the init of a pid namespace the kernel kills every
 * process in it, at once and without a race. Init also watches the control socket: if it closes,
 * the library is gone.
 *
 * Order, and why (inside/init.c has it line by line):
 *   1. enter the cgroups by ourselves (a parent's write can cost 10 ms), so all that follows is
 * charged
 *   2. open what will be mounted, still with the caller's ids (a private home is readable only to
 * them)
 *   3. become the guest's ids, keeping the capabilities that the namespace gives
 *   4. build the root on a tmpfs of those ids, pivot, unmount the host's
 *   5. lay the files; the box descriptor goes to the library, which reads results through it
 *   6. drop all capabilities and the bounding set, set no_new_privs
 *   7. fork the guest: rlimits, descriptors, Landlock (it forbids mounting, so after 4), filter
 * last
 *   8. init locks itself to a handful of calls, answers refused calls, reaps, reports, exits: all
 * dead
 *
 * A refused system call returns an error and is reported: the filter sends it to init's listener,
 * which answers and counts. Guest code has no descriptor of the listener and cannot forge a
 * refusal. It can only add a stricter filter of its own, and so refuse itself more calls than are
 * reported.
 */
#include "inside/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "jail/caps.h"
#include "jail/host_box.h"
#include "jail/proto.h"

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

static void read_spec(struct inside *in)
{
    struct stat st;
    struct err err;

    if (fstat(SPEC_FD_SPEC, &st) < 0 || st.st_size > SPEC_MAX_BYTES)
        die(ERR_USAGE, "jail spec: missing or too long");
    AUTO_FREE char *bytes = xmalloc((size_t)st.st_size);
    ssize_t got = pread(SPEC_FD_SPEC, bytes, (size_t)st.st_size, 0);
    if (got != st.st_size)
        die(ERR_SYSTEM, "jail spec: cannot be read");
    if (spec_decode((struct str){bytes, (size_t)got}, &in->spec, &err) < 0)
        die_err(&err);
}

/* The parent may have died before we asked to die with it. */
static void die_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        die_sys("ask to die with the parent");
    if (getppid() != parent)
        _exit(1);
}

static const struct {
    enum jail_layer layer;
    uint64_t flag;
} namespaces[] = {
    {LAYER_USERNS, CLONE_NEWUSER}, {LAYER_PIDNS, CLONE_NEWPID}, {LAYER_MOUNTNS, CLONE_NEWNS},
    {LAYER_NETNS, CLONE_NEWNET},   {LAYER_IPCNS, CLONE_NEWIPC}, {LAYER_UTSNS, CLONE_NEWUTS},
};

static uint64_t clone_flags(layer_mask mode)
{
    uint64_t flags = 0;

    for (unsigned i = 0; i < ARRAY_LEN(namespaces); i++)
        if (mode & LAYER_BIT(namespaces[i].layer))
            flags |= namespaces[i].flag;
    return flags;
}

static layer_mask namespace_mask(void)
{
    layer_mask mask = LAYER_BIT(LAYER_CGROUPNS);

    for (unsigned i = 0; i < ARRAY_LEN(namespaces); i++)
        mask |= LAYER_BIT(namespaces[i].layer);
    return mask;
}

#define NEED_MOUNTS (LAYER_BIT(LAYER_MOUNTNS) | LAYER_BIT(LAYER_ROOT) | LAYER_BIT(LAYER_PROC))

/* fork() into new namespaces. A container's filter may know clone3 only as "no such call". */
static pid_t fork_into(struct inside *in, int *ret_pidfd)
{
    uint64_t flags = clone_flags(in->mode);
    struct clone3_args args = {
        .flags = flags | CLONE_PIDFD,
        .pidfd = (uint64_t)(uintptr_t)ret_pidfd,
        .exit_signal = SIGCHLD,
    };
    long pid = -1;

    in->born_inside = in->spec.enter_v2;
    if (in->born_inside) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = SPEC_FD_CGROUP + in->spec.enter_count;
        pid = syscall(SYS_clone3, &args, sizeof args);
    }
    if (pid < 0) {
        in->born_inside = false;
        args.flags &= ~CLONE_INTO_CGROUP; /* Linux 5.7 */
        args.cgroup = 0;
        pid = syscall(SYS_clone3, &args, sizeof args);
    }
    if (pid < 0 && errno == ENOSYS)
        pid = syscall(SYS_clone, flags | CLONE_PIDFD | SIGCHLD, NULL, ret_pidfd, NULL, NULL);
    return (pid_t)pid;
}

/* `jails`: the first outside id for the jails of a nest; 0 if this is no nest. */
static int write_map(pid_t pid, const char *file, uint32_t inside, uint32_t outside, uint32_t jails,
                     struct err *err)
{
    char path[64], line[128];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    int n = snprintf(line, sizeof line, "%u %u 1\n", inside, outside);
    if (jails)
        snprintf(line + n, sizeof line - (size_t)n, "%u %u %u\n", SPEC_JAIL_UIDS, jails,
                 SPEC_JAILS_MAX);
    if (fd_write_file_at(AT_FDCWD, path, line) < 0)
        return err_sys(err, "write %s", file);
    return 0;
}

/* Maps one id, and those for the jails of a nest; none is root's. An ordinary user may map only its
 * own id, and only with setgroups denied (user_namespaces(7)). */
static int write_maps(const struct inside *in, pid_t pid, struct err *err)
{
    char path[64];

    if (!caps_may_set_ids()) {
        snprintf(path, sizeof path, "/proc/%d/setgroups", (int)pid);
        if (fd_write_file_at(AT_FDCWD, path, "deny") < 0 && errno != ENOENT)
            return err_sys(err, "write setgroups");
    }
    if (write_map(pid, "uid_map", in->spec.uid, in->spec.host_uid, in->spec.host_jails, err) < 0)
        return -1;
    return write_map(pid, "gid_map", in->spec.gid, in->spec.host_gid, 0, err);
}

static void receive_why(int sync, struct err *err)
{
    char why[200];
    ssize_t n = recv(sync, why, sizeof why - 1, MSG_DONTWAIT);

    why[n > 0 ? n : 0] = '\0';
    err_set(err, ERR_UNSUPPORTED, "%s", n > 0 ? why : "a private root is not available");
}

/* Closes our copies of the channel once init has its root, because no other attempt follows.
 * Otherwise the host would not notice when the guest closes its end. */
static void let_go_of_channel(const struct inside *in, int sync)
{
    char peeked;

    if (!in->spec.channel || recv(sync, &peeked, 1, MSG_PEEK) != 0)
        return;
    close(SPEC_FD_CHANNEL);
    close(SPEC_FD_CHANNEL + 1);
}

/* Runs one attempt to its end. Returns false, with the reason in *err, if another one may be made.
 */
static bool attempt(struct inside *in, struct err *err)
{
    int sync[2], pidfd = -1, status;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sync) < 0)
        die_sys("make a socket pair");
    pid_t pid = fork_into(in, &pidfd);
    if (pid < 0) {
        if (errno == ENOSPC) /* clone(2) */
            err_set(err, ERR_UNSUPPORTED,
                    "no namespace can be created (sysctl user.max_user_namespaces)");
        else
            err_sys(err, "make the guest's namespaces");
        fd_close(&sync[0]);
        fd_close(&sync[1]);
        return false;
    }
    if (pid == 0) {
        fd_close(&sync[1]);
        in->sync_fd = sync[0];
        init_main(in);
    }
    fd_close(&sync[0]);
    bool mapped = !(in->mode & LAYER_BIT(LAYER_USERNS)) || write_maps(in, pid, err) == 0;
    if (mapped) {
        report(MSG_BORN, pidfd);
        (void)!write(sync[1], "", 1);
    }
    (void)shutdown(sync[1], SHUT_WR); /* without the byte, the init reads the end and gives up */
    fd_close(&pidfd);
    if (mapped)
        let_go_of_channel(in, sync[1]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    bool again = !mapped || (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RETRY);
    if (again && mapped)
        receive_why(sync[1], err);
    fd_close(&sync[1]);
    return !again;
}

/* Making a jail is a chain of short steps in three processes. By default, the scheduler puts each
 * new process on an idle processor, and waking that costs more than the step (1.5 ms in a virtual
 * machine). So the chain stays on one processor; the guest gets all its processors back when it
 * runs. */
static void stay_on_this_processor(struct inside *in)
{
    cpu_set_t one;
    int here = sched_getcpu();

    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof in->processors, &in->processors) < 0 || here < 0 ||
        here >= CPU_SETSIZE)
        return; /* more processors than a cpu_set_t holds */
    CPU_SET(here, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

static bool attempt_with(struct inside *in, layer_mask mode)
{
    struct err err = {0};

    in->mode = mode;
    in->lost = in->spec.wanted & ~mode;
    /* We have to remove the guest's files on the host's disk, and without a pid namespace our death
     * would kill nothing. Init notices the library's end, and then exits (inside/serve.c). */
    if (!(mode & LAYER_BIT(LAYER_ROOT)) || !(mode & LAYER_BIT(LAYER_PIDNS)))
        (void)prctl(PR_SET_PDEATHSIG, 0);
    if (attempt(in, &err))
        return true;
    in->why = err;
    return false;
}

/* Tries with all layers, then with fewer and fewer. */
static void run_attempts(struct inside *in)
{
    const layer_mask without[] = {
        0,
        geteuid() == 0 ? LAYER_BIT(LAYER_USERNS) : 0, /* root needs none to make the others */
        NEED_MOUNTS, /* a user namespace without rights in it: Ubuntu's AppArmor rule */
        namespace_mask() | NEED_MOUNTS,
    };

    for (size_t i = 0; i < ARRAY_LEN(without); i++) {
        layer_mask mode = in->spec.wanted & ~without[i];
        if ((i == 0 || mode != in->mode) && attempt_with(in, mode))
            return;
    }
    die_err(&in->why);
}

/* When the library is killed, the kernel closes its end of the socket first, and gives us another
 * parent a while later. */
static bool library_is_gone(const struct inside *in)
{
    struct pollfd look = {.fd = SPEC_FD_CONTROL};

    return getppid() != in->spec.host_pid ||
           (poll(&look, 1, 0) > 0 && look.revents & (POLLHUP | POLLERR));
}

int keeper_main(void)
{
    struct inside in = {.sync_fd = -1, .box_fd = -1, .locks_fd = -1, .init_fd = -1};

    (void)syscall(SYS_close_range, SPEC_FD_END, ~0U, 0);
    for (int fd = SPEC_FD_CONTROL; fd < SPEC_FD_END; fd++)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    umask(022);
    fd_raise_limit();
    read_spec(&in);
    die_with(in.spec.host_pid);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    stay_on_this_processor(&in);
    struct err err;
    if (look_through(&in.spec, &in.finds, &err) < 0)
        die_err(&err);
    run_attempts(&in);
    end_children();
    if (!(in.mode & LAYER_BIT(LAYER_ROOT)) && library_is_gone(&in))
        host_box_remove(in.spec.box_host); /* else the library does it, after reading it */
    return 0;
}
