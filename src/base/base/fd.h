/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors. Every descriptor that we open is close-on-exec from the start; -1 means none.
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
int fd_take(int *fd);   /* returns *fd and sets it to -1 */
#define AUTO_CLOSE __attribute__((cleanup(fd_close)))

/* 0 when everything is written, else -1 with errno; retries after EINTR, waits after EAGAIN. */
int fd_write_all(int fd, const void *p, size_t n);
/* Between fd_quiet_begin and fd_quiet_end, in this thread, a write to a pipe without a reader fails
 * with EPIPE and raises no SIGPIPE, which could kill the program that uses our library. */
struct fd_quiet {
    sigset_t before;
    bool was_waiting;
};
void fd_quiet_begin(struct fd_quiet *quiet);
void fd_quiet_end(const struct fd_quiet *quiet); /* keeps errno */
/* Waits for n bytes and reads them; returns fewer only at the end of the file. -1 with errno. */
ssize_t fd_read_exactly(int fd, void *p, size_t n);
/* Reads to the end into b. -1 with errno; EFBIG when b's ceiling is reached. */
int fd_read_all(int fd, struct buf *b);
/* Reads a whole file, following links. Refuses folders, devices and pipes, except for a pipe that
 * this process was given (/dev/fd/N). */
int fd_read_file(const char *path, struct buf *b, struct err *err);
/* Writes a small file (for /proc and cgroup files): open, one write, close. -1 with errno. */
int fd_write_file_at(int dirfd, const char *path, const char *text);
/* Reads at most n - 1 bytes of a small file as a C string. -1 with errno. */
ssize_t fd_read_file_at(int dirfd, const char *path, char *out, size_t n);

/* Raises the soft limit of open descriptors to the hard limit. */
void fd_raise_limit(void);

int fd_pipe(int ret_fds[2], struct err *err);
/* A pipe that a guest may open again by its path below /proc (/dev/stdout is a link to one),
 * although the guest does not own the pipe. Only a process that has one end, or may inspect a
 * process that has one, reaches that path. */
int fd_pipe_for_guest(int ret_fds[2], struct err *err);
int fd_nonblock(int fd, bool on);
/* True if a read would return at once, with bytes, the end or an error. False for -1. */
bool fd_readable(int fd);
/* Returns one descriptor to poll, readable while a or b is; -1 when both are -1. Never read from
 * it. */
int fd_either(int a, int b, struct err *err);
/* An unnamed file in memory that holds these bytes, its offset at 0. */
int fd_memory(const char *name, const void *p, size_t n, struct err *err);
/* $TMPDIR, or /tmp. */
const char *fd_temporary(void);
/* Makes and opens a file without a name in this folder, or one whose name is removed at once; -1
 * with errno. */
int fd_unnamed(const char *folder);
/* As fd_unnamed, in fd_temporary(). */
int fd_spool(struct err *err);

/* One message with up to FD_MSG_MAX descriptors over a Unix socket. */
#define FD_MSG_MAX 14
int fd_send(int sock, const void *p, size_t n, const int *fds, size_t fd_count);
/* Returns the bytes received, 0 at the end, or -1 with errno. *ret_count descriptors arrive in
 * ret_fds, and the caller closes them; those beyond FD_MSG_MAX are closed here. EMSGSIZE when the
 * message was longer than n. */
ssize_t fd_recv(int sock, void *p, size_t n, int ret_fds[FD_MSG_MAX], size_t *ret_count, int flags);

#endif
