/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/pool.h"
#include "base/fd.h"
#include "base/num.h"
#include "hosting/session_table.h"
#include "server/access_log.h"
#include "server/metrics_parts.h"
#include "server/run_log.h"
#include "server/server.h"
#include "server/workers.h"

static void head(struct buf *b, const char *name, const char *type, const char *help)
{
    (void)buf_addf(b, "# HELP glovebox_%s %s\n# TYPE glovebox_%s %s\n", name, help, name, type);
}

static void one(struct buf *b, const char *name, const char *type, const char *help, uint64_t value)
{
    head(b, name, type, help);
    (void)buf_addf(b, "glovebox_%s %" PRIu64 "\n", name, value);
}

/* `label` is `kind="run"` or empty. */
static void histogram(struct buf *b, const char *name, const char *label, const struct histogram *h)
{
    const char *comma = *label ? "," : "";
    uint64_t sum = 0;

    for (int i = 0; i < HISTOGRAM_BOUNDS; i++) {
        sum += h->buckets[i];
        (void)buf_addf(b, "glovebox_%s_bucket{%s%sle=\"%g\"} %" PRIu64 "\n", name, label, comma,
                       (double)histogram_bounds[i] / 1e6, sum);
    }
    (void)buf_addf(b, "glovebox_%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", name, label, comma,
                   h->count);
    (void)buf_addf(b, "glovebox_%s_sum%s%s%s %.6f\n", name, *label ? "{" : "", label,
                   *label ? "}" : "", (double)h->sum_us / 1e6);
    (void)buf_addf(b, "glovebox_%s_count%s%s%s %" PRIu64 "\n", name, *label ? "{" : "", label,
                   *label ? "}" : "", h->count);
}

static const char *const kinds[] = {"run", "cell", "test", "check"};

static void write_runs(const struct metrics *m, struct buf *b)
{
    head(b, "runs_total", "counter", "Runs, by kind, language and outcome");
    for (int i = 0; i < NAMES_MAX && m->languages[i].name[0]; i++)
        for (int kind = 0; kind < FIGURES_KINDS; kind++)
            for (int o = OUTCOME_OK; o < OUTCOME_COUNT; o++)
                if (m->languages[i].by_outcome[kind][o])
                    (void)buf_addf(
                        b,
                        "glovebox_runs_total{kind=\"%s\",language=\"%s\",outcome=\"%s\"} "
                        "%" PRIu64 "\n",
                        kinds[kind], m->languages[i].name, run_outcome_name((enum run_outcome)o),
                        m->languages[i].by_outcome[kind][o]);
    head(b, "run_seconds", "histogram", "Time of a run, as the worker measured it");
    for (int kind = 0; kind < FIGURES_KINDS; kind++) {
        char label[32];
        snprintf(label, sizeof label, "kind=\"%s\"", kinds[kind]);
        histogram(b, "run_seconds", label, &m->runs[kind]);
    }
    head(b, "guest_cpu_seconds_total", "counter", "Processor time that guests used");
    (void)buf_addf(b, "glovebox_guest_cpu_seconds_total %.3f\n", (double)m->cpu_ms / 1e3);
    one(b, "guest_memory_peak_bytes", "gauge", "Largest memory of one guest so far",
        m->memory_peak);
    head(b, "denied_syscalls_total", "counter", "System calls of guests that were refused");
    for (int i = 0; i < NAMES_MAX && m->denied[i].name[0]; i++)
        (void)buf_addf(b, "glovebox_denied_syscalls_total{name=\"%s\"} %" PRIu64 "\n",
                       m->denied[i].name, m->denied[i].count);
}

static void write_requests(const struct metrics *m, struct buf *b)
{
    static const char *const reasons[REFUSAL_COUNT] = {
        [REFUSAL_QUEUE] = "queue",   [REFUSAL_SESSIONS] = "sessions",
        [REFUSAL_MEMORY] = "memory", [REFUSAL_DEADLINE] = "deadline",
        [REFUSAL_TOKEN] = "token",   [REFUSAL_SLOW] = "slow_reader",
    };

    head(b, "requests_total", "counter", "HTTP requests, by status");
    for (int i = 0; i < 600; i++)
        if (m->by_status[i])
            (void)buf_addf(b, "glovebox_requests_total{status=\"%d\"} %" PRIu64 "\n", i,
                           m->by_status[i]);
    head(b, "request_seconds", "histogram",
         "Time from the end of a request's headers to its answer");
    histogram(b, "request_seconds", "", &m->requests);
    head(b, "queue_seconds", "histogram", "Time that requests waited for a worker");
    histogram(b, "queue_seconds", "", &m->waited);
    head(b, "refusals_total", "counter", "Requests that were refused, by reason");
    for (int i = 0; i < REFUSAL_COUNT; i++)
        (void)buf_addf(b, "glovebox_refusals_total{reason=\"%s\"} %" PRIu64 "\n", reasons[i],
                       m->refused[i]);
}

static void write_server(const struct server *server, struct buf *b)
{
    const struct http_counts *http = http_server_counts(server->http);
    struct workers_stats workers;
    struct session_totals sessions;
    struct run_log_stats log;

    workers_stats(server->workers, &workers);
    sessions_totals(server->sessions, &sessions);
    run_log_stats(server->log, &log);
    one(b, "connections_open", "gauge", "Open connections", http->open);
    one(b, "connections_total", "counter", "Connections that were accepted", http->accepted);
    one(b, "connections_refused_total", "counter", "Connections that were refused at the ceiling",
        http->refused);
    one(b, "received_bytes_total", "counter", "Bytes from clients", http->bytes_in);
    one(b, "sent_bytes_total", "counter", "Bytes to clients", http->bytes_out);
    one(b, "workers", "gauge", "Worker threads", workers.threads);
    one(b, "workers_busy", "gauge", "Worker threads that run something now", workers.busy);
    one(b, "queue_length", "gauge", "Requests that wait for a worker", workers.queued);
    one(b, "queue_bytes", "gauge", "Size of the bodies of waiting requests", workers.queued_bytes);
    one(b, "sessions", "gauge", "Open sessions", sessions.count);
    one(b, "sessions_memory_bytes", "gauge", "Memory of all sessions", sessions.memory_bytes);
    one(b, "sessions_opened_total", "counter", "Sessions that were opened", sessions.opened);
    one(b, "sessions_forked_total", "counter", "Sessions that were forked", sessions.forked);
    one(b, "sessions_expired_total", "counter", "Sessions closed after their idle time",
        sessions.expired);
    one(b, "log_rows_total", "counter", "Rows written to the run log", log.written);
    one(b, "log_lost_total", "counter", "Runs that could not be written to the run log", log.lost);
    one(b, "access_log_lost_total", "counter", "Lines that could not be written to the access log",
        access_log_lost(server->access));
    one(b, "log_queue", "gauge", "Rows that are not written yet", log.waiting);
}

static void write_pool(const struct server *server, struct buf *b)
{
    struct backend_pool_stats s = {0};

    if (!server->pool)
        return;
    backend_pool_stats(server->pool, &s);
    head(b, "pool_starts_total", "counter", "Starts of runs, by the source of the jail");
    (void)buf_addf(b,
                   "glovebox_pool_starts_total{from=\"ready\"} %" PRIu64
                   "\nglovebox_pool_starts_total{from=\"zygote\"} %" PRIu64
                   "\nglovebox_pool_starts_total{from=\"nothing\"} %" PRIu64 "\n",
                   s.hits, s.on_demand, s.misses);
    one(b, "pool_zygotes", "gauge", "Zygotes: loaded interpreters that jails are forked from",
        s.zygotes);
    one(b, "pool_ready", "gauge", "Jails that are ready for a run", s.ready);
    one(b, "pool_memory_bytes", "gauge", "Memory of zygotes and ready jails", s.memory);
    one(b, "pool_zygotes_started_total", "counter", "Zygotes that were started", s.zygotes_started);
    one(b, "pool_zygotes_died_total", "counter", "Zygotes that died", s.zygotes_died);
    one(b, "pool_zygotes_renewed_total", "counter", "Zygotes that were replaced",
        s.zygotes_renewed);
}

/* ---- the process itself ---- */

static uint64_t resident_bytes(void)
{
    char text[128];
    struct str rest, word;
    int64_t pages = 0;

    if (fd_read_file_at(AT_FDCWD, "/proc/self/statm", text, sizeof text) < 0)
        return 0;
    rest = str_from(text);
    (void)str_next(&rest, ' ', &word); /* size of the address space */
    if (str_next(&rest, ' ', &word))
        (void)num_int64(word, &pages);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    uint64_t n = 0;

    if (!dir)
        return 0;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n > 3 ? n - 3 : 0; /* ".", ".." and the folder itself */
}

static void write_process(struct buf *b)
{
    struct timespec cpu = {0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    (void)buf_addf(b,
                   "# HELP process_cpu_seconds_total Processor time of the daemon itself\n"
                   "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total "
                   "%.3f\n"
                   "# HELP process_resident_memory_bytes Memory of the daemon itself\n"
                   "# TYPE process_resident_memory_bytes gauge\n"
                   "process_resident_memory_bytes %" PRIu64 "\n"
                   "# HELP process_open_fds Open descriptors\n"
                   "# TYPE process_open_fds gauge\nprocess_open_fds %" PRIu64 "\n",
                   (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9, resident_bytes(),
                   open_descriptors());
    (void)buf_addf(b,
                   "# HELP glovebox_info The version\n# TYPE glovebox_info gauge\n"
                   "glovebox_info{version=\"%s\"} 1\n",
                   GLOVEBOX_VERSION);
}

void metrics_write(const struct server *server, struct buf *b)
{
    write_runs(server->metrics, b);
    write_requests(server->metrics, b);
    write_server(server, b);
    write_pool(server, b);
    write_process(b);
}
