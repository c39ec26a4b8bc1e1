/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b_api/sandbox.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "e2b_api/json.h"
#include "e2b_api/parts.h"
#include "formats/json_get.h"
#include "net/http_client.h"

enum {
    CREATE_MS = 120000, /* a sandbox that is not ready in advance takes long */
    UPLOAD_MS = 300000,
    KEEP_MS = 3000, /* short: the guest's limits are not checked meanwhile */
    KILL_MS = 10000,
    TRIES = 4,
    PAUSE_MS = 1000, /* between two tries, if the service gives no time */
    PAUSE_MOST_MS = 20000,
    NAME_MAX = 128,
    UNANSWERED_MS = 2000, /* after a cancellation: wait for the answer, to kill its sandbox */
};

/* ---- the account ---- */

int e2b_open(struct e2b **ret, struct err *err)
{
    struct e2b *e = xcalloc(1, sizeof *e);

    if (e2b_account_read(&e->account, err) < 0) {
        e2b_close(e);
        return -1;
    }
    *ret = e;
    return 0;
}

static void forget_sandbox(struct e2b *e)
{
    char **const texts[] = {&e->id, &e->token, &e->traffic_token, &e->domain};

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (*texts[i])
            explicit_bzero(*texts[i], strlen(*texts[i]));
        free(*texts[i]);
        *texts[i] = NULL;
    }
}

void e2b_close(struct e2b *e)
{
    if (!e)
        return;
    fetch_close(e->fetch);
    forget_sandbox(e);
    e2b_account_done(&e->account);
    free(e);
}

const char *e2b_describe(const struct e2b *e)
{
    return e->account.debug ? "the sandbox of this machine (E2B_DEBUG)" : e->account.shown;
}

/* Sends a request whose answer has only a status. `gone`: a 404 is a success as well. */
static int tell(struct e2b *e, const struct e2b_ask *ask, const char *what, bool gone,
                struct err *err)
{
    struct e2b_answer answer;

    if (e2b_ask(e, ask, &answer, err) < 0)
        return -1;
    int result = gone && answer.status == 404 ? 0 : e2b_must(&answer, what, err);
    e2b_answer_done(&answer);
    return result;
}

int e2b_check(struct e2b *e, struct err *err)
{
    const struct e2b_ask ask = {
        .method = "GET", .path = "/v2/sandboxes?limit=1", .timeout_ms = 10000, .cancel_fd = -1};

    return e->account.debug ? 0 : tell(e, &ask, "list sandboxes", true, err);
}

/* ---- creating ---- */

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* The number of leading characters of `s` that are in `allowed`. */
static size_t count_of(struct str s, const char *allowed)
{
    size_t n = 0;

    while (n < s.n && s.p[n] && strchr(allowed, s.p[n]))
        n++;
    return n;
}

bool e2b_is_name(struct str s)
{
    return s.n <= NAME_MAX && count_of(s, LETTERS DIGITS) &&
           count_of(s, LETTERS DIGITS "-_.") == s.n;
}

/* True for a domain such as "e2b.app", with an optional port. */
static bool is_domain(struct str s)
{
    size_t n = count_of(s, LETTERS DIGITS "-.");
    struct str port = str_slice(s, n + 1, s.n);

    return s.n <= NAME_MAX && count_of(s, LETTERS DIGITS) &&
           (n == s.n || (s.p[n] == ':' && port.n && count_of(port, DIGITS) == port.n));
}

static char *take_token(const json_t *answer, const char *key)
{
    struct str token = json_str(json_object_get(answer, key));

    for (size_t i = 0; i < token.n; i++)
        if ((unsigned char)token.p[i] <= ' ' || (unsigned char)token.p[i] >= 0x7f)
            return NULL;
    return token.n && token.n <= 4096 ? xstrndup(token.p, token.n) : NULL;
}

static int take_sandbox(struct e2b *e, const json_t *answer, struct err *err)
{
    struct str id = json_str(json_object_get(answer, "sandboxID"));
    struct str domain = json_str(json_object_get(answer, "domain"));

    if (!e2b_is_name(id) || (domain.n && !is_domain(domain)))
        return err_set(err, ERR_UNSUPPORTED,
                       "the answer of %s does not follow E2B's protocol: it names no sandbox",
                       e->account.shown);
    forget_sandbox(e);
    e->id = xstrndup(id.p, id.n);
    e->domain = domain.n ? xstrndup(domain.p, domain.n) : NULL;
    e->token = take_token(answer, "envdAccessToken");
    e->traffic_token = take_token(answer, "trafficAccessToken");
    return 0;
}

static json_t *create_body(const struct e2b_wish *wish, bool old)
{
    json_t *body = json_pack("{s:s, s:I, s:b, s:O*}", "templateID",
                             wish->template_id ? wish->template_id : E2B_TEMPLATE, "timeout",
                             (json_int_t)((wish->timeout_ms + 999) / 1000), "allow_internet_access",
                             wish->internet, "metadata", wish->metadata);

    if (old)
        json_object_set_new(body, "secure", json_true());
    if (wish->pauses)
        json_object_set_new(body, "autoPause", json_true());
    return body;
}

static int ask_for_sandbox(struct e2b *e, const struct e2b_wish *wish, int cancel_fd,
                           struct e2b_answer *ret, struct err *err)
{
    json_t *body = create_body(wish, e->old_paths);
    const struct e2b_ask ask = {.method = "POST",
                                .path = e->old_paths ? "/sandboxes" : "/v2/sandboxes",
                                .json = body,
                                .timeout_ms = CREATE_MS,
                                .cancel_fd = cancel_fd,
                                .grace_ms = UNANSWERED_MS};

    int result = e2b_ask(e, &ask, ret, err);
    json_decref(body);
    if (result < 0)
        e2b_kill_unanswered(e, json_get_text(wish->metadata, E2B_MARK));
    return result;
}

static bool names_template(const struct e2b_answer *answer)
{
    return strstr(answer->said, "emplate");
}

/* True if the service does not support the newer path: the error does not mention a template. */
static bool is_old(const struct e2b *e, const struct e2b_answer *answer)
{
    return !e->old_paths && (answer->status == 404 || answer->status == 405) &&
           !names_template(answer);
}

static bool may_try_again(const struct e2b_answer *answer, int tries)
{
    return (answer->status == 429 || answer->status == 503) && tries < TRIES &&
           answer->retry_after_ms <= PAUSE_MOST_MS;
}

static int wait_a_moment(const struct e2b_answer *answer, int cancel_fd, struct err *err)
{
    struct pollfd wait = {.fd = cancel_fd, .events = POLLIN};
    int64_t ms = answer->retry_after_ms ? answer->retry_after_ms : PAUSE_MS;

    return poll(&wait, 1, (int)ms) > 0 ? err_set(err, ERR_TIMEOUT, "cancelled") : 0;
}

static int say_refused(struct e2b *e, const struct e2b_answer *answer, const struct e2b_wish *wish,
                       struct err *err)
{
    const char *name = wish->template_id ? wish->template_id : E2B_TEMPLATE;

    if (answer->status == 404 && names_template(answer))
        return err_set(err, ERR_UNSUPPORTED, "E2B has no template '%.100s' for this account: %s",
                       name, answer->said);
    if (answer->status >= 500) /* a proxy may have given up before the service did */
        e2b_kill_unanswered(e, json_get_text(wish->metadata, E2B_MARK));
    return e2b_must(answer, "create a sandbox", err);
}

/* Takes the sandbox of this machine (E2B_DEBUG), without a request. */
static int use_own(struct e2b *e)
{
    forget_sandbox(e);
    e->id = xstrdup("debug_sandbox_id");
    return 0;
}

int e2b_create(struct e2b *e, const struct e2b_wish *wish, int cancel_fd, struct err *err)
{
    struct e2b_answer answer;
    int result = 1;

    if (e->account.debug)
        return use_own(e);
    if (wish->template_id && e2b_json_check("the template", wish->template_id, err) < 0)
        return -1;
    for (int tries = 1; result > 0; tries++) {
        if (ask_for_sandbox(e, wish, cancel_fd, &answer, err) < 0)
            return -1;
        if (is_old(e, &answer))
            e->old_paths = true;
        else if (may_try_again(&answer, tries))
            result = wait_a_moment(&answer, cancel_fd, err) < 0 ? -1 : 1;
        else if (!e2b_is_good(answer.status))
            result = say_refused(e, &answer, wish, err);
        else if ((result = take_sandbox(e, answer.json, err)) < 0)
            e2b_kill_unanswered(e, json_get_text(wish->metadata, E2B_MARK));
        e2b_answer_done(&answer);
    }
    return result;
}

/* ---- its life ---- */

/* The path "/sandboxes/ID" followed by `rest`. The caller frees it. */
static char *sandbox_path_of(const struct e2b *e, const char *rest)
{
    return xasprintf("/sandboxes/%s%s", e->id, rest);
}

/* `given` is the request without its path and body. */
static int tell_timeout(struct e2b *e, const char *rest, int64_t timeout_ms,
                        const struct e2b_ask *given, const char *what, struct err *err)
{
    struct e2b_ask ask = *given;

    if (!e->id || e->account.debug)
        return 0;
    json_t *body = json_pack("{s:I}", "timeout", (json_int_t)((timeout_ms + 999) / 1000));
    AUTO_FREE char *path = sandbox_path_of(e, rest);
    ask.path = path;
    ask.json = body;
    int result = tell(e, &ask, what, false, err);

    json_decref(body);
    return result;
}

int e2b_set_timeout(struct e2b *e, int64_t timeout_ms, struct err *err)
{
    const struct e2b_ask ask = {.method = "POST", .timeout_ms = KEEP_MS, .cancel_fd = -1};

    return tell_timeout(e, "/timeout", timeout_ms, &ask, "keep the sandbox", err);
}

int e2b_resume(struct e2b *e, int64_t timeout_ms, int64_t patience_ms, int cancel_fd,
               struct err *err)
{
    const struct e2b_ask ask = {
        .method = "POST", .timeout_ms = patience_ms, .cancel_fd = cancel_fd};

    return tell_timeout(e, "/connect", timeout_ms, &ask, "resume the sandbox", err);
}

int e2b_close_network(struct e2b *e, struct err *err)
{
    if (!e->id || e->account.debug)
        return 0;
    AUTO_FREE char *path = sandbox_path_of(e, "/network");
    const struct e2b_ask ask = {.method = "PUT",
                                .path = path,
                                .body = STR("{\"allow_internet_access\":false}"),
                                .type = "application/json",
                                .cancel_fd = -1};

    return tell(e, &ask, "close the sandbox's network", false, err);
}

int e2b_kill_sandbox(struct e2b *e, const char *id, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/sandboxes/%s", id);
    const struct e2b_ask ask = {
        .method = "DELETE", .path = path, .timeout_ms = KILL_MS, .cancel_fd = -1};
    struct e2b_answer answer;
    int result = 1;

    for (int tries = 1; result > 0; tries++) {
        if (e2b_ask(e, &ask, &answer, err) < 0)
            return -1;
        if ((answer.status == 429 || answer.status >= 500) && tries < TRIES)
            (void)poll(NULL, 0, PAUSE_MS);
        else
            result = answer.status == 404 ? 0 : e2b_must(&answer, "kill the sandbox", err);
        e2b_answer_done(&answer);
    }
    return result;
}

int e2b_kill(struct e2b *e, struct err *err)
{
    if (!e->id || e->account.debug)
        return 0;
    if (e2b_kill_sandbox(e, e->id, err) < 0)
        return -1;
    forget_sandbox(e);
    return 0;
}

/* ---- files ---- */

int e2b_put_file(struct e2b *e, const char *path, struct str bytes, int cancel_fd, struct err *err)
{
    AUTO_BUF struct buf query = {0};

    buf_init(&query, 16 << 10);
    (void)buf_adds(&query, "/files?username=root&path=");
    http_encode_path(&query, str_from(path));
    const struct e2b_ask ask = {.side = E2B_ENVD,
                                .method = "POST",
                                .path = query.p,
                                .body = bytes,
                                .type = "application/octet-stream",
                                .as_root = true,
                                .timeout_ms = UPLOAD_MS,
                                .cancel_fd = cancel_fd};

    return tell(e, &ask, "receive a file", false, err);
}
