/* SPDX-License-Identifier: Apache-2.0
 *
 * What helper and library say to each other on the control socket, one record (base/wire.h) a
 * message. The first u32 is the kind. Only our own processes hold this socket; all the same, the
 * library decodes it as hostile.
 */
#ifndef JAIL_PROTO_H
#define JAIL_PROTO_H

enum jail_message {
    /* helper to library */
    MSG_BORN = 1, /* (nothing) + descriptor: the init's pidfd */
    MSG_LOST,     /* u32 layer mask, string why: layers that could not be had */
    MSG_STARTED,  /* u32 layers that hold + descriptor: the box. The guest's first program is about
                     to run */
    MSG_DENIED,   /* string name, u64 count so far: a system call was refused (told once a name) */
    MSG_EXIT,  /* u32 wait status, u32 1 if nothing else lives inside, u64 user us, u64 system us,
                  u64 max rss KiB,  u32 n, n times (string name, u64 count) */
    MSG_ERROR, /* u32 err_kind, string message: no guest was started */
    /* library to helper */
    MSG_END,       /* kill everything inside */
    MSG_INTERRUPT, /* SIGINT for the guest's first process and its group */
};

#define MSG_MAX          4096
#define MSG_DENIED_NAMES 48 /* more distinct names than this are counted under "other" */

#endif
