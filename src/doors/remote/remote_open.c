/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection to a daemon.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "net/place.h"
#include "remote/run_remote.h"
#include "report/report.h"

enum {
    TOKEN_FILE_MAX = 64 << 10,
    WORDS_AFTER_S = 2,
    LOOK_AFTER_S = 5,
    LOOK_EVERY_S = 30,
    ALIVE_MS = 10000,
};

/* Reads the first word of the first line that is not a comment. */
static int read_token(const char *path, char **ret, struct err *err)
{
    AUTO_BUF struct buf b = {0};
    struct str rest, line;

    buf_init(&b, TOKEN_FILE_MAX);
    if (fd_read_file(path, &b, err) < 0)
        return err_wrap(err, "--token-file");
    rest = buf_str(&b);
    while (str_next_line(&rest, &line)) {
        line = str_trim(line);
        const char *blank = line.n ? memrchr(line.p, ' ', line.n) : NULL;
        if (!line.n || line.p[0] == '#')
            continue;
        if (blank) /* the line is NAME TOKEN, as in the daemon's own file */
            line = str_slice(line, (size_t)(blank + 1 - line.p), line.n);
        *ret = xstrndup(line.p, line.n);
        return 0;
    }
    return err_set(err, ERR_USAGE, "--token-file %s: there is no token in it", path);
}

/* A daemon is missing only if nothing listens. A socket that we may not open can have a daemon. */
static int no_daemon(const struct cli_settings *s, bool tcp, struct err *err)
{
    AUTO_FREE char *name = place_name(s->daemon);
    bool usual = !s->daemon && !getenv("GLOVEBOX_SOCKET");
    int sys = err->sys;

    if (err->kind != ERR_SYSTEM || (sys != ENOENT && sys != ECONNREFUSED))
        return -1;
    err_set(err, ERR_SYSTEM,
            "no daemon answers at %s (%s); start one: glovebox serve --background%s%s%s", name,
            strerror(sys), usual ? "" : " --listen ", usual ? "" : name,
            tcp ? " --token-file FILE" : "");
    err->sys = sys;
    return -1;
}

/* ---- a daemon that is silent ---- */

/* True if the daemon answers. Its loop answers this request immediately, even if all its workers
 * are busy. */
static bool is_alive(const struct cli_settings *s)
{
    struct http_ask ask = {.method = "GET",
                           .path = "/healthz",
                           .body = STR(""),
                           .timeout_ms = ALIVE_MS,
                           .cancel_fd = -1};
    struct http_client client = {.fd = -1};
    struct http_reply reply = {0};
    struct err unread;
    bool tcp;
    int fd = place_connect(s->daemon, &tcp, &unread);

    if (fd < 0)
        return false;
    http_client_init(&client, fd, NULL);
    bool alive = http_client_ask(&client, &ask, &reply, &unread) == 0;
    http_reply_done(&reply);
    http_client_done(&client);
    return alive;
}

/* The kind of the error is a failure of ours, not ERR_TIMEOUT, which is the program's. */
static int remote_give_up(const struct cli_settings *s, const struct http_client *client,
                          struct err *err)
{
    AUTO_FREE char *name = place_name(s->daemon);
    struct ucred peer = {0};
    socklen_t n = sizeof peer;

    (void)getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &peer, &n);
    if (peer.pid > 0)
        err_set(err, ERR_SYSTEM,
                "the daemon at %s (process %d) does not answer: if it is stopped, 'kill -CONT %d' "
                "continues it; else kill it and start another",
                name, (int)peer.pid, (int)peer.pid);
    else
        err_set(err, ERR_SYSTEM, "the daemon at %s does not answer; start it again", name);
    err->sys = ETIMEDOUT;
    return -1;
}

static int remote_look(const struct cli_settings *s, const struct http_client *client,
                       struct err *err)
{
    return is_alive(s) ? 0 : remote_give_up(s, client, err);
}

static int on_quiet(const void *ctx, const struct http_client *client, unsigned nth,
                    struct err *err)
{
    const struct cli_settings *s = ctx;

    if (nth == WORDS_AFTER_S && isatty(STDERR_FILENO)) {
        AUTO_FREE char *name = place_name(s->daemon);
        AUTO_FREE char *line = xasprintf("waiting for the daemon at %s", name);
        report_say(s, line);
    }
    return nth % LOOK_EVERY_S == LOOK_AFTER_S ? remote_look(s, client, err) : 0;
}

/* ---- the connection ---- */

int remote_open(const struct cli_settings *s, struct http_client *ret, struct err *err)
{
    bool tcp = false;
    AUTO_FREE char *token = NULL;
    AUTO_CLOSE int fd = place_connect(s->daemon, &tcp, err);

    *ret = (struct http_client){.fd = -1};
    if (fd < 0)
        return no_daemon(s, tcp, err);
    if (s->token_file && read_token(s->token_file, &token, err) < 0)
        return -1;
    const char *said = token ? token : tcp ? getenv("GLOVEBOX_TOKEN") : NULL;
    if (said && strpbrk(said, "\r\n"))
        return err_set(err, ERR_USAGE, "a token must be one line");
    http_client_init(ret, fd_take(&fd), said);
    ret->header = "Glovebox-Wording: options";
    ret->quiet = on_quiet;
    ret->quiet_ctx = s;
    return 0;
}
