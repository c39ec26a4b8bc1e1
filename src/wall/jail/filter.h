/* SPDX-License-Identifier: Apache-2.0
 *
 * The system call filter: which calls the guest may make. The policy is syscalls.def. Its BPF
 * programs are made at build time (tools/make-filter.c): libseccomp takes a millisecond to make
 * one, and ours loads in about thirty microseconds. Nothing here allocates.
 *
 * A refused call returns an error. A refused call that is to be reported first goes to the filter's
 * listener (SECCOMP_RET_USER_NOTIF). The holder of the listener answers with filter_denial_errno
 * and records filter_denial_name. Never answer with SECCOMP_USER_NOTIF_FLAG_CONTINUE, with two
 * exceptions: a setns(2) that an open gate waits for (inside/gate.c), and most calls of
 * filter_notice, whose arguments are all in registers.
 */
#ifndef JAIL_FILTER_H
#define JAIL_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum filter_arch {
    FILTER_X86_64,
    FILTER_AARCH64,
    FILTER_ARCH_COUNT,
};

/* The architecture that this was compiled for. */
enum filter_arch filter_native(void);

/* Flavours are bits that can be combined. */
enum filter_flavour {
    FILTER_QUIET = 1 << 0,       /* no reports: the filter itself answers with the errno */
    FILTER_NO_INET = 1 << 1,     /* no AF_INET and AF_INET6: there is no network namespace */
    FILTER_SHARED_PIDS = 1 << 2, /* no pid namespace: restricts signals and limits for others */
    /* With FILTER_SHARED_PIDS: Landlock confines signals (LANDLOCK_SCOPE_SIGNAL, ABI 6), so the
     * filter need not refuse them. Without this flavour os.kill, abort and multiprocessing do not
     * work. */
    FILTER_SCOPED_SIGNALS = 1 << 3,
    /* There is no private root, and Landlock does not control every operation on files. A guest
     * could connect to the host's sockets that have a path (D-Bus, ssh-agent, docker), so it may
     * only make pairs of sockets. It could change mode, owner and times of all the user's files, so
     * the listener makes these changes itself, and only to the guest's own files; without a
     * listener they are refused. */
    FILTER_NO_ROOT = 1 << 4,
    /* The listener gets a notice when a process is about to exit, before the kernel frees its
     * memory. The process waits for the answer; only SIGKILL interrupts that. Needs Linux 5.19. */
    FILTER_TELLS_EXIT = 1 << 5,
    /* The listener gets a notice of each new socket that is not AF_UNIX, so that it can record that
     * the guest's network is no longer unused. No effect in filter_program. */
    FILTER_TELLS_SOCKETS = 1 << 6,
    FILTER_FLAVOURS = 1 << 7,
    /* The listener gets a notice of each new process and thread, so that it can limit their number.
     * Only in filter_install: it puts this before the program. */
    FILTER_TELLS_BIRTHS = 1 << 8,
    /* With any of these, FILTER_TELLS_SOCKETS has no effect. Warm runs have none of them. */
    FILTER_HIDES_SOCKETS = FILTER_QUIET | FILTER_NO_INET | FILTER_SHARED_PIDS | FILTER_NO_ROOT,
};

struct filter_program {
    const struct sock_filter *insns;
    unsigned short count;
};

/* The whole policy, for use without a listener or on a kernel older than 5.6. */
struct filter_program filter_program(enum filter_arch arch, unsigned flavour);
/* A shorter program for all other cases: it leaves rare calls to the listener. */
struct filter_program filter_asking_program(enum filter_arch arch, unsigned flavour);
/* The filter of our own pid 1; any other call kills it. `changes`: for guests with
 * FILTER_NO_ROOT. */
struct filter_program filter_init_program(enum filter_arch arch, bool changes);

/* The errno for the answer to a reported call, as a positive number. */
int filter_denial_errno(enum filter_arch arch, const struct seccomp_data *data);

/* Why a call reached the listener. All but the first two may be answered with
 * SECCOMP_USER_NOTIF_FLAG_CONTINUE: the decision depends only on registers, which the guest cannot
 * change meanwhile. */
enum filter_notice {
    FILTER_REFUSED,
    FILTER_NOTICE_CHANGE,   /* a file's mode, owner or times: see FILTER_NO_ROOT */
    FILTER_NOTICE_TRUNCATE, /* by path: allowed if Landlock controls it */
    FILTER_NOTICE_LEAVE,    /* exit_group: argument 0 is the status */
    FILTER_NOTICE_LOCK,     /* sets or removes a lock on a range of a file */
    FILTER_NOTICE_MEMBER,   /* joins a multicast group */
    FILTER_NOTICE_SELF_0,   /* argument 0 is a process: allowed if it is the caller */
    FILTER_NOTICE_SELF_1,   /* the same for argument 1 */
    FILTER_NOTICES,
};
enum filter_notice filter_notice(enum filter_arch arch, const struct seccomp_data *data);

/* True if the call makes a process or a thread. */
bool filter_is_birth(const struct seccomp_data *data);
/* True if the call makes a socket of any kind. */
bool filter_is_socket(enum filter_arch arch, const struct seccomp_data *data);

/* The whole policy's decision about a call that reached the listener: SECCOMP_RET_ALLOW: continue
 * the call; SECCOMP_RET_ERRNO with the errno: answer with it and do not report (0 is success);
 * SECCOMP_RET_USER_NOTIF: see above. */
uint32_t filter_judge(enum filter_arch arch, unsigned flavour, const struct seccomp_data *data);

#define FILTER_NAME_MAX 40
/* A name of the refused call, for messages: "mount", "socket(AF_PACKET)", "clone(CLONE_NEWUSER)",
 * "unknown system call", "i386 system call". It is one of a bounded set of strings shorter than
 * FILTER_NAME_MAX, whatever the guest passed. Returns out. */
const char *filter_denial_name(const struct seccomp_data *data, char *out, size_t n);

/* Both need no_new_privs (or CAP_SYS_ADMIN). They apply permanently to the calling thread, its
 * children, and the programs that they execute. */

/* *ret_listener is a close-on-exec descriptor that the caller owns, or -1 with FILTER_QUIET.
 * ERR_SYSTEM with EBUSY in err->sys: an outer sandbox has a listener, and only one can exist;
 * FILTER_QUIET still works. ERR_UNSUPPORTED: the kernel has no such filter, or no listeners. */
int filter_install(unsigned flavour, int *ret_listener, struct err *err);
int filter_install_init(bool changes, struct err *err);

#endif
