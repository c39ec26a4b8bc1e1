/* SPDX-License-Identifier: Apache-2.0
 *
 * Times commands fairly: all of them in turn, round by round, so that a machine whose speed drifts
 * slows each alike. Prints for every command the median and the 95th percentile of its wall clock,
 * and the median of the processor time of everything it started and waited for.
 *
 *     interleave ROUNDS 'LABEL' 'COMMAND WORD WORD' ['LABEL' 'COMMAND ...']...
 *
 * Output, one line a command, tab-separated: label, wall p50, wall p95, cpu p50, in milliseconds;
 * then "failed" if any round's exit status was not 0. Words are separated by single spaces, without
 * quoting.
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
    int failed;
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

    if (posix_spawnp(&pid, c->argv[0], quiet, NULL, c->argv, environ) != 0) {
        c->failed = 1;
        return;
    }
    waitpid(pid, &status, 0);
    if (round >= 0) {
        c->wall[round] = now_ms() - begin;
        c->cpu[round] = children_cpu_ms() - cpu;
    }
    c->failed |= status != 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0, count = (argc - 2) / 2;
    posix_spawn_file_actions_t quiet;

    if (rounds < 1 || count < 1 || argc % 2) {
        fputs("usage: interleave ROUNDS LABEL COMMAND [LABEL COMMAND]...\n", stderr);
        return 2;
    }
    struct command *commands = calloc((size_t)count, sizeof *commands);
    for (int i = 0; commands && i < count; i++) {
        commands[i].label = argv[2 + 2 * i];
        split(&commands[i], argv[3 + 2 * i]);
        commands[i].wall = calloc((size_t)rounds, sizeof(double));
        commands[i].cpu = calloc((size_t)rounds, sizeof(double));
    }
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    for (int round = -WARM_UP; commands && round < rounds; round++)
        for (int i = 0; i < count; i++)
            run(&commands[i], &quiet, round);
    for (int i = 0; commands && i < count; i++) {
        struct command *c = &commands[i];
        qsort(c->wall, (size_t)rounds, sizeof(double), ascending);
        qsort(c->cpu, (size_t)rounds, sizeof(double), ascending);
        printf("%s\t%.2f\t%.2f\t%.2f%s\n", c->label, c->wall[rounds / 2],
               c->wall[rounds * 95 / 100], c->cpu[rounds / 2], c->failed ? "\tfailed" : "");
    }
    return 0;
}
