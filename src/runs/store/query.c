/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "store/db.h"

/* ---- which runs ---- */

enum { SQL_MAX = 4096 };

static const struct condition {
    const char *parameter;
    const char *sql;
    size_t offset;
    enum { TIME, TEXT, OUTCOME } kind;
} conditions[] = {
    {":since", " AND time_ms >= :since", offsetof(struct store_query, since_ms), TIME},
    {":until", " AND time_ms < :until", offsetof(struct store_query, until_ms), TIME},
    {":outcome", " AND outcome = :outcome", offsetof(struct store_query, outcome), OUTCOME},
    {":language", " AND language = :language", offsetof(struct store_query, language), TEXT},
    {":backend", " AND backend = :backend", offsetof(struct store_query, backend), TEXT},
    {":hash", " AND substr(source_sha256, 1, length(:hash)) = :hash",
     offsetof(struct store_query, sha256_prefix), TEXT},
    {":text", " AND (instr(program, :text) OR instr(verdict_reason, :text) OR instr(error, :text))",
     offsetof(struct store_query, text), TEXT},
};

static bool is_asked(const struct condition *c, const void *field)
{
    switch (c->kind) {
    case TIME:
        return *(const int64_t *)field != 0;
    case TEXT:
        return *(const char *const *)field != NULL;
    case OUTCOME:
        return *(const enum run_outcome *)field != OUTCOME_NONE;
    }
    return false;
}

static int bind_condition(sqlite3_stmt *stmt, const struct condition *c, const void *field)
{
    int at = sqlite3_bind_parameter_index(stmt, c->parameter);

    switch (c->kind) {
    case TIME:
        return sqlite3_bind_int64(stmt, at, *(const int64_t *)field);
    case TEXT:
        return sqlite3_bind_text(stmt, at, *(const char *const *)field, -1, SQLITE_STATIC);
    case OUTCOME:
        return sqlite3_bind_text(stmt, at, run_outcome_name(*(const enum run_outcome *)field), -1,
                                 SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

static int bind_number(sqlite3_stmt *stmt, const char *parameter, int64_t value)
{
    int at = sqlite3_bind_parameter_index(stmt, parameter);

    return at ? sqlite3_bind_int64(stmt, at, value) : SQLITE_OK;
}

/* Prepares the statement: `head`, WHERE with the query's conditions, `tail`. */
static int query_prepare(struct store *s, const struct store_query *q, const char *head,
                         const char *tail, sqlite3_stmt **ret)
{
    AUTO_BUF struct buf sql = {0};
    buf_init(&sql, SQL_MAX);

    buf_addf(&sql, "%s WHERE 1", head);
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
        if (is_asked(&conditions[i], (const char *)q + conditions[i].offset))
            buf_adds(&sql, conditions[i].sql);
    buf_adds(&sql, tail);

    int rc = sqlite3_prepare_v2(s->db, sql.p, (int)sql.n, ret, NULL);
    for (size_t i = 0; i < ARRAY_LEN(conditions) && rc == SQLITE_OK; i++) {
        const void *field = (const char *)q + conditions[i].offset;
        if (is_asked(&conditions[i], field))
            rc = bind_condition(*ret, &conditions[i], field);
    }
    return rc;
}

/* ---- list and get ---- */

int store_list(struct store *s, const struct store_query *query, store_row_fn row, void *ctx,
               struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct run_record run;
    AUTO_BUF struct buf head = {0};
    buf_init(&head, SQL_MAX);

    record_select_sql(&head, false);
    int rc = query_prepare(s, query, head.p,
                           " ORDER BY time_ms DESC, seq DESC LIMIT :limit OFFSET :offset", &stmt);
    if (rc == SQLITE_OK)
        rc = bind_number(stmt, ":limit", query->limit ? query->limit : -1);
    if (rc == SQLITE_OK)
        rc = bind_number(stmt, ":offset", query->offset);
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        record_read(stmt, false, &run);
        if (row(&run, ctx) != 0)
            break;
    }
    /* sqlite3_finalize returns the code of a failed step again. */
    int end = sqlite3_finalize(stmt);
    rc = rc == SQLITE_OK ? end : rc;
    return rc == SQLITE_OK ? 0 : store_fail(s, rc, "read", err);
}

/* Prepares a statement for the first two runs with ids that begin with id, in order, so that an
 * exact match is first. */
static int prepare_get(struct store *s, const char *id, sqlite3_stmt **ret)
{
    AUTO_BUF struct buf sql = {0};
    buf_init(&sql, SQL_MAX);

    record_select_sql(&sql, true);
    /* Ids are compared as bytes, and nothing in UTF-8 sorts after the last code point. */
    buf_adds(&sql, " WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id LIMIT 2");
    int rc = sqlite3_prepare_v2(s->db, sql.p, (int)sql.n, ret, NULL);
    return rc == SQLITE_OK ? sqlite3_bind_text(*ret, 1, id, -1, SQLITE_STATIC) : rc;
}

int store_get(struct store *s, const char *id, struct run_record *ret, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct run_record run = {0};
    int result = 1, rc = prepare_get(s, id, &stmt);

    if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        struct run_record first;
        record_read(stmt, true, &first);
        run_record_copy(&first, &run);
        result = 0;
        if (!str_is(run.id, id) && sqlite3_step(stmt) == SQLITE_ROW)
            result =
                err_set(err, ERR_USAGE, "several runs begin with '%.64s'; give more of the id", id);
    }
    int end = sqlite3_finalize(stmt);
    rc = rc == SQLITE_OK ? end : rc;
    if (rc != SQLITE_OK)
        result = store_fail(s, rc, "read", err);
    if (result == 0)
        *ret = run;
    else
        run_record_done(&run);
    return result;
}

/* ---- statistics ---- */

static int64_t column(sqlite3_stmt *stmt, int i)
{
    return sqlite3_column_int64(stmt, i);
}

static void add_total(struct store_stats *st, sqlite3_stmt *stmt)
{
    st->runs = column(stmt, 0);
    st->first_ms = column(stmt, 1);
    st->last_ms = column(stmt, 2);
    st->duration_max_ms = column(stmt, 3);
    st->cpu_total_ms = column(stmt, 4);
}

static void add_outcome(struct store_stats *st, sqlite3_stmt *stmt)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 0);

    st->by_outcome[run_outcome_parse(str_from(name))] += column(stmt, 1);
}

static void add_count(struct store_count *counts, int *count, int max, sqlite3_stmt *stmt)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    struct str s = str_from(name);

    if (*count == max)
        return;
    struct store_count *c = &counts[(*count)++];
    s = str_slice(s, 0, utf8_cut(s, sizeof c->name - 1));
    if (s.n)
        memcpy(c->name, s.p, s.n);
    c->runs = column(stmt, 1);
}

static void query_add_language(struct store_stats *st, sqlite3_stmt *stmt)
{
    add_count(st->by_language, &st->language_count, STORE_LANGUAGES, stmt);
}

static void add_day(struct store_stats *st, sqlite3_stmt *stmt)
{
    add_count(st->by_day, &st->day_count, STORE_DAYS, stmt);
}

static void set_p50(struct store_stats *st, sqlite3_stmt *stmt)
{
    st->duration_p50_ms = column(stmt, 0);
}

static void set_p95(struct store_stats *st, sqlite3_stmt *stmt)
{
    st->duration_p95_ms = column(stmt, 0);
}

#define BY_DURATION "SELECT duration_ms FROM runs", " ORDER BY duration_ms LIMIT 1 OFFSET :offset"

/* total(), because sum() would refuse a log with numbers that overflow. */
static const struct question {
    const char *head;
    const char *tail;
    int percentile;
    void (*row)(struct store_stats *st, sqlite3_stmt *stmt);
} questions[] = {
    {"SELECT count(*), min(time_ms), max(time_ms), max(duration_ms), CAST(total(cpu_ms) AS "
     "INTEGER) "
     "FROM runs",
     "", 0, add_total},
    {"SELECT outcome, count(*) FROM runs", " GROUP BY outcome", 0, add_outcome},
    {"SELECT coalesce(nullif(language, ''), 'unknown'), count(*) FROM runs",
     " GROUP BY language ORDER BY count(*) DESC, language", 0, query_add_language},
    {"SELECT date(time_ms / 1000, 'unixepoch', 'localtime') AS day, count(*) FROM runs",
     " GROUP BY day ORDER BY day DESC", 0, add_day},
    {BY_DURATION, 50, set_p50},
    {BY_DURATION, 95, set_p95},
};

/* The position of the p-th percentile among n sorted values (nearest rank). */
static int64_t rank(int64_t n, int p)
{
    return n > 0 ? (n * p + 99) / 100 - 1 : 0;
}

static int query_answer(struct store *s, const struct store_query *q,
                        const struct question *question, struct store_stats *st)
{
    sqlite3_stmt *stmt = NULL;
    int rc = query_prepare(s, q, question->head, question->tail, &stmt);

    if (rc == SQLITE_OK)
        rc = bind_number(stmt, ":offset", rank(st->runs, question->percentile));
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        question->row(st, stmt);
    int end = sqlite3_finalize(stmt);
    return rc == SQLITE_OK ? end : rc;
}

int store_stats(struct store *s, const struct store_query *query, struct store_stats *ret,
                struct err *err)
{
    struct store_stats st = {0};
    /* One transaction, so that the figures agree with each other while others write. */
    int rc = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);

    for (size_t i = 0; i < ARRAY_LEN(questions) && rc == SQLITE_OK; i++)
        rc = query_answer(s, query, &questions[i], &st);
    sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return store_fail(s, rc, "read", err);
    *ret = st;
    return 0;
}
