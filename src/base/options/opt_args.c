/* SPDX-License-Identifier: Apache-2.0 */
#include "options/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct opt_source from_command = {.from = OPT_FROM_COMMAND};

struct reader {
    struct opt_set *set;
    int argc;
    char **argv;
    int at; /* the index of the next argument */
    struct err *err;
    bool unknown; /* the current option is unknown */
};

static const struct opt *find_name(const struct opt_set *set, struct str name)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk)))
        if (str_is(name, row->name))
            return row;
    return NULL;
}

static const struct opt *find_letter(const struct opt_set *set, char letter)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk)))
        if (row->letter && row->letter == letter)
            return row;
    return NULL;
}

/* Notes the row, so that the command can warn. */
static const struct opt *find_old_letter(struct opt_set *set, char letter)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(set->tables, &walk)))
        if (row->old_letter && row->old_letter == letter)
            return set->old = row;
    return NULL;
}

/* `given` is the value if it is in the same argument ("--name=value"), else NULL. */
static int set_option(struct reader *r, const struct opt *row, const char *given)
{
    if (!opt_takes_value(row))
        given = "true";
    else if (!given && r->at < r->argc)
        given = r->argv[r->at++];
    if (!given)
        return err_set(r->err, ERR_USAGE, "--%s needs a value: --%s %s", row->name, row->name,
                       row->arg ? row->arg : "VALUE");
    return opt_apply(r->set, &from_command, row->name, str_from(given), r->err);
}

static int read_long(struct reader *r, const char *text)
{
    const char *equals = strchr(text, '=');
    struct str name = {text, equals ? (size_t)(equals - text) : strlen(text)};
    const struct opt *row = find_name(r->set, name);

    r->unknown = !row;
    if (!row) /* reports the unknown name */
        return opt_apply_list(r->set, &from_command, name, NULL, 0, r->err);
    if (equals && !opt_takes_value(row))
        return err_set(r->err, ERR_USAGE, "--%s takes no value", row->name);
    return set_option(r, row, equals ? equals + 1 : NULL);
}

static int unknown_letter(struct reader *r, const char *letters, char bad)
{
    struct str word = str_from(letters);

    r->unknown = true;
    const struct opt *meant = find_name(r->set, str_slice(word, 0, strcspn(letters, "=")));

    const char *advice = opt_advice(r->set, (struct str){&bad, 1});
    if (advice)
        return err_set(r->err, ERR_USAGE, "unknown option -%c; %s", bad, advice);
    if (meant)
        return err_set(r->err, ERR_USAGE, "unknown option -%c; did you mean --%s?",
                       bad > ' ' && bad < 0x7F ? bad : '?', meant->name);
    return err_set(r->err, ERR_USAGE, "unknown option -%c", bad > ' ' && bad < 0x7F ? bad : '?');
}

/* -a, -ab, -nVALUE, -n VALUE */
static int read_letters(struct reader *r, const char *letters)
{
    for (const char *p = letters; *p; p++) {
        const struct opt *row = find_letter(r->set, *p);
        if (!row && !(row = find_old_letter(r->set, *p)))
            return unknown_letter(r, letters, *p);
        bool last = opt_takes_value(row);
        if (set_option(r, row, last && p[1] ? p + 1 : NULL) < 0)
            return -1;
        if (last)
            break;
    }
    return 0;
}

/* Extends the message of an unknown option after a program's name: it may be meant for the program.
 */
static void add_program(struct reader *r)
{
    size_t used = strlen(r->err->msg);
    bool asks = used && r->err->msg[used - 1] == '?';

    snprintf(r->err->msg + used, sizeof r->err->msg - used, "%s the program: after --",
             asks ? " For" : "; for");
}

/* -5, --5, -(3), -.5, -pi/2, -sqrt(2) */
static bool is_expression(const struct opt_set *set, const char *arg)
{
    const char *p = arg + strspn(arg, "-+");

    if (!set->has_expression || arg[0] != '-' || !*p)
        return false;
    return strchr("0123456789.(", *p) || strpbrk(p, "+*/%(");
}

int opt_parse(struct opt_set *set, int argc, char **argv, struct opt_args *ret, struct err *err)
{
    struct reader r = {.set = set, .argc = argc, .argv = argv, .at = 1, .err = err};
    struct opt_args args = {.operands =
                                xcalloc(argc > 0 ? (size_t)argc : 1, sizeof *args.operands)};
    int failed = 0;

    while (r.at < argc && !args.has_rest && !failed) {
        char *arg = argv[r.at++];
        if (strcmp(arg, "--") == 0)
            args.has_rest = true;
        else if (is_expression(set, arg))
            args.operands[args.operand_n++] = arg;
        else if (arg[0] == '-' && arg[1] == '-')
            failed = read_long(&r, arg + 2);
        else if (arg[0] == '-' && arg[1])
            failed = read_letters(&r, arg + 1);
        else
            args.operands[args.operand_n++] = arg;
    }
    if (failed && r.unknown && set->has_program && args.operand_n)
        add_program(&r);
    if (failed) {
        free(args.operands);
        return -1;
    }
    args.rest = argv + r.at;
    args.rest_n = r.at < argc ? (size_t)(argc - r.at) : 0;
    *ret = args;
    return 0;
}

void opt_args_done(struct opt_args *args)
{
    free(args->operands);
    *args = (struct opt_args){0};
}
