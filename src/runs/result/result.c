/* SPDX-License-Identifier: Apache-2.0 */
#include "result/result.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "backends/backend.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "network/network.h"

#define NOTES_MAX    65536
#define NETWORK_ROWS (2 * NET_ROWS_MAX) /* of several runs together */

void result_init(struct result *r, size_t output_limit)
{
    *r = (struct result){.exit_code = -1, .language = "", .backend = ""};
    capture_init(&r->out, output_limit);
    capture_init(&r->err, output_limit);
    buf_init(&r->notes, NOTES_MAX);
    buf_init(&r->warnings, NOTES_MAX);
}

void result_exception_free(struct result_exception *e)
{
    if (!e)
        return;
    result_exception_free(e->cause);
    free(e->type);
    free(e->message);
    free(e->traceback);
    free(e->hint);
    free(e->source);
    free(e->calls);
    free(e->file);
    free(e->statement);
    free(e);
}

void feedback_done(struct feedback *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->texts[i]);
    *f = (struct feedback){0};
}

void result_add_network(struct result *r, const struct net_rows *rows)
{
    struct net_rows *to = &r->network;
    size_t room = to->n < NETWORK_ROWS ? NETWORK_ROWS - to->n : 0;
    size_t n = rows->n < room ? rows->n : room;

    if (!n)
        return;
    to->list = xrealloc_array(to->list, to->n + n, sizeof *to->list);
    memcpy(to->list + to->n, rows->list, n * sizeof *to->list);
    to->n += n;
}

void result_take_network(struct result *r, struct backend_guest *guest)
{
    struct net_line *line = guest ? backend_network(guest) : NULL;
    struct net_rows rows;
    struct err err;

    if (!line)
        return;
    if (net_line_take(line, &rows, &err) < 0)
        (void)buf_addf(&r->notes, "what it reached in the network is unknown: %s\n", err.msg);
    result_add_network(r, &rows);
    net_rows_done(&rows);
}

void result_done(struct result *r)
{
    net_rows_done(&r->network);
    capture_done(&r->out);
    capture_done(&r->err);
    verdict_done(&r->verdict);
    result_exception_free(r->exception);
    free(r->compile.report);
    feedback_done(&r->feedback);
    file_set_done(&r->files);
    lay_list_free(r->laid);
    json_decref(r->value);
    json_decref(r->results);
    json_decref(r->final_answer);
    json_decref(r->context);
    json_decref(r->usage);
    backend_close(r->guest);
    buf_done(&r->notes);
    buf_done(&r->warnings);
    *r = (struct result){0};
    buf_init(&r->notes, NOTES_MAX);
    buf_init(&r->warnings, NOTES_MAX);
}

int result_file_open(const struct result *r, const char *path, uint64_t *ret_size, struct err *err)
{
    if (backend_has_files(r->guest))
        return backend_read(r->guest, path, ret_size, err);
    return err_set(err, ERR_USAGE, "the run left no files");
}

/* The time comes first, so that ids sort by time; 26 characters of Crockford's base 32. */
static void make_id(uint64_t time, char ret[RESULT_ID])
{
    static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
    unsigned char random[16] = {0};

    (void)!getrandom(random, sizeof random, 0);
    for (int i = 0; i < 10; i++)
        ret[i] = digits[time >> (45 - 5 * i) & 31];
    for (int i = 0; i < 16; i++)
        ret[10 + i] = digits[random[i] & 31];
    ret[26] = '\0';
}

void result_make_id(char ret[RESULT_ID])
{
    make_id((uint64_t)clock_wall_ms(), ret);
}

void result_begin(struct result *r, const struct jail_limits *limits, struct str code)
{
    r->limits = *limits;
    r->began_ms = clock_wall_ms();
    make_id((uint64_t)r->began_ms, r->id);
    sha256_of(code.p, code.n, r->source_sha256);
}

const char *cell_end_name(enum cell_end end)
{
    static const char *const names[] = {
        [CELL_DONE] = "done",     [CELL_FAILED] = "failed", [CELL_INTERRUPTED] = "interrupted",
        [CELL_KILLED] = "killed", [CELL_DIED] = "died",     [CELL_REFUSED] = "refused",
    };

    return (size_t)end < ARRAY_LEN(names) ? names[end] : "";
}

const char *cell_attempt_name(enum cell_attempt attempt)
{
    static const char *const names[] = {
        [CELL_KEPT] = "kept", [CELL_DROPPED] = "dropped", [CELL_LOST] = "lost"};

    return (size_t)attempt < ARRAY_LEN(names) && names[attempt] ? names[attempt] : "";
}

static const struct {
    enum jail_limit_hit hit;
    const char *name;
} limit_names[] = {
    {LIMIT_WALL, "timeout"},
    {LIMIT_CPU, "cpu_time"},
    {LIMIT_MEMORY, "memory"},
    {LIMIT_PIDS, "pids"},
    {LIMIT_DISK, "disk"},
    {LIMIT_OUTPUT, "output"},
    {LIMIT_BUFFERS, "buffers"},
    {LIMIT_CONNECTIONS, "connections"},
    {LIMIT_GUESTS, "guests_memory"},
};

const char *limit_name(enum jail_limit_hit hit)
{
    for (size_t i = 0; i < sizeof limit_names / sizeof limit_names[0]; i++)
        if (limit_names[i].hit == hit)
            return limit_names[i].name;
    return "";
}

void result_read_outcome(struct result *r)
{
    const struct backend_outcome *o = &r->outcome;

    r->cancelled = o->cancelled;
    r->limits_hit |= o->limits_hit;
    r->timed_out = o->limits_hit & (LIMIT_WALL | LIMIT_CPU);
    r->oom_killed = o->limits_hit & LIMIT_MEMORY;
    if (r->timed_out)
        r->oom_killed = false;
    if (WIFSIGNALED(o->status)) {
        r->signal = WTERMSIG(o->status);
        r->exit_code = 128 + r->signal;
    } else {
        r->exit_code = WEXITSTATUS(o->status);
    }
    if (r->timed_out)
        r->exit_code = 124;
    else if (r->oom_killed)
        r->exit_code = 137;
    if (o->failure)
        err_set(&r->error, ERR_SYSTEM, "%s", o->failure);
    r->success = r->started && r->exit_code == 0 && !r->signal && !r->timed_out && !r->oom_killed &&
                 !r->cancelled;
    r->duration_ms = (o->wall_ns + 500000) / 1000000;
    r->cpu_ms = o->cpu_us / 1000;
    r->memory_peak = o->memory_peak;
}

bool result_refused(const struct result *r)
{
    return r->checked && !r->verdict.allowed;
}

enum error_type result_error_type(const struct result *r)
{
    if (r->error.kind == ERR_POLICY || result_refused(r))
        return ERROR_TYPE_REFUSED;
    if (r->error.kind == ERR_GUEST)
        return ERROR_TYPE_GUEST;
    if (r->error.kind == ERR_LIMIT && r->started)
        return ERROR_TYPE_LIMIT;
    if (r->error.kind || r->cancelled)
        return ERROR_TYPE_OURS;
    if (r->success)
        return ERROR_TYPE_NONE;
    return r->limits_hit || r->timed_out || r->oom_killed ? ERROR_TYPE_LIMIT : ERROR_TYPE_GUEST;
}

const char *error_type_name(enum error_type type)
{
    static const char *const names[] = {
        [ERROR_TYPE_GUEST] = "guest",
        [ERROR_TYPE_REFUSED] = "refused",
        [ERROR_TYPE_LIMIT] = "limit",
        [ERROR_TYPE_OURS] = "ours",
    };

    return (size_t)type < ARRAY_LEN(names) ? names[type] : NULL;
}

/* A reason that a profile prescribes may have several lines. */
static void write_refusal(const struct verdict *v, char *out, size_t n)
{
    bool reported = v->reason && *v->reason;

    snprintf(out, n, "refused at %s%s%s", guard_stage_name(v->stage), reported ? ": " : "",
             reported ? v->reason : "");
    for (char *p = out; *p; p++)
        if (*p == '\n')
            *p = ' ';
}

/* Callers compare the words before the colon: they must not change. */
const char *result_summary(const struct result *r, char *out, size_t n)
{
    const struct jail_limits *limits = &r->limits;
    char amount[32];

    out[0] = '\0';
    if (r->error.kind)
        snprintf(out, n, "%s", r->error.msg);
    else if (result_refused(r))
        write_refusal(&r->verdict, out, n);
    else if (r->cancelled)
        snprintf(out, n, "stopped");
    else if (r->limits_hit & LIMIT_WALL)
        snprintf(out, n, "Execution timeout: not done after %s; allow more with --timeout",
                 num_format_duration(limits->wall_ms, amount, sizeof amount));
    else if (r->limits_hit & LIMIT_CPU)
        snprintf(out, n, "Execution timeout: used %s of processor time; allow more with --cpu-time",
                 num_format_duration(limits->cpu_ms, amount, sizeof amount));
    else if (r->oom_killed)
        snprintf(out, n, "Memory limit exceeded: needs more than %s; allow more with --memory",
                 num_format_size(limits->memory_bytes, amount, sizeof amount));
    else if (r->limits_hit & LIMIT_CONNECTIONS)
        snprintf(out, n,
                 "Connection limit reached: too many were not accepted, or closed with "
                 "unsent data");
    else if (r->limits_hit & LIMIT_DISK && !r->success)
        snprintf(out, n, "Disk limit reached: %s and %llu files; allow more with --disk",
                 num_format_size(limits->disk_bytes, amount, sizeof amount),
                 (unsigned long long)limits->inodes);
    else if (r->limits_hit & LIMIT_PIDS && !r->success)
        snprintf(out, n, "Process limit reached: %u; allow more with --pids", limits->pids);
    else if (r->compile.happened && !r->compile.success)
        snprintf(out, n, "Compilation failed: %s",
                 r->exception ? r->exception->message : "see the compiler's messages");
    else if (r->signal)
        snprintf(out, n, "ended by signal %d (%s)", r->signal, strsignal(r->signal));
    return out;
}

int result_exit_status(const struct result *r)
{
    if (r->error.kind)
        return err_exit_status(r->error.kind);
    if (result_refused(r))
        return err_exit_status(ERR_POLICY);
    if (r->cancelled)
        return 128 + SIGINT;
    if (r->timed_out)
        return 124;
    if (r->oom_killed)
        return 137;
    return r->exit_code;
}
