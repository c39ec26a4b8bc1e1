/* SPDX-License-Identifier: Apache-2.0
 *
 * Option tables with every kind in them, for the tests of options/opt.h.
 */
#ifndef TESTS_OPT_TABLES_H
#define TESTS_OPT_TABLES_H

#include <stdlib.h>
#include <string.h>

#include "options/opt.h"

struct settings {
    bool json, quiet, check, color;
    char *out, *token, *config, *code;
    struct opt_list file, require, demand;
    uint64_t memory, disk, max_size;
    int64_t timeout_ms, cpus, pids, level, max_time, max_cpus, max_pids;
    int net;
    int untouched;
};

static const char *const net_words[] = {"none", "local", "open", NULL};

#define AT(member) .offset = offsetof(struct settings, member)
static const struct opt common[] = {
    {.name = "json", .letter = 'j', .kind = OPT_FLAG, AT(json), .excludes = "quiet"},
    {.name = "quiet", .letter = 'q', .kind = OPT_FLAG, .flags = OPT_CONF, AT(quiet)},
    {.name = "check",
     .kind = OPT_FLAG,
     .flags = OPT_CONF | OPT_HIDDEN,
     AT(check),
     .initial = "true"},
    {.name = "no-check", .kind = OPT_NEGATION, .flags = OPT_CONF | OPT_LOOSENS, AT(check)},
    {.name = "no-color", .kind = OPT_NEGATION, .flags = OPT_CONF, AT(color)},
    {.name = "config", .kind = OPT_STRING, AT(config), .arg = "FILE"},
    {0},
};
static const struct opt own[] = {
    {.name = "code", .letter = 'c', .kind = OPT_STRING, AT(code), .arg = "CODE"},
    {.name = "out",
     .letter = 'o',
     .kind = OPT_STRING,
     .flags = OPT_CONF,
     AT(out),
     .arg = "DIR",
     .initial = "."},
    {.name = "token", .kind = OPT_STRING, .flags = OPT_CONF | OPT_SECRET, AT(token)},
    {.name = "file", .letter = 'f', .kind = OPT_LIST, .flags = OPT_CONF, AT(file), .arg = "SRC"},
    {.name = "require", .kind = OPT_LIST, .flags = OPT_CONF, AT(require), .initial = "seccomp"},
    {.name = "memory",
     .letter = 'm',
     .kind = OPT_SIZE,
     .flags = OPT_CONF,
     AT(memory),
     .arg = "SIZE",
     .initial = "512m",
     .min = 1 << 20,
     .max = 1LL << 40},
    {.name = "disk-limit", .kind = OPT_SIZE, .flags = OPT_CONF, AT(disk), .initial = "256m"},
    {.name = "timeout",
     .letter = 't',
     .kind = OPT_DURATION,
     .flags = OPT_CONF,
     AT(timeout_ms),
     .arg = "DURATION",
     .initial = "30s",
     .min = 1,
     .max = 86400000},
    {.name = "cpus", .kind = OPT_MILLI, .flags = OPT_CONF, AT(cpus), .initial = "1.0", .min = 10},
    {.name = "pids",
     .kind = OPT_INT,
     .flags = OPT_CONF,
     AT(pids),
     .initial = "64",
     .min = 1,
     .max = 4096},
    {.name = "level", .kind = OPT_INT, .flags = OPT_CONF, AT(level)},
    {.name = "max-size",
     .kind = OPT_SIZE,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     AT(max_size),
     .initial = "1m"},
    {.name = "max-time", .kind = OPT_DURATION, .flags = OPT_CONF | OPT_ONLY_LOWER, AT(max_time)},
    {.name = "max-cpus",
     .kind = OPT_MILLI,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     AT(max_cpus),
     .initial = "1.0"},
    {.name = "max-pids",
     .kind = OPT_INT,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     AT(max_pids),
     .initial = "64"},
    {.name = "most", .kind = OPT_INT, .flags = OPT_CONF | OPT_HIDDEN, AT(max_pids)},
    {.name = "demand",
     .kind = OPT_LIST,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     AT(demand),
     .initial = "seccomp"},
    {.name = "net",
     .kind = OPT_CHOICE,
     .flags = OPT_CONF | OPT_LOOSENS,
     AT(net),
     .choices = net_words},
    {0},
};
static const struct opt *const tables[] = {common, own, NULL};

static struct settings settings;
static struct opt_set set;
static struct opt_args args;
static struct err err;

static inline void fresh(void)
{
    settings = (struct settings){.untouched = 7};
    memset(&args, 0, sizeof args);
    memset(&err, 0, sizeof err);
    opt_init(&set, tables, &settings);
}

static inline void done(void)
{
    opt_args_done(&args);
    opt_done(&set);
}

/* Parses words (ended by NULL) over what is there already. */
static inline int parse_more(const char *const *words)
{
    static char *argv[32] = {(char *)"run"}; /* args points into it */
    int argc = 1;

    opt_args_done(&args);
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    return opt_parse(&set, argc, argv, &args, &err);
}

static inline const char *where(const char *name)
{
    static char out[300];

    return opt_source_text(opt_source_of(&set, name), out, sizeof out);
}

#define MORE(...)  parse_more((const char *const[]){__VA_ARGS__, NULL})
#define PARSE(...) (fresh(), MORE(__VA_ARGS__))

#endif
