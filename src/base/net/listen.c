/* SPDX-License-Identifier: Apache-2.0 */
#include "net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"

enum { BACKLOG = 4096 };

/* ---- the default address ---- */

/* True for this user's folder without the rights in `closed`. */
static bool is_own_folder(const char *path, mode_t closed)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & closed);
}

/* The folder of a user whose login set no XDG_RUNTIME_DIR: su, cron, a container. */
static char *folder_without_login(void)
{
    char *system = xasprintf("/run/user/%u", (unsigned)geteuid());

    if (is_own_folder(system, 022))
        return system;
    free(system);
    return xasprintf("/tmp/glovebox-%u", (unsigned)geteuid());
}

static bool has_runtime_folder(const char *run)
{
    return run && run[0] == '/';
}

static char *default_folder(void)
{
    const char *run = getenv("XDG_RUNTIME_DIR");

    if (has_runtime_folder(run))
        return xstrdup(run);
    return geteuid() == 0 ? xstrdup("/run") : folder_without_login();
}

char *listen_default_path(void)
{
    AUTO_FREE char *folder = default_folder();

    return xasprintf("%s/glovebox.sock", folder);
}

int listen_make_default_folder(struct err *err)
{
    AUTO_FREE char *folder = default_folder();

    if (has_runtime_folder(getenv("XDG_RUNTIME_DIR")) || !str_starts(str_from(folder), "/tmp/"))
        return 0;
    if (mkdir(folder, 0700) == 0 || is_own_folder(folder, 077))
        return 0;
    if (errno != EEXIST)
        return err_sys(err, "make %s", folder);
    return err_set(err, ERR_USAGE,
                   "%s is not a folder that only this user can use: set XDG_RUNTIME_DIR, or give a "
                   "socket with --listen unix:PATH",
                   folder);
}

/* ---- addresses ---- */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool read_host(const char *host, uint16_t port, union address *ret)
{
    *ret = (union address){0};
    if (!*host) {
        ret->v6 = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
        return true;
    }
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    ret->v4.sin_family = AF_INET;
    ret->v4.sin_port = htons(port);
    if (inet_pton(AF_INET, host, &ret->v4.sin_addr) == 1)
        return true;
    *ret = (union address){0};
    ret->v6.sin6_family = AF_INET6;
    ret->v6.sin6_port = htons(port);
    return inet_pton(AF_INET6, host, &ret->v6.sin6_addr) == 1;
}

static bool is_public(const union address *a)
{
    if (a->any.sa_family == AF_INET)
        return (ntohl(a->v4.sin_addr.s_addr) >> 24) != 127;
    if (IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr))
        return a->v6.sin6_addr.s6_addr[12] != 127;
    return !IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

static int parse_tcp(const char *text, struct listener *ret, uint16_t *ret_port, union address *a,
                     struct err *err)
{
    const char *colon = strrchr(text, ':');
    int64_t port;

    if (!colon || !num_int64(str_from(colon + 1), &port) || port < 0 || port > 65535)
        return err_set(err, ERR_USAGE,
                       "--listen '%.100s': write unix:PATH, or HOST:PORT such as "
                       "127.0.0.1:8080",
                       text);
    size_t n = (size_t)(colon - text);
    bool brackets = n >= 2 && text[0] == '[' && text[n - 1] == ']';
    ret->host = brackets ? xstrndup(text + 1, n - 2) : xstrndup(text, n);
    ret->tcp = true;
    *ret_port = (uint16_t)port;
    if (!read_host(ret->host, *ret_port, a))
        return err_set(
            err, ERR_USAGE,
            "--listen '%.100s': '%.60s' is not an address (host names are not looked up)", text,
            ret->host);
    ret->public = is_public(a);
    return 0;
}

int listen_parse(const char *text, struct listener *ret, struct err *err)
{
    union address address;
    uint16_t port;

    *ret = (struct listener){.name = xstrdup(text), .fd = -1, .lock_fd = -1};
    if (str_starts(str_from(text), "unix:") || text[0] == '/') {
        ret->path = xstrdup(text[0] == '/' ? text : text + 5);
        if (strlen(ret->path) < sizeof((struct sockaddr_un *)0)->sun_path && *ret->path)
            return 0;
        return err_set(err, ERR_USAGE, "--listen '%.150s': a socket's path has 1 to %zu characters",
                       text, sizeof((struct sockaddr_un *)0)->sun_path - 1);
    }
    return parse_tcp(text, ret, &port, &address, err);
}

/* ---- opening ---- */

static int in_use(const char *path, const char *lock, struct err *err)
{
    char pid[32];
    ssize_t n = fd_read_file_at(AT_FDCWD, lock, pid, sizeof pid);
    int64_t number;

    if (n > 0 && num_int64(str_trim(str_from(pid)), &number))
        return err_set(err, ERR_USAGE, "a daemon (process %lld) listens on %s already",
                       (long long)number, path);
    return err_set(err, ERR_USAGE, "a daemon listens on %s already", path);
}

/* Another daemon may have removed the lock file when it stopped. Then our lock is on a deleted
 * file: try again. */
static int take_lock(struct listener *l, struct err *err)
{
    AUTO_FREE char *name = xasprintf("%s.lock", l->path);
    struct stat here, there;
    char pid[32];

    for (;;) {
        l->lock_fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (l->lock_fd < 0)
            return err_sys(err, "lock %s", name);
        if (flock(l->lock_fd, LOCK_EX | LOCK_NB) < 0) {
            fd_close(&l->lock_fd); /* the other daemon removes the lock file */
            return in_use(l->path, name, err);
        }
        if (fstat(l->lock_fd, &here) == 0 && stat(name, &there) == 0 &&
            here.st_ino == there.st_ino && here.st_dev == there.st_dev)
            break;
        fd_close(&l->lock_fd);
    }
    int n = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
    if (ftruncate(l->lock_fd, 0) == 0)
        (void)!pwrite(l->lock_fd, pid, (size_t)n, 0);
    return 0;
}

/* We hold the lock, so the daemon that made the socket has exited. */
static int remove_stale(const char *path, struct err *err)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : err_sys(err, "look at %s", path);
    if (!S_ISSOCK(st.st_mode))
        return err_set(err, ERR_USAGE, "%s exists and is not a socket", path);
    return unlink(path) < 0 ? err_sys(err, "remove the old socket %s", path) : 0;
}

static int bind_unix(int fd, const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    mode_t mask = umask(0177);

    memcpy(at.sun_path, path, strlen(path));
    int bound = bind(fd, (const struct sockaddr *)&at, sizeof at);
    umask(mask);
    return bound;
}

/* The socket gets its name when it accepts connections: a script may wait until the file is there.
 * A path that is too long for that has its name a moment earlier. */
static int open_unix(struct listener *l, struct err *err)
{
    AUTO_FREE char *longer = xasprintf("%s.new", l->path);
    bool fits = strlen(longer) < sizeof((struct sockaddr_un *)0)->sun_path;
    const char *first = fits ? longer : l->path;

    if (take_lock(l, err) < 0 || remove_stale(l->path, err) < 0 || remove_stale(first, err) < 0)
        return -1;
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0 || bind_unix(l->fd, first) < 0 || listen(l->fd, BACKLOG) < 0 ||
        (fits && rename(first, l->path) < 0)) {
        (void)err_sys(err, "listen on %s", l->path);
        (void)unlink(first);
        return -1;
    }
    return 0;
}

/* Replaces port 0 by the port that the kernel chose: "127.0.0.1:0" becomes "127.0.0.1:41234". */
static void name_port(struct listener *l)
{
    union address at = {0};
    socklen_t n = sizeof at;
    size_t host = (size_t)(strrchr(l->name, ':') - l->name);

    if (getsockname(l->fd, &at.any, &n) < 0)
        return;
    in_port_t port = at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port;
    char *name = xasprintf("%.*s:%u", (int)host, l->name, (unsigned)ntohs(port));
    free(l->name);
    l->name = name;
}

static int open_tcp(struct listener *l, struct err *err)
{
    union address address;
    uint16_t port;
    struct listener again = {0};
    int one = 1, zero = 0;
    int parsed = parse_tcp(l->name, &again, &port, &address, err);

    free(again.host);
    if (parsed < 0)
        return -1;
    bool v6 = address.any.sa_family == AF_INET6;
    l->fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd >= 0) {
        (void)setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (v6)
            (void)setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, *l->host ? &one : &zero, sizeof one);
    }
    if (l->fd < 0 || bind(l->fd, &address.any, v6 ? sizeof address.v6 : sizeof address.v4) < 0 ||
        listen(l->fd, BACKLOG) < 0)
        return err_sys(err, "listen on %s", l->name);
    if (!port)
        name_port(l);
    return 0;
}

int listen_open(struct listener *l, struct err *err)
{
    return l->tcp ? open_tcp(l, err) : open_unix(l, err);
}

int listen_adopt(int fd, struct listener *ret, struct err *err)
{
    union {
        union address ip;
        struct sockaddr_un local;
    } at = {0};
    socklen_t n = sizeof at;
    int kind = 0;
    socklen_t kind_n = sizeof kind;

    *ret =
        (struct listener){.name = xasprintf("socket %d of systemd", fd), .fd = -1, .lock_fd = -1};
    if (getsockname(fd, (struct sockaddr *)(void *)&at, &n) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &kind, &kind_n) < 0 || !kind)
        return err_set(err, ERR_USAGE, "descriptor %d of LISTEN_FDS is not a listening socket", fd);
    ret->tcp = at.ip.any.sa_family != AF_UNIX;
    ret->public = ret->tcp && is_public(&at.ip);
    ret->host = xstrdup("");
    ret->fd = fd;
    return fd_nonblock(fd, true) < 0 ? err_sys(err, "prepare descriptor %d of LISTEN_FDS", fd) : 0;
}

void listen_stop(struct listener *l)
{
    if (l->path && l->fd >= 0)
        (void)unlink(l->path);
    fd_close(&l->fd);
    if (l->lock_fd >= 0) {
        AUTO_FREE char *name = xasprintf("%s.lock", l->path);
        (void)unlink(name);
        fd_close(&l->lock_fd);
    }
}

void listen_close(struct listener *l)
{
    listen_stop(l);
    free(l->name);
    free(l->host);
    free(l->path);
    *l = (struct listener){.fd = -1, .lock_fd = -1};
}
