/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/kept.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "result/verdict_json.h"

enum { ITEMS_MAX = 1000 };

struct item {
    struct item *next;
    char *uri, *name;
    const char *mime;
    char *bytes;
    size_t n;
};

struct kept {
    pthread_mutex_t lock;
    struct item *first, **end;
    size_t items, bytes;
};

struct kept *kept_new(void)
{
    struct kept *k = xcalloc(1, sizeof *k);

    pthread_mutex_init(&k->lock, NULL);
    k->end = &k->first;
    return k;
}

static void drop_first(struct kept *k)
{
    struct item *item = k->first;

    k->first = item->next;
    if (!k->first)
        k->end = &k->first;
    k->items--;
    k->bytes -= item->n;
    free(item->uri);
    free(item->name);
    free(item->bytes);
    free(item);
}

void kept_free(struct kept *k)
{
    while (k->first)
        drop_first(k);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

bool kept_add(struct kept *k, const char *uri, struct str name, const char *mime, struct str bytes)
{
    if (bytes.n > KEPT_MAX_BYTES)
        return false;
    struct item *item = xcalloc(1, sizeof *item);
    *item = (struct item){.uri = xstrdup(uri),
                          .name = xstrndup(name.p, name.n),
                          .mime = mime,
                          .bytes = xmalloc(bytes.n + 1),
                          .n = bytes.n};
    if (bytes.n)
        memcpy(item->bytes, bytes.p, bytes.n);
    pthread_mutex_lock(&k->lock);
    while (k->items && (k->items >= ITEMS_MAX || k->bytes + bytes.n > KEPT_MAX_BYTES))
        drop_first(k);
    *k->end = item;
    k->end = &item->next;
    k->items++;
    k->bytes += bytes.n;
    pthread_mutex_unlock(&k->lock);
    return true;
}

bool kept_read(struct kept *k, const char *uri, struct buf *ret, const char **ret_mime)
{
    pthread_mutex_lock(&k->lock);
    const struct item *item = k->first;
    while (item && strcmp(item->uri, uri) != 0)
        item = item->next;
    if (item) {
        (void)buf_add(ret, item->bytes, item->n);
        *ret_mime = item->mime;
    }
    pthread_mutex_unlock(&k->lock);
    return item != NULL;
}

void kept_list(struct kept *k, json_t *array, size_t room)
{
    pthread_mutex_lock(&k->lock);
    for (const struct item *item = k->first; item && strlen(item->uri) <= room; item = item->next) {
        room -= strlen(item->uri);
        json_array_append_new(array, json_pack("{s:s, s:o, s:s, s:I}", "uri", item->uri, "name",
                                               json_text(str_from(item->name)), "mimeType",
                                               item->mime, "size", (json_int_t)item->n));
    }
    pthread_mutex_unlock(&k->lock);
}
