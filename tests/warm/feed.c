/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs for the tests, warm and cold: a line of JSON in, a line out. feed [FORKS before a zygote is
 * renewed [JAILS that may wait [BYTES that they may hold]]], 0 for as many as without
 *
 *     {"code", "language", "warm": bool, "args": [], "env": ["K=V"], "files": {NAME: TEXT},
 *      "input": TEXT, "timeout_ms", "cpu_ms", "cpu_milli", "memory", "disk", "pids", "out": FOLDER,
 *      "backend", "python": PATH, "ro": []}
 *     gives the result, and "taken": "ready" | "on demand" | "cold"
 *     {"stats": true}    what the pool says
 *     {"many": N, "threads": T, "code"}    {"failed": how many did not succeed}
 */
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/pool.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "registry/registry.h"
#include "run/run.h"

enum { LINE = 1 << 20, WORDS = 64 };

static struct backend_pool *pool;
static const struct language_table languages;

static void put(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);

    puts(text);
    fflush(stdout);
    free(text);
    json_decref(value);
}

static char **words(const json_t *list)
{
    static char *rooms[3][WORDS + 1];
    static unsigned turn;
    char **room = rooms[turn++ % 3];
    size_t n = 0;

    for (; n < json_array_size(list) && n < WORDS; n++)
        room[n] = (char *)json_string_value(json_array_get(list, n));
    room[n] = NULL;
    return room;
}

static void fill(struct run_request *q, const json_t *line)
{
    const char *language = json_string_value(json_object_get(line, "language"));
    const json_t *v;

    q->program.code = str_from(json_string_value(json_object_get(line, "code")));
    q->program.language = language ? language : "python";
    q->program.languages = &languages;
    q->door.log = "off";
    q->place.backend = json_string_value(json_object_get(line, "backend"));
    q->place.pool = json_is_true(json_object_get(line, "warm")) ? pool : NULL;
    q->program.python = json_string_value(json_object_get(line, "python"));
    q->program.args = words(json_object_get(line, "args"));
    q->program.env = words(json_object_get(line, "env"));
    q->workspace.out_dir = json_string_value(json_object_get(line, "out"));
    q->workspace.ro = words(json_object_get(line, "ro"));
    if ((v = json_object_get(line, "timeout_ms")))
        q->limits.wall_ms = json_integer_value(v);
    if ((v = json_object_get(line, "cpu_ms")))
        q->limits.cpu_ms = json_integer_value(v);
    if ((v = json_object_get(line, "cpu_milli")))
        q->limits.cpu_milli = (uint32_t)json_integer_value(v);
    if ((v = json_object_get(line, "memory")))
        q->limits.memory_bytes = (uint64_t)json_integer_value(v);
    if ((v = json_object_get(line, "disk")))
        q->limits.disk_bytes = (uint64_t)json_integer_value(v);
    if ((v = json_object_get(line, "pids")))
        q->limits.pids = (uint32_t)json_integer_value(v);
}

static size_t fill_inputs(struct named_bytes *inputs, json_t *files)
{
    const char *name;
    json_t *text;
    size_t n = 0;

    json_object_foreach(files, name, text) if (n < WORDS) inputs[n++] =
        (struct named_bytes){str_from(name), str_from(json_string_value(text))};
    return n;
}

static const char *how(const struct backend_pool_stats *before)
{
    struct backend_pool_stats after;

    backend_pool_stats(pool, &after);
    return after.hits > before->hits             ? "ready"
           : after.on_demand > before->on_demand ? "on demand"
                                                 : "cold";
}

static void run(json_t *line)
{
    struct run_request request;
    struct run_watch watch = {.cancel_fd = -1};
    struct named_bytes inputs[WORDS];
    struct result result;
    struct backend_pool_stats before;
    struct err err;
    const char *input = json_string_value(json_object_get(line, "input"));
    AUTO_CLOSE int memory = input ? fd_memory("input", input, strlen(input), &err) : -1;

    run_request_init(&request);
    fill(&request, line);
    request.program.stdin_fd = memory;
    request.workspace.inputs = inputs;
    request.workspace.input_count = fill_inputs(inputs, json_object_get(line, "files"));
    result_init(&result, request.output_limit);
    backend_pool_stats(pool, &before);
    run_program(&request, &watch, &result);
    json_t *doc = result_document(&result);
    json_object_set_new(doc, "taken", json_string(how(&before)));
    result_done(&result);
    put(doc);
}

struct crowd {
    struct run_request request;
    int left, failed;
};

static void *one_of_many(void *ctx)
{
    struct crowd *crowd = ctx;

    while (__atomic_fetch_sub(&crowd->left, 1, __ATOMIC_RELAXED) > 0) {
        struct run_watch watch = {.cancel_fd = -1};
        struct result result;
        result_init(&result, crowd->request.output_limit);
        run_program(&crowd->request, &watch, &result);
        if (!result.success)
            __atomic_fetch_add(&crowd->failed, 1, __ATOMIC_RELAXED);
        result_done(&result);
    }
    return NULL;
}

static void run_many(const json_t *line)
{
    struct crowd crowd = {.left = (int)json_integer_value(json_object_get(line, "many"))};
    int threads = (int)json_integer_value(json_object_get(line, "threads"));
    pthread_t ids[WORDS];

    run_request_init(&crowd.request);
    fill(&crowd.request, line);
    crowd.request.place.pool = pool;
    for (int i = 0; i < threads && i < WORDS; i++)
        pthread_create(&ids[i], NULL, one_of_many, &crowd);
    for (int i = 0; i < threads && i < WORDS; i++)
        pthread_join(ids[i], NULL);
    put(json_pack("{s:i}", "failed", crowd.failed));
}

static void say_stats(void)
{
    struct backend_pool_stats s;

    backend_pool_stats(pool, &s);
    put(json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:i, s:I, s:s}", "hits", (json_int_t)s.hits,
                  "on_demand", (json_int_t)s.on_demand, "misses", (json_int_t)s.misses, "started",
                  (json_int_t)s.zygotes_started, "died", (json_int_t)s.zygotes_died, "renewed",
                  (json_int_t)s.zygotes_renewed, "zygotes", (int)s.zygotes, "ready", (int)s.ready,
                  "memory", (json_int_t)s.memory, "problem", s.problem));
}

int main(int argc, char **argv)
{
    static char text[LINE];
    struct backend_pool_options options = {0};
    struct err err;

    int64_t numbers[3] = {0};
    for (int i = 0; i < 3 && i + 1 < argc; i++)
        (void)num_int64(str_from(argv[i + 1]), &numbers[i]);
    options.forks_max = (uint32_t)numbers[0];
    options.ready_max = (unsigned)numbers[1];
    options.memory_max = (uint64_t)numbers[2];
    if (backend_pool_open(backends, &options, &pool, &err) < 0) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    while (fgets(text, sizeof text, stdin)) {
        json_t *line = json_loads(text, 0, NULL);
        if (json_object_get(line, "stats"))
            say_stats();
        else if (json_object_get(line, "many"))
            run_many(line);
        else
            run(line);
        json_decref(line);
    }
    backend_pool_close(pool);
    return 0;
}
