/* SPDX-License-Identifier: Apache-2.0
 *
 * The system call filter: what the guest may ask of the kernel. The policy is syscalls.def; its BPF
 * programs are made when this is built (tools/make-filter.c), because libseccomp takes a
 * millisecond to make one and ours loads in some thirty microseconds. Nothing here allocates.
 *
 * A refused call returns an error. One that is to be reported goes to the filter's listener first
 * (SECCOMP_RET_USER_NOTIF), and the holder of the listener answers with filter_denial_errno and
 * writes down filter_denial_name. Never answer with SECCOMP_USER_NOTIF_FLAG_CONTINUE, but for a
 * setns(2) that an open gate waits for (inside/gate.c), and for most calls of filter_notice: all
 * their arguments are in registers.
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

/* The one this was compiled for. */
enum filter_arch filter_native(void);

/* Flavours; add them up. */
enum filter_flavour {
    FILTER_QUIET = 1 << 0,       /* nothing is reported: the filter answers with the errno itself */
    FILTER_NO_INET = 1 << 1,     /* no AF_INET and AF_INET6: there is no network namespace */
    FILTER_SHARED_PIDS = 1 << 2, /* no pid namespace: signals and limits stay with the caller */
    /* Beside FILTER_SHARED_PIDS: Landlock keeps signals inside (LANDLOCK_SCOPE_SIGNAL, its ABI 6),
     * so the filter need not refuse them. Without it os.kill, abort and multiprocessing do not
     * work. */
    FILTER_SCOPED_SIGNALS = 1 << 3,
    /* There is no private root, and Landlock does not rule all that files need. Sockets of the
     * host's with a path (D-Bus, ssh-agent, docker) could be connected to: pairs of sockets stay.
     * Mode, owner and times of all the user's files could be changed: the listener makes these
     * changes itself, on the guest's own files; without a listener they are refused. */
    FILTER_NO_ROOT = 1 << 4,
    /* The listener gets a notice when a process is about to exit, before its memory is taken apart,
     * and nothing but its death keeps it from waiting for the answer. Needs Linux 5.19. */
    FILTER_TELLS_EXIT = 1 << 5,
    /* The listener is asked for each socket that is not AF_UNIX, as if that were rare: it notes
     * that the guest's network is no longer untouched. Without effect in filter_program. */
    FILTER_TELLS_SOCKETS = 1 << 6,
    FILTER_FLAVOURS = 1 << 7,
    /* Beside these the one before has no effect; they go with no warm run. */
    FILTER_HIDES_SOCKETS = FILTER_QUIET | FILTER_NO_INET | FILTER_SHARED_PIDS | FILTER_NO_ROOT,
};

struct filter_program {
    const struct sock_filter *insns;
    unsigned short count;
};

/* The whole policy. Loaded where there is no listener, or the kernel is older than 5.6. */
struct filter_program filter_program(enum filter_arch arch, unsigned flavour);
/* What is loaded elsewhere: shorter, it leaves what is rare to the listener. */
struct filter_program filter_asking_program(enum filter_arch arch, unsigned flavour);
/* What our own pid 1 locks itself into; anything else kills it. `changes`: beside FILTER_NO_ROOT.
 */
struct filter_program filter_init_program(enum filter_arch arch, bool changes);

/* The errno that answers a reported call, a positive number. */
int filter_denial_errno(enum filter_arch arch, const struct seccomp_data *data);

/* What a call is about that reached the listener. All but the first two may be answered with
 * SECCOMP_USER_NOTIF_FLAG_CONTINUE: what the decision rests on is in registers. */
enum filter_notice {
    FILTER_REFUSED,
    FILTER_NOTICE_CHANGE,   /* a file's mode, owner or times: see FILTER_NO_ROOT */
    FILTER_NOTICE_TRUNCATE, /* by path: allowed if Landlock rules it */
    FILTER_NOTICE_LEAVE,    /* exit_group: its status is argument 0 */
    FILTER_NOTICE_LOCK,     /* a lock on a range of a file, or its end */
    FILTER_NOTICE_MEMBER,   /* a socket becomes a member of a multicast group */
    FILTER_NOTICE_SELF_0,   /* argument 0 is a process: allowed if that is the caller */
    FILTER_NOTICE_SELF_1,   /* argument 1 is, the same */
    FILTER_NOTICES,
};
enum filter_notice filter_notice(enum filter_arch arch, const struct seccomp_data *data);

/* Whether it makes a socket, of whatever kind. */
bool filter_is_socket(enum filter_arch arch, const struct seccomp_data *data);

/* What the whole policy says to a call that reached the listener: SECCOMP_RET_ALLOW, to be
 * continued; SECCOMP_RET_ERRNO and the number, to be answered and no more (0 is success);
 * SECCOMP_RET_USER_NOTIF, see above. */
uint32_t filter_judge(enum filter_arch arch, unsigned flavour, const struct seccomp_data *data);

#define FILTER_NAME_MAX 40
/* What was refused, for people: "mount", "socket(AF_PACKET)", "clone(CLONE_NEWUSER)",
 * "unknown system call", "i386 system call". One of a bounded set of fixed texts shorter than
 * FILTER_NAME_MAX, whatever the guest passed. Returns out. */
const char *filter_denial_name(const struct seccomp_data *data, char *out, size_t n);

/* Both want no_new_privs (or CAP_SYS_ADMIN) and hold for the calling thread, its children, and what
 * they execute, for ever. */

/* *ret_listener is a close-on-exec descriptor that the caller owns, or -1 with FILTER_QUIET.
 * ERR_SYSTEM with EBUSY in err->sys: an outer sandbox has the one listener that can be; then
 * FILTER_QUIET still works. ERR_UNSUPPORTED: the kernel has no such filter, or no listeners. */
int filter_install(unsigned flavour, int *ret_listener, struct err *err);
int filter_install_init(bool changes, struct err *err);

#endif
