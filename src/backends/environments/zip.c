/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/zip.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/utf8.h"

enum {
    END_SIZE = 22,   /* "end of central directory", without its comment */
    ENTRY_SIZE = 46, /* an entry of the central directory, without name, extra field, comment */
    LOCAL_SIZE = 30, /* the head before a file's bytes, without name and extra field */
    COMMENT_MAX = 65535,
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1,
    CHUNK = 64 << 10,
};

struct entry {
    struct zip_file file;
    uint32_t method, crc;
    uint64_t at, packed; /* of the local head; the size of the packed bytes */
    bool is_folder;
};

struct zip {
    const unsigned char *p;
    size_t n;
    struct entry *entries;
    size_t count;
};

static uint32_t zip_u16(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t zip_u32(const unsigned char *p)
{
    return zip_u16(p) | zip_u16(p + 2) << 16;
}

static int zip_refuse(struct err *err, const char *why)
{
    return err_set(err, ERR_GUEST, "the archive is refused: %s", why);
}

static int refuse_file(struct err *err, struct str name, const char *why)
{
    bool readable = zip_is_plain(name);

    return err_set(err, ERR_GUEST, "the archive is refused: %s%.*s%s%s", readable ? "'" : "a file",
                   readable ? (int)(name.n < 200 ? name.n : 200) : 0, name.p, readable ? "' " : " ",
                   why);
}

/* ---- names ---- */

bool zip_is_plain(struct str name)
{
    struct str rest = name, part;
    unsigned depth = 0;

    if (!name.n || name.n > ZIP_NAME_MAX || name.p[name.n - 1] == '/' || !utf8_valid(name))
        return false;
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f || name.p[i] == '\\')
            return false;
    while (str_next(&rest, '/', &part))
        if (!part.n || part.n > 255 || str_is(part, ".") || str_is(part, "..") ||
            ++depth > ZIP_DEPTH_MAX)
            return false;
    return true;
}

/* ---- the central directory ---- */

/* Finds the last record that ends where the archive ends. NULL if there is none. */
static const unsigned char *find_end(const struct zip *z)
{
    size_t most = z->n < END_SIZE ? 0 : z->n - END_SIZE;
    size_t least = most > COMMENT_MAX ? most - COMMENT_MAX : 0;

    if (z->n < END_SIZE)
        return NULL;
    for (size_t at = most + 1; at-- > least;) {
        const unsigned char *p = z->p + at;
        if (memcmp(p, "PK\5\6", 4) == 0 && at + END_SIZE + zip_u16(p + 20) == z->n)
            return p;
    }
    return NULL;
}

/* The upper half of the attributes is a Unix mode, or 0. */
static int read_mode(const unsigned char *p, struct entry *e, struct err *err)
{
    uint32_t mode = zip_u32(p + 38) >> 16;

    if (S_ISLNK(mode))
        return refuse_file(err, e->file.name, "is a link");
    if ((mode & S_IFMT) && !S_ISREG(mode) && !S_ISDIR(mode))
        return refuse_file(err, e->file.name, "is neither a file nor a folder");
    if (S_ISDIR(mode) && !e->is_folder)
        return refuse_file(err, e->file.name, "is a folder with a file's name");
    e->file.executable = mode & 0111;
    return 0;
}

static int read_entry(const unsigned char *p, struct entry *e, struct err *err)
{
    struct str name = {(const char *)p + ENTRY_SIZE, zip_u16(p + 28)};

    e->is_folder = name.n && name.p[name.n - 1] == '/';
    e->file.name = e->is_folder ? str_slice(name, 0, name.n - 1) : name;
    e->method = zip_u16(p + 10);
    e->crc = zip_u32(p + 16);
    e->packed = zip_u32(p + 20);
    e->file.size = zip_u32(p + 24);
    e->at = zip_u32(p + 42);
    if (!zip_is_plain(e->file.name))
        return zip_refuse(err, "a name in it is not a plain relative path");
    if (zip_u16(p + 8) & ENCRYPTED)
        return refuse_file(err, e->file.name, "is encrypted");
    if (e->method != STORED && e->method != DEFLATED)
        return refuse_file(err, e->file.name, "is packed in an unknown way");
    if (e->packed == UINT32_MAX || e->file.size == UINT32_MAX || e->at == UINT32_MAX)
        return zip_refuse(err, "it is in the format zip64");
    if (e->is_folder && (e->file.size || e->packed > 2))
        return refuse_file(err, e->file.name, "is a folder with content");
    if (e->method == STORED && e->packed != e->file.size)
        return refuse_file(err, e->file.name, "has a wrong size");
    return read_mode(p, e, err);
}

static int read_directory(struct zip *z, struct err *err)
{
    const unsigned char *end = find_end(z);
    uint64_t total = 0;

    if (!end)
        return zip_refuse(err, "it is not a zip file, or a part is missing");
    size_t count = zip_u16(end + 10), size = zip_u32(end + 12), at = zip_u32(end + 16);
    if (zip_u16(end + 4) || zip_u16(end + 6) || zip_u16(end + 8) != count)
        return zip_refuse(err, "it is one of several parts");
    if (count > ZIP_FILES_MAX || at == UINT32_MAX)
        return zip_refuse(err, "it has too many files, or is in the format zip64");
    if (at > (size_t)(end - z->p) || size != (size_t)(end - z->p) - at)
        return zip_refuse(err, "its directory is not where it should be");
    z->entries = xcalloc(count + 1, sizeof *z->entries);
    for (const unsigned char *p = z->p + at; z->count < count; z->count++) {
        size_t left = (size_t)(end - p);
        if (left < ENTRY_SIZE || memcmp(p, "PK\1\2", 4) != 0)
            return zip_refuse(err, "its directory is damaged");
        size_t whole = (size_t)ENTRY_SIZE + zip_u16(p + 28) + zip_u16(p + 30) + zip_u16(p + 32);
        if (left < whole)
            return zip_refuse(err, "its directory is damaged");
        struct entry *e = &z->entries[z->count];
        if (read_entry(p, e, err) < 0)
            return -1;
        if ((total += e->file.size) > ZIP_BYTES_MAX)
            return zip_refuse(err, "its files are too large");
        p += whole;
    }
    return 0;
}

/* ---- what no single entry shows ---- */

static int zip_by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

/* The position of a file's packed bytes, after its local head, whose name must be the same. */
static int find_bytes(const struct zip *z, const struct entry *e, uint64_t *ret, struct err *err)
{
    size_t name = e->file.name.n + e->is_folder;

    if (e->at > z->n || z->n - e->at < LOCAL_SIZE || memcmp(z->p + e->at, "PK\3\4", 4) != 0)
        return refuse_file(err, e->file.name, "is not where it should be");
    const unsigned char *p = z->p + e->at;
    uint64_t begin = e->at + LOCAL_SIZE + zip_u16(p + 26) + zip_u16(p + 28);
    if (zip_u16(p + 26) != name || begin > z->n || z->n - begin < e->packed ||
        memcmp(p + LOCAL_SIZE, e->file.name.p, name) != 0)
        return refuse_file(err, e->file.name, "has another name or size in its head");
    *ret = begin;
    return 0;
}

/* Entries that share bytes make a small archive large. */
static int check_places(struct zip *z, struct err *err)
{
    uint64_t free_from = 0, begin = 0;

    qsort(z->entries, z->count, sizeof *z->entries, zip_by_place);
    for (size_t i = 0; i < z->count; i++) {
        const struct entry *e = &z->entries[i];
        if (e->at < free_from)
            return refuse_file(err, e->file.name, "shares bytes with another file");
        if (find_bytes(z, e, &begin, err) < 0)
            return -1;
        free_from = begin + e->packed;
    }
    return 0;
}

static int zip_by_name(const void *a, const void *b)
{
    const struct str *x = &((const struct entry *const *)a)[0]->file.name;
    const struct str *y = &((const struct entry *const *)b)[0]->file.name;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

    return order ? order : x->n < y->n ? -1 : x->n > y->n;
}

static int check_names(const struct zip *z, struct err *err)
{
    AUTO_FREE const struct entry **sorted = xcalloc(z->count + 1, sizeof(struct entry *));

    for (size_t i = 0; i < z->count; i++)
        sorted[i] = &z->entries[i];
    if (z->count)
        qsort(sorted, z->count, sizeof *sorted, zip_by_name);
    for (size_t i = 1; i < z->count; i++)
        if (zip_by_name(&sorted[i - 1], &sorted[i]) == 0)
            return refuse_file(err, sorted[i]->file.name, "is there twice");
    return 0;
}

/* ---- content ---- */

struct unpacking {
    const struct zip_sink *sink;
    uint64_t left;
    uLong crc;
};

static int give(struct unpacking *u, const struct entry *e, const void *p, size_t n,
                struct err *err)
{
    if (n > u->left)
        return refuse_file(err, e->file.name, "has more bytes than announced");
    u->left -= n;
    u->crc = crc32_z(u->crc, p, n);
    return u->sink->data(u->sink->ctx, p, n, err);
}

static int inflate_bytes(struct unpacking *u, const struct entry *e, const unsigned char *p,
                         struct err *err)
{
    AUTO_FREE unsigned char *out = xmalloc(CHUNK);
    z_stream s = {.next_in = (unsigned char *)p, .avail_in = (uInt)e->packed};
    int state = inflateInit2(&s, -MAX_WBITS), result = 0;

    if (state != Z_OK)
        return err_set(err, ERR_SYSTEM, "no memory to unpack an archive");
    while (result == 0 && state != Z_STREAM_END) {
        s.next_out = out;
        s.avail_out = CHUNK;
        state = inflate(&s, Z_NO_FLUSH);
        if ((state != Z_OK && state != Z_STREAM_END) || (state == Z_OK && s.avail_out == CHUNK))
            result = refuse_file(err, e->file.name, "cannot be unpacked");
        else
            result = give(u, e, out, CHUNK - s.avail_out, err);
    }
    if (result == 0 && s.avail_in)
        result = refuse_file(err, e->file.name, "has bytes after its end");
    inflateEnd(&s);
    return result;
}

static int read_file(const struct zip *z, const struct entry *e, const struct zip_sink *sink,
                     struct err *err)
{
    struct unpacking u = {.sink = sink, .left = e->file.size, .crc = crc32_z(0, NULL, 0)};
    uint64_t begin = 0;

    if (find_bytes(z, e, &begin, err) < 0)
        return -1;
    if (e->is_folder)
        return 0;
    const unsigned char *p = z->p + begin;
    if (sink->begin(sink->ctx, &e->file, err) < 0)
        return -1;
    int result =
        e->method == STORED ? give(&u, e, p, e->packed, err) : inflate_bytes(&u, e, p, err);
    if (result == 0 && (u.left || u.crc != e->crc))
        result = refuse_file(err, e->file.name, u.left ? "is too short" : "has a wrong checksum");
    if (result == 0)
        result = sink->end(sink->ctx, err);
    return result;
}

int zip_read(struct str bytes, const struct zip_sink *sink, struct err *err)
{
    struct zip z = {.p = (const unsigned char *)bytes.p, .n = bytes.n};
    int result = read_directory(&z, err);

    if (result == 0)
        result = check_places(&z, err);
    if (result == 0)
        result = check_names(&z, err);
    for (size_t i = 0; i < z.count && result == 0; i++)
        result = read_file(&z, &z.entries[i], sink, err);
    free(z.entries);
    return result;
}
