/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors. Every one we open is close-on-exec from birth; -1 means none.
 */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

void fd_close(int *fd); /* closes and sets to -1; keeps errno */
int fd_take(int *fd);   /* hands it out, leaves -1 */
#define AUTO_CLOSE __attribute__((cleanup(fd_close)))

/* 0 when all was written, else -1 with errno; continues after EINTR, waits after EAGAIN. */
int fd_write_all(int fd, const void *p, size_t n);
/* A write to a pipe without a reader fails with EPIPE, and raises no SIGPIPE in the program that we
 * are a part of, between fd_quiet_begin and fd_quiet_end in this thread. */
struct fd_quiet {
    sigset_t before;
    bool was_waiting;
};
void fd_quiet_begin(struct fd_quiet *quiet);
void fd_quiet_end(const struct fd_quiet *quiet); /* keeps errno */
/* Reads n bytes, waiting for them: fewer only at the end. -1 with errno. */
ssize_t fd_read_exactly(int fd, void *p, size_t n);
/* Reads to the end into b. -1 with errno; EFBIG when b's ceiling is reached. */
int fd_read_all(int fd, struct buf *b);
/* A whole file, following links; refuses folders, devices and pipes. */
int fd_read_file(const char *path, struct buf *b, struct err *err);
/* Writes a small file (for /proc and cgroup files): open, one write, close. -1 with errno. */
int fd_write_file_at(int dirfd, const char *path, const char *text);
/* Reads at most n - 1 bytes of a small file as a C string. -1 with errno. */
ssize_t fd_read_file_at(int dirfd, const char *path, char *out, size_t n);

/* As many descriptors as this process may have at most. */
void fd_raise_limit(void);

int fd_pipe(int ret_fds[2], struct err *err);
/* A pipe that a guest may open again by its path below /proc, as /dev/stdout is, although the guest
 * is not its owner. Only a process that has an end, or may inspect one that has, reaches the path.
 */
int fd_pipe_for_guest(int ret_fds[2], struct err *err);
int fd_nonblock(int fd, bool on);
/* One descriptor to poll that is readable while one of the two is; -1 for none of them. Not to be
 * read from. */
int fd_either(int a, int b, struct err *err);
/* An unnamed file in memory that holds these bytes, its offset at 0. */
int fd_memory(const char *name, const void *p, size_t n, struct err *err);
/* $TMPDIR, or /tmp. */
const char *fd_temporary(void);
/* A file in this folder that has no name, or none any more; -1 with errno. */
int fd_unnamed(const char *folder);
/* The same in $TMPDIR, or /tmp. */
int fd_spool(struct err *err);

/* One message with up to FD_MSG_MAX descriptors over a Unix socket. */
#define FD_MSG_MAX 14
int fd_send(int sock, const void *p, size_t n, const int *fds, size_t fd_count);
/* Bytes received, 0 at the end, -1 with errno. *ret_count descriptors arrive in ret_fds (the
 * caller's to close), those beyond FD_MSG_MAX are closed. EMSGSIZE when the message was longer than
 * n. */
ssize_t fd_recv(int sock, void *p, size_t n, int ret_fds[FD_MSG_MAX], size_t *ret_count, int flags);

#endif
