/* SPDX-License-Identifier: Apache-2.0
 *
 * For the test of the filter in this kernel: what a guest tries, and how each attempt must end.
 */
#ifndef FILTER_ATTEMPTS_H
#define FILTER_ATTEMPTS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "jail/filter.h"

/* One thing that a guest tries: a function, or a system call with its arguments. A pointer is left
 * NULL: what passes the filter ends in EFAULT, and on descriptor -1 in EBADF. */
struct attempt {
    const char *what;
    int (*fn)(void); /* 0 or more, or -1 with errno */
    long nr;
    unsigned long args[6];
    int error;        /* what it must fail with, 0 when it must work */
    const char *told; /* NULL: nobody hears of it */
    unsigned only;    /* where set, all this is so in such flavours, and in the others it works */
    unsigned unless;  /* as it does in these */
};

static void *nothing(void *p)
{
    return p;
}

static int try_thread(void)
{
    pthread_t thread;

    errno = pthread_create(&thread, NULL, nothing, NULL);
    return errno || pthread_join(thread, NULL) ? -1 : 0;
}

static int try_exec(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static int try_executable_memory(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? -1 : mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

static int try_kill_parent(void)
{
    return kill(getppid(), SIGWINCH);
}

static int try_own_parent(void)
{
    int pair[2];
    int result = socketpair(AF_UNIX, SOCK_STREAM, 0, pair);

    return result < 0 ? -1 : fcntl(pair[0], F_SETOWN, getppid());
}

static int try_limit_parent(void)
{
    struct rlimit limit;

    return prlimit(getppid(), RLIMIT_CORE, NULL, &limit);
}

static int try_limit_by_number(void)
{
    struct rlimit limit;

    return prlimit(getpid(), RLIMIT_CORE, NULL, &limit);
}

static int is_bad_descriptor(int result)
{
    return result < 0 && errno == EBADF ? 0 : -1;
}

static int try_plain_mode(void)
{
    return is_bad_descriptor(fchmod(-1, 0755));
}

static int try_times(void)
{
    return is_bad_descriptor((int)syscall(SYS_utimensat, -1, NULL, NULL, 0));
}

static int try_owner(void)
{
    return is_bad_descriptor(fchown(-1, 0, 0));
}

/* These name nothing that is there. */
static int is_absent(int result)
{
    return result < 0 && errno == ENOENT ? 0 : -1;
}

static int try_truncate(void)
{
    return is_absent(truncate("/nowhere/file", 0));
}

static int try_truncating(void)
{
    if (is_absent(open("/nowhere/file", O_WRONLY | O_TRUNC)) < 0)
        return -1;
    return is_absent(open("/nowhere/file", O_RDONLY | O_TRUNC));
}

static int try_openat2(void)
{
    uint64_t how[3] = {O_RDONLY};

    return is_absent((int)syscall(437, AT_FDCWD, "/nowhere/file", how, sizeof how));
}

static int try_lock(void)
{
    return is_bad_descriptor(fcntl(-1, F_SETLK, NULL));
}

static int try_member(void)
{
    return is_bad_descriptor(setsockopt(-1, IPPROTO_IP, IP_ADD_MEMBERSHIP, NULL, 0));
}

static int try_limit_self(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_CORE, &limit);
}

/* A filter of the guest's own can only add to ours: the kernel takes the stricter answer. */
static int try_override(void)
{
    struct sock_filter code[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {ARRAY_LEN(code), code};

    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
        return -1;
    return sethostname("guest", 5);
}

#define NO_SIGNALS FILTER_SHARED_PIDS, FILTER_SCOPED_SIGNALS

/* Some numbers are newer than the C library's headers. The one that binds the child further comes
 * last. */
static const struct attempt attempts[] = {
    {"getpid", NULL, SYS_getpid, {0}, 0, NULL, 0, 0},
    {"a thread", try_thread, 0, {0}, 0, NULL, 0, 0},
    {"fork and exec", try_exec, 0, {0}, 0, NULL, 0, 0},
    {"executable memory", try_executable_memory, 0, {0}, 0, NULL, 0, 0},
    {"mount", NULL, SYS_mount, {0}, EPERM, "mount", 0, 0},
    {"chroot", NULL, SYS_chroot, {0}, EPERM, "chroot", 0, 0},
    {"user namespace", NULL, SYS_unshare, {CLONE_NEWUSER}, EPERM, "unshare(CLONE_NEWUSER)", 0, 0},
    {"a parent's child", NULL, SYS_clone, {CLONE_PARENT}, EPERM, "clone(CLONE_PARENT)", 0, 0},
    {"shared files", NULL, SYS_clone, {CLONE_FILES}, EPERM, "clone(CLONE_FILES)", 0, 0},
    {"own files", NULL, SYS_unshare, {CLONE_FILES}, 0, NULL, 0, 0},
    {"clone", NULL, SYS_clone, {CLONE_NEWNS | SIGCHLD}, EPERM, "clone(CLONE_NEWNS)", 0, 0},
    {"clone3", NULL, 435, {0}, ENOSYS, NULL, 0, 0},
    {"packet", NULL, SYS_socket, {AF_PACKET, SOCK_RAW}, EAFNOSUPPORT, "socket(AF_PACKET)", 0, 0},
    {"raw", NULL, SYS_socket, {AF_INET, SOCK_RAW, 1}, EAFNOSUPPORT, "socket(SOCK_RAW)", 0, 0},
    {"unix",
     NULL,
     SYS_socket,
     {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC},
     EAFNOSUPPORT,
     "socket(AF_UNIX)",
     FILTER_NO_ROOT,
     0},
    {"route", NULL, SYS_socket, {AF_NETLINK, SOCK_RAW}, 0, NULL, 0, 0},
    {"internet",
     NULL,
     SYS_socket,
     {AF_INET, SOCK_STREAM},
     EAFNOSUPPORT,
     "socket(AF_INET)",
     FILTER_NO_INET,
     0},
    {"TIOCSTI", NULL, SYS_ioctl, {~0UL, 0xdeadbeef00005412}, EPERM, "ioctl(TIOCSTI)", 0, 0},
    {"TIOCGWINSZ", NULL, SYS_ioctl, {~0UL, 0x5413}, EBADF, NULL, 0, 0},
    {"setuid file", NULL, SYS_fchmod, {~0UL, 04755}, EPERM, "fchmod(setuid)", 0, 0},
    {"plain file", try_plain_mode, 0, {0}, EPERM, "fchmod", FILTER_NO_ROOT, 0},
    {"times", try_times, 0, {0}, EPERM, "utimensat", FILTER_NO_ROOT, 0},
    {"owner", try_owner, 0, {0}, EPERM, "fchown", FILTER_NO_ROOT, 0},
    {"truncate", try_truncate, 0, {0}, EPERM, "truncate", FILTER_NO_ROOT, 0},
    {"truncating to read", try_truncating, 0, {0}, EACCES, NULL, FILTER_NO_ROOT, 0},
    {"openat2", try_openat2, 0, {0}, ENOSYS, NULL, FILTER_NO_ROOT, 0},
    {"the name of a map", NULL, SYS_prctl, {0x53564d41}, EINVAL, NULL, 0, 0},
    {"attribute", NULL, SYS_fsetxattr, {~0UL}, EOPNOTSUPP, NULL, 0, 0},
    {"attribute gone", NULL, SYS_fremovexattr, {~0UL}, EOPNOTSUPP, NULL, 0, 0},
    {"device", NULL, SYS_mknodat, {0, 0, S_IFCHR | 0666}, EPERM, "mknodat(device)", 0, 0},
    {"fifo", NULL, SYS_mknodat, {0, 0, S_IFIFO | 0666}, EFAULT, NULL, 0, 0},
    {"keyctl", NULL, SYS_keyctl, {0}, EPERM, "keyctl", 0, 0},
    {"io_uring", NULL, 425, {0}, ENOSYS, NULL, 0, 0},
    {"call 1000", NULL, 1000, {0}, ENOSYS, "unknown system call", 0, 0},
#ifdef __x86_64__
    {"x32", NULL, 0x40000000 | SYS_getpid, {0}, ENOSYS, "x32 system call", 0, 0},
#endif
    {"a second listener", NULL, SYS_seccomp, {1, 8}, EPERM, NULL, 0, 0},
    {"PR_SET_DUMPABLE", NULL, SYS_prctl, {PR_SET_DUMPABLE, 1}, 0, NULL, 0, 0},
    {"PR_SET_PTRACER", NULL, SYS_prctl, {0x59616d61}, EPERM, "prctl(PR_SET_PTRACER)", 0, 0},
    {"kill the parent", try_kill_parent, 0, {0}, EPERM, "kill", NO_SIGNALS},
    {"SIGIO to the parent", try_own_parent, 0, {0}, EPERM, "fcntl(F_SETOWN)", NO_SIGNALS},
    {"the parent's limits", try_limit_parent, 0, {0}, EPERM, "prlimit64", 0, 0},
    {"own limits", try_limit_self, 0, {0}, 0, NULL, 0, 0},
    {"own limits, by number", try_limit_by_number, 0, {0}, EPERM, NULL, FILTER_QUIET, 0},
    {"a lock", try_lock, 0, {0}, ENOLCK, NULL, FILTER_QUIET, 0},
    {"a lock of an open file", NULL, SYS_fcntl, {~0UL, 37}, EINVAL, NULL, 0, 0},
    {"a group of sockets", try_member, 0, {0}, ENOBUFS, NULL, FILTER_QUIET, 0},
    {"a lease", NULL, SYS_fcntl, {~0UL, 1024}, EINVAL, "fcntl(F_SETLEASE)", 0, 0},
    {"a delegation", NULL, SYS_fcntl, {~0UL, 1040}, EINVAL, "fcntl(F_SETDELEG)", 0, 0},
    {"dnotify", NULL, SYS_fcntl, {~0UL, 0xdeadbeef00000402}, EINVAL, "fcntl(F_NOTIFY)", 0, 0},
    {"a hint", NULL, SYS_fcntl, {~0UL, 1036}, EINVAL, NULL, 0, 0},
    {"F_GETFL", NULL, SYS_fcntl, {~0UL, F_GETFL}, EBADF, NULL, 0, 0},
    {"where a file lies", NULL, SYS_ioctl, {~0UL, 0xc020660b}, ENOTTY, NULL, 0, 0},
    {"a file's flags", NULL, SYS_ioctl, {~0UL, 0x80086601}, EBADF, NULL, 0, 0},
    {"a huge page", NULL, SYS_mmap, {0, 0, 0, 0x40022, ~0UL}, ENOMEM, NULL, 0, 0},
    {"huge files", NULL, SYS_memfd_create, {0, 4}, EINVAL, NULL, 0, 0},
    {"a page in memory", NULL, SYS_preadv2, {~0UL, 0, 0, 0, 0, 8}, EOPNOTSUPP, NULL, 0, 0},
    {"preadv2", NULL, SYS_preadv2, {~0UL}, EBADF, NULL, 0, 0},
    {"pages dropped", NULL, SYS_fadvise64, {~0UL, 0, 0, 4}, 0, NULL, 0, 0},
    {"pages read", NULL, SYS_fadvise64, {~0UL, 0, 0, 3}, EBADF, NULL, 0, 0},
    {"pages out", NULL, SYS_madvise, {0, 0, 21}, EINVAL, NULL, 0, 0},
    {"sync", NULL, SYS_sync, {0}, 0, NULL, 0, 0},
    {"syncfs", NULL, SYS_syncfs, {~0UL}, 0, NULL, 0, 0},
    {"fsync", NULL, SYS_fsync, {~0UL}, 0, NULL, 0, 0},
    {"fdatasync", NULL, SYS_fdatasync, {~0UL}, 0, NULL, 0, 0},
    {"flow labels",
     NULL,
     SYS_setsockopt,
     {~0UL, IPPROTO_IPV6, 32},
     EPERM,
     "setsockopt(IPV6_FLOWLABEL_MGR)",
     0,
     0},
    {"an option", NULL, SYS_setsockopt, {~0UL, IPPROTO_IPV6, 26}, EBADF, NULL, 0, 0},
    {"init's processors", NULL, SYS_sched_setaffinity, {1}, EPERM, "sched_setaffinity", 0, 0},
    {"init's priority", NULL, SYS_setpriority, {0, 1, 0}, EPERM, "setpriority", 0, 0},
    {"a user's priority", NULL, SYS_setpriority, {2, 0, 0}, EPERM, NULL, 0, 0},
    {"own priority", NULL, SYS_setpriority, {0, 0, 0}, 0, NULL, 0, 0},
    {"a queue", NULL, SYS_mq_open, {0}, ENOSYS, NULL, 0, 0},
    {"an own filter on top", try_override, 0, {0}, EPERM, "sethostname", 0, 0},
};

static int make_attempt(const struct attempt *a)
{
    return a->fn ? a->fn()
                 : (int)syscall(a->nr, a->args[0], a->args[1], a->args[2], a->args[3], a->args[4],
                                a->args[5]);
}

#endif
