/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log: what it keeps, finds, counts and deletes, and where it lies.
 */
#include "store/store.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/db.h"
#include "store_common.h"
#include "tap.h"

/* ---- what goes in comes out ---- */

static void check_same(const struct run_record *got, const struct run_record *want)
{
    OK(str_eq(got->id, want->id) && str_eq(got->source_sha256, want->source_sha256), "id, hash");
    OK(str_eq(got->language, want->language) && str_eq(got->backend, want->backend), "where");
    OK(str_eq(got->program, want->program), "program");
    OK(str_eq(got->verdict_stage, want->verdict_stage), "stage");
    OK(str_eq(got->verdict_reason, want->verdict_reason), "reason");
    OK(str_eq(got->limits, want->limits) && str_eq(got->denied, want->denied) &&
           str_eq(got->network, want->network),
       "JSON");
    OK(str_eq(got->isolation, want->isolation) && str_eq(got->error, want->error), "layers, error");
    EQ_INT(got->time_ms, want->time_ms);
    EQ_INT(got->allowed, want->allowed);
    EQ_INT(got->outcome, want->outcome);
    EQ_INT(got->exit_code, want->exit_code);
    EQ_INT(got->signal, want->signal);
    EQ_INT(got->duration_ms, want->duration_ms);
    EQ_INT(got->cpu_ms, want->cpu_ms);
    EQ_INT(got->max_memory_bytes, want->max_memory_bytes);
    EQ_INT(got->stdout_bytes, want->stdout_bytes);
    EQ_INT(got->stderr_bytes, want->stderr_bytes);
    EQ_INT(got->files_count, want->files_count);
    EQ_INT(got->attempts, want->attempts);
}

static void test_round_trip(void)
{
    refuse_open(in_folder("a/b/log.db"), STORE_CREATE, ERR_SYSTEM, "No such file or directory");
    struct store *s = open_log(in_folder("a/b/log.db"), STORE_CREATE | STORE_FOLDERS);
    struct run_record run = sample("r-1", 1700000000123), got;
    struct stat st;

    run.allowed = false;
    run.verdict_stage = STR("imports");
    run.verdict_reason = STR("import of 'ctypes'");
    run.outcome = OUTCOME_SIGNAL;
    run.exit_code = 139;
    run.signal = 11;
    run.max_memory_bytes = 5LL << 32;
    run.stderr_bytes = 7;
    run.files_count = 2;
    run.network = STR("[{\"host\":\"a.b\",\"port\":443}]");
    run.denied = STR("[{\"syscall\":\"ptrace\",\"count\":3}]");
    run.attempts = 2;
    run.error = STR("na\xC3\xAFve");
    run.code = STR("print(1)\nprint(2)\n");
    OK(s, "opens a log whose folders are missing");
    EQ_INT(store_append(s, &run, &err), 0);
    EQ_INT(store_get(s, "r-1", &got, &err), 0);
    check_same(&got, &run);
    OK(str_eq(got.code, run.code), "code");
    run_record_done(&got);

    EQ_INT(stat(in_folder("a/b/log.db"), &st), 0);
    EQ_INT(st.st_mode & 0777, 0600);
    EQ_INT(stat(in_folder("a/b/log.db-wal"), &st), 0);
    EQ_INT(st.st_mode & 0777, 0600);
    EQ_INT(stat(in_folder("a/b"), &st), 0);
    EQ_INT(st.st_mode & 0777, 0700);
    store_close(s);
}

static void check_kept(struct store *s, const char *id, size_t offset, const char *want)
{
    struct run_record got = {0};

    EQ_INT(store_get(s, id, &got, &err), 0);
    EQ_STR(((struct str *)((char *)&got + offset))->p, want);
    run_record_done(&got);
}

static void test_hostile_text(void)
{
    struct store *s = open_log(in_folder("hostile.db"), STORE_CREATE);
    static char big[RUN_CODE_MAX + 2];
    struct run_record run = sample("nul", 1), got = {0};

    run.program = STR("a\0b\xFF'); DROP TABLE runs;--");
    EQ_INT(store_append(s, &run, &err), 0);
    check_kept(s, "nul", offsetof(struct run_record, program),
               "a\xEF\xBF\xBD"
               "b\xEF\xBF\xBD'); DROP TABLE runs;--");

    run = sample("line", 2);
    run.error = STR("first\nsecond");
    EQ_INT(store_append(s, &run, &err), 0);
    check_kept(s, "line", offsetof(struct run_record, error), "first");

    memset(big, 'x', sizeof big - 1);
    memcpy(big + RUN_TEXT_MAX - 1, "\xC3\xA9", 2); /* one character across the ceiling */
    run = sample("big", 3);
    run.error = run.denied = run.limits = run.code = (struct str){big, sizeof big - 1};
    EQ_INT(store_append(s, &run, &err), 0);
    EQ_INT(store_get(s, "big", &got, &err), 0);
    EQ_INT(got.error.n, RUN_TEXT_MAX - 1);
    EQ_STR(got.denied.p, "[]");
    EQ_STR(got.limits.p, "{}");
    OK(got.code.p == NULL, "code above the ceiling is not kept");
    run_record_done(&got);

    run = sample("full", 4);
    run.code = (struct str){big, RUN_CODE_MAX};
    EQ_INT(store_append(s, &run, &err), 0);
    EQ_INT(store_get(s, "full", &got, &err), 0);
    EQ_INT(got.code.n, RUN_CODE_MAX);
    run_record_done(&got);
    store_close(s);
}

static void refuse(struct store *s, struct run_record run, enum err_kind kind, const char *what)
{
    err = (struct err){0};
    OK(store_append(s, &run, &err) == -1 && err.kind == kind && one_line(err.msg), "refuses %s: %s",
       what, err.msg);
}

static void test_bad_records(void)
{
    struct store *s = open_log(in_folder("bad.db"), STORE_CREATE);
    struct run_record run = sample("same", 1);
    static const char long_id[] =
        "0123456789012345678901234567890123456789012345678901234567890123x";

    EQ_INT(store_append(s, &run, &err), 0);
    refuse(s, run, ERR_USAGE, "an id that is there");
    refuse(s, sample("", 1), ERR_BUG, "an empty id");
    refuse(s, sample("a b", 1), ERR_BUG, "a blank in an id");
    refuse(s, sample(long_id, 1), ERR_BUG, "a long id");
    run = sample("none", 1);
    run.outcome = OUTCOME_NONE;
    refuse(s, run, ERR_BUG, "a run without outcome");
    run = sample("after", 1);
    EQ_INT(store_append(s, &run, &err), 0);
    EQ_INT(count(s, (struct store_query){0}), 2);
    store_close(s);
    s = open_log(in_folder("bad.db"), STORE_READ);
    refuse(s, sample("ro", 1), ERR_BUG, "to write when open for reading");
    store_close(s);
}

/* ---- queries ---- */

struct seen {
    char first[32], last[32];
    int rows, stop_after;
};

static int note(const struct run_record *run, void *ctx)
{
    struct seen *seen = ctx;

    snprintf(seen->rows ? seen->last : seen->first, sizeof seen->first, "%.*s", (int)run->id.n,
             run->id.p);
    return ++seen->rows == seen->stop_after;
}

static struct seen list(struct store *s, struct store_query q, int stop_after)
{
    struct seen seen = {.stop_after = stop_after};

    EQ_INT(store_list(s, &q, note, &seen, &err), 0);
    return seen;
}

static void test_list(struct store *s)
{
    struct seen seen = list(s, (struct store_query){0}, 0);
    EQ_INT(seen.rows, 100);
    EQ_STR(seen.first, "run-099");
    EQ_STR(seen.last, "run-000");
    seen = list(s, (struct store_query){.limit = 5, .offset = 10}, 0);
    EQ_INT(seen.rows, 5);
    EQ_STR(seen.first, "run-089");
    EQ_STR(seen.last, "run-085");
    EQ_INT(list(s, (struct store_query){0}, 3).rows, 3);

    EQ_INT(count(s, (struct store_query){.since_ms = 1000090}), 10);
    EQ_INT(count(s, (struct store_query){.until_ms = 1000090}), 90);
    EQ_INT(count(s, (struct store_query){.since_ms = 1000010, .until_ms = 1000020}), 10);
    EQ_INT(count(s, (struct store_query){.outcome = OUTCOME_FAILED}), 25);
    EQ_INT(count(s, (struct store_query){.outcome = OUTCOME_OOM}), 0);
    EQ_INT(count(s, (struct store_query){.language = "shell"}), 50);
    EQ_INT(count(s, (struct store_query){.backend = "docker"}), 10);
    EQ_INT(count(s, (struct store_query){.sha256_prefix = "abc"}), 1);
    EQ_INT(count(s, (struct store_query){.sha256_prefix = "bc"}), 0);
    EQ_INT(count(s, (struct store_query){.text = "division by"}), 1);
    EQ_INT(count(s, (struct store_query){.text = "%"}), 0);
    EQ_INT(count(s, (struct store_query){.text = "' OR 1 --"}), 0);
    EQ_INT(count(s, (struct store_query){.outcome = OUTCOME_OK,
                                         .language = "python",
                                         .backend = "jail",
                                         .sha256_prefix = "ff",
                                         .text = "x.py",
                                         .since_ms = 1000050,
                                         .until_ms = 1000054}),
           1);
}

static void test_get(struct store *s)
{
    struct run_record got = {0};
    struct run_record shorter = sample("run-04", 1);

    EQ_INT(store_get(s, "run-042", &got, &err), 0);
    EQ_STR(got.error.p, "ZeroDivisionError: division by zero");
    run_record_done(&got);
    EQ_INT(store_get(s, "nothing", &got, &err), 1);
    EQ_INT(store_get(s, "run-1", &got, &err), 1);
    EQ_INT(store_get(s, "run-04", &got, &err), -1);
    EQ_INT(err.kind, ERR_USAGE);
    EQ_INT(store_get(s, "", &got, &err), -1);
    OK(got.memory == NULL, "nothing is handed out on failure");
    EQ_INT(store_append(s, &shorter, &err), 0);
    EQ_INT(store_get(s, "run-04", &got, &err), 0); /* exact goes before longer ones */
    EQ_STR(got.id.p, "run-04");
    run_record_done(&got);
    EQ_INT(store_get(s, "run-00", &got, &err), -1);
}

static void test_stats(struct store *s)
{
    struct store_query all = {0}, old = {.until_ms = 1000010}, none = {.language = "cobol"};
    struct store_stats st;

    EQ_INT(store_stats(s, &all, &st, &err), 0);
    EQ_INT(st.runs, 100);
    EQ_INT(st.by_outcome[OUTCOME_OK], 75);
    EQ_INT(st.by_outcome[OUTCOME_FAILED], 25);
    EQ_INT(st.by_outcome[OUTCOME_NONE], 0);
    EQ_INT(st.language_count, 2);
    EQ_STR(st.by_language[0].name, "python");
    EQ_INT(st.by_language[0].runs, 50);
    EQ_INT(st.day_count, 1);
    EQ_STR(st.by_day[0].name, "1970-01-01");
    EQ_INT(st.by_day[0].runs, 100);
    EQ_INT(st.duration_p50_ms, 50);
    EQ_INT(st.duration_p95_ms, 95);
    EQ_INT(st.duration_max_ms, 100);
    EQ_INT(st.cpu_total_ms, 1000);
    EQ_INT(st.first_ms, 1000000);
    EQ_INT(st.last_ms, 1000099);
    EQ_INT(store_stats(s, &old, &st, &err), 0);
    EQ_INT(st.runs, 10);
    EQ_INT(st.duration_p95_ms, 10);
    EQ_INT(store_stats(s, &none, &st, &err), 0);
    EQ_INT(st.runs + st.duration_max_ms + st.language_count + st.day_count, 0);
}

static void test_queries(void)
{
    struct store *s = open_log(in_folder("query.db"), STORE_CREATE);

    EQ_INT(count(s, (struct store_query){0}), 0);
    fill(s);
    test_list(s);
    test_stats(s);
    test_get(s);
    store_close(s);
}

/* Days and languages are bounded, also when a guest's driver makes up thousands. */
static void test_stats_ceilings(void)
{
    struct store *s = open_log(in_folder("many.db"), STORE_CREATE);
    struct store_query all = {0};
    struct store_stats st;
    char id[64];

    for (int i = 0; i < 60; i++) {
        snprintf(id, sizeof id, "a-language-with-a-rather-long-name-%d", i);
        struct run_record run = sample(id, 86400000LL * (i + 1));
        run.language = str_from(id);
        if (store_append(s, &run, &err) < 0)
            OK(0, "append: %s", err.msg);
    }
    EQ_INT(store_stats(s, &all, &st, &err), 0);
    EQ_INT(st.language_count, STORE_LANGUAGES);
    EQ_INT(strlen(st.by_language[0].name), sizeof st.by_language[0].name - 1);
    EQ_INT(st.day_count, STORE_DAYS);
    EQ_STR(st.by_day[0].name, "1970-03-02");
    store_close(s);
}

/* ---- prune ---- */

static void test_prune(void)
{
    struct store *s = open_log(in_folder("prune.db"), STORE_CREATE);
    int64_t deleted = -1;

    fill(s);
    EQ_INT(store_prune(s, 1000030, 0, &deleted, &err), 0);
    EQ_INT(deleted, 30);
    EQ_INT(store_prune(s, 1000050, 60, &deleted, &err), 0);
    EQ_INT(deleted, 10); /* 20 are old enough, the newest 60 of 70 stay */
    EQ_INT(store_prune(s, INT64_MAX, 100, &deleted, &err), 0);
    EQ_INT(deleted, 0);
    EQ_INT(store_prune(s, INT64_MAX, 7, &deleted, &err), 0);
    EQ_INT(deleted, 53);
    EQ_STR(list(s, (struct store_query){0}, 0).last, "run-093");
    EQ_INT(store_prune(s, INT64_MAX, 0, &deleted, &err), 0);
    EQ_INT(deleted, 7);
    EQ_INT(count(s, (struct store_query){0}), 0);
    store_close(s);
}

static void test_shrinks(void)
{
    struct store *s = open_log(in_folder("shrink.db"), STORE_CREATE);
    int64_t deleted = 0;
    char id[32];
    static char code[4000];

    memset(code, 'c', sizeof code);
    for (int i = 0; i < 1200; i++) {
        snprintf(id, sizeof id, "s%d", i);
        struct run_record run = sample(id, i + 1);
        run.code = (struct str){code, sizeof code};
        if (store_append(s, &run, &err) < 0)
            OK(0, "append: %s", err.msg);
    }
    int64_t wal = file_size(in_folder("shrink.db-wal"));
    OK(wal > 0 && wal < 2 << 20, "the write-ahead log stays small while appending: %lld bytes",
       (long long)wal);
    EQ_INT(store_prune(s, INT64_MAX, 10, &deleted, &err), 0);
    EQ_INT(deleted, 1190);
    EQ_INT(file_size(in_folder("shrink.db-wal")), 0);
    int64_t after = file_size(in_folder("shrink.db"));
    OK(after > 0 && after < 256 << 10, "10 of 1200 rows take %lld bytes", (long long)after);
    store_close(s);
    OK(is_whole(in_folder("shrink.db")), "and the file is whole");
}

/* ---- versions ---- */

static void test_versions(void)
{
    static const char *const next[] = {
        "SELECT 1 / 0; THIS IS NOT SQL", "NOR THIS", "NOR THAT",
        ("ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';"
         "PRAGMA user_version = 4;")};
    static const char *const broken[] = {"", "", "",
                                         "ALTER TABLE runs ADD COLUMN half TEXT; NOT SQL"};
    struct store *s = open_log(in_folder("version.db"), STORE_CREATE);
    struct run_record run = sample("old", 1);

    EQ_INT(store_append(s, &run, &err), 0);
    EQ_INT(store_migrate(s, broken, 4, &err), -1);
    OK(one_line(err.msg), "a script that fails: %s", err.msg);
    EQ_INT(sqlite3_exec(s->db, "SELECT half FROM runs", NULL, NULL, NULL), SQLITE_ERROR);
    EQ_INT(store_migrate(s, next, 4, &err), 0);
    EQ_INT(sqlite3_exec(s->db, "SELECT mood FROM runs", NULL, NULL, NULL), SQLITE_OK);
    EQ_INT(count(s, (struct store_query){0}), 1);
    store_close(s);
    refuse_open(in_folder("version.db"), STORE_CREATE, ERR_UNSUPPORTED, "use a newer glovebox");
}

/* ---- where it lies ---- */

static void check_default(const char *state, const char *home, const char *want)
{
    char *path = NULL;

    state ? setenv("XDG_STATE_HOME", state, 1) : unsetenv("XDG_STATE_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    EQ_INT(store_default_path(&path, &err), want ? 0 : -1);
    EQ_STR(path, want);
    free(path);
}

static void test_default_path(void)
{
    check_default("/s", "/h", "/s/glovebox/log.db");
    check_default("s", "/tmp", "/tmp/.local/state/glovebox/log.db");
    check_default(NULL, "/tmp", "/tmp/.local/state/glovebox/log.db");
    check_default(NULL, "/no/such/home", NULL);
    check_default("", "", geteuid() ? NULL : "/var/lib/glovebox/log.db");
    check_default(NULL, NULL, geteuid() ? NULL : "/var/lib/glovebox/log.db");
}

int main(void)
{
    if (begin() < 0)
        return 1;
    RUN(test_round_trip());
    RUN(test_hostile_text());
    RUN(test_bad_records());
    RUN(test_queries());
    RUN(test_stats_ceilings());
    RUN(test_prune());
    RUN(test_shrinks());
    RUN(test_versions());
    RUN(test_default_path());
    remove_folder();
    return tap_done();
}
