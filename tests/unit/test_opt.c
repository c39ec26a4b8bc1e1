/* SPDX-License-Identifier: Apache-2.0 */
#include "options/opt.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tap.h"
#include "unit/opt_tables.h"

#define FAILS(message, ...)                                                                        \
    do {                                                                                           \
        EQ_INT(PARSE(__VA_ARGS__), -1);                                                            \
        EQ_INT(err.kind, ERR_USAGE);                                                               \
        EQ_STR(err.msg, message);                                                                  \
        done();                                                                                    \
    } while (0)

static void test_defaults(void)
{
    fresh();
    EQ_INT(settings.json, false);
    EQ_INT(settings.check, true);
    EQ_INT(settings.color, true);
    EQ_STR(settings.out, ".");
    EQ_STR(settings.token, NULL);
    EQ_INT(settings.file.n, 0);
    EQ_INT(settings.require.n, 1);
    EQ_STR(settings.require.items[0], "seccomp");
    EQ_INT(settings.memory, 512 << 20);
    EQ_INT(settings.timeout_ms, 30000);
    EQ_INT(settings.cpus, 1000);
    EQ_INT(settings.pids, 64);
    EQ_INT(settings.level, 0);
    EQ_INT(settings.net, 0);
    EQ_STR(where("timeout"), "default");
    OK(opt_source_of(&set, "nothing") == NULL, "no such option, no source");
    done();
    EQ_STR(settings.out, NULL);
    EQ_INT(settings.require.n, 0);
    EQ_INT(settings.untouched, 7);
}

static void test_every_kind(void)
{
    EQ_INT(PARSE("--json", "--no-check", "--no-color", "--out", "/tmp/o", "--file=a", "-fb", "-f",
                 "c", "--memory", "1.5g", "--timeout=200ms", "--cpus", "0.5", "--pids=10",
                 "--level", "-3", "--net=open"),
           0);
    EQ_INT(settings.json, true);
    EQ_INT(settings.check, false);
    EQ_INT(settings.color, false);
    EQ_STR(settings.out, "/tmp/o");
    EQ_INT(settings.file.n, 3);
    EQ_STR(settings.file.items[0], "a");
    EQ_STR(settings.file.items[1], "b");
    EQ_STR(settings.file.items[2], "c");
    OK(settings.file.items[3] == NULL, "a list ends with NULL");
    EQ_INT(settings.memory, 1536 << 20);
    EQ_INT(settings.timeout_ms, 200);
    EQ_INT(settings.cpus, 500);
    EQ_INT(settings.pids, 10);
    EQ_INT(settings.level, -3);
    EQ_INT(settings.net, 2);
    EQ_INT(args.operand_n, 0);
    EQ_STR(where("memory"), "command line");
    EQ_STR(where("check"), "command line");
    EQ_STR(where("disk-limit"), "default");
    done();

    EQ_INT(PARSE("--require", "landlock"), 0);
    EQ_INT(settings.require.n, 1);
    EQ_STR(settings.require.items[0], "landlock");
    done();
    EQ_INT(PARSE("--timeout=1s", "--timeout=2s", "--check", "--no-check", "--check"), 0);
    EQ_INT(settings.timeout_ms, 2000);
    EQ_INT(settings.check, true);
    done();
    EQ_INT(PARSE("--out="), 0);
    EQ_STR(settings.out, "");
    done();
    EQ_INT(PARSE("--out=\xFF\xFE=x"), 0);
    EQ_STR(settings.out, "\xFF\xFE=x");
    done();

    fresh();
    for (int i = 0; i < 100; i++) {
        char item[16];
        snprintf(item, sizeof item, "i%d", i);
        MORE("--file", item);
    }
    EQ_INT(settings.file.n, 100);
    EQ_STR(settings.file.items[99], "i99");
    OK(settings.file.items[100] == NULL, "a long list ends with NULL");
    done();
}

static void test_operands(void)
{
    EQ_INT(PARSE("script.sh", "--json", "-", "more", "-t5", "--", "--json", "x", "--"), 0);
    EQ_INT(settings.json, true);
    EQ_INT(settings.timeout_ms, 5000);
    EQ_INT(args.operand_n, 3);
    EQ_STR(args.operands[0], "script.sh");
    EQ_STR(args.operands[1], "-");
    EQ_STR(args.operands[2], "more");
    EQ_INT(args.has_rest, true);
    EQ_INT(args.rest_n, 3);
    EQ_STR(args.rest[0], "--json");
    EQ_STR(args.rest[2], "--");
    done();
    EQ_INT(PARSE("a", "--"), 0);
    EQ_INT(args.has_rest, true);
    EQ_INT(args.rest_n, 0);
    done();
    EQ_INT(PARSE("a"), 0);
    EQ_INT(args.has_rest, false);
    done();
    EQ_INT(PARSE("--code", "--", "--out", "-"), 0);
    EQ_STR(settings.code, "--");
    EQ_STR(settings.out, "-");
    done();
    EQ_INT(PARSE("-c", "-1"), 0);
    EQ_STR(settings.code, "-1");
    done();
    EQ_INT(PARSE("-jcprint(1)", "x"), 0);
    EQ_STR(settings.code, "print(1)");
    EQ_INT(settings.json, true);
    EQ_STR(args.operands[0], "x");
    done();
    EQ_INT(PARSE("-c=x"), 0);
    EQ_STR(settings.code, "=x");
    done();

    char *nothing[] = {NULL};
    fresh();
    EQ_INT(opt_parse(&set, 0, nothing, &args, &err), 0);
    EQ_INT(args.operand_n + args.rest_n, 0);
    done();
}

static void test_errors(void)
{
    FAILS("unknown option --timout; did you mean --timeout?", "--timout", "3");
    FAILS("unknown option --timout; did you mean --timeout?", "--timout=3");
    FAILS("unknown option --time; did you mean --timeout?", "--time", "3");
    FAILS("unknown option --timeout-sec; did you mean --timeout?", "--timeout-sec", "3");
    FAILS("unknown option --timeoutSeconds; did you mean --timeout?", "--timeoutSeconds", "3");
    FAILS("unknown option --sauce-mb", "--sauce-mb", "3");
    FAILS("unknown option --disk_limit; did you mean --disk-limit?", "--disk_limit=1m");
    FAILS("unknown option --jsno; did you mean --json?", "--jsno");
    FAILS("unknown option --frobnicate", "--frobnicate");
    FAILS("unknown option --chekc", "--chekc"); /* hidden */
    FAILS("unknown option --", "--=x");
    FAILS("unknown option --a?[31m", "--a\x1B[31m");
    FAILS("unknown option -x", "-x");
    FAILS("unknown option -x", "-qx");
    FAILS("unknown option -?", "-\xC3\xA9");
    FAILS("unknown option -p; did you mean --pids?", "-pids=3");
    FAILS("--memory needs a value: --memory SIZE", "--memory");
    FAILS("--memory needs a value: --memory SIZE", "-jm");
    FAILS("--pids needs a value: --pids VALUE", "--pids");
    FAILS("--json takes no value", "--json=true");
    FAILS("--no-check takes no value", "--no-check=");
    FAILS("--memory: '12q' is not a size; write it like 64k, 256m or 1.5g", "--memory", "12q");
    FAILS("--memory: '' is not a size; write it like 64k, 256m or 1.5g", "--memory=");
    FAILS("--memory: '-1' is not a size; write it like 64k, 256m or 1.5g", "-m-1");
    FAILS("--memory: 1k is out of range; give 1m to 1024g", "--memory", "1k");
    FAILS("--memory: 2048g is out of range; give 1m to 1024g", "--memory", "2t");
    FAILS("--timeout: 'soon' is not a duration; write it like 500ms, 30s or 1h30m", "-t", "soon");
    FAILS("--timeout: 25h is out of range; give 1ms to 24h", "-t", "25h");
    FAILS("--timeout: 0s is out of range; give 1ms to 24h", "-t0");
    FAILS("--cpus: 'all' is not a number; write it like 1, 0.5 or 2.0", "--cpus", "all");
    FAILS("--cpus: 0.001 is too little; give 0.01 or more", "--cpus", "0.001");
    FAILS("--pids: '1.5' is not a whole number", "--pids", "1.5");
    FAILS("--pids: '99999999999999999999' is not a whole number", "--pids", "99999999999999999999");
    FAILS("--pids: 0 is out of range; give 1 to 4096", "--pids", "0");
    FAILS("--pids: 4097 is out of range; give 1 to 4096", "--pids", "4097");
    FAILS("--net: 'opne' is not one of none, local, open; did you mean 'open'?", "--net", "opne");
    FAILS("--net: 'x' is not one of none, local, open", "--net", "x");
    FAILS("--net: 'a?b' is not one of none, local, open", "--net", "a\nb");
    FAILS("--quiet: cannot be given together with --json", "--json", "--quiet");
    FAILS("--json: cannot be given together with --quiet", "-q", "-j");

    fresh();
    struct opt_source source = {.from = OPT_FROM_COMMAND};
    EQ_INT(opt_apply(&set, &source, "out", (struct str){"a\0b", 3}, &err), -1);
    EQ_STR(err.msg, "--out: the value contains a NUL byte");
    EQ_INT(opt_apply(&set, &source, "file", (struct str){"a\0b", 3}, &err), -1);
    EQ_INT(settings.file.n, 0);
    EQ_INT(opt_apply(&set, &source, "disk_limit", STR("1m"), &err), -1);
    source = (struct opt_source){.from = OPT_FROM_ENV};
    EQ_INT(opt_apply(&set, &source, "pids", STR("x"), &err), -1);
    EQ_STR(err.msg, "pids: 'x' is not a whole number");
    done();
}

/* A megabyte of whatever, as a name and as values, costs milliseconds. */
static void test_hostile(void)
{
    size_t n = 1 << 20;
    AUTO_FREE char *text = xmalloc(n + 1);
    int64_t began = clock_mono_ms();

    memset(text, '9', n);
    text[n] = '\0';
    memcpy(text, "--timeou", 8);
    EQ_INT(PARSE(text), -1);
    done();
    memset(text, '-', n);
    EQ_INT(PARSE(text), -1);
    done();
    memset(text, '9', n);
    static const char *const names[] = {"--memory", "--timeout", "--cpus",    "--pids",
                                        "--net",    "--out",     "--no-check"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        int taken = PARSE(names[i], text);
        OK(taken == (i < 5 ? -1 : 0), "%s takes or refuses a megabyte", names[i]);
        done();
    }
    OK(clock_mono_ms() - began < 3000, "in linear time");
}

int main(void)
{
    RUN(test_defaults());
    RUN(test_every_kind());
    RUN(test_operands());
    RUN(test_errors());
    RUN(test_hostile());
    return tap_done();
}
