/* SPDX-License-Identifier: Apache-2.0 */
#include "store/db.h"

/* Deleting in small transactions lets the writers of other processes in between. */
enum { ROWS_AT_ONCE = 500 };

/* The oldest run that is kept because it is one of the newest `keep_newest`, in the order of the
 * list. If there are fewer runs, none may be deleted. */
struct mark {
    int64_t time_ms;
    int64_t seq;
};

static int find_mark(struct store *s, int64_t keep_newest, struct mark *ret, bool *ret_all_kept)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(
        s->db, "SELECT time_ms, seq FROM runs ORDER BY time_ms DESC, seq DESC LIMIT 1 OFFSET ?1",
        -1, &stmt, NULL);

    *ret = (struct mark){INT64_MAX, INT64_MAX};
    *ret_all_kept = false;
    if (rc != SQLITE_OK || keep_newest <= 0) {
        sqlite3_finalize(stmt);
        return rc;
    }
    sqlite3_bind_int64(stmt, 1, keep_newest - 1);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        *ret = (struct mark){sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1)};
    else
        *ret_all_kept = true;
    return sqlite3_finalize(stmt);
}

static int delete_before(struct store *s, int64_t older_than_ms, struct mark mark,
                         int64_t *ret_deleted)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        sqlite3_prepare_v2(s->db,
                           "DELETE FROM runs WHERE seq IN (SELECT seq FROM runs WHERE time_ms < ?1"
                           " AND (time_ms, seq) < (?2, ?3) ORDER BY time_ms LIMIT ?4)",
                           -1, &stmt, NULL);

    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_int64(stmt, 1, older_than_ms);
    sqlite3_bind_int64(stmt, 2, mark.time_ms);
    sqlite3_bind_int64(stmt, 3, mark.seq);
    sqlite3_bind_int(stmt, 4, ROWS_AT_ONCE);
    do {
        sqlite3_step(stmt);
        rc = sqlite3_reset(stmt); /* returns the step's code again */
        if (rc == SQLITE_OK)
            *ret_deleted += sqlite3_changes(s->db);
    } while (rc == SQLITE_OK && sqlite3_changes(s->db) > 0);
    sqlite3_finalize(stmt);
    return rc;
}

/* Deletes the models' usage that is older than every remaining run and than older_than_ms. */
static int delete_usage(struct store *s, int64_t older_than_ms)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db,
                                "DELETE FROM usage WHERE time_ms < min(?1, (SELECT"
                                " coalesce(min(time_ms), ?1) FROM runs))",
                                -1, &stmt, NULL);

    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_int64(stmt, 1, older_than_ms);
    (void)sqlite3_step(stmt);
    return sqlite3_finalize(stmt);
}

/* Free pages are moved to the end of the file and cut off; the file itself shrinks when the
 * write-ahead log is folded in. A concurrent reader only delays this until another fold. */
static int give_back(struct store *s)
{
    int rc = sqlite3_exec(s->db, "PRAGMA incremental_vacuum", NULL, NULL, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return (rc & 0xff) == SQLITE_BUSY ? SQLITE_OK : rc;
}

int store_prune(struct store *s, int64_t older_than_ms, int64_t keep_newest, int64_t *ret_deleted,
                struct err *err)
{
    struct mark mark;
    bool all_kept;
    int64_t deleted = 0;
    int rc = find_mark(s, keep_newest, &mark, &all_kept);

    if (rc == SQLITE_OK && !all_kept)
        rc = delete_before(s, older_than_ms, mark, &deleted);
    if (rc == SQLITE_OK && !all_kept)
        rc = delete_usage(s, older_than_ms);
    if (rc == SQLITE_OK)
        rc = give_back(s);
    if (rc != SQLITE_OK)
        return store_fail(s, rc, "prune", err);
    *ret_deleted = deleted;
    return 0;
}
