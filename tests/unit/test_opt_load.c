/* SPDX-License-Identifier: Apache-2.0
 *
 * Options from config files and the environment, which of them wins, and printing them.
 */
#include "options/opt.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "tap.h"
#include "unit/opt_tables.h"

static char folder[] = "/tmp/test-opt-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[64];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, struct str text)
{
    AUTO_CLOSE int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    OK(fd >= 0 && fd_write_all(fd, text.p, text.n) == 0, "write %s", name);
}

/* Loads the text as a file of that name, which messages then hold. */
static int load(enum opt_from from, const char *text)
{
    write_file("g.conf", str_from(text));
    if (chdir(folder) < 0)
        return -2;
    return opt_load_conf(&set, &(struct opt_conf){.path = "g.conf", .from = from}, &err);
}

static void test_conf(void)
{
    fresh();
    EQ_INT(load(OPT_FROM_USER, "timeout = 5s # five\n\nfile = [a, \"b c\"]\nquiet = yes\n"
                               "disk_limit = 1m\nno-check = true\nnet = local\nout = 'x'\n"),
           0);
    EQ_INT(settings.timeout_ms, 5000);
    EQ_INT(settings.file.n, 2);
    EQ_STR(settings.file.items[1], "b c");
    EQ_INT(settings.quiet, true);
    EQ_INT(settings.disk, 1 << 20);
    EQ_INT(settings.check, false);
    EQ_INT(settings.net, 1);
    EQ_STR(settings.out, "x");
    EQ_STR(where("file"), "user config g.conf:3");
    EQ_STR(where("check"), "user config g.conf:6");
    EQ_STR(where("memory"), "default");
    done();

    fresh();
    EQ_INT(load(OPT_FROM_USER, "require = []\nfile = one\ncheck = off\n"), 0);
    EQ_INT(settings.require.n, 0);
    EQ_STR(settings.file.items[0], "one");
    EQ_INT(settings.check, false);
    EQ_STR(where("require"), "user config g.conf:1");
    done();
}

static const struct {
    enum opt_from from;
    const char *text, *want;
} conf_errors[] = {
    {OPT_FROM_USER, "\n\ntimeout 3", "g.conf:3: expected '=' after 'timeout'"},
    {OPT_FROM_USER, "\ntimout = 3", "g.conf:2: unknown key 'timout'; did you mean 'timeout'?"},
    {OPT_FROM_USER, "jsom = true", "g.conf:1: unknown key 'jsom'"},
    {OPT_FROM_USER, "json = true", "g.conf:1: json: can be given on the command line only"},
    {OPT_FROM_USER, "pids = many", "g.conf:1: pids: 'many' is not a whole number"},
    {OPT_FROM_USER, "quiet = maybe", "g.conf:1: quiet: 'maybe' is neither true nor false"},
    {OPT_FROM_USER, "pids = [1, 2]", "g.conf:1: pids: takes one value, not 2"},
    {OPT_FROM_USER, "pids = []", "g.conf:1: pids: takes one value, not 0"},
    {OPT_FROM_USER, "net = \"\\u001b[2J\"",
     "g.conf:1: net: '?[2J' is not one of none, local, open"},
    {OPT_FROM_USER, "net = \"\\u009b2J\"", "g.conf:1: net: '??2J' is not one of none, local, open"},
    {OPT_FROM_USER, "[what]\nx = 1", "g.conf:2: unknown section 'what'"},
    {OPT_FROM_PROJECT, "net = open",
     "g.conf:1: net: weakens the sandbox, so a project's config file may not set it; give it on "
     "the "
     "command line or in your own config file"},
    {OPT_FROM_PROJECT, "no_check = true",
     "g.conf:1: no-check: weakens the sandbox, so a project's config file may not set it; give it "
     "on "
     "the command line or in your own config file"},
    {OPT_FROM_PROJECT, "check = false",
     "g.conf:1: check: weakens the sandbox, so a project's config file may not set it; give it on "
     "the command line or in your own config file"},
};

static void test_conf_errors(void)
{
    for (size_t i = 0; i < ARRAY_LEN(conf_errors); i++) {
        fresh();
        EQ_INT(load(conf_errors[i].from, conf_errors[i].text), -1);
        EQ_STR(err.msg, conf_errors[i].want);
        EQ_INT(settings.net, 0);
        EQ_INT(settings.check, true);
        done();
    }

    fresh();
    struct opt_conf conf = {.path = "missing.conf", .from = OPT_FROM_USER, .optional = true};
    EQ_INT(opt_load_conf(&set, &conf, &err), 0);
    conf.path = "g.conf/x";
    EQ_INT(opt_load_conf(&set, &conf, &err), 0);
    conf.path = folder;
    EQ_INT(opt_load_conf(&set, &conf, &err), -1);
    conf = (struct opt_conf){.path = "missing.conf", .from = OPT_FROM_USER};
    EQ_INT(opt_load_conf(&set, &conf, &err), -1);
    EQ_STR(err.msg, "config file: cannot read missing.conf: No such file or directory");
    EQ_INT(err.kind, ERR_USAGE);

    AUTO_BUF struct buf big = {0};
    buf_init(&big, CONF_MAX_BYTES + 1);
    while (buf_addc(&big, '\n') == 0)
        ;
    write_file("g.conf", buf_str(&big));
    conf.path = "g.conf";
    EQ_INT(opt_load_conf(&set, &conf, &err), -1);
    EQ_STR(err.msg, "g.conf: larger than 1048576 bytes");
    done();
}

static int take_section(void *ctx, const struct opt_source *source, const struct conf_item *item,
                        struct err *ret_err)
{
    struct buf *b = ctx;

    if (str_is(item->key, "bad"))
        return err_set(ret_err, ERR_USAGE, "no good");
    if (str_is(item->section, "own"))
        return opt_apply_list(&set, source, item->key, item->values, item->n, ret_err);
    return buf_addf(b, "%d %s:%zu %.*s.%.*s=%.*s;", (int)source->from, source->place, source->line,
                    (int)item->section.n, item->section.p, (int)item->key.n, item->key.p,
                    (int)item->values[0].n, item->values[0].p);
}

static void test_sections(void)
{
    AUTO_BUF struct buf b = {0};
    struct opt_conf conf = {
        .path = "g.conf", .from = OPT_FROM_PROJECT, .section = take_section, .ctx = &b};

    buf_init(&b, 1000);
    fresh();
    write_file("g.conf", STR("pids = 3\n[language.ruby]\nsuffix = .rb\ntimeout = 1\n"));
    EQ_INT(opt_load_conf(&set, &conf, &err), 0);
    EQ_INT(settings.pids, 3);
    EQ_INT(settings.timeout_ms, 30000);
    EQ_STR(b.p, "2 g.conf:3 language.ruby.suffix=.rb;2 g.conf:4 language.ruby.timeout=1;");
    write_file("g.conf", STR("[a]\n\nbad = 1\n"));
    EQ_INT(opt_load_conf(&set, &conf, &err), -1);
    EQ_STR(err.msg, "g.conf:3: no good");
    write_file("g.conf", STR("[own]\npids = many\n"));
    EQ_INT(opt_load_conf(&set, &conf, &err), -1);
    EQ_STR(err.msg, "g.conf:2: pids: 'many' is not a whole number");
    write_file("g.conf", STR("[own]\npidz = 1\n"));
    EQ_INT(opt_load_conf(&set, &conf, &err), -1);
    EQ_STR(err.msg, "g.conf:2: unknown key 'pidz'; did you mean 'pids'?");
    done();
}

static void test_env(void)
{
    setenv("GB_DISK_LIMIT", "2m", 1);
    setenv("GB_NET", "open", 1);
    setenv("GB_NO_CHECK", "1", 1);
    setenv("GB_FILE", "a,b", 1);
    setenv("GB_JSON", "1", 1);
    setenv("GB_TIMEOUT", "", 1);
    fresh();
    EQ_INT(opt_load_env(&set, "GB", &err), 0);
    EQ_INT(settings.disk, 2 << 20);
    EQ_INT(settings.net, 2);
    EQ_INT(settings.check, false);
    EQ_INT(settings.json, false);
    EQ_INT(settings.timeout_ms, 30000);
    EQ_INT(settings.file.n, 1);
    EQ_STR(settings.file.items[0], "a,b");
    EQ_STR(where("disk-limit"), "environment GB_DISK_LIMIT");
    EQ_STR(where("timeout"), "default");
    done();

    setenv("GB_PIDS", "lots", 1);
    fresh();
    EQ_INT(opt_load_env(&set, "GB", &err), -1);
    EQ_STR(err.msg, "GB_PIDS: 'lots' is not a whole number");
    done();
    static const char *const names[] = {"DISK_LIMIT", "NET",     "NO_CHECK", "FILE",
                                        "JSON",       "TIMEOUT", "PIDS"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char name[32];
        snprintf(name, sizeof name, "GB_%s", names[i]);
        unsetenv(name);
    }
}

/* Four sources in any order of loading, the strongest one wins. */
static void test_precedence(void)
{
    setenv("GB_MEMORY", "3m", 1);
    setenv("GB_PIDS", "3", 1);
    for (int order = 0; order < 6; order++) {
        fresh();
        for (int step = 0; step < 3; step++) {
            static const char turns[6][4] = {"ucp", "upc", "cup", "cpu", "puc", "pcu"};
            char turn = turns[order][step];
            if (turn == 'u')
                load(OPT_FROM_USER, "timeout = 1s\nmemory = 1m\npids = 1\ndisk-limit = 1m\n"
                                    "file = [u, v]\nquiet = true\n");
            else if (turn == 'p')
                load(OPT_FROM_PROJECT, "timeout = 2s\nmemory = 2m\npids = 2\nfile = [p]\n");
            else
                MORE("--pids", "4", "--file", "c", "--file", "d", "--json");
        }
        EQ_INT(opt_load_env(&set, "GB", &err), 0);
        EQ_INT(settings.disk, 1 << 20);
        EQ_INT(settings.timeout_ms, 2000);
        EQ_INT(settings.memory, 3 << 20);
        EQ_INT(settings.pids, 4);
        EQ_INT(settings.file.n, 2);
        EQ_STR(settings.file.items[0], "c");
        EQ_STR(where("timeout"), "project config g.conf:1");
        EQ_STR(where("memory"), "environment GB_MEMORY");
        EQ_STR(where("pids"), "command line");
        EQ_INT(settings.json, true);
        EQ_INT(settings.quiet, false); /* gave way to --json, which it excludes */
        EQ_STR(where("quiet"), "default");
        done();
    }
    unsetenv("GB_MEMORY");
    unsetenv("GB_PIDS");

    EQ_INT(PARSE("--pids", "5"), 0);
    EQ_INT(load(OPT_FROM_USER, "pids = wrong"), -1);
    EQ_STR(err.msg, "g.conf:1: pids: 'wrong' is not a whole number");
    EQ_INT(load(OPT_FROM_USER, "quiet = true"), 0);
    EQ_INT(settings.quiet, true);
    EQ_INT(MORE("--json"), 0);
    EQ_INT(settings.quiet, false);
    EQ_INT(load(OPT_FROM_PROJECT, "quiet = false"), 0);
    EQ_INT(settings.json, true);
    done();
}

/* A project's file makes limits stricter, never looser, whatever they are measured by. */
static void test_only_lower(void)
{
    static const struct {
        const char *user, *project;
        const char *refused; /* what the limit is, NULL when it may */
    } cases[] = {
        {"", "max-size = 1m", NULL},
        {"", "max-size = 1", NULL},
        {"", "max-size = 1025k", "1m"},
        {"", "max-size = 0", "1m"},
        {"", "max_size = 2m", "1m"},
        {"", "max-time = 1h", NULL},
        {"", "max-time = 0", NULL},
        {"max-time = 2s", "max-time = 0", "2s"},
        {"max-time = 2s", "max-time = 2001ms", "2s"},
        {"max-time = 2s", "max-time = 2s", NULL},
        {"", "max-cpus = 1.001", "1.0"},
        {"", "max-cpus = 0.999", NULL},
        {"", "max-pids = 65", "64"},
        {"", "max-pids = 0", "64"},
        {"max-pids = 0", "max-pids = 9999", NULL},
        {"max-pids = 100", "max-pids = 100", NULL},
        {"", "most = 65", "64"},
        {"", "most = 3", NULL},
        {"", "memory = 1g", NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        fresh();
        EQ_INT(load(OPT_FROM_USER, cases[i].user), 0);
        EQ_INT(load(OPT_FROM_PROJECT, cases[i].project), cases[i].refused ? -1 : 0);
        if (cases[i].refused) {
            AUTO_FREE char *is = xasprintf("only lower this limit, and it is %s; raise it on the "
                                           "command line or in your own config file",
                                           cases[i].refused);
            OK(strstr(err.msg, is) != NULL, "'%s' after '%s': %s", cases[i].project, cases[i].user,
               err.msg);
            OK(strncmp(err.msg, "g.conf:1: m", 11) == 0, "names the place: %s", err.msg);
            EQ_INT(err.kind, ERR_USAGE);
        }
        done();
    }
}

static void test_only_lower_elsewhere(void)
{
    EQ_INT(PARSE("--max-size=2g"), 0);
    EQ_INT(load(OPT_FROM_USER, "max-pids = 1000"), 0);
    EQ_INT(load(OPT_FROM_PROJECT, "max-size = 1g"), 0); /* decided already: dropped */
    EQ_INT(settings.max_size, 2LL << 30);
    EQ_INT(settings.max_pids, 1000);
    done();

    setenv("GB_MAX_PIDS", "0", 1);
    fresh();
    EQ_INT(opt_load_env(&set, "GB", &err), 0);
    EQ_INT(settings.max_pids, 0);
    unsetenv("GB_MAX_PIDS");
    done();

    fresh();
    EQ_INT(load(OPT_FROM_USER, "demand = [a, b]"), 0);
    EQ_INT(load(OPT_FROM_PROJECT, "demand = [c]"), 0);
    EQ_INT(settings.demand.n, 3);
    EQ_STR(settings.demand.items[0], "a");
    EQ_STR(settings.demand.items[2], "c");
    EQ_STR(where("demand"), "project config g.conf:1");
    EQ_INT(MORE("--demand", "x"), 0);
    EQ_INT(settings.demand.n, 1);
    done();

    fresh();
    EQ_INT(load(OPT_FROM_PROJECT, "demand = []"), 0);
    EQ_INT(settings.demand.n, 1);
    EQ_STR(settings.demand.items[0], "seccomp");
    done();
}

/* ---- printing ---- */

static char *print(void)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    opt_print(&set, out);
    fclose(out);
    return text;
}

static void test_print(void)
{
    EQ_INT(PARSE("--timeout=90s", "--token=abc", "--file", "a b", "--file", "c", "--cpus=2.25",
                 "--out", "/x y/\"z\"\n"),
           0);
    load(OPT_FROM_USER, "net = open\nno-check = true");
    AUTO_FREE char *text = print();
    EQ_STR(text, "quiet = false                             # default\n"
                 "check = false                             # user config g.conf:2\n"
                 "no-color = false                          # default\n"
                 "out = \"/x y/\\\"z\\\"\\n\"                      # command line\n"
                 "# token = ***                             # command line\n"
                 "file = [\"a b\", c]                         # command line\n"
                 "require = [seccomp]                       # default\n"
                 "memory = 512m                             # default\n"
                 "disk-limit = 256m                         # default\n"
                 "timeout = 90s                             # command line\n"
                 "cpus = 2.25                               # command line\n"
                 "pids = 64                                 # default\n"
                 "level = 0                                 # default\n"
                 "max-size = 1m                             # default\n"
                 "max-time = 0s                             # default\n"
                 "max-cpus = 1.0                            # default\n"
                 "max-pids = 64                             # default\n"
                 "demand = [seccomp]                        # default\n"
                 "net = open                                # user config g.conf:1\n");
    OK(strstr(text, "abc") == NULL, "a secret is not printed");
    done();

    fresh();
    AUTO_FREE char *unset = print();
    OK(strstr(unset, "\n# token =                                 # default\n") != NULL,
       "what is not set is a comment");
    OK(strstr(unset, "check") == NULL, "a hidden default is not printed");
    done();
}

static void round_trip(const char *name)
{
    AUTO_FREE char *first = print();

    done();
    fresh();
    EQ_INT(load(OPT_FROM_USER, first), 0);
    AUTO_FREE char *second = print();
    char *a = first, *b = second;
    int same = 1;
    while (same && *a && *b) { /* all but the comments */
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        char *end_a = memmem(a, n, "  # ", 4), *end_b = memmem(b, m, "  # ", 4);
        size_t len_a = end_a ? (size_t)(end_a - a) : n, len_b = end_b ? (size_t)(end_b - b) : m;
        same = len_a == len_b && memcmp(a, b, len_a) == 0;
        a += n + (a[n] != 0);
        b += m + (b[m] != 0);
    }
    if (!OK(same && !*a && !*b, "%s: what is printed reads back the same", name))
        printf("# first:\n%s# second:\n%s", first, second);
}

static void test_round_trip(void)
{
    fresh();
    round_trip("defaults");
    EQ_INT(settings.timeout_ms, 30000);
    done();

    EQ_INT(PARSE("-q", "--no-check", "--no-color", "--out=\x01 #\\ \xFF'\"", "--memory=1048577",
                 "--timeout=61001ms", "--cpus=0.125", "--level=-9223372036854775808", "--net=local",
                 "--file=", "--file=[x", "--file=a,b", "--file=#c"),
           0);
    round_trip("odd values");
    EQ_STR(settings.out, "\x01 #\\ \xFF'\"");
    EQ_INT(settings.memory, 1048577);
    EQ_INT(settings.timeout_ms, 61001);
    EQ_INT(settings.cpus, 125);
    EQ_INT(settings.level, INT64_MIN);
    EQ_INT(settings.check, false);
    EQ_INT(settings.color, false);
    EQ_INT(settings.file.n, 4);
    EQ_STR(settings.file.items[3], "#c");
    done();

    fresh();
    for (int i = 0; i < 20000; i++) {
        MORE("--file", "an item");
    }
    round_trip("a list longer than a line may be");
    EQ_INT(settings.file.n, 20000);
    done();
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    RUN(test_conf());
    RUN(test_conf_errors());
    RUN(test_sections());
    RUN(test_env());
    RUN(test_precedence());
    RUN(test_only_lower());
    RUN(test_only_lower_elsewhere());
    RUN(test_print());
    RUN(test_round_trip());
    unlink(path_of("g.conf"));
    rmdir(folder);
    return tap_done();
}
