/* SPDX-License-Identifier: Apache-2.0
 *
 * A program in a container that starts before its job is known: an interpreter that has loaded
 * everything except the user's program. It waits for frames on its channel, for words on a
 * descriptor, or for the text of a file, in place of which there is a FIFO until then.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "helper/contained.h"

enum { STARTS_MS = 20000, LOOK_MS = 2 };

static bool contained_wait_is_over(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == pid;
}

/* Opens the FIFO for writing once the program reads it: the program has completed its own start by
 * then. */
static int wait_for_reader(int work, const char *name, pid_t pid, struct err *err)
{
    int64_t until = clock_mono_ms() + STARTS_MS;

    for (;;) {
        int fd = openat(work, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            return fd;
        if (errno != ENXIO)
            return err_sys(err, "open the pipe that the program waits for");
        if (contained_wait_is_over(pid) || clock_mono_ms() > until)
            return err_set(err, ERR_SYSTEM, "the program did not wait for its text");
        (void)contained_poll(-1, 0, clock_mono_ms() + LOOK_MS);
    }
}

/* Waits for the byte that the program sends when it has loaded everything. */
static int wait_for_byte(int words, struct err *err)
{
    char byte;

    if (contained_poll(words, POLLIN, clock_mono_ms() + STARTS_MS) && read(words, &byte, 1) == 1)
        return 0;
    return err_set(err, ERR_SYSTEM, "the interpreter was not ready in time");
}

int contained_wait(int work, const struct contained_plan *plan, struct contained_guest *ret,
                   struct err *err)
{
    const char *name = plan->wait_file;

    if (name[0] && mkfifoat(work, name, 0600) < 0)
        return err_sys(err, "make the pipe that the program waits for");
    if (contained_start(plan, ret, err) < 0)
        return -1;
    if (!name[0])
        return plan->has_words ? wait_for_byte(ret->words, err) : 0;
    ret->words = wait_for_reader(work, name, ret->pid, err);
    return ret->words < 0 ? -1 : 0;
}

void contained_wait_remove(int work, const struct contained_plan *plan)
{
    if (plan->wait_file[0])
        (void)unlinkat(work, plan->wait_file, 0);
}

/* Writes all the bytes, and answers the guest's calls meanwhile: the reader may wait for an answer.
 */
static void pass(int to, struct str bytes)
{
    ssize_t n = 0;

    (void)fd_nonblock(to, true);
    while (bytes.n && (n >= 0 || errno == EAGAIN || errno == EINTR)) {
        if (!contained_poll(to, POLLOUT, INT64_MAX))
            return;
        n = write(to, bytes.p, bytes.n);
        if (n > 0)
            bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
}

static void pass_file(int work, const char *name, int to)
{
    char part[32 << 10];
    ssize_t got;
    AUTO_CLOSE int file = openat(work, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    do {
        got = file < 0 ? 0 : read(file, part, sizeof part);
        pass(to, (struct str){part, got > 0 ? (size_t)got : 0});
    } while (got > 0);
}

void contained_wait_over(int work, const struct contained_plan *plan, struct contained_guest *guest,
                         struct str words)
{
    if (guest->words < 0)
        return;
    if (plan->wait_file[0])
        pass_file(work, plan->wait_file, guest->words);
    else
        pass(guest->words, words);
    fd_close(&guest->words);
}
