/* SPDX-License-Identifier: Apache-2.0
 *
 * An archive is found as zipimport finds it: by the record at its end. A comment of up to 64 KiB
 * may follow the record, and the list of members ends before it. The list is searched up to the end
 * of the file, because the name of its last member can extend past the record. In the ZIP64 format,
 * the list's size is in the record before this one.
 */
#include "run/beside_content.h"

#include <errno.h>
#include <string.h>

#include "policy/policy.h"

#define ELF                                                                                        \
    "\x7f"                                                                                         \
    "ELF"
#define END    "PK\x05\x06"
#define END_64 "PK\x06\x06"
#define MEMBER "PK\x01\x02"

enum {
    END_SIZE = 22,
    END_64_SIZE = 76, /* with its locator */
    COMMENT_MAX = 65535,
    TAIL_MAX = COMMENT_MAX + END_SIZE + END_64_SIZE,
    MEMBER_SIZE = 46,
    LIST_MAX = 16 << 20,
    READ_MAX = 256 << 20, /* of all files, in one search */
};

bool beside_counts(const struct beside *b, const struct code_file *row)
{
    return row && (b->reviews || policy_reads(str_from(row->language)));
}

static int read_from(struct beside *b, const struct workspace_entry *entry, uint64_t at,
                     struct buf *ret, struct err *err)
{
    for (;;) {
        char *room = buf_room(ret, 65536);
        ssize_t got = room ? workspace_entry_read(entry, at, room, 65536) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_sys(err, "read a file of the workspace");
        if (!room)
            return err_set(err, ERR_LIMIT, "a file of the workspace grows while it is read");
        if (got == 0)
            return 0;
        buf_grew(ret, (size_t)got);
        at += (uint64_t)got;
        b->read += (uint64_t)got;
        if (b->read > READ_MAX)
            return err_set(
                err, ERR_LIMIT,
                "the files of the workspace have more than %d MiB that must be read, and "
                "unread programs may not run here",
                READ_MAX >> 20);
    }
}

int beside_content(struct beside *b, const struct workspace_entry *entry, struct buf *ret,
                   struct err *err)
{
    ret->limit += 65536; /* room for the read that finds the end */
    return read_from(b, entry, 0, ret, err);
}

static uint32_t beside_content_number(const char *p, size_t bytes)
{
    uint32_t n = 0;

    while (bytes--)
        n = n << 8 | (unsigned char)p[bytes];
    return n;
}

static bool is_module(const struct beside *b, struct str name)
{
    return beside_counts(b, code_file_of(name));
}

/* Returns the position of the record in the last bytes of a file; -1 if there is none, so that it
 * is no archive. */
static long find_end(struct str tail)
{
    for (size_t at = tail.n >= END_SIZE ? tail.n - END_SIZE + 1 : 0; at--;)
        if (memcmp(tail.p + at, END, 4) == 0)
            return (long)at;
    return -1;
}

static bool has_module(const struct beside *b, struct str list)
{
    const char *at = list.p, *end = list.p + list.n;

    while ((at = memmem(at, (size_t)(end - at), MEMBER, 4))) {
        size_t left = (size_t)(end - at);
        size_t n = left > MEMBER_SIZE ? beside_content_number(at + 28, 2) : 0;
        if (n && n <= left - MEMBER_SIZE && is_module(b, (struct str){at + MEMBER_SIZE, n}))
            return true;
        at += 4;
    }
    return false;
}

static int look_into_archive(struct beside *b, const struct workspace_entry *entry, uint64_t from,
                             const char **ret, struct err *err)
{
    AUTO_BUF struct buf list = {0};

    buf_init(&list, LIST_MAX + TAIL_MAX + 2 * 65536);
    if (read_from(b, entry, from, &list, err) < 0)
        return -1;
    if (has_module(b, buf_str(&list)))
        *ret = "an archive with modules";
    return 0;
}

int beside_unread_content(struct beside *b, const struct workspace_entry *entry, const char **ret,
                          struct err *err)
{
    uint64_t from = entry->size > TAIL_MAX ? entry->size - TAIL_MAX : 0;
    AUTO_BUF struct buf tail = {0};
    char head[4];

    if (workspace_entry_read(entry, 0, head, sizeof head) == (ssize_t)sizeof head &&
        memcmp(head, ELF, sizeof head) == 0) {
        *ret = "machine code";
        return 0;
    }
    buf_init(&tail, TAIL_MAX + 2 * 65536);
    if (read_from(b, entry, from, &tail, err) < 0)
        return -1;
    long end = find_end(buf_str(&tail));
    if (end < 0)
        return 0;
    uint64_t list = beside_content_number(tail.p + end + 12, 4), at = from + (uint64_t)end;
    if (end >= END_64_SIZE && memcmp(tail.p + end - END_64_SIZE, END_64, 4) == 0)
        *ret = "an archive in the ZIP64 format";
    else if (list > LIST_MAX)
        *ret = "an archive with too long a list of members";
    else
        return look_into_archive(b, entry, list < at ? at - list : 0, ret, err);
    return 0;
}
