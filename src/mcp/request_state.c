/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/request_state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/json_get.h"
#include "base/mem.h"
#include "base/sha256.h"

enum { KEY_SIZE = 64, MAC_SIZE = SHA256_HEX - 1 };

static struct {
    pthread_once_t once;
    unsigned char bytes[KEY_SIZE];
    bool ready;
} key = {.once = PTHREAD_ONCE_INIT};

static void make_key(void)
{
    key.ready = getrandom(key.bytes, sizeof key.bytes, 0) == (ssize_t)sizeof key.bytes;
}

static int have_key(struct rpc_problem *problem)
{
    pthread_once(&key.once, make_key);
    return key.ready ? 0
                     : rpc_problem_set(problem, RPC_INTERNAL,
                                       "there are no random numbers for the key of 'requestState'");
}

/* ---- the MAC ---- */

static void add_key(struct sha256 *h, unsigned char pad)
{
    unsigned char block[KEY_SIZE];

    for (size_t i = 0; i < sizeof block; i++)
        block[i] = key.bytes[i] ^ pad;
    sha256_add(h, block, sizeof block);
}

/* HMAC (RFC 2104), with the inner sum as hexadecimal digits. */
static void mac_of(const char *text, char ret[SHA256_HEX])
{
    char inner[SHA256_HEX];
    struct sha256 h;

    sha256_init(&h);
    add_key(&h, 0x36);
    sha256_add(&h, text, strlen(text));
    sha256_hex(&h, inner);
    sha256_init(&h);
    add_key(&h, 0x5c);
    sha256_add(&h, inner, MAC_SIZE);
    sha256_hex(&h, ret);
}

/* Takes the same time wherever the difference is. */
static bool same_mac(const char *a, const char *b)
{
    unsigned char differs = 0;

    for (size_t i = 0; i < MAC_SIZE; i++)
        differs |= (unsigned char)(a[i] ^ b[i]);
    return !differs;
}

/* The request as it was in its first round. */
static json_t *params_of(const struct rpc_message *m)
{
    json_t *params = m->params ? json_copy(m->params) : json_object();

    (void)json_object_del(params, "_meta");
    (void)json_object_del(params, "inputResponses");
    (void)json_object_del(params, "requestState");
    return params;
}

static void mac_of_request(const struct rpc_message *m, const char *owner, const json_t *sealed,
                           char ret[SHA256_HEX])
{
    json_t *all = json_pack("{s:s, s:s, s:o, s:O}", "owner", owner, "method", m->method, "params",
                            params_of(m), "sealed", sealed);
    AUTO_FREE char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);

    mac_of(text ? text : "", ret);
    json_decref(all);
}

/* ---- both ways ---- */

json_t *request_state_seal(const struct rpc_message *m, const char *owner, const json_t *content,
                           int64_t now_ms, struct rpc_problem *problem)
{
    char mac[SHA256_HEX];

    if (have_key(problem) < 0)
        return NULL;
    json_t *sealed =
        json_pack("{s:I, s:O}", "until", (json_int_t)now_ms + REQUEST_STATE_MS, "content", content);
    AUTO_FREE char *text = json_dumps(sealed, JSON_COMPACT | JSON_SORT_KEYS);
    mac_of_request(m, owner, sealed, mac);
    json_decref(sealed);
    if (text && MAC_SIZE + strlen(text) <= REQUEST_STATE_MAX)
        return json_sprintf("%s%s", mac, text);
    (void)rpc_problem_set(problem, RPC_PARAMS, "the answers so far are longer than %d KiB",
                          REQUEST_STATE_MAX >> 10);
    return NULL;
}

static json_t *read_sealed(const struct rpc_message *m, const char *owner, struct str state)
{
    json_t *sealed = state.n > MAC_SIZE && state.n <= REQUEST_STATE_MAX
                         ? json_loadb(state.p + MAC_SIZE, state.n - MAC_SIZE, JSON_ALLOW_NUL, NULL)
                         : NULL;
    char mac[SHA256_HEX];

    if (!sealed)
        return NULL;
    mac_of_request(m, owner, sealed, mac);
    if (same_mac(mac, state.p))
        return sealed;
    json_decref(sealed);
    return NULL;
}

json_t *request_state_open(const struct rpc_message *m, const char *owner, int64_t now_ms,
                           struct rpc_problem *problem)
{
    if (have_key(problem) < 0)
        return NULL;
    json_t *sealed = read_sealed(m, owner, json_str(json_object_get(m->params, "requestState")));
    json_t *content = json_incref(json_object_get(sealed, "content"));
    bool old = sealed && now_ms > json_get_int(sealed, "until");
    json_decref(sealed);
    if (content && !old)
        return content;
    json_decref(content);
    (void)rpc_problem_set(problem, RPC_PARAMS,
                          old ? "'requestState' is older than %d minutes: send the request "
                                "again without it"
                              : "'requestState' was changed, or is not of this request",
                          REQUEST_STATE_MS / 60000);
    return NULL;
}
