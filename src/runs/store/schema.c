/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "store/db.h"

enum { APPLICATION_ID = 0x476c7662 /* "Glvb" */ };

/* A new version adds a script at the end; earlier scripts never change. */
const char *const store_migrations[] = {
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "INSERT INTO meta VALUES('schema', '1');"
    "CREATE TABLE runs("
    "  seq INTEGER PRIMARY KEY,"
    "  id TEXT NOT NULL UNIQUE,"
    "  time_ms INTEGER NOT NULL,"
    "  source_sha256 TEXT NOT NULL,"
    "  language TEXT NOT NULL,"
    "  backend TEXT NOT NULL,"
    "  program TEXT NOT NULL,"
    "  allowed INTEGER NOT NULL,"
    "  verdict_stage TEXT NOT NULL,"
    "  verdict_reason TEXT NOT NULL,"
    "  limits TEXT NOT NULL,"
    "  isolation TEXT NOT NULL,"
    "  outcome TEXT NOT NULL,"
    "  exit_code INTEGER NOT NULL,"
    "  signal INTEGER NOT NULL,"
    "  duration_ms INTEGER NOT NULL,"
    "  cpu_ms INTEGER NOT NULL,"
    "  max_memory_bytes INTEGER NOT NULL,"
    "  stdout_bytes INTEGER NOT NULL,"
    "  stderr_bytes INTEGER NOT NULL,"
    "  files_count INTEGER NOT NULL,"
    "  denied TEXT NOT NULL,"
    "  attempts INTEGER NOT NULL,"
    "  error TEXT NOT NULL,"
    "  code TEXT);"
    "CREATE INDEX runs_time ON runs(time_ms);"
    "PRAGMA application_id = 0x476c7662;"
    "PRAGMA user_version = 1;",

    "CREATE TABLE usage("
    "  seq INTEGER PRIMARY KEY,"
    "  time_ms INTEGER NOT NULL,"
    "  run_id TEXT NOT NULL,"
    "  component TEXT NOT NULL,"
    "  provider TEXT NOT NULL,"
    "  model TEXT NOT NULL,"
    "  requests INTEGER NOT NULL,"
    "  prompt_tokens INTEGER," /* NULL if unknown, as the others */
    "  completion_tokens INTEGER,"
    "  cached_tokens INTEGER,"
    "  cost REAL);"
    "CREATE INDEX usage_time ON usage(time_ms);"
    "UPDATE meta SET value = '2' WHERE key = 'schema';"
    "PRAGMA user_version = 2;",

    "ALTER TABLE runs ADD COLUMN network TEXT NOT NULL DEFAULT '[]';"
    "UPDATE meta SET value = '3' WHERE key = 'schema';"
    "PRAGMA user_version = 3;",
};

const int store_version = ARRAY_LEN(store_migrations);

static int ask_int(struct store *s, const char *sql, int *ret)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        *ret = sqlite3_column_int(stmt, 0);
    if (rc == SQLITE_OK)
        rc = sqlite3_finalize(stmt);
    return rc;
}

struct marks {
    int version;
    int application_id;
    int tables;
};

static int read_marks(struct store *s, struct marks *ret)
{
    int rc = ask_int(s, "PRAGMA user_version", &ret->version);

    return rc == SQLITE_OK ? ask_int(s, "PRAGMA application_id", &ret->application_id) : rc;
}

/* Reads in one transaction: otherwise another process could make the schema between two reads. */
static int read_marks_and_tables(struct store *s, struct marks *ret)
{
    int rc = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);

    if (rc == SQLITE_OK)
        rc = read_marks(s, ret);
    if (rc == SQLITE_OK)
        rc = ask_int(s, "SELECT count(*) FROM sqlite_schema", &ret->tables);
    sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    return rc;
}

/* Returns -1 if the file belongs to another program: it has content without our mark. */
static int read_version(struct store *s, int *ret_version, struct err *err)
{
    struct marks m = {0};
    int rc = read_marks(s, &m);

    if (rc == SQLITE_OK && m.application_id != APPLICATION_ID)
        rc = read_marks_and_tables(s, &m);
    if (rc == SQLITE_OK && m.application_id != APPLICATION_ID &&
        (m.application_id || m.version || m.tables))
        rc = SQLITE_NOTADB;
    if (rc != SQLITE_OK)
        return store_fail(s, rc, "read", err);
    *ret_version = m.version;
    return 0;
}

/* Makes the settings that must precede the first table: deleted pages can be freed, and writers
 * append to a second file. A change of the journal mode does not call the busy handler in every
 * case of a collision with another process, hence the loop. */
static int prepare_empty(struct store *s)
{
    const int64_t give_up_ms = clock_mono_ms() + 2000;
    const struct timespec pause = {.tv_nsec = 1000000};
    int rc;

    do {
        rc = sqlite3_exec(s->db, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL",
                          NULL, NULL, NULL);
        if ((rc & 0xff) != SQLITE_BUSY)
            return rc;
        nanosleep(&pause, NULL);
    } while (clock_mono_ms() < give_up_ms);
    return rc;
}

static int run_scripts(struct store *s, const char *const scripts[], int count)
{
    int version = 0;
    /* Another process may have made the schema while this one waited. */
    int rc = ask_int(s, "PRAGMA user_version", &version);

    for (int i = version; i < count && rc == SQLITE_OK; i++)
        rc = sqlite3_exec(s->db, scripts[i], NULL, NULL, NULL);
    return rc;
}

static int update(struct store *s, const char *const scripts[], int count)
{
    int rc = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

    if (rc != SQLITE_OK)
        return rc;
    rc = run_scripts(s, scripts, count);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int store_migrate(struct store *s, const char *const scripts[], int count, struct err *err)
{
    int version = 0;

    if (read_version(s, &version, err) < 0)
        return -1;
    if (version > count)
        return err_set(err, ERR_UNSUPPORTED,
                       "run log %.200s has version %d and this program knows up to %d: use a newer "
                       "glovebox, or name another log with --log",
                       s->path, version, count);
    if (version == count)
        return 0;
    int rc = version ? SQLITE_OK : prepare_empty(s);
    if (rc == SQLITE_OK)
        rc = update(s, scripts, count);
    return rc == SQLITE_OK ? 0 : store_fail(s, rc, version ? "update" : "create", err);
}
