/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log with several writers, with one that is stuck, with some that are killed; and what it
 * costs.
 */
#include "store/store.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "store_common.h"
#include "tap.h"

/* ---- many at once ---- */

enum { WRITERS = 8, ROWS = 200 };

static int write_rows(const char *path, int writer)
{
    char id[32];
    struct store *s = open_log(path, STORE_CREATE | STORE_FOLDERS);

    EXPECT(s);
    for (int i = 0; i < ROWS; i++) {
        snprintf(id, sizeof id, "w%d-%d", writer, i);
        struct run_record run = sample(id, writer * 1000 + i + 1);
        EXPECT(store_append(s, &run, &err) == 0);
    }
    store_close(s);
    return 0;
}

static void test_many_writers(void)
{
    const char *path = in_folder("many-writers.db");
    pid_t pids[WRITERS];
    int failed = 0, status, rows = 0, last = 0, shrank = 0;

    fflush(stdout);
    for (int i = 0; i < WRITERS; i++)
        if ((pids[i] = fork()) == 0)
            _exit(write_rows(path, i));
    /* Reading while they write: each look sees at least what the one before saw. */
    struct store *s = open_log(path, STORE_CREATE | STORE_FOLDERS);
    int64_t give_up = clock_mono_ms() + 120000;
    while (s && rows < WRITERS * ROWS && clock_mono_ms() < give_up) {
        rows = count(s, (struct store_query){0});
        shrank += rows < last;
        last = rows;
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
    EQ_INT(shrank, 0);
    for (int i = 0; i < WRITERS; i++) {
        waitpid(pids[i], &status, 0);
        failed += status != 0;
    }
    EQ_INT(failed, 0);
    EQ_INT(count(s, (struct store_query){0}), WRITERS * ROWS);
    store_close(s);
    OK(is_whole(path), "the file is whole");
}

/* ---- a process that stays open ---- */

enum { READERS = 4, BATCHES = 200, BATCH_ROWS = 20 };

/* As requests for /v1/runs: each opens the log, lists a part of it, and closes it. */
static void read_for_ever(const char *path)
{
    for (;;) {
        struct store *s = open_log(path, STORE_READ);
        if (!s || count(s, (struct store_query){.limit = 500}) < 0)
            _exit(1);
        store_close(s);
    }
}

/* Rows in transactions, as the daemon writes them; the largest size of the write-ahead log. */
static int64_t append_batches(const char *path, const char *wal, char first, int batches)
{
    static char code[2000];
    struct store *s = open_log(path, STORE_CREATE);
    int64_t most = 0;
    int failed = !s;
    char id[32];

    memset(code, 'c', sizeof code);
    for (int i = 0; s && i < batches; i++) {
        failed += store_begin(s, &err) < 0;
        for (int row = 0; row < BATCH_ROWS; row++) {
            snprintf(id, sizeof id, "%c%d-%d", first, i, row);
            struct run_record run = sample(id, i * BATCH_ROWS + row + 1);
            run.code = (struct str){code, sizeof code};
            failed += store_append(s, &run, &err) < 0;
        }
        failed += store_commit(s, &err) < 0;
        most = file_size(wal) > most ? file_size(wal) : most;
    }
    EQ_INT(failed, 0);
    store_close(s);
    return most;
}

static void test_folded_between_batches(int readers)
{
    char name[2][32];
    pid_t pids[READERS];

    snprintf(name[0], sizeof name[0], "batches%d.db", readers);
    snprintf(name[1], sizeof name[1], "batches%d.db-wal", readers);
    const char *path = in_folder(name[0]), *wal = in_folder(name[1]);
    store_close(open_log(path, STORE_CREATE));
    fflush(stdout);
    for (int i = 0; i < readers; i++)
        if ((pids[i] = fork()) == 0)
            read_for_ever(path);
    int64_t most = append_batches(path, wal, 'b', BATCHES);
    OK(most < STORE_WAL_BYTES, "with %d readers the write-ahead log stays small: %lld bytes",
       readers, (long long)most);
    for (int i = 0; i < readers; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    OK(is_whole(path), "the file is whole");
}

/* The file grows while a reader holds it, and is small again after that. */
static void test_folded_after_a_reader(void)
{
    const char *path = in_folder("held.db"), *wal = in_folder("held.db-wal");
    sqlite3 *reader = NULL;

    store_close(open_log(path, STORE_CREATE));
    EQ_INT(sqlite3_open(path, &reader), SQLITE_OK);
    EQ_INT(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM runs", NULL, NULL, NULL), SQLITE_OK);
    int64_t before = clock_mono_ms(), most = append_batches(path, wal, 'h', BATCHES * 2 / 5);
    int64_t took = clock_mono_ms() - before;
    OK(most > STORE_WAL_BYTES && took < 30000, "a reader that stays: %lld bytes, %lld ms",
       (long long)most, (long long)took);
    EQ_INT(sqlite3_close(reader), SQLITE_OK);
    most = append_batches(path, wal, 'i', 2);
    OK(file_size(wal) < STORE_WAL_BYTES, "after it the write-ahead log is small: %lld bytes",
       (long long)file_size(wal));
}

static int create_and_append(const char *path, int writer)
{
    char id[32];

    snprintf(id, sizeof id, "c%d", writer);
    struct run_record run = sample(id, 1);
    struct store *s = open_log(path, STORE_CREATE | STORE_FOLDERS);
    EXPECT(s && store_append(s, &run, &err) == 0);
    store_close(s);
    return 0;
}

/* The first runs ever, all at once: each finds no file, an empty one, or one that is being made. */
static void test_creation_race(void)
{
    enum { ROUNDS = 60 };
    int failed = 0, missing = 0, status;
    char name[32];

    fflush(stdout);
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(name, sizeof name, "race%d.db", round);
        const char *path = in_folder(name);
        for (int i = 0; i < WRITERS; i++)
            if (fork() == 0)
                _exit(create_and_append(path, i));
        while (wait(&status) > 0)
            failed += status != 0;
        struct store *s = open_log(path, STORE_READ);
        missing += !s || count(s, (struct store_query){0}) != WRITERS;
        store_close(s);
    }
    EQ_INT(failed, 0);
    EQ_INT(missing, 0);
}

/* A process that holds the file for ever costs two seconds and not more. */
static void test_stuck_neighbour(void)
{
    struct store *s = open_log(in_folder("stuck.db"), STORE_CREATE);
    struct run_record run = sample("late", 1);
    sqlite3 *db = NULL;

    EQ_INT(sqlite3_open(in_folder("stuck.db"), &db), SQLITE_OK);
    EQ_INT(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    int64_t before = clock_mono_ms();
    EQ_INT(store_append(s, &run, &err), -1);
    int64_t took = clock_mono_ms() - before;
    EQ_INT(err.kind, ERR_TIMEOUT);
    OK(took >= 1900 && took < 30000, "gave up after %lld ms: %s", (long long)took, err.msg);
    sqlite3_close(db);
    EQ_INT(store_append(s, &run, &err), 0);
    store_close(s);
}

static void append_for_ever(const char *path, int round, int *done)
{
    struct store *s = open_log(path, STORE_CREATE);
    char id[32];

    if (!s)
        _exit(1);
    for (int i = 0;; i++) {
        snprintf(id, sizeof id, "k%d-%d", round, i);
        struct run_record run = sample(id, round * 100000 + i + 1);
        if (store_append(s, &run, &err) == 0)
            ++*done;
    }
}

/* Until the writer has written something; the others are killed where they are. */
static void await_more(const int *done)
{
    int64_t give_up = clock_mono_ms() + 30000;
    int before = *done;

    while (*(const volatile int *)done < before + 2 && clock_mono_ms() < give_up)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* Writers that die in the middle: what they were told is in the log, is. */
static void test_killed_writers(void)
{
    const char *path = in_folder("killed.db");
    int *done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int lost = 0, unreadable = 0, rounds = 40;

    fflush(stdout);
    for (int round = 0; round < rounds; round++) {
        pid_t pid = fork();
        if (pid == 0)
            append_for_ever(path, round, done);
        if (round % 2)
            await_more(done);
        nanosleep(&(struct timespec){.tv_nsec = 200000 + 370000L * (round % 23)}, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        struct store *s = open_log(path, STORE_CREATE);
        int rows = s ? count(s, (struct store_query){0}) : -1;
        unreadable += rows < 0;
        lost += rows < *done;
        *done = rows;
        store_close(s);
    }
    EQ_INT(unreadable, 0);
    EQ_INT(lost, 0);
    OK(*done > rounds, "%d rows from %d writers that were killed", *done, rounds);
    OK(is_whole(path), "the file is whole");
}

/* ---- what it costs ---- */

enum { SAMPLES = 300 };

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void tell(const char *what, int64_t ns[SAMPLES])
{
    qsort(ns, SAMPLES, sizeof ns[0], by_value);
    printf("# %-7s median %4.0f us, p95 %4.0f us, max %5.0f us\n", what,
           (double)ns[SAMPLES / 2] / 1e3, (double)ns[SAMPLES * 95 / 100] / 1e3,
           (double)ns[SAMPLES - 1] / 1e3);
}

/* One run after the other, as the command does it: open, append, close. */
static void measure(void)
{
    static int64_t open_ns[SAMPLES], append_ns[SAMPLES], close_ns[SAMPLES];
    const char *path = in_folder("speed.db");
    char id[32];
    int failed = 0;

    for (int i = 0; i < SAMPLES; i++) {
        struct store *s = NULL;
        snprintf(id, sizeof id, "%08x", (unsigned)i * 2654435761u);
        struct run_record run = sample(id, clock_wall_ms());
        int64_t t0 = clock_mono_ns();
        failed += store_open(path, STORE_CREATE, &s, &err) < 0;
        int64_t t1 = clock_mono_ns();
        failed += !s || store_append(s, &run, &err) < 0;
        int64_t t2 = clock_mono_ns();
        store_close(s);
        open_ns[i] = t1 - t0;
        append_ns[i] = t2 - t1;
        close_ns[i] = clock_mono_ns() - t2;
    }
    EQ_INT(failed, 0);
    int64_t wal = file_size(in_folder("speed.db-wal"));
    OK(wal < 300 << 10, "the write-ahead log stays small from run to run: %lld bytes",
       (long long)wal);
    tell("open", open_ns);
    tell("append", append_ns);
    tell("close", close_ns);
}

int main(void)
{
    if (begin() < 0)
        return 1;
    RUN(test_many_writers());
    RUN(test_folded_between_batches(0));
    RUN(test_folded_between_batches(READERS));
    RUN(test_folded_after_a_reader());
    RUN(test_creation_race());
    RUN(test_stuck_neighbour());
    RUN(test_killed_writers());
    measure();
    remove_folder();
    return tap_done();
}
