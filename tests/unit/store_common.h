/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the run log share: a folder that is theirs, sample runs, and SQLite's own
 * opinion of a file.
 */
#ifndef STORE_COMMON_H
#define STORE_COMMON_H

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"
#include "tap.h"

static char folder[] = "/tmp/test_store.XXXXXX";
static struct err err;

static inline const char *in_folder(const char *name)
{
    static char path[4][128];
    static unsigned turn;
    char *p = path[turn++ % 4];

    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static inline struct run_record sample(const char *id, int64_t time_ms)
{
    return (struct run_record){
        .id = str_from(id),
        .time_ms = time_ms,
        .source_sha256 = STR("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        .language = STR("python"),
        .backend = STR("jail"),
        .program = STR("x.py"),
        .allowed = true,
        .limits = STR("{\"timeout_ms\":30000,\"memory_bytes\":268435456,\"pids\":64}"),
        .isolation = STR("pidns,mountns,netns,root,capabilities,no_new_privs,seccomp,landlock"),
        .outcome = OUTCOME_OK,
        .duration_ms = 12,
        .cpu_ms = 10,
        .max_memory_bytes = 9 << 20,
        .stdout_bytes = 3,
        .denied = STR("[]"),
        .network = STR("[]"),
        .attempts = 1,
    };
}

static inline struct store *open_log(const char *path, unsigned flags)
{
    struct store *s = NULL;

    err = (struct err){0};
    if (store_open(path, flags, &s, &err) < 0)
        printf("# %s\n", err.msg);
    return s;
}

static inline int count_row(const struct run_record *run, void *ctx)
{
    (void)run;
    ++*(int *)ctx;
    return 0;
}

static inline int count(struct store *s, struct store_query q)
{
    int n = 0;

    return store_list(s, &q, count_row, &n, &err) < 0 ? -1 : n;
}

/* SQLite's own opinion: "ok" when every page and index is whole. */
static inline bool is_whole(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    bool whole = false;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        whole = strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") == 0;
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return whole;
}

static inline bool one_line(const char *msg)
{
    return *msg && !strchr(msg, '\n');
}

static inline int64_t file_size(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : -1;
}

static inline void fill(struct store *s)
{
    char id[32];

    for (int i = 0; i < 100; i++) {
        snprintf(id, sizeof id, "run-%03d", i);
        struct run_record run = sample(id, 1000000 + i);
        run.duration_ms = i + 1;
        run.outcome = i % 4 == 3 ? OUTCOME_FAILED : OUTCOME_OK;
        run.error = i == 42 ? STR("ZeroDivisionError: division by zero") : STR("");
        run.language = i % 2 ? STR("python") : STR("shell");
        run.backend = i < 10 ? STR("docker") : STR("jail");
        run.source_sha256 = i == 7 ? STR("abcd") : STR("ff00");
        if (store_append(s, &run, &err) < 0)
            OK(0, "append %d: %s", i, err.msg);
    }
}

static inline void refuse_open(const char *path, unsigned flags, enum err_kind kind,
                               const char *part)
{
    struct store *s = open_log(path, flags);

    OK(!s && err.kind == kind && strstr(err.msg, part) && one_line(err.msg), "%s: \"%s\" (%s)",
       path, part, err_kind_name(err.kind));
    store_close(s);
}

/* For a function that runs in a child and whose answer is the exit status. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("# line %d: %s; %s\n", __LINE__, #condition, err.msg);                          \
            fflush(stdout);                                                                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static inline int begin(void)
{
    setenv("TZ", "UTC", 1);
    return mkdtemp(folder) ? 0 : -1;
}

static inline void remove_folder(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

#endif
