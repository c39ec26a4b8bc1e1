/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest is dead, and its folder is read as the guest left it: nothing in it is trusted, and no
 * link is followed.
 */
#include "routes/collect.h"

#include "base/fd.h"
#include "base/utf8.h"

static const char *collect_read_content(const struct result *r, const struct file_entry *f,
                                        struct buf *b)
{
    uint64_t size = 0;
    struct err err;
    AUTO_CLOSE int fd = result_file_open(r, f->path, &size, &err);

    if (fd < 0)
        return "cannot be read";
    if (size != f->size)
        return "changed meanwhile";
    buf_init(b, (size_t)f->size + 1);
    return fd_read_all(fd, b) < 0 || b->n != f->size ? "cannot be read" : NULL;
}

void collect_contents(json_t *document, const struct result *r, uint64_t max_bytes)
{
    json_t *list = json_object_get(document, "files");

    for (size_t i = 0; i < r->files.count; i++) {
        const struct file_entry *f = &r->files.entries[i];
        json_t *object = json_array_get(list, i);
        AUTO_BUF struct buf content = {0}, text = {0};
        if (!object || f->is_dir || f->change == FILE_DELETED)
            continue;
        const char *why = f->size > max_bytes ? "larger than what is left of collect_bytes"
                                              : collect_read_content(r, f, &content);
        if (why) {
            json_object_set_new(object, "content_skipped", json_string(why));
            continue;
        }
        max_bytes -= f->size;
        buf_init(&text, 2 * content.n + 8);
        (void)base64_add(&text, buf_str(&content));
        json_object_set_new(object, "content_base64", json_stringn(text.p, text.n));
        json_object_set_new(object, "content_mode", json_integer(f->mode & 0777));
    }
}
