/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages between the helper and the library on the control socket, one record (base/wire.h) per
 * message. The first u32 is the kind. Only our own processes hold this socket, but the library
 * decodes the messages as hostile.
 */
#ifndef JAIL_PROTO_H
#define JAIL_PROTO_H

enum jail_message {
    /* helper to library */
    MSG_BORN = 1, /* (nothing) + descriptors: the init's pidfd; if guests can be forked, its pid and
                     user namespaces */
    MSG_LOST,     /* u32 layer mask, string why: layers that the host cannot provide */
    MSG_STARTED,  /* u32 layers that hold + descriptors: the box; of a fork also its pidfd. The
                     guest's first program is about to run */
    MSG_DENIED,   /* string name, u64 count so far: a system call was refused (sent once per
                     name) */
    MSG_EXIT,    /* u32 wait status, u32 1 if nothing else lives inside, u64 user us, u64 system us,
                    u64 max rss KiB,  u32 n, n times (string name, u64 count) */
    MSG_LEAVING, /* the same fields: the guest is about to exit, and waits for MSG_LET or SIGKILL */
    MSG_ERROR,   /* u32 err_kind, u32 errno, string message: no guest was started */
    MSG_READY,   /* u32 layers that hold + descriptors: the box; in a nest also the guest's pidfd.
                    The guest is parked, or waits */
    MSG_LEFT,    /* after MSG_LEAVE: the guest and all processes that it started are dead */
    MSG_NETWORK, /* (nothing) + descriptors: the sockets by which the guest reaches names, as
                    net_line_open takes them (network/network.h) */
    MSG_ENDS,    /* u32 END_LATE: the time limit has passed and the library has done nothing,
                    END_ZYGOTE: the guest died with its zygote. The init kills what is left now */
    MSG_WAITED,  /* u64 us: processor time of forks of the guest that was added to that of its
                    init, since the last such message */
    /* library to helper */
    MSG_END,       /* kill everything inside */
    MSG_INTERRUPT, /* SIGINT for the guest's first process and its group */
    MSG_GO,        /* u64 wall ms, two lists of strings (each: u32 count, strings): arguments and
                      environment + descriptors: a pipe with input files; if the lists are longer
                      than WORDS_INLINE, a memory file that holds them instead. To a jail that is
                      parked or waits */
    MSG_MAKE,  /* to a nest: u32 flags (MAKE_*), u32 enter_count + descriptors: control socket, the
                  guest's 0, 1, 2, its channel, cgroups as in struct jail_fds */
    MSG_FORK,  /* to a nest: u32 the origin's layers that also hold for a fork, u32 enter_count +
                  descriptors: control socket, gate (inside/gate.c), the origin's box, its pid and
                  user namespaces, the guest's 0, 1, 2, its channel, files for entering cgroups
                  (write "0") */
    MSG_GATE,  /* to the init of a fork tree's first guest: + descriptors: the gate's other end, the
                  pid namespace of the guest that will be forked */
    MSG_LET,   /* the guest of MSG_LEAVING may continue */
    MSG_LEAVE, /* kill the guest and the processes that it started, but not its forks; the jail
                  stays for them */
};

enum { END_LATE = 1, END_ZYGOTE };
enum { MAKE_CHANNEL = 1, MAKE_ENTER_V2 = 2 };

#define WORDS_MAX        (4u << 20) /* arguments and environment */
#define WORDS_INLINE     2048
#define MSG_MAX          4096
#define MSG_DENIED_NAMES 48 /* more distinct names than this are counted under "other" */

#endif
