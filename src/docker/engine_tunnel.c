/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections through a program that relays bytes: glovebox-fetch with TLS, or ssh. Such a program
 * lives as long as its connection; its standard error has the reason when it fails. No shell of
 * this host reads any of the words.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/printable.h"
#include "docker/engine_parts.h"
#include "net/child.h"

enum { WORDS_MAX = 16 << 10, WORDS_MS = 1000, SHOWN_MAX = 250 };

struct engine_tunnel {
    struct engine_tunnel *next;
    pid_t pid;
    int words; /* of its standard error */
};

/* ---- the programs ---- */

static int start(struct engine *e, struct child_program *program, int *ret_fd, struct err *err)
{
    struct engine_tunnel tunnel = {.next = e->tunnels};
    AUTO_CLOSE int words = -1;
    int ends[2];

    if (fd_pipe(ends, err) < 0)
        return -1;
    tunnel.words = ends[0];
    words = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    fd_close(&ends[1]);
    program->errors = words;
    if (words < 0 || fd_nonblock(tunnel.words, true) < 0)
        (void)err_sys(err, "prepare %s", program->path);
    else if (child_start(program, &tunnel.pid, ret_fd, err) == 0) {
        e->tunnels = xmalloc(sizeof tunnel);
        *e->tunnels = tunnel;
        return 0;
    }
    fd_close(&tunnel.words);
    return -1;
}

static const char *or_none(const char *text)
{
    return text ? text : "";
}

/* The key's path goes over; this program never reads the key. */
static int start_tls(struct engine *e, int *ret_fd, struct err *err)
{
    static const char *const variables[] = {NULL};
    const struct engine_place *p = &e->place;
    AUTO_FREE char *path = NULL;
    const char *const argv[] = {"glovebox-fetch", "--tunnel",       p->host,         p->port,
                                or_none(p->ca),   or_none(p->cert), or_none(p->key), NULL};

    if (beside_find("glovebox-fetch", "GLOVEBOX_FETCH", &path, err) < 0)
        return -1;
    struct child_program program = {path, argv, variables, -1};
    return start(e, &program, ret_fd, err);
}

/* It never asks for a password: each run makes several connections. */
static int start_ssh(struct engine *e, int *ret_fd, struct err *err)
{
    static const char *const variables[] = {"PATH",          "HOME",       "USER",
                                            "LOGNAME",       "SHELL",      "XDG_RUNTIME_DIR",
                                            "SSH_AUTH_SOCK", "KRB5CCNAME", NULL};
    const struct engine_place *p = &e->place;
    AUTO_FREE char *socket = p->path ? xasprintf("unix://%s", p->path) : NULL;
    const char *argv[24] = {"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"};
    size_t n = 6;

    if (p->user) {
        argv[n++] = "-l";
        argv[n++] = p->user;
    }
    if (p->port) {
        argv[n++] = "-p";
        argv[n++] = p->port;
    }
    argv[n++] = "--";
    argv[n++] = p->host;
    argv[n++] = "docker";
    if (socket) {
        argv[n++] = "--host";
        argv[n++] = socket;
    }
    argv[n++] = "system";
    argv[n] = "dial-stdio";
    struct child_program program = {"ssh", argv, variables, -1};
    if (start(e, &program, ret_fd, err) == 0)
        return 0;
    return err->sys == ENOENT
               ? err_set(err, ERR_UNSUPPORTED,
                         "%.200s needs the program ssh (Debian: openssh-client)", p->name)
               : -1;
}

/* ---- their ends ---- */

static void forget(struct engine_tunnel *tunnel)
{
    fd_close(&tunnel->words);
    free(tunnel);
}

/* Those whose connection is over. */
static void reap(struct engine *e)
{
    struct engine_tunnel **at = &e->tunnels, *tunnel;

    while ((tunnel = *at)) {
        if (waitpid(tunnel->pid, NULL, WNOHANG) == 0) {
            at = &tunnel->next;
            continue;
        }
        *at = tunnel->next;
        forget(tunnel);
    }
}

void engine_tunnels_close(struct engine *e)
{
    struct engine_tunnel *tunnel;

    while ((tunnel = e->tunnels)) {
        e->tunnels = tunnel->next;
        (void)kill(tunnel->pid, SIGKILL);
        while (waitpid(tunnel->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        forget(tunnel);
    }
}

int engine_tunnel_open(struct engine *e, struct err *err)
{
    AUTO_CLOSE int fd = -1;

    reap(e);
    if ((e->place.way == WAY_TLS ? start_tls(e, &fd, err) : start_ssh(e, &fd, err)) < 0)
        return -1;
    if (fd_nonblock(fd, true) < 0)
        return err_sys(err, "prepare a socket");
    return fd_take(&fd);
}

/* ---- their words ---- */

/* What it has written, until it exits or until the time is over. */
static void read_words(const struct engine_tunnel *tunnel, int64_t until, struct buf *ret)
{
    struct pollfd wait = {.fd = tunnel->words, .events = POLLIN};

    for (;;) {
        char *room = buf_room(ret, 4096);
        ssize_t n = room ? read(tunnel->words, room, 4096) : 0;
        int64_t left = until - clock_mono_ms();
        if (n > 0)
            buf_grew(ret, (size_t)n);
        else if (n == 0 || left <= 0 || poll(&wait, 1, (int)left) <= 0)
            return;
    }
}

#define OF_ENGINE "the certificate of the container engine at "

/* What a program writes, and what the user is to do. Other words are shown as they are: such an
 * error may pass. */
static const struct reason {
    enum engine_way way;
    const char *words;
    const char *before, *after; /* the place's name */
} reasons[] = {
    {WAY_TLS, "certificate has expired", OF_ENGINE, " has expired: renew it"},
    {WAY_TLS, "certificate is not yet valid", OF_ENGINE, " is not valid yet: compare the clocks"},
    {WAY_TLS, "subject name", OF_ENGINE, " is for another name: connect by a name that is in it"},
    {WAY_TLS, "does not match target host", OF_ENGINE,
     " is for another name: connect by a name that is in it"},
    {WAY_TLS, "certificate problem", OF_ENGINE,
     " is not trusted: its authority is not that of ca.pem"},
    {WAY_TLS, "alert", "the container engine at ",
     " refuses the certificate in cert.pem: ask its operator for one"},
    /* The engine was gone before its alert was read. */
    {WAY_TLS, "getpeername() failed", "the container engine at ",
     " ends the connection: it may refuse the certificate in cert.pem, or want one"},
    {WAY_TLS, "wrong version number", "the container engine at ",
     " does not speak TLS: unset DOCKER_TLS_VERIFY, or name its TLS port"},
    {WAY_SSH, "Host key verification failed", "ssh does not know the host key of ",
     ": connect once by hand with ssh, and compare the key"},
    {WAY_SSH, "Permission denied (", "ssh: no permission at ",
     ": glovebox asks for no password; use a key without one, or ssh-agent"},
    {WAY_SSH, "docker: command not found", "there is no command docker at ",
     ": install it there; `docker system dial-stdio` carries the connection"},
    {WAY_SSH, "docker: not found", "there is no command docker at ",
     ": install it there; `docker system dial-stdio` carries the connection"},
    {WAY_SSH, "permission denied while trying to connect",
     "no permission for the container engine at ", ": add the user there to the group docker"},
};

/* The last line that is not empty. */
static struct str last_line(struct str words)
{
    struct str line, last = {"", 0};

    while (str_next_line(&words, &line))
        if (str_trim(line).n)
            last = str_trim(line);
    return last;
}

static void explain(const struct engine *e, struct str words, struct err *err)
{
    AUTO_BUF struct buf shown = {0};

    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (e->place.way == reasons[i].way && str_find(words, str_from(reasons[i].words)) >= 0) {
            (void)err_set(err, ERR_UNSUPPORTED, "%s%.150s%s", reasons[i].before, e->place.name,
                          reasons[i].after);
            return;
        }
    if (str_find(words, STR("Connection refused")) >= 0 ||
        str_find(words, STR("onnect to server")) >= 0) {
        (void)engine_unreachable(&e->place, ECONNREFUSED, err);
        return;
    }
    buf_init(&shown, 4 * SHOWN_MAX);
    printable_add_word(&shown, last_line(words), SHOWN_MAX);
    (void)err_set(err, ERR_SYSTEM, "the container engine at %.150s: %s", e->place.name, shown.p);
}

int engine_tunnel_explain(const struct engine *e, struct err *err)
{
    int64_t until = clock_mono_ms() + WORDS_MS;

    for (const struct engine_tunnel *t = e->tunnels; t; t = t->next) {
        AUTO_BUF struct buf words = {0};
        buf_init(&words, WORDS_MAX);
        read_words(t, until, &words);
        if (str_trim(buf_str(&words)).n) {
            explain(e, buf_str(&words), err);
            break;
        }
    }
    return -1;
}
