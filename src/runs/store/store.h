/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log: one SQLite file, one row per run, whatever its outcome.
 *
 * A log that cannot be written must not stop a run: every function returns one line in *err, and
 * the caller continues without a log. A `struct store` belongs to one thread and is not carried
 * across fork(). Many processes may append to one file at once; each waits for the others for two
 * seconds at most.
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

/* The maximum size of the write-ahead log beside the file, with any number of readers. It holds if
 * each reader releases the file within a second, and no transaction is larger than half of this. */
enum { STORE_WAL_BYTES = 8 << 20 };

enum run_outcome {
    OUTCOME_NONE, /* in a query: any outcome. No run has this value */
    OUTCOME_OK,
    OUTCOME_FAILED, /* exit status other than 0 */
    OUTCOME_SIGNAL,
    OUTCOME_TIMEOUT,
    OUTCOME_OOM,
    OUTCOME_REFUSED, /* by the guard, or because a required layer was missing */
    OUTCOME_ERROR,   /* our own failure */
    OUTCOME_COUNT
};

/* Returns the name in the log: "ok", "failed", ... */
const char *run_outcome_name(enum run_outcome outcome);
/* Returns OUTCOME_NONE if the name is unknown. */
enum run_outcome run_outcome_parse(struct str name);
/* Returns "ok, failed, ...", for messages. */
const char *run_outcome_names(void);

/* Maximum lengths in bytes. A longer string is cut between characters. Longer JSON and code are not
 * kept, because a part of them would have another meaning. */
enum {
    RUN_ID_MAX = 64,
    RUN_TEXT_MAX = 500,
    RUN_JSON_MAX = 16 << 10,
    RUN_CODE_MAX = 1 << 20,
};

/* One run. Text is UTF-8; invalid bytes, and each NUL, are stored as U+FFFD. */
struct run_record {
    struct str id; /* 1 to RUN_ID_MAX of A-Z a-z 0-9 . _ -, unique */
    int64_t time_ms;
    struct str source_sha256;
    struct str language;
    struct str backend;
    struct str program; /* its name: a file name, "-" or "-c" */
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
    struct str denied;  /* JSON array; empty is stored as [] */
    struct str network; /* the same */
    int64_t attempts;
    struct str error; /* only its first line is kept */
    struct str code;  /* .p is NULL if it was not kept */

    void *memory; /* memory that store_get allocated; NULL in a record that a caller made */
};

enum store_flags {
    STORE_READ = 0,
    STORE_WRITE = 1,      /* fail now if the file cannot be written */
    STORE_CREATE = 1 | 2, /* also create it, mode 0600 */
    STORE_FOLDERS = 4,    /* also its folders, mode 0700: for the default path, not a user's own */
};

struct store;

/* Returns the path of this user's log: in $XDG_STATE_HOME, else ~/.local/state, else (root without
 * $HOME) /var/lib. The caller frees *ret. Fails if the environment names no folder, or a $HOME that
 * is missing. */
int store_default_path(char **ret, struct err *err);

/* Opens the log. err->sys is ENOENT if the file is missing and STORE_CREATE is not set. A file of
 * an older version is updated; one of a newer version is ERR_UNSUPPORTED. This is the slow half
 * (about 0.2 ms, and 1 to 2 ms more when the write-ahead log is folded): call it while the guest
 * runs. */
int store_open(const char *path, unsigned flags, struct store **ret, struct err *err);
/* NULL is allowed. A process may also exit without this call. */
void store_close(struct store *s);

/* Appends one run; the fast half, about 50 microseconds. Keeps no reference to *run. */
int store_append(struct store *s, const struct run_record *run, struct err *err);

/* Rows appended between these two calls are committed together, which takes a fraction of the time;
 * if the process dies meanwhile, they are lost together. */
int store_begin(struct store *s, struct err *err);
int store_commit(struct store *s, struct err *err);

/* Copies the run with its strings into new memory; the caller frees it with run_record_done. */
void run_record_copy(const struct run_record *run, struct run_record *ret);

/* A zero or NULL field does not restrict the query. */
struct store_query {
    int64_t since_ms; /* at or after */
    int64_t until_ms; /* before */
    enum run_outcome outcome;
    const char *language;
    const char *backend;
    const char *sha256_prefix;
    const char *text; /* a substring of the program's name, the verdict's reason or the error */
    int64_t limit;
    int64_t offset;
};

/* Called for each run, without its code; the strings are valid only during the call. A return value
 * other than 0 ends the list. */
typedef int (*store_row_fn)(const struct run_record *run, void *ctx);
/* Newest first. */
int store_list(struct store *s, const struct store_query *query, store_row_fn row, void *ctx,
               struct err *err);

/* Finds the run with this id, or the only run whose id begins with it. 0 and *ret, which the caller
 * frees with run_record_done; 1 if there is none; -1 with ERR_USAGE if several ids begin with
 * it. */
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

/* Computes figures over the runs that the query selects; its limit and offset are ignored. */
int store_stats(struct store *s, const struct store_query *query, struct store_stats *ret,
                struct err *err);

/* Deletes the runs from before older_than_ms (wall clock; INT64_MAX: of any age), except the newest
 * `keep_newest`, and the usage that is older than all remaining runs. Returns the space to the file
 * system. */
int store_prune(struct store *s, int64_t older_than_ms, int64_t keep_newest, int64_t *ret_deleted,
                struct err *err);

#endif
