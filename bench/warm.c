/* SPDX-License-Identifier: Apache-2.0
 *
 * Times warm runs through the library: build/bench/warm RUNS THREADS [CODE]. Prints the median and
 * the 99th percentile from request to result, runs a second, processor time a run, and what the
 * pool says.
 *
 * With WARM_DEMAND set, in turn by one of three kinds in a pool that keeps a single jail, which
 * therefore hardly ever has the right one: runs on demand. With WARM_TIMES set, prints the
 * microseconds of each instead.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/pool.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "registry/registry.h"
#include "run/run.h"

enum { KINDS = 3 };

static const char *code = "print(1)";
static struct backend_pool *pool;
static int64_t *times;
static int runs;
static int next;
static int failed;
static int64_t guest_us;

static bool demand;

static void run_one(int which, int64_t *ret_ns)
{
    struct run_request request;
    struct run_watch watch = {.cancel_fd = -1};
    struct result result;
    struct language_table languages = {0};

    run_request_init(&request);
    request.program.code = str_from(code);
    request.program.language = "python";
    request.program.languages = &languages;
    request.door.log = "off";
    request.place.pool = pool;
    if (demand)
        request.limits.memory_bytes += (uint64_t)(which % KINDS) << 20;
    result_init(&result, request.output_limit);
    int64_t begin = clock_mono_ns();
    run_program(&request, &watch, &result);
    *ret_ns = clock_mono_ns() - begin;
    __atomic_fetch_add(&guest_us, result.outcome.cpu_us, __ATOMIC_RELAXED);
    if (!result.success)
        __atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
    if (!result.success && result.error.kind)
        fprintf(stderr, "%s\n", result.error.msg);
    if (getenv("WARM_OUTPUT"))
        fputs(result.err.head.p, stderr);
    if (getenv("WARM_TRACE"))
        for (size_t i = 0; i < result.outcome.phase_count; i++)
            fprintf(stderr, "%-10s %7.3f\n", result.outcome.phases[i].name,
                    (double)(result.outcome.phases[i].at_ns - begin) / 1e6);
    result_done(&result);
}

static void wait_ready(unsigned zygotes)
{
    struct backend_pool_stats stats;

    for (int i = 0; i < 2000; i++) {
        backend_pool_stats(pool, &stats);
        if ((stats.ready && stats.zygotes >= zygotes) || stats.problem[0])
            break;
        usleep(2500);
    }
}

static void *work(void *ctx)
{
    int i;

    (void)ctx;
    while ((i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < runs) {
        run_one(i, &times[i]);
        if (getenv("WARM_PAUSE"))
            usleep(3000);
    }
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static double cpu_ms(void)
{
    struct rusage self, children;

    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(self.ru_utime.tv_sec + self.ru_stime.tv_sec) * 1e3 +
           (double)(self.ru_utime.tv_usec + self.ru_stime.tv_usec) / 1e3;
}

/* Until there is a zygote of each kind, and something waits. */
static void warm_up(int kinds, int64_t *ret_first)
{
    int64_t other;

    for (int i = 0; i < kinds; i++)
        run_one(i, i ? &other : ret_first);
    wait_ready((unsigned)kinds);
}

static void run_all(int threads)
{
    pthread_t ids[64];

    for (int i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, work, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static void say_times(const struct backend_pool_stats *before,
                      const struct backend_pool_stats *after)
{
    printf("%llu", (unsigned long long)(after->on_demand - before->on_demand));
    for (int i = 0; i < runs; i++)
        printf(" %lld", (long long)(times[i] / 1000));
    putchar('\n');
}

static void say(const struct backend_pool_stats *stats, int64_t all_ns, double cpu, int64_t first)
{
    size_t half = (size_t)runs / 2, most = (size_t)runs * 99 / 100;

    qsort(times, (size_t)runs, sizeof *times, ascending);
    printf("p50 %.3f ms, p99 %.3f ms, %.0f runs/s, ours %.3f cpu ms a run, the guest's %.3f; "
           "%d failed; %llu ready, %llu on demand, %llu cold; cold first %.1f ms %s\n",
           (double)times[half] / 1e6, (double)times[most] / 1e6,
           (double)runs / ((double)all_ns / 1e9), cpu / runs, (double)guest_us / 1e3 / (runs + 1),
           failed, (unsigned long long)stats->hits, (unsigned long long)stats->on_demand,
           (unsigned long long)stats->misses, (double)first / 1e6, stats->problem);
}

int main(int argc, char **argv)
{
    struct backend_pool_options options = {0};
    struct backend_pool_stats before, after;
    struct err err;
    int64_t first, threads = 1, count = 1000;

    if (argc > 1)
        (void)num_int64(str_from(argv[1]), &count);
    if (argc > 2)
        (void)num_int64(str_from(argv[2]), &threads);
    if (argc > 3)
        code = argv[3];
    runs = (int)count;
    times = xcalloc((size_t)runs, sizeof *times);
    demand = getenv("WARM_DEMAND") != NULL;
    if (demand)
        options.ready_max = 1;
    if (backend_pool_open(backends, &options, &pool, &err) < 0) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    warm_up(demand ? KINDS : 1, &first);
    backend_pool_stats(pool, &before);
    double cpu = cpu_ms();
    int64_t begin = clock_mono_ns();
    run_all(threads < 64 ? (int)threads : 64);
    int64_t all = clock_mono_ns() - begin;
    backend_pool_stats(pool, &after);
    if (getenv("WARM_TIMES"))
        say_times(&before, &after);
    else
        say(&after, all, cpu_ms() - cpu, first);
    backend_pool_close(pool);
    free(times);
    return failed > 0;
}
