/* SPDX-License-Identifier: Apache-2.0
 *
 * The account's sandboxes that Glovebox made. Only a few short strings of each are kept, so a list
 * of any size fits into memory.
 */
#include <stdio.h>

#include "base/mem.h"
#include "e2b_api/parts.h"
#include "formats/json_get.h"
#include "net/http_client.h"

enum {
    PAGES_MOST = 100, /* a list may have no end */
    LISTED_MOST = 10000,
    UNANSWERED_MS = 3000,
};

static void keep_text(json_t *to, const char *key, const json_t *from)
{
    const json_t *text = json_object_get(from, key);

    if (json_is_string(text) && json_string_length(text) <= E2B_LISTED_TEXT_MAX)
        json_object_set(to, key, (json_t *)text);
}

void e2b_list_keep(json_t *list, const json_t *answer)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(answer, i, entry)
    {
        const json_t *metadata = json_object_get(entry, "metadata");
        if (!json_get_text(metadata, "glovebox") || json_array_size(list) >= LISTED_MOST)
            continue;
        json_t *kept = json_object();
        keep_text(kept, "sandboxID", entry);
        keep_text(kept, "owner", metadata);
        keep_text(kept, E2B_MARK, metadata);
        json_array_append_new(list, kept);
    }
}

/* A request for the list, and its result so far. */
struct listing {
    const char *mark; /* NULL: all sandboxes */
    int64_t timeout_ms;
    json_t *list;
    char next[sizeof((struct e2b_answer *)0)->next_page];
};

static int list_page(struct e2b *e, struct listing *l, struct err *err)
{
    AUTO_BUF struct buf path = {0};
    struct e2b_answer answer;

    buf_init(&path, 4096);
    (void)buf_adds(&path, "/v2/sandboxes?state=running,paused&limit=100");
    if (l->mark)
        (void)buf_addf(&path, "&metadata=" E2B_MARK "%%3D%s", l->mark);
    if (l->next[0]) {
        (void)buf_adds(&path, "&nextToken=");
        http_encode_path(&path, str_from(l->next));
    }
    const struct e2b_ask ask = {
        .method = "GET", .path = path.p, .timeout_ms = l->timeout_ms, .cancel_fd = -1};
    if (e2b_ask(e, &ask, &answer, err) < 0)
        return -1;
    int result = e2b_must(&answer, "list sandboxes", err);
    if (result == 0 && !json_is_array(answer.json))
        result = err_set(err, ERR_UNSUPPORTED,
                         "the answer of %s does not follow E2B's protocol: it is no list",
                         e->account.shown);
    if (result == 0)
        e2b_list_keep(l->list, answer.json);
    snprintf(l->next, sizeof l->next, "%s", answer.next_page);
    e2b_answer_done(&answer);
    return result;
}

int e2b_list(struct e2b *e, json_t **ret, struct err *err)
{
    struct listing l = {.list = json_array()};
    int result = 0, pages = 0;

    do
        result = list_page(e, &l, err);
    while (result == 0 && l.next[0] && ++pages < PAGES_MOST);
    if (result == 0)
        *ret = l.list;
    else
        json_decref(l.list);
    return result;
}

int e2b_kill_other(struct e2b *e, const char *id, struct err *err)
{
    return e2b_is_name(str_from(id))
               ? e2b_kill_sandbox(e, id, err)
               : err_set(err, ERR_GUEST, "the service lists a sandbox without a name");
}

/* A service may ignore the filter, and list sandboxes that others use: each mark is compared. */
void e2b_kill_unanswered(struct e2b *e, const char *mark)
{
    struct listing l = {.mark = mark, .timeout_ms = UNANSWERED_MS, .list = json_array()};
    const json_t *entry;
    struct err ignored;
    size_t i;

    if (mark && list_page(e, &l, &ignored) == 0)
        json_array_foreach(l.list, i, entry)
        {
            const char *id = json_get_text(entry, "sandboxID");
            if (id && str_is(json_str(json_object_get(entry, E2B_MARK)), mark))
                (void)e2b_kill_other(e, id, &ignored);
        }
    json_decref(l.list);
}
