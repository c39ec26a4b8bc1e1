/* SPDX-License-Identifier: Apache-2.0 */
#include "inside/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "inside/slots.h"
#include "jail/caps.h"
#include "jail/landlock.h"

static bool trying(const struct inside *in, enum jail_layer layer)
{
    return in->mode & LAYER_BIT(layer);
}

static void hold(struct inside *in, enum jail_layer layer)
{
    in->held |= LAYER_BIT(layer);
}

/* The keeper dies with the library, and we die with the keeper. This is requested again after the
 * last change of ids, because the kernel forgets it then. */
static void die_with_parent(const struct inside *in)
{
    /* Without a pid namespace, our own death would leave the guest's descendants alive. There we
     * notice the end of the control socket instead, and kill them (inside/serve.c). */
    if (trying(in, LAYER_PIDNS) && prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        die_sys("ask to die with the keeper");
}

static void wait_for_maps(struct inside *in)
{
    char byte;

    if (read(in->sync_fd, &byte, 1) != 1)
        _exit(EXIT_RETRY);
}

/* Without clone3() we were not created inside the group. Entering it from inside takes the kernel's
 * lock over all threads, but works. */
static int enter_v2(const struct inside *in)
{
    AUTO_CLOSE int procs =
        openat(SPEC_FD_CGROUP + (int)in->spec.enter_count, "cgroup.procs", O_WRONLY | O_CLOEXEC);

    return procs < 0 || write(procs, "0", 1) < 0 ? -1 : 0;
}

/* "0" means the writer: that needs no lock over all threads of the system, unlike the pid of
 * another process. */
static void init_enter_cgroups(struct inside *in)
{
    for (unsigned i = 0; i < in->spec.enter_count; i++) {
        int fd = SPEC_FD_CGROUP + (int)i;
        if (write(fd, "0", 1) < 0)
            die_sys("enter cgroup");
    }
    if (in->spec.enter_v2 && !in->born_inside && enter_v2(in) < 0)
        die_sys("enter cgroup");
    /* Close only the descriptors that were given: the socket to the keeper may have the number of a
     * missing one. */
    unsigned given = in->spec.enter_count + in->spec.enter_v2;
    if (given)
        (void)syscall(SYS_close_range, SPEC_FD_CGROUP, SPEC_FD_CGROUP + given - 1, 0);
}

static void note_namespaces(struct inside *in)
{
    in->held |=
        in->mode & (LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_MOUNTNS) |
                    LAYER_BIT(LAYER_NETNS) | LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_UTSNS));
    /* After entering the cgroups, or /proc/self/cgroup would show the host's path. */
    if (trying(in, LAYER_CGROUPNS) && unshare(CLONE_NEWCGROUP) == 0)
        hold(in, LAYER_CGROUPNS);
}

static void set_caps(uint64_t permitted)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {
        {.effective = (uint32_t)permitted, .permitted = (uint32_t)permitted},
        {.effective = (uint32_t)(permitted >> 32), .permitted = (uint32_t)(permitted >> 32)},
    };

    if (syscall(SYS_capset, &head, data) < 0)
        die_sys("set capabilities");
}

static uint64_t permitted_caps(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &head, data) < 0)
        die_sys("read capabilities");
    return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

/* Files that init makes from now on belong to the guest's ids. The capabilities stay until
 * drop_privileges. */
static void become_guest_ids(struct inside *in)
{
    bool mapped = trying(in, LAYER_USERNS);
    uid_t uid = mapped ? in->spec.uid : in->spec.host_uid;
    gid_t gid = mapped ? in->spec.gid : in->spec.host_gid;

    if (!mapped && (!caps_may_set_ids() || !trying(in, LAYER_CAPS)))
        return;
    if (prctl(PR_SET_KEEPCAPS, 1) < 0)
        die_sys("keep capabilities");
    uint64_t caps = permitted_caps();
    /* The kernel refuses this in an ordinary user's namespace. The remaining groups give no rights
     * inside. */
    if (setgroups(0, NULL) < 0 && errno != EPERM)
        die_sys("drop groups");
    if (setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
        die_sys("become the guest's user");
    set_caps(caps);
    die_with_parent(in);
}

/* True for errors of a host that permits no private root: missing rights in the namespace, a
 * refused mount, a kernel without the mount calls. Only trying shows them. Other errors are about
 * the request (such as a --ro into a folder of the host), and a jail with fewer layers would not
 * help. */
static bool root_is_refused(int sys)
{
    return sys == EPERM || sys == EACCES || sys == EINVAL || sys == ENOSYS || sys == ENODEV ||
           sys == EOPNOTSUPP;
}

static _Noreturn void give_up_root(const struct inside *in, const struct err *err)
{
    if (!root_is_refused(err->sys))
        die_err(err);
    (void)!write(in->sync_fd, err->msg, strlen(err->msg));
    _exit(EXIT_RETRY);
}

static void make_root(struct inside *in)
{
    struct err err;

    bool own = trying(in, LAYER_ROOT);
    if (own) /* the new root may get no /proc */
        in->locks_fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
    if (own && root_open_sources(in, &err) < 0)
        give_up_root(in, &err);
    become_guest_ids(in);
    if (own && root_build(in, &err) < 0)
        give_up_root(in, &err);
    if (!own && (look_refuse(&in->finds, &err) < 0 || host_box_make(in, &err) < 0))
        die_err(&err);
    if (in->held & LAYER_BIT(LAYER_PROC))
        fd_close(&in->locks_fd);
    fd_close(&in->sync_fd);
    if (in->lost)
        report_lost(in->lost, in->why.msg);
    if (trying(in, LAYER_LANDLOCK) && !landlock_abi())
        report_lost(LAYER_BIT(LAYER_LANDLOCK), "this kernel has none, or not in its lsm= list");
}

static void set_names(struct inside *in)
{
    if (trying(in, LAYER_UTSNS)) {
        (void)!sethostname(in->spec.hostname, strlen(in->spec.hostname));
        (void)syscall(SYS_setdomainname, "", 0);
    }
}

void drop_bounding(struct inside *in)
{
    for (int cap = 0; !in->unbound && cap < 64 && prctl(PR_CAPBSET_DROP, cap) == 0; cap++)
        ; /* stops at the first number that is no capability, or with EPERM if we may not drop any
           */
    in->unbound = true;
}

static void drop_caps(struct inside *in)
{
    drop_bounding(in);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    set_caps(0);
    hold(in, LAYER_CAPS);
}

void drop_privileges(struct inside *in)
{
    if (trying(in, LAYER_CAPS))
        drop_caps(in);
    if (trying(in, LAYER_NNP)) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
            die_sys("set no_new_privs");
        hold(in, LAYER_NNP);
    }
    if (prctl(PR_SET_DUMPABLE, 0) < 0)
        die_sys("clear dumpable");
}

static _Noreturn void start_guest(struct inside *in)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        die_sys("make a socket pair");
    pid_t pid = fork();
    if (pid < 0)
        die_sys("fork the guest");
    if (pid == 0) {
        fd_close(&pair[0]);
        in->init_fd = pair[1];
        guest_main(in);
    }
    fd_close(&pair[1]);
    serve_main(in, pid, pair[0], -1);
}

/* The sockets by which the guest reaches names. A nest makes them for each of its jails. */
static void open_network(const struct inside *in)
{
    int fds[FD_MSG_MAX];

    if (!trying(in, LAYER_NETNS))
        die(ERR_UNSUPPORTED, "a network by name (--net allow:) needs layer netns, which is missing "
                             "here ('glovebox doctor' prints how to get it)");
    size_t count = network_open(&in->spec, fds);
    if (count == 0)
        die_sys("make the sockets by which the guest reaches names");
    network_report(SPEC_FD_CONTROL, fds, count);
}

void init_main(struct inside *in)
{
    die_with_parent(in);
    wait_for_maps(in);
    init_enter_cgroups(in);
    note_namespaces(in);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (trying(in, LAYER_NETNS))
        network_prepare();
    if (in->spec.port_count && !in->spec.nest)
        open_network(in);
    make_root(in);
    set_names(in);
    if (in->spec.nest)
        nest_main(in);
    if (in->spec.lay)
        go_lay(in, SPEC_FD_LAY);
    if (in->spec.wait_file[0])
        wait_file_make(in);
    drop_privileges(in);
    start_guest(in);
}
