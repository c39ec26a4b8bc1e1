/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/kept.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"

enum { ITEMS_MAX = 1000 };

struct item {
    struct item *next;
    struct owner *owner;
    char *uri, *name;
    const char *mime;
    char *bytes;
    size_t n;
};

/* An owner that has or had items here. It is kept until kept_free. */
struct owner {
    struct owner *next;
    char *name;
    size_t bytes, items;
};

struct kept {
    pthread_mutex_t lock;
    struct owner *owners;
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

static struct owner *owner_of(struct kept *k, const char *name)
{
    struct owner *owner = k->owners;

    while (owner && strcmp(owner->name, name) != 0)
        owner = owner->next;
    if (owner)
        return owner;
    owner = xcalloc(1, sizeof *owner);
    *owner = (struct owner){.next = k->owners, .name = xstrdup(name)};
    return k->owners = owner;
}

/* The owner's share of both limits, so that items without bytes count, too. */
static size_t weight(const struct owner *owner)
{
    return owner->bytes / (KEPT_MAX_BYTES / ITEMS_MAX) + owner->items;
}

static const struct owner *largest_owner(const struct kept *k)
{
    const struct owner *largest = k->owners;

    for (const struct owner *o = k->owners; o; o = o->next)
        if (weight(o) > weight(largest))
            largest = o;
    return largest;
}

/* Drops the owner's oldest item. */
static void drop_oldest(struct kept *k, const struct owner *owner)
{
    struct item **at = &k->first;

    while ((*at)->owner != owner)
        at = &(*at)->next;
    struct item *item = *at;
    *at = item->next;
    if (k->end == &item->next)
        k->end = at;
    k->items--;
    k->bytes -= item->n;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an item has an owner */
    item->owner->items--;
    item->owner->bytes -= item->n;
    free(item->uri);
    free(item->name);
    free(item->bytes);
    free(item);
}

void kept_free(struct kept *k)
{
    while (k->first)
        drop_oldest(k, k->first->owner);
    for (struct owner *owner; (owner = k->owners);) {
        k->owners = owner->next;
        free(owner->name);
        free(owner);
    }
    pthread_mutex_destroy(&k->lock);
    free(k);
}

static void kept_append(struct kept *k, struct item *item)
{
    *k->end = item;
    k->end = &item->next;
    k->items++;
    k->bytes += item->n;
    item->owner->items++;
    item->owner->bytes += item->n;
}

bool kept_add(struct kept *k, const char *owner, const char *uri, struct str name, const char *mime,
              struct str bytes)
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
        drop_oldest(k, largest_owner(k));
    item->owner = owner_of(k, owner);
    kept_append(k, item);
    pthread_mutex_unlock(&k->lock);
    return true;
}

static bool is_owners(const struct item *item, const char *owner)
{
    return strcmp(item->owner->name, owner) == 0;
}

bool kept_read(struct kept *k, const char *owner, const char *uri, struct buf *ret,
               const char **ret_mime)
{
    pthread_mutex_lock(&k->lock);
    const struct item *item = k->first;
    while (item && (strcmp(item->uri, uri) != 0 || !is_owners(item, owner)))
        item = item->next;
    if (item) {
        (void)buf_add(ret, item->bytes, item->n);
        *ret_mime = item->mime;
    }
    pthread_mutex_unlock(&k->lock);
    return item != NULL;
}

void kept_list(struct kept *k, const char *owner, json_t *array)
{
    pthread_mutex_lock(&k->lock);
    for (const struct item *item = k->first; item; item = item->next) {
        if (!is_owners(item, owner))
            continue;
        json_array_append_new(array, json_pack("{s:s, s:o, s:s, s:I}", "uri", item->uri, "name",
                                               json_text(str_from(item->name)), "mimeType",
                                               item->mime, "size", (json_int_t)item->n));
    }
    pthread_mutex_unlock(&k->lock);
}
