/* SPDX-License-Identifier: Apache-2.0
 *
 * The connection of `glovebox mcp` to a daemon, with the settings as the body of its request.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/mcp_relay.h"
#include "console/own_python.h"
#include "console/report.h"
#include "console/run_remote.h"
#include "languages/pythons.h"
#include "net/place.h"
#include "request/setting.h"

enum {
    ANSWER_S = 2,        /* the daemon's loop answers at once */
    ABSENT_MS = 1000,    /* until a daemon is looked for again */
    UNUSABLE_MS = 60000, /* the same, if one was there and could not be used */
};

/* ---- what can be sent ---- */

static int cannot_honour(const char *what, struct err *err)
{
    return err_set(err, ERR_UNSUPPORTED, "a daemon cannot honour %s", what);
}

/* Whether a path of Python's means the same to the daemon; one that is demanded decides itself. */
static bool names_here(const struct mcp_relay *r)
{
    const struct cli_settings *s = r->settings;
    const char *python = s->common.python ? s->common.python : own_python(s);
    int domain = 0;
    socklen_t n = sizeof domain;
    unsigned minor;

    (void)getsockopt(r->client.fd, SOL_SOCKET, SO_DOMAIN, &domain, &n);
    return s->daemon || domain == AF_UNIX || !python || python_is_version(str_from(python), &minor);
}

static int check(const struct mcp_relay *r, struct err *err)
{
    const struct cli_settings *s = r->settings;
    const struct setting *kept = settings_kept_here(&s->common, true);
    AUTO_FREE char *name = kept ? xasprintf("--%s as it was given", kept->opt.name) : NULL;

    if (kept)
        return cannot_honour(name, err);
    if (s->common.languages.user_count)
        return cannot_honour("a [language] section of the config file", err);
    return names_here(r)
               ? 0
               : cannot_honour("a path of Python's, because it is on another machine", err);
}

static void put_languages(json_t *body, const struct opt_list *languages)
{
    json_t *list = json_array();

    for (size_t i = 0; i < languages->n; i++)
        json_array_append_new(list, json_string(languages->items[i]));
    json_object_set_new(body, "languages", list);
}

static int put_all(json_t *body, const struct mcp_relay *r, struct err *err)
{
    const struct settings *s = &r->settings->common;

    if (settings_send(s, true, body, err) < 0)
        return -1;
    if (remote_put_files(body, s) < 0)
        return cannot_honour("this --file: only plain files of at most 4 MiB together", err);
    if (s->lang && strcmp(s->lang, "auto") != 0)
        json_object_set_new(body, "language", json_string(s->lang));
    if (r->languages->n)
        put_languages(body, r->languages);
    json_object_set_new(body, "sessions", json_integer((json_int_t)r->sessions));
    json_object_set_new(body, "message_limit_bytes", json_integer((json_int_t)r->message_limit));
    return 0;
}

/* ---- the request ---- */

static int read_reply(const struct http_reply *reply, struct err *err)
{
    if (reply->status == 101)
        return 0;
    if (reply->status == 404)
        return err_set(err, ERR_UNSUPPORTED, "the daemon is of another version; start it again");
    return remote_refused(reply, err);
}

static int on_quiet(const void *settings, const struct http_client *client, unsigned nth,
                    struct err *err)
{
    return nth < ANSWER_S ? 0 : remote_give_up(settings, client, err);
}

static int ask(void *ctx, json_t *body, struct err *err)
{
    struct mcp_relay *r = ctx;
    AUTO_FREE char *text = json_dumps(body, JSON_COMPACT);
    const struct http_ask request = {.method = "POST",
                                     .path = "/mcp/lines",
                                     .body = str_from(text),
                                     .upgrade = "glovebox-mcp",
                                     .cancel_fd = r->quit_fd};
    struct http_reply reply;

    if (r->client.fd < 0 && remote_open(r->settings, &r->client, err) < 0)
        return -1;
    r->client.quiet = on_quiet;
    int result = http_client_ask(&r->client, &request, &reply, err);
    if (result == 0)
        result = read_reply(&reply, err);
    http_reply_done(&reply);
    return result;
}

/* Only a daemon that is demanded may use another Python than the active environment's. */
static int ask_with_python(struct mcp_relay *r, json_t *body, struct err *err)
{
    const char *folder = own_python(r->settings);

    if (r->settings->daemon) {
        int result = own_python_try(folder, body, ask, r, err);
        if (result == 0)
            own_python_say(r->settings, folder, body, "python");
        return result;
    }
    if (folder)
        json_object_set_new(body, "python", json_string(folder));
    if (ask(r, body, err) == 0)
        return 0;
    return folder ? err_wrap(err, "the active environment of Python") : -1;
}

static int connect_to(struct mcp_relay *r, struct err *err)
{
    json_t *body = json_object();
    int result = put_all(body, r, err);

    if (result == 0)
        result = ask_with_python(r, body, err);
    json_decref(body);
    return result;
}

/* No daemon listens, or there is no place where one could. */
static bool is_absent(const struct cli_settings *s, const struct err *err)
{
    const char *place = getenv("GLOVEBOX_SOCKET");

    if (err->kind == ERR_USAGE)
        return !s->token_file && !(place && *place);
    return err->kind == ERR_SYSTEM && (err->sys == ENOENT || err->sys == ECONNREFUSED);
}

/* Looks for the daemon first, because without one nothing else matters. */
static bool try_daemon(struct mcp_relay *r, bool *ret_found, struct err *err)
{
    *ret_found = remote_open(r->settings, &r->client, err) == 0;
    if (*ret_found && check(r, err) < 0)
        r->refused = true;
    else if (*ret_found && connect_to(r, err) == 0)
        return true;
    http_client_done(&r->client);
    r->client.fd = -1;
    return false;
}

bool mcp_relay_reopen(struct mcp_relay *r)
{
    struct err err;
    bool found;

    if (r->refused || r->settings->common.no_daemon || clock_mono_ms() < r->look_at)
        return false;
    if (try_daemon(r, &found, &err)) {
        AUTO_FREE char *name = place_name(r->settings->daemon);
        AUTO_FREE char *line = xasprintf("a daemon runs at %s: the sandboxes are there now", name);
        report_say(r->settings, line);
        return true;
    }
    r->look_at = clock_mono_ms() + (found ? UNUSABLE_MS : ABSENT_MS);
    return false;
}

int mcp_relay_open(struct mcp_relay *r, struct err *err)
{
    const struct cli_settings *s = r->settings;
    bool found;

    if (s->common.no_daemon)
        return 0;
    if (try_daemon(r, &found, err))
        return 1;
    r->look_at = clock_mono_ms() + (found ? UNUSABLE_MS : ABSENT_MS);
    if (s->daemon)
        return strstr(err->msg, s->daemon) ? -1 : err_wrap(err, "--daemon %s", s->daemon);
    if (found || !is_absent(s, err)) {
        AUTO_FREE char *line = xasprintf("%s; the sandboxes are in this process", err->msg);
        report_say(s, line);
    }
    return 0;
}
