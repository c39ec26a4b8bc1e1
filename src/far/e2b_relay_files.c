/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of a guest of the code interpreter: into its sandbox and back, one request for each. What
 * comes back goes to the guest's loop as a helper would send it, and is checked there.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "far/e2b_relay_parts.h"
#include "jail/lay.h"
#include "net/fetch.h"

enum { DEPTH_MOST = 130, UPLOAD_MOST = FETCH_REQUEST_MAX - (1 << 20) };

#define BYTES_MOST ((uint64_t)256 << 20) /* where the guest has no limit */

/* A path of the workspace as one of the sandbox. The caller frees. */
static char *path_there(struct str path)
{
    return xasprintf(RELAY_WORK "/%.*s", (int)path.n, path.p);
}

/* ---- in ---- */

static int read_bytes(struct e2b_relay *r, size_t n, struct buf *ret, struct err *err)
{
    buf_clear(ret);
    char *room = buf_room(ret, n ? n : 1);

    if (!room || fd_read_exactly(r->sock, room, n) != (ssize_t)n)
        return err_set(err, ERR_SYSTEM, "the input files did not arrive");
    buf_grew(ret, n);
    return 0;
}

static int upload(struct e2b_relay *r, struct str path, struct str bytes, struct err *err)
{
    AUTO_FREE char *there = path_there(path);

    return e2b_put_own_file(r->e2b, there, bytes, r->stop, err) < 0
               ? err_wrap(err, "%.*s", (int)path.n, path.p)
               : 0;
}

static int make_folder(struct e2b_relay *r, struct str path, struct err *err)
{
    AUTO_FREE char *there = path_there(path);

    return e2b_make_folder(r->e2b, there, r->stop, err);
}

/* One record of the stream (jail/lay.h), which our own process writes: 1, and 0 after the last. */
static int take_record(struct e2b_relay *r, struct buf *path, struct buf *content, struct err *err)
{
    if (read_bytes(r, LAY_HEADER, path, err) < 0)
        return -1;
    struct wire head = {.rest = buf_str(path)};
    uint32_t kind = wire_u32(&head), path_n = wire_u32(&head);
    (void)wire_u32(&head);
    uint64_t size = wire_u64(&head);

    if (kind == LAY_END)
        return 0;
    if (path_n > LAY_PATH_MAX || read_bytes(r, path_n, path, err) < 0)
        return -1;
    if (kind == LAY_DIR)
        return make_folder(r, buf_str(path), err) < 0 ? -1 : 1;
    if (size > UPLOAD_MOST)
        return err_set(err, ERR_LIMIT, "%s: backend e2b-interpreter takes files of at most %u MiB",
                       path->p, UPLOAD_MOST >> 20);
    if (read_bytes(r, (size_t)size, content, err) < 0)
        return -1;
    return upload(r, buf_str(path), buf_str(content), err) < 0 ? -1 : 1;
}

int relay_take_input(struct e2b_relay *r, struct err *err)
{
    AUTO_BUF struct buf path = {0}, content = {0};
    int taken = 1;

    buf_init(&path, LAY_PATH_MAX + 1);
    buf_init(&content, UPLOAD_MOST + 1);
    if (e2b_make_folder(r->e2b, RELAY_WORK, r->stop, err) < 0)
        return -1;
    while (r->plan.has_lay && taken > 0)
        taken = take_record(r, &path, &content, err);
    return taken < 0 ? -1 : 0;
}

/* ---- single files ---- */

static void answer(struct e2b_relay *r, int result, const struct err *err)
{
    relay_send_err(r, CONTAINED_DONE, result < 0 ? err : &(struct err){0});
}

void relay_put_begin(struct e2b_relay *r)
{
    buf_done(&r->arriving);
    buf_init(&r->arriving, UPLOAD_MOST);
    r->arriving_full = false;
}

void relay_put_bytes(struct e2b_relay *r, struct str bytes)
{
    r->arriving_full |= buf_add_str(&r->arriving, bytes) < 0;
}

void relay_put_end(struct e2b_relay *r, struct str path)
{
    struct err err;
    int result = r->arriving_full
                     ? err_set(&err, ERR_LIMIT, "the file has more than %u MiB", UPLOAD_MOST >> 20)
                     : relay_awake(r, &err);

    if (result == 0)
        result = upload(r, path, buf_str(&r->arriving), &err);
    buf_done(&r->arriving);
    answer(r, result, &err);
}

void relay_remove(struct e2b_relay *r, struct str path)
{
    AUTO_FREE char *there = path_there(path);
    struct err err;
    int result = relay_awake(r, &err);

    if (result == 0)
        result = e2b_remove_file(r->e2b, there, r->stop, &err);
    answer(r, result, &err);
}

/* ---- out ---- */

struct sending {
    struct e2b_relay *r;
    uint64_t left; /* bytes */
    uint64_t records;
    struct relay_known *known;
    size_t known_count;
};

static void known_done(struct relay_known *known, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(known[i].path);
        free(known[i].changed);
    }
    free(known);
}

void relay_files_done(struct e2b_relay *r)
{
    known_done(r->known, r->known_count);
    r->known = NULL;
    r->known_count = 0;
    buf_done(&r->arriving);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct relay_known *)a)->path, ((const struct relay_known *)b)->path);
}

static bool is_known(const struct e2b_relay *r, const char *path, const struct e2b_entry *entry)
{
    const struct relay_known wanted = {.path = (char *)path};
    const struct relay_known *found =
        r->known_count ? bsearch(&wanted, r->known, r->known_count, sizeof wanted, by_path) : NULL;

    return found && *entry->changed && found->size == entry->size &&
           strcmp(found->changed, entry->changed) == 0;
}

static void put_head(struct buf *b, uint32_t kind, const char *path, unsigned mode, uint64_t size)
{
    buf_init(b, LAY_HEADER + LAY_PATH_MAX + 1);
    wire_put_u32(b, kind);
    wire_put_u32(b, (uint32_t)strlen(path));
    wire_put_u32(b, mode & 0777);
    wire_put_u64(b, size);
    (void)buf_adds(b, path);
}

static void send_head(struct sending *s, uint32_t kind, const char *path, unsigned mode,
                      uint64_t size)
{
    AUTO_BUF struct buf b = {0};

    put_head(&b, kind, path, mode, size);
    relay_send(s->r, CONTAINED_TREE, buf_str(&b));
    s->records++;
}

/* The loop makes something of its kind of it, and says that it was skipped. */
static void leave_out(struct sending *s, const char *path, unsigned mode, uint64_t size)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64 + LAY_PATH_MAX);
    wire_put_u32(&b, mode);
    wire_put_u64(&b, size);
    wire_put_cstr(&b, path);
    relay_send(s->r, CONTAINED_LEFT_OUT, buf_str(&b));
}

static void send_content(struct sending *s, int spool, uint64_t size)
{
    char piece[32 << 10];

    while (size) {
        size_t want = size < sizeof piece ? (size_t)size : sizeof piece;
        ssize_t n = read(spool, piece, want);
        if (n <= 0) {
            s->r->gone = true;
            return;
        }
        relay_send(s->r, CONTAINED_TREE, (struct str){piece, (size_t)n});
        size -= (uint64_t)n;
    }
}

static void note(struct sending *s, const char *path, const struct e2b_entry *entry)
{
    s->known = xrealloc_array(s->known, s->known_count + 1, sizeof *s->known);
    s->known[s->known_count++] =
        (struct relay_known){xstrdup(path), xstrdup(entry->changed), entry->size};
}

static void send_spool(struct sending *s, const struct e2b_entry *entry, const char *path,
                       int spool)
{
    struct stat st;

    if (fstat(spool, &st) < 0 || lseek(spool, 0, SEEK_SET) < 0) {
        s->r->gone = true;
        return;
    }
    if ((uint64_t)st.st_size > s->left) { /* where nothing was left, one byte can have come */
        leave_out(s, path, S_IFREG | entry->mode, (uint64_t)st.st_size);
        return;
    }
    s->left -= (uint64_t)st.st_size;
    send_head(s, LAY_FILE, path, entry->mode, (uint64_t)st.st_size);
    send_content(s, spool, (uint64_t)st.st_size);
    if ((uint64_t)st.st_size == entry->size)
        note(s, path, entry);
}

static int send_file(struct sending *s, const struct e2b_entry *entry, const char *path,
                     struct err *err)
{
    if (entry->size > s->left) {
        leave_out(s, path, S_IFREG | entry->mode, entry->size);
        return 0;
    }
    if (is_known(s->r, path, entry)) {
        s->left -= entry->size;
        note(s, path, entry);
        relay_send(s->r, CONTAINED_KEPT, str_from(path));
        return 0;
    }
    AUTO_CLOSE int spool = fd_spool(err);
    if (spool < 0)
        return -1;
    if (e2b_get_file(s->r->e2b, entry->path, spool, s->left, s->r->stop, err) == 0)
        send_spool(s, entry, path, spool);
    else if (err->kind == ERR_TIMEOUT || err->sys) /* cancelled; no room here */
        return -1;
    else if (err->kind != ERR_USAGE) /* else it was removed meanwhile */
        leave_out(s, path, 0, 0);
    return 0;
}

/* Its path in the workspace; NULL for what is not in it. */
static const char *path_within(const struct e2b_entry *entry)
{
    size_t n = strlen(RELAY_WORK "/");

    if (strncmp(entry->path, RELAY_WORK "/", n) != 0 || lay_path_problem(str_from(entry->path + n)))
        return NULL;
    return entry->path + n;
}

static int send_entry(struct sending *s, const struct e2b_entry *entry, struct err *err)
{
    const char *path = path_within(entry);

    if (!path)
        return 0;
    if (entry->kind == E2B_ENTRY_FILE)
        return send_file(s, entry, path, err);
    if (entry->kind == E2B_ENTRY_FOLDER)
        send_head(s, LAY_DIR, path, entry->mode | 0700, 0);
    else
        leave_out(s, path, entry->kind == E2B_ENTRY_LINK ? S_IFLNK : S_IFIFO, 0);
    return 0;
}

static int send_entries(struct sending *s, struct err *err)
{
    struct e2b_entries entries;

    if (e2b_list_files(s->r->e2b, RELAY_WORK, DEPTH_MOST, s->r->stop, &entries, err) < 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < entries.n && result == 0 && !s->r->gone; i++)
        result = send_entry(s, &entries.at[i], err);
    e2b_entries_done(&entries);
    return result;
}

static void send_end(struct sending *s)
{
    AUTO_BUF struct buf b = {0};

    put_head(&b, LAY_END, "", 0, s->records);
    relay_send(s->r, CONTAINED_TREE, buf_str(&b));
}

static void keep_known(struct sending *s)
{
    struct e2b_relay *r = s->r;

    known_done(r->known, r->known_count);
    r->known = s->known;
    r->known_count = s->known_count;
    if (r->known_count)
        qsort(r->known, r->known_count, sizeof *r->known, by_path);
}

void relay_send_files(struct e2b_relay *r, bool anew)
{
    struct sending s = {.r = r, .left = r->plan.disk_bytes ? r->plan.disk_bytes : BYTES_MOST};
    struct err err;

    if (anew) {
        known_done(r->known, r->known_count);
        r->known = NULL;
        r->known_count = 0;
    }
    int result = relay_awake(r, &err) < 0 ? -1 : send_entries(&s, &err);
    if (result == 0)
        send_end(&s);
    keep_known(&s);
    answer(r, result, &err);
}
