/* SPDX-License-Identifier: Apache-2.0
 *
 * Times commands fairly: all of them in turn, round by round, so that a machine whose speed drifts
 * slows each alike. Prints for every command the median and the 99th percentile of its wall clock,
 * and the median of the processor time of everything it started and waited for.
 *
 *     interleave ROUNDS EVERY 'LABEL' 'COMMAND WORD WORD' [EVERY 'LABEL' 'COMMAND ...']...
 *
 * A command whose EVERY is 10 takes part in each tenth round only: for what is slow. Output, one
 * line a command, tab-separated: label, how often it ran, wall p50, wall p99, cpu p50, in
 * milliseconds; then "failed" if any exit status was not 0. Words are separated by single spaces,
 * without quoting.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MAX_WORDS 64
#define WARM_UP   3

struct command {
    const char *label;
    char *argv[MAX_WORDS + 1];
    double *wall, *cpu;
    int every, count, failed;
};

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double children_cpu_ms(void)
{
    struct rusage u;

    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void split(struct command *c, char *text)
{
    int n = 0;

    for (char *word = text, *end; word && n < MAX_WORDS; word = end) {
        end = strchr(word, ' ');
        if (end)
            *end++ = '\0';
        c->argv[n++] = word;
    }
}

static void run(struct command *c, posix_spawn_file_actions_t *quiet, int round)
{
    int status = 0;
    pid_t pid;
    double cpu = children_cpu_ms(), begin = now_ms();

    if (!c->argv[0] || posix_spawnp(&pid, c->argv[0], quiet, NULL, c->argv, environ) != 0) {
        c->failed = 1;
        return;
    }
    waitpid(pid, &status, 0);
    if (round >= 0) {
        c->wall[c->count] = now_ms() - begin;
        c->cpu[c->count++] = children_cpu_ms() - cpu;
    }
    c->failed |= status != 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static struct command *read_commands(char **argv, int count, int rounds)
{
    struct command *commands = calloc((size_t)count, sizeof *commands);

    for (int i = 0; commands && i < count; i++) {
        struct command *c = &commands[i];
        c->every = (int)strtol(argv[3 * i], NULL, 10);
        c->every = c->every > 0 ? c->every : 1;
        c->label = argv[3 * i + 1];
        split(c, argv[3 * i + 2]);
        c->wall = calloc((size_t)rounds, sizeof(double));
        c->cpu = calloc((size_t)rounds, sizeof(double));
        if (!c->wall || !c->cpu)
            exit(1);
    }
    return commands;
}

static void say(struct command *c)
{
    size_t n = (size_t)c->count;

    qsort(c->wall, n, sizeof(double), ascending);
    qsort(c->cpu, n, sizeof(double), ascending);
    printf("%s\t%d\t%.3f\t%.3f\t%.3f%s\n", c->label, c->count, c->wall[n / 2],
           c->wall[n * 99 / 100], c->cpu[n / 2], c->failed ? "\tfailed" : "");
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0, count = (argc - 2) / 3;
    posix_spawn_file_actions_t quiet;

    if (rounds < 1 || count < 1 || (argc - 2) % 3) {
        fputs("usage: interleave ROUNDS EVERY LABEL COMMAND [EVERY LABEL COMMAND]...\n", stderr);
        return 2;
    }
    struct command *commands = read_commands(argv + 2, count, rounds);
    if (!commands)
        return 1;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    for (int round = -WARM_UP; round < rounds; round++)
        for (int i = 0; i < count; i++)
            if (round % commands[i].every == 0)
                run(&commands[i], &quiet, round);
    for (int i = 0; i < count; i++)
        say(&commands[i]);
    free(commands);
    return 0;
}
