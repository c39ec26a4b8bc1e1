/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of the store share: the connection, its schema, its errors, and the
 * table of columns.
 */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>
#include <stddef.h>

#include "base/buf.h"
#include "store/store.h"

struct store {
    sqlite3 *db;
    sqlite3_stmt *insert; /* NULL when open for reading */
    char *path;
    int64_t busy_until_ns;
    int64_t patience_ms; /* how long to wait for other processes */
    int wal_pages;       /* size as of our last commit */
    int fold_pages;      /* fold the log when it has this size */
};

/* Sets *err to one line on why SQLite refused `doing`; returns -1. */
int store_fail(const struct store *s, int rc, const char *doing, struct err *err);

/* schema.c. Each script turns version i of the schema into i + 1, and sets user_version itself. */
extern const char *const store_migrations[];
extern const int store_version;
/* Makes the schema, or updates it to the version that `count` scripts result in. */
int store_migrate(struct store *s, const char *const scripts[], int count, struct err *err);

/* record.c */
void record_insert_sql(struct buf *sql);
/* "SELECT every column FROM runs", without the code unless with_code. */
void record_select_sql(struct buf *sql, bool with_code);
/* Binds the run's columns. Its strings must live until the statement has run. Returns SQLite's
 * code. */
int record_bind(sqlite3_stmt *insert, const struct run_record *run);
/* Binds a string, of which at most RUN_TEXT_MAX bytes are kept. Returns SQLite's code. */
int record_bind_text(sqlite3_stmt *stmt, int at, struct str s);
/* Reads the current row. The strings belong to the statement, until its next step. */
void record_read(sqlite3_stmt *select, bool with_code, struct run_record *ret);

#endif
