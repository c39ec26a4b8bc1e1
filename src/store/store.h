/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log: one SQLite file, one row per run, whatever came of the run.
 *
 * A log that cannot be written must not stop a run: every function answers with one line in *err
 * and leaves the caller to go on without a log. A `struct store` belongs to one thread and is not
 * carried across fork(). Many processes may append to one file at once; each waits for the others
 * for two seconds at most.
 *
 * A row survives the death of its writer by any signal as soon as store_append has returned. After
 * a power cut the file is whole, but the rows of the last minutes may be gone: nothing waits for
 * the disk.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum run_outcome {
    OUTCOME_NONE, /* in a query: any. Not a value that a run can have */
    OUTCOME_OK,
    OUTCOME_FAILED, /* exit status other than 0 */
    OUTCOME_SIGNAL,
    OUTCOME_TIMEOUT,
    OUTCOME_OOM,
    OUTCOME_REFUSED, /* by the guard, or for want of a required layer */
    OUTCOME_ERROR,   /* our own failure */
    OUTCOME_COUNT
};

/* "ok", "failed", ... as they stand in the log. */
const char *run_outcome_name(enum run_outcome outcome);
/* OUTCOME_NONE when there is no such name. */
enum run_outcome run_outcome_parse(struct str name);
/* "ok, failed, ...", for messages. */
const char *run_outcome_names(void);

/* Lengths in bytes. Text above its ceiling is cut between characters; JSON and code above theirs
 * are not kept, because a part of them would mean something else. */
enum {
    RUN_ID_MAX = 64,
    RUN_TEXT_MAX = 500,
    RUN_JSON_MAX = 16 << 10,
    RUN_CODE_MAX = 1 << 20,
};

/* One run. Text is UTF-8; what is not, and each NUL, is stored as U+FFFD. */
struct run_record {
    struct str id; /* 1 to RUN_ID_MAX of A-Z a-z 0-9 . _ - and different for each run */
    int64_t time_ms;
    struct str source_sha256;
    struct str language;
    struct str backend;
    struct str program; /* its name: a file's, "-" or "-c" */
    bool allowed;
    struct str verdict_stage;
    struct str verdict_reason;
    struct str limits;    /* JSON object; empty is stored as {} */
    struct str isolation; /* the layers that held, "pidns,seccomp,..." */
    enum run_outcome outcome;
    int64_t exit_code;
    int64_t signal;
    int64_t duration_ms;
    int64_t cpu_ms;
    int64_t max_memory_bytes;
    int64_t stdout_bytes;
    int64_t stderr_bytes;
    int64_t files_count;
    struct str denied; /* JSON array; empty is stored as [] */
    int64_t attempts;
    struct str error; /* only its first line is kept */
    struct str code;  /* .p is NULL: not kept */

    void *memory; /* what store_get allocated; NULL in a record that a caller made */
};

enum store_flags {
    STORE_READ = 0,
    STORE_WRITE = 1,      /* fail now if the file cannot be written */
    STORE_CREATE = 1 | 2, /* also make it, mode 0600, and its folders, mode 0700 */
};

struct store;

/* The log of this user: in $XDG_STATE_HOME, else ~/.local/state, else (root without $HOME)
 * /var/lib. The caller frees *ret. Fails when the environment names no place. */
int store_default_path(char **ret, struct err *err);

/* err->sys is ENOENT when the file is missing and was not to be made. A file of an older version is
 * brought up to date; one of a newer version is ERR_UNSUPPORTED. This is the slow half (some 0.2
 * ms, and a millisecond or two each time the write-ahead log is folded in): do it while the guest
 * runs. */
int store_open(const char *path, unsigned flags, struct store **ret, struct err *err);
/* NULL is fine. Needs no waiting for: a process may also just exit. */
void store_close(struct store *s);

/* The fast half: some 50 microseconds. Nothing is kept of *run. */
int store_append(struct store *s, const struct run_record *run, struct err *err);

/* Rows between these are appended together, which takes a fraction of the time, and are lost
 * together when we die meanwhile. */
int store_begin(struct store *s, struct err *err);
int store_commit(struct store *s, struct err *err);

/* The same run with its texts in memory of its own; the caller ends it with run_record_done. */
void run_record_copy(const struct run_record *run, struct run_record *ret);

/* A zero or NULL field asks for nothing. */
struct store_query {
    int64_t since_ms; /* at or after */
    int64_t until_ms; /* before */
    enum run_outcome outcome;
    const char *language;
    const char *backend;
    const char *sha256_prefix;
    const char *text; /* somewhere in the program's name, the verdict's reason or the error */
    int64_t limit;
    int64_t offset;
};

/* Sees one run, without its code; what it points to is gone afterwards. Other than 0 ends the list.
 */
typedef int (*store_row_fn)(const struct run_record *run, void *ctx);
/* Newest first. */
int store_list(struct store *s, const struct store_query *query, store_row_fn row, void *ctx,
               struct err *err);

/* The run with this id, or the only one whose id begins so: 0 and *ret, which the caller ends with
 * run_record_done; 1 when there is none; -1 with ERR_USAGE when several begin so. */
int store_get(struct store *s, const char *id, struct run_record *ret, struct err *err);
void run_record_done(struct run_record *run);

struct store_count {
    char name[32];
    int64_t runs;
};

enum { STORE_LANGUAGES = 16, STORE_DAYS = 31 };

struct store_stats {
    int64_t runs;
    int64_t first_ms, last_ms;
    int64_t by_outcome[OUTCOME_COUNT];
    struct store_count by_language[STORE_LANGUAGES]; /* most used first, rarer ones left out */
    int language_count;
    struct store_count by_day[STORE_DAYS]; /* "2025-01-31" in local time, newest first */
    int day_count;
    int64_t duration_p50_ms, duration_p95_ms, duration_max_ms;
    int64_t cpu_total_ms;
};

/* Over the runs that the query selects; its limit and offset do not count. */
int store_stats(struct store *s, const struct store_query *query, struct store_stats *ret,
                struct err *err);

/* Deletes the runs before older_than_ms (wall clock; INT64_MAX: of any age), but never one of the
 * newest `keep_newest`, and gives the space back to the file system. */
int store_prune(struct store *s, int64_t older_than_ms, int64_t keep_newest, int64_t *ret_deleted,
                struct err *err);

#endif
