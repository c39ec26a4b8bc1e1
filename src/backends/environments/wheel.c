/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/wheel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "environments/zip.h"

enum { RECORD_MAX = 32 << 20 };

bool wheel_name(struct str file, struct str *ret_package, struct str *ret_version)
{
    struct str rest = file;

    if (!zip_is_plain(file) || file.n > 255 || !str_ends(file, ".whl") ||
        memchr(file.p, '/', file.n) || !ascii_is_alnum(file.p[0]))
        return false;
    for (size_t i = 0; i < file.n; i++)
        if (!ascii_is_word(file.p[i]) && !strchr(".-+!", file.p[i]))
            return false;
    return str_next(&rest, '-', ret_package) && str_next(&rest, '-', ret_version) &&
           ret_package->n && ret_version->n && rest.n;
}

/* ---- places ---- */

/* "NAME-VERSION.data/scripts/x" */
enum wheel_place wheel_place_of(struct str path, struct str *ret_rest)
{
    struct str rest = path, first, kind;

    *ret_rest = path;
    if (!str_next(&rest, '/', &first) || !str_ends(first, ".data") ||
        !str_next(&rest, '/', &kind) || !rest.n)
        return WHEEL_PACKAGES;
    *ret_rest = rest;
    if (str_is(kind, "purelib") || str_is(kind, "platlib"))
        return WHEEL_PACKAGES;
    if (str_is(kind, "scripts"))
        return WHEEL_SCRIPTS;
    return str_is(kind, "headers") ? WHEEL_HEADERS : WHEEL_DATA;
}

/* What makes an environment. A wheel that brought it would choose what the host shows to guests, or
 * what is started. */
static bool is_own(struct str path)
{
    static const char *const own[] = {
        "bin/python", "pyvenv.cfg", "glovebox.json", "conda-meta", "lib64", ".", NULL};
    struct str rest;

    switch (wheel_place_of(path, &rest)) {
    case WHEEL_SCRIPTS:
        return str_starts(rest, "python");
    case WHEEL_DATA:
        return str_starts_one_of(rest, own);
    case WHEEL_PACKAGES:
    case WHEEL_HEADERS:
    default:
        return false;
    }
}

/* ---- the files ---- */

struct unpacking {
    int folder;
    int fd; /* the file that is being written */
    struct manifest *manifest;
    struct manifest_file *file;
    struct sha256 hash;
    bool is_record;
    struct buf record;
};

/* "NAME-VERSION.dist-info/RECORD" at the top */
static bool is_in_dist_info(struct str path, const char *name)
{
    struct str rest = path, folder;

    return str_next(&rest, '/', &folder) && str_ends(folder, ".dist-info") && str_is(rest, name);
}

static int make_folders(int folder, const char *path)
{
    AUTO_FREE char *copy = xstrdup(path);

    for (char *p = strchr(copy, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (mkdirat(folder, copy, 0755) == 0 && fchmodat(folder, copy, 0755, 0) < 0)
            return -1;
        *p = '/';
    }
    return 0;
}

static int create(struct unpacking *u, const char *path, struct err *err)
{
    u->fd = -1;
    if (u->folder < 0)
        return 0;
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    mode_t mode = u->file->executable ? 0555 : 0444;
    u->fd = openat(u->folder, path, flags, mode);
    if (u->fd < 0 && errno == ENOENT && make_folders(u->folder, path) == 0)
        u->fd = openat(u->folder, path, flags, mode);
    if (u->fd >= 0 && fchmod(u->fd, mode) == 0) /* whatever the umask */
        return 0;
    if (errno == EEXIST || errno == ENOTDIR || errno == EISDIR)
        return err_set(err, ERR_GUEST, "the archive is refused: '%.200s' is a file and a folder",
                       path);
    return err_sys(err, "write %.200s", path);
}

static int wheel_begin(void *ctx, const struct zip_file *file, struct err *err)
{
    struct unpacking *u = ctx;

    if (is_own(file->name))
        return err_set(err, ERR_GUEST,
                       "the wheel is refused: '%.*s' would replace the environment's own",
                       (int)(file->name.n < 200 ? file->name.n : 200), file->name.p);
    u->file = manifest_add(u->manifest, file->name);
    u->file->executable = file->executable;
    u->file->size = file->size;
    u->is_record = is_in_dist_info(file->name, "RECORD");
    if (u->is_record && u->record.n)
        return err_set(err, ERR_GUEST, "the wheel is refused: it has two RECORDs");
    sha256_init(&u->hash);
    return create(u, u->file->path, err);
}

static int wheel_data(void *ctx, const void *p, size_t n, struct err *err)
{
    struct unpacking *u = ctx;

    sha256_add(&u->hash, p, n);
    if (u->is_record && buf_add(&u->record, p, n) < 0)
        return err_set(err, ERR_GUEST, "the wheel is refused: its RECORD is too large");
    if (u->fd >= 0 && fd_write_all(u->fd, p, n) < 0)
        return err_sys(err, "write %.200s", u->file->path);
    return 0;
}

static int wheel_end(void *ctx, struct err *err)
{
    struct unpacking *u = ctx;

    (void)err;
    sha256_hex(&u->hash, u->file->sha256);
    fd_close(&u->fd);
    return 0;
}

/* ---- RECORD ---- */

static unsigned from_hex(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The hash as RECORD has it: base64 with "-" and "_", without "=". */
static void to_base64(const char hex[SHA256_HEX], char ret[44])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned bits = 0, have = 0;
    size_t n = 0;

    for (size_t i = 0; i < SHA256_HEX - 1; i++) {
        bits = (bits << 4 | from_hex(hex[i])) & 0xffff;
        for (have += 4; have >= 6; have -= 6)
            ret[n++] = digits[bits >> (have - 6) & 63];
    }
    ret[n++] = digits[bits << (6 - have) & 63];
    ret[n] = '\0';
}

/* Cuts the first field of a line off; it may be in quotes, with each quote inside doubled. */
static bool take_field(struct str *line, struct buf *ret)
{
    size_t at = 0;

    buf_clear(ret);
    if (!line->n || line->p[0] != '"') {
        const char *comma = line->n ? memchr(line->p, ',', line->n) : NULL;
        at = comma ? (size_t)(comma - line->p) : line->n;
        (void)buf_add(ret, line->p, at);
    } else {
        for (at = 1; at < line->n; at++) {
            if (line->p[at] == '"' && (++at == line->n || line->p[at] != '"'))
                break;
            (void)buf_addc(ret, line->p[at]);
        }
    }
    if (at < line->n && line->p[at] != ',')
        return false;
    *line = str_slice(*line, at < line->n ? at + 1 : line->n, line->n);
    return !ret->overflow;
}

static int wrong_record(struct err *err, const char *path, const char *why)
{
    return err_set(err, ERR_GUEST, "the wheel is refused: '%.200s' %s", path, why);
}

/* Compares a file with its line, and marks it as seen. */
static int check_line(const struct manifest *m, struct str line, struct buf *field, bool *seen,
                      struct err *err)
{
    char want[44];

    if (!take_field(&line, field))
        return err_set(err, ERR_GUEST, "the wheel is refused: its RECORD cannot be read");
    struct manifest_file *file = manifest_find(m, buf_str(field));
    AUTO_FREE char *path = xstrdup(field->p);
    if (!file)
        return zip_is_plain(str_from(path)) && !strstr(path, "__pycache__/")
                   ? wrong_record(err, path, "is in its RECORD and not in the wheel")
                   : err_set(err, ERR_GUEST,
                             "the wheel is refused: its RECORD names a file outside");
    seen[file - m->files] = true;
    if (!take_field(&line, field))
        return err_set(err, ERR_GUEST, "the wheel is refused: its RECORD cannot be read");
    if (!field->n && is_in_dist_info(str_from(path), "RECORD"))
        return 0;
    to_base64(file->sha256, want);
    if (strncmp(field->p, "sha256=", 7) != 0)
        return wrong_record(err, path, "has no SHA-256 in its RECORD");
    return strcmp(field->p + 7, want) == 0
               ? 0
               : wrong_record(err, path, "has other bytes than its RECORD says");
}

static bool may_be_absent(const char *path)
{
    struct str p = str_from(path);

    return is_in_dist_info(p, "RECORD") || is_in_dist_info(p, "RECORD.jws") ||
           is_in_dist_info(p, "RECORD.p7s");
}

static int check_record(const struct manifest *m, struct str record, struct err *err)
{
    AUTO_FREE bool *seen = xcalloc(m->count + 1, sizeof *seen);
    AUTO_BUF struct buf field = {0};
    struct str line;

    if (!record.n)
        return err_set(err, ERR_GUEST, "the wheel is refused: it has no RECORD");
    buf_init(&field, 4096);
    while (str_next_line(&record, &line))
        if (line.n && check_line(m, line, &field, seen, err) < 0)
            return -1;
    for (size_t i = 0; i < m->count; i++)
        if (!seen[i] && !may_be_absent(m->files[i].path))
            return wrong_record(err, m->files[i].path, "is not in its RECORD");
    return 0;
}

int wheel_unpack(struct str bytes, int folder, struct manifest *ret, struct err *err)
{
    struct manifest m = {0};
    struct unpacking u = {.folder = folder, .fd = -1, .manifest = &m};
    const struct zip_sink sink = {&u, wheel_begin, wheel_data, wheel_end};

    buf_init(&u.record, RECORD_MAX);
    int result = zip_read(bytes, &sink, err);
    fd_close(&u.fd);
    manifest_sort(&m);
    if (result == 0)
        result = check_record(&m, buf_str(&u.record), err);
    buf_done(&u.record);
    if (result < 0)
        manifest_done(&m);
    else
        *ret = m;
    return result;
}
