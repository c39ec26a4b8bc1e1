/* SPDX-License-Identifier: Apache-2.0
 *
 * The program reads what a guest sends: names, the beginning of TLS, heads of HTTP. If it has a
 * fault there, the guest gains its rights. So it runs as an unprivileged user, has no
 * capabilities, may read the files
 * that a resolver needs, write none, and make no system call but those for sockets, memory and
 * threads. It can still connect to any address: that is its work.
 */
#include "network/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "jail/caps.h"
#include "jail/landlock.h"

#define NOBODY 65534

static void leave_no_trace(void)
{
    const struct rlimit none = {0, 0};

    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGPIPE, SIG_IGN);
}

static void drop_root(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct nothing[2] = {{0}};

    if (caps_may_set_ids() && setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0)
        (void)!setresuid(NOBODY, NOBODY, NOBODY);
    (void)syscall(SYS_capset, &head, nothing);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* What a resolver and its modules read. */
static const char *const readable[] = {
    "/etc",         "/usr/lib",  "/usr/lib64", "/lib",           "/lib64",
    "/run",         "/proc",     "/nix/store", "/gnu/store",     "/usr/share",
    "/dev/urandom", "/dev/null", "/var/lib",   "/usr/local/lib",
};

static void lock_files(void)
{
    struct err err;
    AUTO_CLOSE int rules = landlock_abi() ? landlock_create(true, &err) : -1;

    if (rules < 0)
        return;
    for (size_t i = 0; i < ARRAY_LEN(readable); i++)
        if (landlock_allow(rules, readable[i], LANDLOCK_READ, &err) < 0)
            return;
    (void)landlock_enforce(rules, &err);
}

/* Calls without conditions. Some exist only on some architectures. */
static const int allowed[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_close,
    SYS_fcntl,
    SYS_lseek,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_recvmmsg,
    SYS_accept4,
    SYS_connect,
    SYS_bind,
    SYS_getsockname,
    SYS_getpeername,
    SYS_setsockopt,
    SYS_getsockopt,
    SYS_shutdown,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_ppoll,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_ioctl,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrandom,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_uname,
    SYS_prlimit64,
    SYS_getrlimit,
    SYS_tgkill,
    SYS_epoll_create1,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_pselect6,
    SYS_fstatfs,
    SYS_set_tid_address,
    SYS_sysinfo,
    SYS_dup,
    SYS_eventfd2,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
#ifdef SYS_stat
    SYS_stat,
    SYS_access,
    SYS_readlink,
    SYS_lstat,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

#define WORD(member) (offsetof(struct seccomp_data, member))
#define ARGUMENT(n)                                                                                \
    (WORD(args) + 8 * (n)) /* the low half: both architectures are little-endian                   \
                            */
#define LOAD(at)           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define IF_EQ(k, yes, no)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), (yes), (no))
#define IF_SET(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (k), (yes), (no))
#define RETURN(k)          BPF_STMT(BPF_RET | BPF_K, (k))
#define REFUSE(e)          RETURN(SECCOMP_RET_ERRNO | (e))
#define ALLOW              RETURN(SECCOMP_RET_ALLOW)

enum { HEAD_LENGTH = 22 };

#ifdef THIS_ARCH
static const struct sock_filter head[HEAD_LENGTH] = {
    LOAD(WORD(arch)),
    IF_EQ(THIS_ARCH, 1, 0),
    REFUSE(ENOSYS),
    LOAD(WORD(nr)),
    IF_EQ(SYS_clone3, 0, 1), /* its flags are behind a pointer; clone follows */
    REFUSE(ENOSYS),
    IF_EQ(SYS_clone, 0, 4), /* threads only */
    LOAD(ARGUMENT(0)),
    IF_SET(CLONE_THREAD, 1, 0),
    REFUSE(EPERM),
    ALLOW,
    IF_EQ(SYS_openat, 0, 4), /* to read */
    LOAD(ARGUMENT(2)),
    IF_SET(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY), 0, 1),
    REFUSE(EACCES),
    ALLOW,
    IF_EQ(SYS_socket, 0, 5),
    LOAD(ARGUMENT(0)),
    IF_EQ(AF_PACKET, 1, 0),
    IF_EQ(AF_VSOCK, 0, 1),
    REFUSE(EAFNOSUPPORT),
    ALLOW,
};

static void lock_calls(void)
{
    struct sock_filter program[HEAD_LENGTH + 2 * ARRAY_LEN(allowed) + 1];
    struct sock_fprog filter = {.filter = program};
    size_t n = 0;

    for (; n < HEAD_LENGTH; n++)
        program[n] = head[n];
    for (size_t i = 0; i < ARRAY_LEN(allowed); i++) {
        program[n++] = (struct sock_filter)IF_EQ((unsigned)allowed[i], 0, 1);
        program[n++] = (struct sock_filter)ALLOW;
    }
    program[n++] = (struct sock_filter)REFUSE(EPERM);
    filter.len = (unsigned short)n;
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}
#endif

/* A sanitizer opens files and makes calls of its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

void lock_down(void)
{
    drop_root();
    leave_no_trace(); /* after the change of ids, which makes it dumpable again */
    if (IS_SANITIZED)
        return;
    lock_files();
#ifdef THIS_ARCH
    lock_calls();
#endif
}
