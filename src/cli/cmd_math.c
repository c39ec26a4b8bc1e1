/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "math/math.h"
#include "terminal/safe_text.h"

static const struct opt *const shown[] = {wall_options, limit_options, general_options, NULL};
/* A config file has the settings of other commands as well. */
static const struct opt *const tables[] = {
    wall_options,   limit_options, general_options, work_options, data_options,
    policy_options, guard_options, quiet_option,    log_options,  NULL};

/* The expression as the shell passed it, in one argument or in several. */
static int join(const struct opt_args *args, struct buf *ret, struct err *err)
{
    buf_init(ret, MATH_MAX_TEXT + 1);
    for (size_t i = 0; i < args->operand_n + args->rest_n; i++) {
        if (i)
            (void)buf_addc(ret, ' ');
        (void)buf_adds(ret,
                       i < args->operand_n ? args->operands[i] : args->rest[i - args->operand_n]);
    }
    if (ret->overflow)
        return err_set(err, ERR_USAGE, "the expression is longer than %d characters",
                       MATH_MAX_TEXT);
    return ret->n ? 0 : err_set(err, ERR_USAGE, "no expression; give one such as 'sqrt(2) / 3'");
}

static void print(const struct math_answer *answer)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 8u << 20);
    safe_text_add(&line, buf_str(&answer->text), false);
    printf("%s%s\n", answer->good ? "" : "Error: ", line.p);
}

/* Arithmetic needs less than a program does. */
static void lower_limits(const struct cli_options *options, struct run_request *q)
{
    if (opt_source_of(&options->set, "timeout")->from == OPT_FROM_DEFAULT)
        q->limits.wall_ms = 10000;
}

static int run(struct cli_options *options, struct err *err)
{
    const struct run_watch watch = {.cancel_fd = -1};
    struct run_request q;
    struct math_answer answer;
    AUTO_BUF struct buf expression = {0};

    if (cli_options_only(options, shown, "math", err) < 0 ||
        join(&options->args, &expression, err) < 0 ||
        settings_request(&options->settings.common, &q, err) < 0)
        return -1;
    lower_limits(options, &q);
    signal(SIGPIPE, SIG_IGN);
    int status = math_run(&q, &watch, buf_str(&expression), &answer, err);
    if (status == 0)
        print(&answer);
    status = status < 0 ? -1 : !answer.good;
    buf_done(&answer.text);
    return status;
}

static int math_main(int argc, char **argv)
{
    struct cli_options options;
    struct err err;
    int status = -1;

    if (cli_options_load(&options, tables, argc, argv, &err) == 0) {
        status = 0;
        if (options.settings.help)
            help_print_command(stdout, &command_math);
        else
            status = run(&options, &err);
    }
    if (status < 0)
        status = cli_fail("math", &err);
    cli_options_done(&options);
    return status;
}

const struct command command_math = {
    .name = "math",
    .summary = "compute one expression, and run nothing else",
    .usage = "glovebox math [OPTION]... EXPRESSION...",
    .tables = shown,
    .run = math_main,
};
