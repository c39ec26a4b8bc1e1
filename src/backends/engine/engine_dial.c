/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections to an engine elsewhere: `docker system dial-stdio` relays the bytes of each, over ssh
 * or TLS, or to the address of a context. Such a process lives as long as its connection; its
 * standard error has the reason when it fails.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "engine/engine_command.h"
#include "engine/engine_parts.h"

enum { WORDS_MAX = 16 << 10, WORDS_MS = 1000, SHOWN_MAX = 350 };

struct engine_dialed {
    struct engine_dialed *next;
    pid_t pid;
    int words; /* reads its standard error */
};

/* ---- a process ---- */

/* Makes a pair of ends. The child's end has a number of 3 or more. */
static int make_ends(int *ret_ours, int *ret_theirs, bool is_pipe, struct err *err)
{
    int ends[2];

    if (is_pipe ? fd_pipe(ends, err) < 0
                : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(err, "make a socket for the container engine");
    *ret_ours = ends[0];
    *ret_theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    fd_close(&ends[1]);
    return *ret_theirs < 0 || fd_nonblock(*ret_ours, true) < 0
               ? err_sys(err, "make a socket for the container engine")
               : 0;
}

static void engine_dial_forget(struct engine_dialed *dialed)
{
    fd_close(&dialed->words);
    free(dialed);
}

/* Ends the processes whose connection is closed; or all of them. */
static void engine_dial_reap(struct engine *e, bool all)
{
    struct engine_dialed **at = &e->dialed, *dialed;

    while ((dialed = *at)) {
        if (all)
            (void)kill(-dialed->pid, SIGKILL); /* with its ssh */
        if (waitpid(dialed->pid, NULL, all ? 0 : WNOHANG) == 0) {
            at = &dialed->next;
            continue;
        }
        *at = dialed->next;
        engine_dial_forget(dialed);
    }
}

int engine_dial(struct engine *e, struct err *err)
{
    const char *argv[] = {"", "system", "dial-stdio", NULL};
    AUTO_CLOSE int ours = -1;
    AUTO_CLOSE int theirs = -1;
    AUTO_CLOSE int words = -1;
    AUTO_CLOSE int their_words = -1;
    pid_t pid;

    engine_dial_reap(e, false);
    if (make_ends(&ours, &theirs, false, err) < 0 || make_ends(&words, &their_words, true, err) < 0)
        return -1;
    const struct engine_command_start start = {
        .place = &e->place, .argv = argv, .streams = {theirs, theirs, their_words}};
    if (engine_command_start(&start, &pid, err) < 0)
        return err_wrap(err, "the container engine at %.150s", e->place.name);
    struct engine_dialed *dialed = xmalloc(sizeof *dialed);
    *dialed = (struct engine_dialed){.next = e->dialed, .pid = pid, .words = fd_take(&words)};
    e->dialed = dialed;
    return fd_take(&ours);
}

void engine_dialed_close(struct engine *e)
{
    engine_dial_reap(e, true);
}

/* ---- why it failed ---- */

/* Reads its standard error, until it exits or until the time is over. */
static void engine_dial_read_words(const struct engine_dialed *dialed, int64_t until,
                                   struct buf *ret)
{
    struct pollfd wait = {.fd = dialed->words, .events = POLLIN};

    for (;;) {
        char *room = buf_room(ret, 4096);
        ssize_t n = room ? read(dialed->words, room, 4096) : 0;
        int64_t left = until - clock_mono_ms();
        if (n > 0)
            buf_grew(ret, (size_t)n);
        else if (n == 0 || left <= 0 || poll(&wait, 1, (int)left) <= 0)
            return;
    }
}

/* The last line that is not empty. If the command quotes the stderr of its ssh, returns that part.
 */
static struct str last_line(struct str words)
{
    static const struct str before = STR("stderr=");
    struct str line, last = {"", 0};

    while (str_next_line(&words, &line))
        if (str_trim(line).n)
            last = str_trim(line);
    long at = str_find(last, before);
    return at < 0 ? last : str_slice(last, (size_t)at + before.n, last.n);
}

/* An engine that has answered before may do so again, so its failure is ERR_SYSTEM. */
int engine_dial_explain(const struct engine *e, struct err *err)
{
    int64_t until = clock_mono_ms() + WORDS_MS;

    for (const struct engine_dialed *d = e->dialed; d; d = d->next) {
        AUTO_BUF struct buf words = {0};
        buf_init(&words, WORDS_MAX);
        engine_dial_read_words(d, until, &words);
        struct str line = last_line(buf_str(&words));
        if (!line.n)
            continue;
        AUTO_FREE char *text = xstrndup(line.p, line.n);
        char shown[SHOWN_MAX];
        engine_show(text, shown, sizeof shown);
        return err_set(err, *e->version ? ERR_SYSTEM : ERR_UNSUPPORTED,
                       "the container engine at %.150s: %s", e->place.name, shown);
    }
    return -1;
}
