/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program as on a host that lacks something:
 *     launch [--OPTION]... -- PROGRAM ARG...
 * What each option takes away is said in the table. They are carried out in the table's order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(const char *what)
{
    fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
    exit(99);
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        fail(path);
    close(fd);
}

static void own_mounts(void)
{
    static int done;

    if (!done &&
        (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0))
        fail("mounts of our own");
    done = 1;
}

/* As Docker does: with parts of /proc covered, the kernel lets nobody below mount a new one. */
static void mask_proc(void)
{
    static const char *const folders[] = {"/proc/acpi", "/proc/scsi", "/proc/irq", "/proc/bus",
                                          "/proc/fs"};
    static const char *const read_only[] = {"/proc/sys"};
    int masked = 0;

    own_mounts();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        masked += mount("tmpfs", folders[i], "tmpfs", MS_RDONLY, "size=0") == 0;
    if (!masked || mount("/dev/null", "/proc/keys", NULL, MS_BIND, NULL) < 0)
        fail("mask /proc");
    if (mount(read_only[0], read_only[0], NULL, MS_BIND | MS_REC, NULL) < 0)
        fail(read_only[0]);
}

static void no_cgroup(void)
{
    own_mounts();
    if (umount2("/sys/fs/cgroup", MNT_DETACH) < 0)
        fail("unmount /sys/fs/cgroup");
}

static void keep_caps(uint64_t kept)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
        if (!(kept >> cap & 1) && prctl(PR_CAPBSET_DROP, cap) < 0)
            fail("drop a capability");
    if (syscall(SYS_capget, &head, data) < 0)
        fail("capget");
    for (int i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(kept >> 32 * i);
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0;
    }
    if (syscall(SYS_capset, &head, data) < 0)
        fail("capset");
}

static void no_sys_admin(void)
{
    keep_caps(~(1ULL << CAP_SYS_ADMIN));
}

/* The default set of Docker and Podman. */
static void docker_caps(void)
{
    static const int caps[] = {CAP_CHOWN,   CAP_DAC_OVERRIDE, CAP_FSETID,           CAP_FOWNER,
                               CAP_MKNOD,   CAP_NET_RAW,      CAP_SETGID,           CAP_SETUID,
                               CAP_SETFCAP, CAP_SETPCAP,      CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT,
                               CAP_KILL,    CAP_AUDIT_WRITE};
    uint64_t kept = 0;

    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
        kept |= 1ULL << caps[i];
    keep_caps(kept);
}

static void as_user(void)
{
    const char *text = getenv("LAUNCH_UID");
    uid_t id = text ? (uid_t)strtoul(text, NULL, 10) : 0;

    if (!id || syscall(SYS_setgroups, 0, NULL) < 0 || setresgid(id, id, id) < 0 ||
        setresuid(id, id, id) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
        fail("become an ordinary user");
    unsetenv("LAUNCH_UID");
}

/* In a user namespace of our own, which may have none below it, and no rights in it. */
static void no_userns(void)
{
    char map[64];
    uid_t uid = getuid();
    gid_t gid = getgid();

    if (unshare(CLONE_NEWUSER) < 0)
        fail("a user namespace");
    put("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    put("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    put("/proc/self/gid_map", map);
    put("/proc/sys/user/max_user_namespaces", "0");
    keep_caps(0);
}

struct answer {
    int call, error;
    uint32_t flags; /* only when one of these is in the first argument; 0: always */
};

#define NAMESPACE_FLAGS 0x7e020000u
enum {
    NR_open_tree = 428,
    NR_move_mount = 429,
    NR_fsopen = 430,
    NR_fsconfig = 431,
    NR_fsmount = 432,
    NR_clone3 = 435,
    NR_mount_setattr = 442,
    NR_landlock_create_ruleset = 444,
};

static void filter(const struct answer *answers, size_t count)
{
    struct sock_filter program[128];
    unsigned short n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct answer *a = &answers[i];
        program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                    offsetof(struct seccomp_data, nr));
        program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)a->call, 0,
                                                    a->flags ? 3 : 1);
        if (a->flags) {
            program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                        offsetof(struct seccomp_data, args));
            program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, a->flags, 0, 1);
        }
        program[n++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)a->error);
    }
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog whole = {n, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) < 0)
        fail("a filter");
}
#define FILTER(answers) filter(answers, sizeof(answers) / sizeof *(answers))

#define NO_MOUNTS                                                                                  \
    {SYS_mount, EPERM, 0}, {SYS_umount2, EPERM, 0}, {SYS_pivot_root, EPERM, 0},                    \
        {NR_open_tree, EPERM, 0}, {NR_move_mount, EPERM, 0}, {NR_fsopen, EPERM, 0},                \
        {NR_fsconfig, EPERM, 0}, {NR_fsmount, EPERM, 0},                                           \
    {                                                                                              \
        NR_mount_setattr, EPERM, 0                                                                 \
    }

/* What Docker's default profile says to namespaces. */
static void no_namespaces(void)
{
    static const struct answer answers[] = {{NR_clone3, ENOSYS, 0},
                                            {SYS_unshare, EPERM, 0},
                                            {SYS_setns, EPERM, 0},
                                            {SYS_clone, EPERM, NAMESPACE_FLAGS},
                                            NO_MOUNTS};

    FILTER(answers);
}

/* As under AppArmor's rule of Ubuntu: the namespaces are given, the rights in them are not. */
static void no_mount(void)
{
    static const struct answer answers[] = {NO_MOUNTS};

    FILTER(answers);
}

static void no_clone3(void)
{
    static const struct answer answers[] = {{NR_clone3, ENOSYS, 0}};

    FILTER(answers);
}

static void old_mount(void)
{
    static const struct answer answers[] = {{NR_mount_setattr, ENOSYS, 0}};

    FILTER(answers);
}

static void no_landlock(void)
{
    static const struct answer answers[] = {{NR_landlock_create_ruleset, ENOSYS, 0}};

    FILTER(answers);
}

static void no_seccomp(void)
{
    static const struct answer answers[] = {{SYS_seccomp, EINVAL, 0}};

    FILTER(answers);
}

static const struct {
    const char *name;
    void (*apply)(void);
} options[] = {
    {"--mask-proc", mask_proc},       /* as root */
    {"--no-cgroup", no_cgroup},       /* as root */
    {"--no-sys-admin", no_sys_admin}, /* as root */
    {"--docker-caps", docker_caps},   /* as root */
    {"--as-user", as_user},           /* as root: $LAUNCH_UID */
    {"--no-userns", no_userns},       /* as an ordinary user */
    {"--no-clone3", no_clone3},
    {"--no-landlock", no_landlock},
    {"--no-mount", no_mount},
    {"--old-mount", old_mount},
    {"--no-namespaces", no_namespaces},
    {"--no-seccomp", no_seccomp}, /* last: the others are made with it */
};

int main(int argc, char **argv)
{
    int end = 1;

    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (int k = 1; k < end; k++)
            if (strcmp(argv[k], options[i].name) == 0)
                options[i].apply();
    if (end + 1 >= argc)
        return 98;
    execv(argv[end + 1], argv + end + 1);
    fail(argv[end + 1]);
}
