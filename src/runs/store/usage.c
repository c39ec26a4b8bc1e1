/* SPDX-License-Identifier: Apache-2.0 */
#include "store/usage.h"

#include <string.h>

#include "base/mem.h"
#include "store/db.h"

/* ---- writing ---- */

static int bind_known(sqlite3_stmt *stmt, int at, bool known, int64_t value)
{
    return known ? sqlite3_bind_int64(stmt, at, value) : sqlite3_bind_null(stmt, at);
}

static int usage_bind(sqlite3_stmt *stmt, const struct usage_record *r)
{
    const struct str texts[] = {r->run_id, r->component, r->provider, r->model};
    const int64_t tokens[] = {r->prompt_tokens, r->completion_tokens, r->cached_tokens};
    int at = 1, rc = sqlite3_bind_int64(stmt, at, r->time_ms);

    for (size_t i = 0; i < ARRAY_LEN(texts) && rc == SQLITE_OK; i++)
        rc = record_bind_text(stmt, ++at, texts[i]);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, ++at, r->requests);
    for (size_t i = 0; i < ARRAY_LEN(tokens) && rc == SQLITE_OK; i++)
        rc = bind_known(stmt, ++at, r->tokens_known, tokens[i]);
    if (rc == SQLITE_OK)
        rc = r->cost_known ? sqlite3_bind_double(stmt, ++at, r->cost)
                           : sqlite3_bind_null(stmt, ++at);
    return rc;
}

static int usage_append(struct store *s, const struct usage_record *record, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(
        s->db,
        "INSERT INTO usage(time_ms, run_id, component, provider, model, requests, prompt_tokens,"
        " completion_tokens, cached_tokens, cost) VALUES(?,?,?,?,?,?,?,?,?,?)",
        -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = usage_bind(stmt, record);
    if (rc == SQLITE_OK)
        (void)sqlite3_step(stmt);
    int end = sqlite3_finalize(stmt); /* returns the code of a failed step again */
    rc = rc == SQLITE_OK ? end : rc;
    return rc == SQLITE_OK ? 0 : store_fail(s, rc, "append to", err);
}

int usage_log(const char *log, const struct usage_record *records, size_t n, struct err *err)
{
    AUTO_FREE char *path = log ? xstrdup(log) : NULL;
    struct store *s = NULL;
    int status = 0;

    if ((log && strcmp(log, "off") == 0) || n == 0)
        return 0;
    if ((!path && store_default_path(&path, err) < 0) ||
        store_open(path, STORE_CREATE | (log ? 0 : STORE_FOLDERS), &s, err) < 0)
        return -1;
    for (size_t i = 0; i < n && status == 0; i++)
        status = usage_append(s, &records[i], err);
    store_close(s);
    return status;
}

/* ---- sums ---- */

static const struct {
    const char *name, *order;
} groups[] = {
    [USAGE_BY_DAY] = {"date(time_ms / 1000, 'unixepoch', 'localtime')", "name DESC"},
    [USAGE_BY_MODEL] = {"provider || '/' || model", "cost DESC, prompt DESC, name"},
    [USAGE_BY_COMPONENT] = {"component", "cost DESC, prompt DESC, name"},
    [USAGE_TOTAL] = {"''", "name"},
};

/* total(), because sum() would refuse a log with numbers that overflow. */
static void add_sql(struct buf *sql, enum usage_by by)
{
    (void)buf_addf(
        sql,
        "SELECT %s AS name, count(DISTINCT nullif(run_id, '')), CAST(total(requests) AS INTEGER),"
        " CAST(total(prompt_tokens) AS INTEGER) AS prompt,"
        " CAST(total(completion_tokens) AS INTEGER), CAST(total(cached_tokens) AS INTEGER),"
        " total(cost) AS cost,"
        " CAST(total(requests) FILTER (WHERE prompt_tokens IS NULL) AS INTEGER),"
        " CAST(total(requests) FILTER (WHERE cost IS NULL) AS INTEGER)"
        " FROM usage WHERE time_ms >= ?1 GROUP BY name ORDER BY %s",
        groups[by].name, groups[by].order);
}

static struct usage_sum read_sum(sqlite3_stmt *stmt)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 0);

    return (struct usage_sum){
        .name = str_from(name),
        .runs = sqlite3_column_int64(stmt, 1),
        .requests = sqlite3_column_int64(stmt, 2),
        .prompt_tokens = sqlite3_column_int64(stmt, 3),
        .completion_tokens = sqlite3_column_int64(stmt, 4),
        .cached_tokens = sqlite3_column_int64(stmt, 5),
        .cost = sqlite3_column_double(stmt, 6),
        .without_tokens = sqlite3_column_int64(stmt, 7),
        .without_cost = sqlite3_column_int64(stmt, 8),
    };
}

int usage_sums(struct store *s, enum usage_by by, int64_t since_ms, usage_row_fn row, void *ctx,
               struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    AUTO_BUF struct buf sql = {0};

    buf_init(&sql, 4096);
    add_sql(&sql, by);
    int rc = sqlite3_prepare_v2(s->db, sql.p, (int)sql.n, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, since_ms);
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        struct usage_sum sum = read_sum(stmt);
        row(&sum, ctx);
    }
    int end = sqlite3_finalize(stmt);
    rc = rc == SQLITE_OK ? end : rc;
    return rc == SQLITE_OK ? 0 : store_fail(s, rc, "read", err);
}
