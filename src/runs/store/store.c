/* SPDX-License-Identifier: Apache-2.0
 *
 * How the log stays fast and safe. The file is in write-ahead mode with synchronous=NORMAL: a
 * commit is a few writes to the -wal file and waits for no disk; only a checkpoint (here: to fold)
 * that copies this file into the main one does. The last process to close does not fold (it would
 * cost milliseconds at the end of each run), so the next one to open finds the -wal file and reads
 * all of it. It is folded at opening, while the guest runs, as soon as that costs more than it
 * saves. A process that stays open folds every WAL_PAGES_MAX pages, after a transaction: SQLite
 * refuses to fold within a transaction. SQLite starts the -wal file again only when no reader uses
 * it, and there may always be a reader. So a process that writes transactions, which has a thread
 * for that, waits for the readers when the file has WAL_PAGES_MOST pages. Readers that start
 * meanwhile find everything in the main file.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "options/user_file.h"
#include "store/db.h"

enum {
    BUSY_MS = 2000,
    PAUSE_MAX_US = 5000,
    WAL_OPEN_MAX = 256 << 10, /* bytes */
    WAL_PAGES_MAX = 256,
    WAL_PAGES_MOST = 1024,
    FOLD_MS = 1000,
    VALUE_MAX = 8 << 20, /* the longest value that SQLite may build or read */
};

/* ---- errors ---- */

static const struct {
    int rc;
    enum err_kind kind;
    int sys;
    const char *why;
} failures[] = {
    {SQLITE_NOTADB, ERR_USAGE, 0, "it is not a run log; move it away or name another with --log"},
    {SQLITE_CORRUPT, ERR_SYSTEM, EIO, "it is damaged; move it away or name another with --log"},
    {SQLITE_BUSY, ERR_TIMEOUT, 0, "another process has held it for two seconds"},
    {SQLITE_FULL, ERR_SYSTEM, ENOSPC, "the disk is full"},
    {SQLITE_READONLY, ERR_SYSTEM, EROFS, "it is read-only"},
    {SQLITE_CONSTRAINT, ERR_USAGE, EEXIST, "a run with this id is there already"},
};

int store_fail(const struct store *s, int rc, const char *doing, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(failures); i++) {
        if ((rc & 0xff) != failures[i].rc)
            continue;
        err_set(err, failures[i].kind, "%s run log %.200s: %s", doing, s->path, failures[i].why);
        err->sys = failures[i].sys;
        return -1;
    }
    int sys = s->db ? sqlite3_system_errno(s->db) : 0;
    err_set(err, ERR_SYSTEM, "%s run log %.200s: %s%s%s", doing, s->path, sqlite3_errstr(rc),
            sys ? ": " : "", sys ? strerror(sys) : "");
    err->sys = sys;
    return -1;
}

/* ---- the file ---- */

int store_default_path(char **ret, struct err *err)
{
    char *path = user_file_state("log.db");
    const char *state = getenv("XDG_STATE_HOME"), *home = user_file_missing_home();

    if (home && !(state && state[0] == '/')) {
        free(path);
        return err_set(err, ERR_UNSUPPORTED,
                       "the run log has no path, because there is no folder %.200s ($HOME); name a "
                       "file with --log",
                       home);
    }
    if (path)
        *ret = path;
    else if (geteuid() == 0)
        *ret = xstrdup("/var/lib/glovebox/log.db");
    else
        return err_set(err, ERR_UNSUPPORTED,
                       "the run log has no path, because $HOME is not set; name a file with --log");
    return 0;
}

static int make_parents(const char *path, struct err *err)
{
    AUTO_FREE char *folder = xstrdup(path);

    if (user_file_make_folders(folder) == 0)
        return 0;
    return err_sys(err, "make folder %.100s for run log %.200s", folder, path);
}

/* O_EXCL, because closing a descriptor of a database that this process has open elsewhere would
 * drop its locks (fcntl(2), "Record locks are not preserved"). */
static int create_new(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int create_file(const char *path, unsigned flags, struct err *err)
{
    AUTO_CLOSE int fd = create_new(path);

    if (fd < 0 && errno == ENOENT && flags & STORE_FOLDERS) {
        if (make_parents(path, err) < 0)
            return -1;
        fd = create_new(path);
    }
    if (fd < 0 && errno != EEXIST)
        return err_sys(err, "create run log %.200s", path);
    return 0;
}

static int check_file(const char *path, unsigned flags, struct err *err)
{
    struct stat st;
    bool may_create = (flags & STORE_CREATE) == STORE_CREATE;

    if (!*path)
        return err_set(err, ERR_USAGE, "run log: its name is empty; name a file with --log");
    if (stat(path, &st) < 0 && errno == ENOENT && may_create && create_file(path, flags, err) < 0)
        return -1;
    if (stat(path, &st) < 0)
        return err_sys(err, "open run log %.200s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_USAGE, "run log %.200s: it is %s; name a file with --log", path,
                       S_ISDIR(st.st_mode) ? "a folder" : "not a file");
    return 0;
}

/* ---- the connection ---- */

/* SQLite's own handler waits from 1 ms up to 100 ms between attempts. Our commits take 50
 * microseconds, so this handler tries again sooner. */
static int wait_for_others(void *ctx, int count)
{
    struct store *s = ctx;
    int64_t now = clock_mono_ns();

    if (count == 0)
        s->busy_until_ns = now + s->patience_ms * 1000000;
    if (now >= s->busy_until_ns)
        return 0;
    long us = 50L * (count + 1);
    struct timespec pause = {.tv_nsec = 1000 * (us < PAUSE_MAX_US ? us : PAUSE_MAX_US)};
    nanosleep(&pause, NULL);
    return 1;
}

static int note_wal_size(void *ctx, sqlite3 *db, const char *name, int pages)
{
    struct store *s = ctx;

    (void)db;
    (void)name;
    if (pages < s->wal_pages) /* SQLite started the file again */
        s->fold_pages = WAL_PAGES_MAX;
    s->wal_pages = pages;
    return SQLITE_OK;
}

/* The log is data that another user may have written: its schema may not call our functions. */
static void configure(struct store *s)
{
    s->patience_ms = BUSY_MS;
    s->fold_pages = WAL_PAGES_MAX;
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_handler(s->db, wait_for_others, s);
    sqlite3_wal_hook(s->db, note_wal_size, s);
    sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

/* Folds as much as possible within patience_ms; another process or a later call folds the rest. */
static void fold_wal(struct store *s, int mode, int64_t patience_ms)
{
    s->patience_ms = patience_ms;
    sqlite3_wal_checkpoint_v2(s->db, NULL, mode, NULL, NULL);
    s->patience_ms = BUSY_MS;
    s->fold_pages = s->wal_pages + WAL_PAGES_MAX;
}

static void fold_long_wal(struct store *s)
{
    const char *wal = sqlite3_filename_wal(sqlite3_db_filename(s->db, "main"));
    struct stat st;

    if (wal && stat(wal, &st) == 0 && st.st_size > WAL_OPEN_MAX)
        fold_wal(s, SQLITE_CHECKPOINT_TRUNCATE, 0);
}

static int prepare_insert(struct store *s)
{
    AUTO_BUF struct buf sql = {0};
    buf_init(&sql, 4096);

    record_insert_sql(&sql);
    return sqlite3_prepare_v3(s->db, sql.p, (int)sql.n, SQLITE_PREPARE_PERSISTENT, &s->insert,
                              NULL);
}

/* SQLite gives some names a special meaning, such as ":memory:" and "file:..."; no path that we
 * pass begins like these. */
static int store_open_file(struct store *s)
{
    AUTO_FREE char *path = xasprintf("%s%s", s->path[0] == '/' ? "" : "./", s->path);

    return sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
}

static int store_start(struct store *s, unsigned flags, struct err *err)
{
    static const char pragmas[] =
        "PRAGMA synchronous = NORMAL;"
        "PRAGMA journal_size_limit = 4194304"; /* bytes: a file that a reader made longer is cut */
    int rc = store_open_file(s);

    if (rc != SQLITE_OK)
        return store_fail(s, rc, "open", err);
    configure(s);
    if ((flags & STORE_WRITE) && sqlite3_db_readonly(s->db, "main") == 1)
        return store_fail(s, SQLITE_READONLY, "write", err);
    if (store_migrate(s, store_migrations, store_version, err) < 0)
        return -1;
    rc = sqlite3_exec(s->db, pragmas, NULL, NULL, NULL);
    if (rc == SQLITE_OK && (flags & STORE_WRITE))
        rc = prepare_insert(s);
    if (rc != SQLITE_OK)
        return store_fail(s, rc, "open", err);
    if (flags & STORE_WRITE)
        fold_long_wal(s);
    return 0;
}

int store_open(const char *path, unsigned flags, struct store **ret, struct err *err)
{
    if (check_file(path, flags, err) < 0)
        return -1;
    struct store *s = xcalloc(1, sizeof *s);
    s->path = xstrdup(path);
    if (store_start(s, flags, err) < 0) {
        store_close(s);
        return -1;
    }
    *ret = s;
    return 0;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_finalize(s->insert);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

/* ---- append ---- */

static bool is_id(struct str id)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

    for (size_t i = 0; i < id.n; i++)
        if (!memchr(allowed, id.p[i], sizeof allowed - 1))
            return false;
    return id.n > 0 && id.n <= RUN_ID_MAX;
}

int store_append(struct store *s, const struct run_record *run, struct err *err)
{
    if (!s->insert)
        return err_set(err, ERR_BUG, "run log %.200s is open for reading only", s->path);
    if (!is_id(run->id) || !*run_outcome_name(run->outcome))
        return err_set(err, ERR_BUG, "run log %.200s: a run has no valid id or outcome", s->path);

    int rc = record_bind(s->insert, run);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s->insert);
    sqlite3_reset(s->insert);
    sqlite3_clear_bindings(s->insert);
    if (rc != SQLITE_DONE)
        return store_fail(s, rc, "append to", err);
    if (s->wal_pages > s->fold_pages && sqlite3_get_autocommit(s->db))
        fold_wal(s, SQLITE_CHECKPOINT_PASSIVE, 0);
    return 0;
}

int store_begin(struct store *s, struct err *err)
{
    int rc = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

    return rc == SQLITE_OK ? 0 : store_fail(s, rc, "append to", err);
}

int store_commit(struct store *s, struct err *err)
{
    int rc = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);

    if (rc != SQLITE_OK) {
        store_fail(s, rc, "append to", err);
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
        return -1;
    }
    bool wait = s->wal_pages > WAL_PAGES_MOST;
    if (s->wal_pages > s->fold_pages)
        fold_wal(s, wait ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE,
                 wait ? FOLD_MS : 0);
    return 0;
}
