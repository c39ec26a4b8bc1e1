/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "store/db.h"

enum kind { TEXT, LINE, OBJECT, ARRAY, CODE, NUMBER, BOOL, OUTCOME };

static const struct column {
    const char *name;
    enum kind kind;
    size_t offset;
} columns[] = {
#define COLUMN(kind, field)                                                                        \
    {                                                                                              \
#field, kind, offsetof(struct run_record, field)                                           \
    }
    COLUMN(TEXT, id),
    COLUMN(NUMBER, time_ms),
    COLUMN(TEXT, source_sha256),
    COLUMN(TEXT, language),
    COLUMN(TEXT, backend),
    COLUMN(TEXT, program),
    COLUMN(BOOL, allowed),
    COLUMN(TEXT, verdict_stage),
    COLUMN(TEXT, verdict_reason),
    COLUMN(OBJECT, limits),
    COLUMN(TEXT, isolation),
    COLUMN(OUTCOME, outcome),
    COLUMN(NUMBER, exit_code),
    COLUMN(NUMBER, signal),
    COLUMN(NUMBER, duration_ms),
    COLUMN(NUMBER, cpu_ms),
    COLUMN(NUMBER, max_memory_bytes),
    COLUMN(NUMBER, stdout_bytes),
    COLUMN(NUMBER, stderr_bytes),
    COLUMN(NUMBER, files_count),
    COLUMN(ARRAY, denied),
    COLUMN(ARRAY, network),
    COLUMN(NUMBER, attempts),
    COLUMN(LINE, error),
    COLUMN(CODE, code), /* last, so that a list can leave it out */
#undef COLUMN
};

enum { COLUMN_COUNT = ARRAY_LEN(columns) };

static const char *const outcome_names[OUTCOME_COUNT] = {
    [OUTCOME_NONE] = "",           [OUTCOME_OK] = "ok",           [OUTCOME_FAILED] = "failed",
    [OUTCOME_SIGNAL] = "signal",   [OUTCOME_TIMEOUT] = "timeout", [OUTCOME_OOM] = "oom",
    [OUTCOME_REFUSED] = "refused", [OUTCOME_ERROR] = "error",
};

const char *run_outcome_name(enum run_outcome outcome)
{
    return (unsigned)outcome < OUTCOME_COUNT ? outcome_names[outcome] : "";
}

enum run_outcome run_outcome_parse(struct str name)
{
    for (int i = OUTCOME_OK; i < OUTCOME_COUNT; i++)
        if (str_is(name, outcome_names[i]))
            return (enum run_outcome)i;
    return OUTCOME_NONE;
}

const char *run_outcome_names(void)
{
    return "ok, failed, signal, timeout, oom, refused, error";
}

static void add_names(struct buf *sql, int count)
{
    for (int i = 0; i < count; i++)
        buf_addf(sql, "%s%s", i ? "," : "", columns[i].name);
}

void record_insert_sql(struct buf *sql)
{
    buf_adds(sql, "INSERT INTO runs(");
    add_names(sql, COLUMN_COUNT);
    buf_adds(sql, ") VALUES(");
    for (int i = 0; i < COLUMN_COUNT; i++)
        buf_adds(sql, i ? ",?" : "?");
    buf_adds(sql, ")");
}

void record_select_sql(struct buf *sql, bool with_code)
{
    buf_adds(sql, "SELECT ");
    add_names(sql, with_code ? COLUMN_COUNT : COLUMN_COUNT - 1);
    buf_adds(sql, " FROM runs");
}

/* Binds bytes that are not UTF-8, or that contain NUL, which SQLite's functions take for the
 * end. */
static int bind_dirty(sqlite3_stmt *stmt, int at, struct str s)
{
    AUTO_BUF struct buf clean = {0};
    buf_init(&clean, 3 * s.n); /* each byte becomes U+FFFD at worst */

    while (s.n) {
        const char *nul = memchr(s.p, '\0', s.n);
        size_t n = nul ? (size_t)(nul - s.p) : s.n;
        utf8_add_clean(&clean, str_slice(s, 0, n));
        if (nul)
            buf_adds(&clean, "\xEF\xBF\xBD");
        s = str_slice(s, nul ? n + 1 : n, s.n);
    }
    return sqlite3_bind_text64(stmt, at, clean.p, clean.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int bind_text(sqlite3_stmt *stmt, int at, struct str s)
{
    if (!s.n)
        return sqlite3_bind_text(stmt, at, "", 0, SQLITE_STATIC);
    if (memchr(s.p, '\0', s.n) || !utf8_valid(s))
        return bind_dirty(stmt, at, s);
    return sqlite3_bind_text64(stmt, at, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
}

static struct str first_line(struct str s)
{
    struct str line = {s.p, 0};

    str_next_line(&s, &line);
    return line;
}

/* Returns the string as it will be stored. */
static struct str trimmed(enum kind kind, struct str s)
{
    if (kind == OBJECT || kind == ARRAY)
        return s.n && s.n <= RUN_JSON_MAX ? s : kind == OBJECT ? STR("{}") : STR("[]");
    if (kind == LINE)
        s = first_line(s);
    if (kind != CODE && s.n > RUN_TEXT_MAX)
        s.n = utf8_cut(s, RUN_TEXT_MAX);
    return s;
}

static int bind_column(sqlite3_stmt *stmt, int at, const struct column *column,
                       const struct run_record *run)
{
    const void *field = (const char *)run + column->offset;

    switch (column->kind) {
    case NUMBER:
        return sqlite3_bind_int64(stmt, at, *(const int64_t *)field);
    case BOOL:
        return sqlite3_bind_int(stmt, at, *(const bool *)field);
    case OUTCOME:
        return sqlite3_bind_text(stmt, at, run_outcome_name(*(const enum run_outcome *)field), -1,
                                 SQLITE_STATIC);
    case CODE:
        if (!run->code.p || run->code.n > RUN_CODE_MAX)
            return sqlite3_bind_null(stmt, at);
        break;
    case TEXT:
    case LINE:
    case OBJECT:
    case ARRAY:
        break;
    }
    return bind_text(stmt, at, trimmed(column->kind, *(const struct str *)field));
}

int record_bind_text(sqlite3_stmt *stmt, int at, struct str s)
{
    return bind_text(stmt, at, trimmed(TEXT, s));
}

int record_bind(sqlite3_stmt *insert, const struct run_record *run)
{
    int rc = SQLITE_OK;

    for (int i = 0; i < COLUMN_COUNT && rc == SQLITE_OK; i++)
        rc = bind_column(insert, i + 1, &columns[i], run);
    return rc;
}

static struct str record_read_text(sqlite3_stmt *stmt, int at)
{
    const char *p =
        (const char *)sqlite3_column_text(stmt, at); /* before the length, as documented */

    return (struct str){p, p ? (size_t)sqlite3_column_bytes(stmt, at) : 0};
}

void record_read(sqlite3_stmt *select, bool with_code, struct run_record *ret)
{
    *ret = (struct run_record){0};
    for (int i = 0; i < COLUMN_COUNT - !with_code; i++) {
        void *field = (char *)ret + columns[i].offset;
        switch (columns[i].kind) {
        case NUMBER:
            *(int64_t *)field = sqlite3_column_int64(select, i);
            break;
        case BOOL:
            *(bool *)field = sqlite3_column_int(select, i) != 0;
            break;
        case OUTCOME:
            *(enum run_outcome *)field = run_outcome_parse(record_read_text(select, i));
            break;
        case TEXT:
        case LINE:
        case OBJECT:
        case ARRAY:
        case CODE:
            *(struct str *)field = record_read_text(select, i);
            break;
        }
    }
}

static struct str *text_at(struct run_record *run, int i)
{
    enum kind kind = columns[i].kind;

    if (kind == NUMBER || kind == BOOL || kind == OUTCOME)
        return NULL;
    struct str *s = (struct str *)((char *)run + columns[i].offset);
    return s->p ? s : NULL;
}

void run_record_copy(const struct run_record *run, struct run_record *ret)
{
    size_t total = 0;

    *ret = *run;
    for (int i = 0; i < COLUMN_COUNT; i++)
        total += text_at(ret, i) ? text_at(ret, i)->n + 1 : 0;
    char *to = ret->memory = xmalloc(total + 1);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        struct str *s = text_at(ret, i);
        if (!s)
            continue;
        memcpy(to, s->p, s->n);
        to[s->n] = '\0';
        s->p = to;
        to += s->n + 1;
    }
}

void run_record_done(struct run_record *run)
{
    mem_free_ptr(&run->memory);
    *run = (struct run_record){0};
}
