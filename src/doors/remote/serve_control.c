/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox serve --status` and `--stop`. Both ask the process at the socket, so that only a daemon
 * of ours is ever stopped. The process may be another program: its answers are checked, and made
 * safe for a terminal.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "console/options.h"
#include "formats/json_get.h"
#include "net/place.h"
#include "remote/run_remote.h"
#include "remote/serve_control.h"
#include "report/print_json.h"
#include "terminal/safe_text.h"

enum {
    ANSWER_MS = 30000,
    ANSWER_MAX = 1 << 20,
    END_MS = 15000,
    LOOK_MS = 50,
    DRAIN_MAX_MS = 20 * 86400 * 1000,
};

struct control {
    const struct config *config;
    char *place; /* as a client's --daemon; NULL: the usual location */
    char *name;  /* for messages */
    struct http_client client;
};

/* Prefers a Unix socket, because only its user may stop the daemon. */
static char *choose_place(const struct opt_list *listen)
{
    const char *chosen = listen->n ? listen->items[0] : NULL;

    for (size_t i = 0; i < listen->n; i++)
        if (listen->items[i][0] == '/' || str_starts(str_from(listen->items[i]), "unix:")) {
            chosen = listen->items[i];
            break;
        }
    if (chosen && chosen[0] == ':') /* a daemon that listens on every address */
        return xasprintf("localhost%s", chosen);
    return chosen ? xstrdup(chosen) : NULL;
}

static int control_open(const struct config *config, struct control *c, struct err *err)
{
    *c = (struct control){.config = config, .client = {.fd = -1}};
    c->place = choose_place(&config->settings.listen);
    c->name = place_name(c->place);
    struct cli_settings s = {.daemon = c->place, .token_file = config->settings.token_file};
    int opened = remote_open(&s, &c->client, err);
    c->client.quiet = NULL; /* the request has a deadline of its own */
    if (opened == 0)
        return 0;
    if (err->kind != ERR_SYSTEM)
        return -1;
    struct err why = *err;
    return err_set(err, ERR_SYSTEM, "no daemon answers at %s (%s)%s", c->name,
                   strerror(why.sys ? why.sys : ECONNREFUSED),
                   c->place ? "" : "; --listen ADDRESS names a daemon that listens elsewhere");
}

static void control_close(struct control *c)
{
    http_client_done(&c->client);
    free(c->place);
    free(c->name);
}

static json_t *no_daemon(const struct control *c, struct err *err)
{
    err_set(err, ERR_SYSTEM,
            "the process at %s is not a glovebox daemon, or one of an older version", c->name);
    return NULL;
}

/* A descriptor that becomes readable after ANSWER_MS, however slowly an answer arrives. */
static int make_timer(struct err *err)
{
    const struct itimerspec after = {.it_value.tv_sec = ANSWER_MS / 1000};
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

    if (fd < 0 || timerfd_settime(fd, 0, &after, NULL) < 0) {
        err_sys(err, "set a timer");
        fd_close(&fd);
        return -1;
    }
    return fd;
}

static json_t *ask(struct control *c, const char *method, const char *path, const char *body,
                   struct err *err)
{
    AUTO_CLOSE int timer = make_timer(err);
    struct http_ask ask = {.method = method,
                           .path = path,
                           .body = str_from(body),
                           .cancel_fd = timer,
                           .body_max = ANSWER_MAX};
    struct http_reply reply;
    json_t *doc = NULL;

    if (timer < 0)
        return NULL;
    int asked = http_client_ask(&c->client, &ask, &reply, err);
    bool refused = reply.status == 401 || reply.status == 403;
    if (asked < 0 && reply.cancelled)
        err_set(err, ERR_TIMEOUT, "%s: the daemon does not answer", c->name);
    else if (asked < 0)
        err_wrap(err, "%s", c->name);
    else if (refused)
        (void)remote_refused(&reply, err);
    else if (reply.status == 200)
        doc = remote_json(buf_str(&reply.body), err);
    else
        err_set(err, ERR_SYSTEM, "HTTP status %d", reply.status);
    http_reply_done(&reply);
    int64_t pid = json_get_int(doc, "pid");
    if (pid > 0 && pid <= INT32_MAX)
        return doc;
    if (asked == 0 && !refused)
        (void)no_daemon(c, err);
    json_decref(doc);
    return NULL;
}

static int serve_control_fail(const struct control *c, const struct err *err)
{
    if (c->config->settings.json) {
        json_t *doc =
            json_pack("{s:s, s:s, s:s}", "state", "stopped", "address", c->name, "error", err->msg);
        print_document(doc);
        json_decref(doc);
    }
    (void)cli_fail("serve", err);
    return err->kind == ERR_USAGE ? err_exit_status(err->kind) : 1;
}

/* ---- --status ---- */

static bool are_texts(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_is_array(list);
}

static json_t *ask_status(struct control *c, struct err *err)
{
    json_t *status = ask(c, "GET", "/v1/status", "", err);

    if (!status || (json_get_text(status, "version") && json_get_text(status, "state") &&
                    are_texts(json_object_get(status, "listening"))))
        return status;
    json_decref(status);
    return no_daemon(c, err);
}

char *serve_addresses(const json_t *status)
{
    const json_t *list = json_object_get(status, "listening");
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 16);
    for (size_t i = 0; i < json_array_size(list); i++) {
        (void)buf_adds(&b, i ? ", " : "");
        safe_text_add(&b, json_str(json_array_get(list, i)), false);
    }
    return buf_take(&b);
}

static void print_time(int64_t ms)
{
    int64_t s = ms / 1000;

    if (s >= 86400)
        printf("%" PRId64 " d ", s / 86400);
    if (s >= 3600)
        printf("%" PRId64 " h ", s / 3600 % 24);
    if (s >= 60)
        printf("%" PRId64 " min ", s / 60 % 60);
    printf("%" PRId64 " s", s % 60);
}

static void print_count(const json_t *status, const char *key, const char *one, const char *many)
{
    int64_t n = json_get_int(status, key);

    printf("%" PRId64 " %s", n, n == 1 ? one : many);
}

static void print_status(const json_t *status)
{
    AUTO_FREE char *addresses = serve_addresses(status);
    AUTO_FREE char *version = safe_line(json_get_text(status, "version"));
    AUTO_FREE char *state = safe_line(json_get_text(status, "state"));

    printf("glovebox %s, process %" PRId64 ", %s\n", version, json_get_int(status, "pid"), state);
    printf("listening on %s\n", addresses);
    fputs("started ", stdout);
    print_time(json_get_int(status, "uptime_ms"));
    puts(" ago");
    print_count(status, "sessions", "session", "sessions");
    printf(", %" PRId64 " running, %" PRId64 " waiting, ", json_get_int(status, "running"),
           json_get_int(status, "waiting"));
    print_count(status, "runs", "run", "runs");
    puts(" since the start");
}

int serve_status(const struct config *config)
{
    struct control c;
    struct err err;
    json_t *status = NULL;
    int result = 0;

    if (control_open(config, &c, &err) == 0)
        status = ask_status(&c, &err);
    if (!status)
        result = serve_control_fail(&c, &err);
    else if (config->settings.json)
        print_document(status);
    else
        print_status(status);
    json_decref(status);
    control_close(&c);
    return result;
}

/* ---- --stop ---- */

/* Returns a descriptor that becomes readable when the daemon has ended. -1 if its process is not
 * visible from here: in this container, the pid could be another process's. */
static int watch_process(const struct control *c, pid_t pid)
{
    struct ucred peer;
    socklen_t n = sizeof peer;

    if (getsockopt(c->client.fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 || peer.pid != pid)
        return -1;
    return (int)syscall(SYS_pidfd_open, pid, 0U);
}

static bool still_answers(const struct control *c)
{
    bool tcp;
    struct err err;
    AUTO_CLOSE int fd = place_connect(c->place, &tcp, &err);

    return fd >= 0;
}

/* True if the daemon ended in time. */
static bool wait_for_end(const struct control *c, int process, int64_t ms)
{
    struct pollfd p = {.fd = process, .events = POLLIN};
    int64_t until = clock_mono_ms() + ms, left = ms;

    for (; left > 0; left = until - clock_mono_ms()) {
        int step = process < 0 || left > LOOK_MS ? LOOK_MS : (int)left;
        if (poll(&p, process < 0 ? 0 : 1, step) > 0 || (process < 0 && !still_answers(c)))
            return true;
    }
    return false;
}

/* Makes the request's body: with --drain if it is on the command line; otherwise the daemon's own
 * setting applies. */
static char *stop_body(const struct config *config)
{
    const struct opt_source *source = opt_source_of(&config->set, "drain");

    if (source && source->from == OPT_FROM_COMMAND)
        return xasprintf("{\"drain_ms\": %" PRId64 "}", config->settings.drain_ms);
    return xstrdup("{}");
}

static int serve_control_stop(struct control *c, json_t **ret, struct err *err)
{
    AUTO_FREE char *body = stop_body(c->config);
    json_t *status = ask_status(c, err);
    pid_t pid = (pid_t)json_get_int(status, "pid");

    json_decref(status);
    if (!status)
        return -1;
    AUTO_CLOSE int process = watch_process(c, pid);
    *ret = ask(c, "POST", "/v1/stop", body, err);
    if (!*ret)
        return -1;
    int64_t drain_ms = json_get_int(*ret, "drain_ms");
    if (wait_for_end(c, process, (drain_ms < DRAIN_MAX_MS ? drain_ms : DRAIN_MAX_MS) + END_MS))
        return 0;
    return err_set(err, ERR_TIMEOUT, "the daemon at %s (process %d) has not ended yet", c->name,
                   (int)pid);
}

int serve_stop(const struct config *config)
{
    struct control c;
    struct err err;
    json_t *doc = NULL;
    int result = 0;

    if (control_open(config, &c, &err) < 0 || serve_control_stop(&c, &doc, &err) < 0)
        result = serve_control_fail(&c, &err);
    else if (config->settings.json) {
        json_t *said = json_pack("{s:s, s:s, s:O}", "state", "stopped", "address", c.name, "pid",
                                 json_object_get(doc, "pid"));
        print_document(said);
        json_decref(said);
    } else if (!config->settings.quiet)
        printf("the daemon at %s (process %" PRId64 ") has ended\n", c.name,
               json_get_int(doc, "pid"));
    json_decref(doc);
    control_close(&c);
    return result;
}
