/* SPDX-License-Identifier: Apache-2.0
 *
 * Options: one table row each. The command line, the config file, the environment,
 * `--print-config`, help, completion and the man page are all read from the rows; values land in a
 * settings struct.
 *
 * Life: opt_init (defaults), then opt_parse, opt_load_conf, opt_load_env and opt_apply in any
 * order, then read the settings, then opt_done, which frees what the settings own. Every value has
 * a source, and sources have a rank (the order of enum opt_from): a weaker source never overrides a
 * stronger one, so the command line may come first and say which config file to read.
 */
#ifndef OPTIONS_OPT_H
#define OPTIONS_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "options/conf.h"

/* The type of the settings' member, and how its value is written. */
enum opt_kind {
    OPT_FLAG,     /* bool: --json; in a config file `json = true` */
    OPT_NEGATION, /* bool, made false: --no-check; often the second row of a member */
    OPT_STRING,   /* char *, NULL until set */
    OPT_LIST,     /* struct opt_list; a repeated option adds, a stronger source replaces */
    OPT_SIZE,     /* uint64_t bytes */
    OPT_DURATION, /* int64_t milliseconds */
    OPT_MILLI,    /* int64_t thousandths */
    OPT_INT,      /* int64_t */
    OPT_CHOICE,   /* int, an index into .choices */
};

enum opt_flag {
    OPT_CONF = 1 << 0,    /* allowed in config files and in the environment */
    OPT_LOOSENS = 1 << 1, /* weakens the wall: a project's config file may not set it */
    OPT_HIDDEN = 1 << 2,  /* works, but help and suggestions do not show it */
    OPT_SECRET = 1 << 3,  /* its value is never printed */

    /* For a number, which is a limit, 0 being none: a project's config file may only lower it. For
     * a list of requirements: a project's config file may only add to it. Load the user's config
     * file first. */
    OPT_ONLY_LOWER = 1 << 4,
    OPT_COMMAS = 1 << 5, /* an item of the list with commas in it is several items */
    OPT_NAMES = 1 << 6,  /* items K=V: V may be a secret, and only K is printed */
};

struct opt_list {
    char **items; /* n of them and a NULL; NULL when n is 0 */
    size_t n;
};

/* Rows with the same offset are names for one value; its default is in the first of them. */
struct opt {
    const char *name; /* without dashes; NULL ends the table */
    char letter;      /* -t; 0 for none */
    char old_letter;  /* a letter of an earlier release, used if no row has it now (opt_set.old); 0
                         for none */
    enum opt_kind kind;
    unsigned flags;
    size_t offset;
    const char *arg;     /* what help calls the value: "SIZE" */
    const char *help;    /* one line */
    const char *group;   /* heading in help */
    const char *initial; /* the default as a string; NULL is false, 0, none or the first choice; for
                            a negation true */
    int64_t min, max;    /* of a number, in its unit; max 0: no maximum */
    const char *const *choices; /* NULL-terminated */
    const char *zero;           /* of a duration: a word for 0; or NULL */
    const char *none;           /* of thousandths: a word for -1; or NULL */
    bool often;                 /* among the options that help shows first */
    const char *values; /* what completion offers for the value: "layers"; NULL: by kind and arg */
    const char *excludes; /* names, with commas between, that cannot be given together with it */
};

/* The row of --help, with the offset of its flag. */
/* --help and --help-all. A settings struct has this member for OPT_HELP_ROWS(its offset). */
struct opt_help {
    bool brief, whole;
};

#define OPT_HELP_ROWS(at)                                                                          \
    {.name = "help",                                                                               \
     .letter = 'h',                                                                                \
     .kind = OPT_FLAG,                                                                             \
     .offset = (at) + offsetof(struct opt_help, brief),                                            \
     .group = "General",                                                                           \
     .help = "print how this command is used, and its options used most"},                         \
    {                                                                                              \
        .name = "help-all", .kind = OPT_FLAG, .offset = (at) + offsetof(struct opt_help, whole),   \
        .group = "General", .help = "explain this command and all its options"                     \
    }

enum opt_from {
    OPT_FROM_DEFAULT,
    OPT_FROM_USER,
    OPT_FROM_PROJECT,
    OPT_FROM_ENV,
    OPT_FROM_COMMAND,
};

struct opt_source {
    enum opt_from from;
    const char *place; /* the file's path, or the variable's name */
    size_t line;
    bool in_section; /* a section's code reports errors with their location itself */
};

/* An option of another program, and the advice to print when it is given. */
struct opt_other {
    const char *name, *advice;
};

struct opt_set {
    const struct opt *const *tables; /* NULL-terminated; all for the same settings */
    bool has_program;    /* options after "--" are the program's own; set after opt_init */
    bool has_expression; /* an operand may be an expression such as -5+3; set after opt_init */
    const struct opt_other *others; /* ends with an empty row; NULL for none; set after opt_init */
    /* True if a key of a config file without a row belongs to another command: it is then ignored.
     * NULL: such a key is an error. Set after opt_init. */
    bool (*elsewhere)(struct str key);
    /* True if an option without a row belongs to another command than `command`. NULL: none does.
     * Set after opt_init. */
    bool (*of_others)(struct str name);
    const char *command;
    const struct opt *old; /* by opt_parse: the row that was given by its old letter, or NULL */
    void *settings;
    struct opt_source *sources; /* one per row; each owns its `place` */
    size_t count;
};

void opt_init(struct opt_set *set, const struct opt *const *tables, void *settings);
void opt_done(struct opt_set *set); /* afterwards the settings' own members are NULL and empty */

/* Sets one option from a string. -1 with ERR_USAGE; the message has the source and the name. A
 * value from a weaker source than the current one is checked and dropped. If two options exclude
 * each other, that is an error when both come from the same source; otherwise the one from the
 * stronger source stays. Dashes and underscores in a name are equal, except on the command line. */
int opt_apply(struct opt_set *set, const struct opt_source *source, const char *name,
              struct str value, struct err *err);
/* As opt_apply, for an array: a list takes all its values, of which there may be none; any other
 * kind takes exactly one. */
int opt_apply_list(struct opt_set *set, const struct opt_source *source, struct str name,
                   const struct str *values, size_t n, struct err *err);
/* The row with this name, in which dashes and underscores are equal; NULL if there is none. */
const struct opt *opt_find(const struct opt *const *tables, struct str name);

/* The arguments of a command line that are not options; they point into argv. */
struct opt_args {
    char **operands; /* before "--", options taken out */
    size_t operand_n;
    char **rest; /* after the first "--" */
    size_t rest_n;
    bool has_rest;
};

/* Parses argv in GNU style, options and operands mixed: --name VALUE, --name=VALUE, -n VALUE,
 * -nVALUE, -ab; "-" is an operand, "--" ends the options; abbreviated names are not accepted.
 * argv[0] is skipped. Free *ret with opt_args_done. */
int opt_parse(struct opt_set *set, int argc, char **argv, struct opt_args *ret, struct err *err);
void opt_args_done(struct opt_args *args);

struct opt_conf {
    const char *path;
    enum opt_from from; /* OPT_FROM_USER or OPT_FROM_PROJECT */
    bool optional;      /* a missing file is not an error */
    /* Called for the keys below a [section]; without it, a section is an error. The location is put
     * in front of its errors. Do not trust a project's file: check source->from. */
    int (*section)(void *ctx, const struct opt_source *source, const struct conf_item *item,
                   struct err *err);
    void *ctx;
};

int opt_load_conf(struct opt_set *set, const struct opt_conf *conf, struct err *err);
/* Sets each OPT_CONF row from the variable PREFIX_NAME, in capitals with underscores; an empty
 * variable counts as unset. A list gets one item. */
int opt_load_env(struct opt_set *set, const char *prefix, struct err *err);

/* Prints the OPT_CONF values as a config file that reads back the same, each with its source in a
 * comment. */
void opt_print(const struct opt_set *set, FILE *out);
/* Options for opt_print_with: values for unset rows, and rows that are not keys of a config file,
 * each printed as a comment. */
struct opt_print {
    bool (*shows)(const struct opt *row); /* true for a row without OPT_CONF to print; NULL: none */
    /* The value that an unset row has in effect, or NULL; the caller frees. */
    char *(*unset)(const void *settings, const struct opt *row);
};
void opt_print_with(const struct opt_set *set, const struct opt_print *how, FILE *out);
/* Prints `text` with the comment "# where" at the usual column. */
void opt_print_line(struct str text, const char *where, FILE *out);

static inline bool opt_help_asked(const struct opt_help *help)
{
    return help->brief || help->whole;
}

/* The source of a value; NULL if there is no such option. */
const struct opt_source *opt_source_of(const struct opt_set *set, const char *name);
/* "default", "user config PATH:LINE", "environment NAME", "command line"; safe for a terminal. */
char *opt_source_text(const struct opt_source *source, char *out, size_t n);

/* Walks all rows: `struct opt_walk w = {0}; while ((row = opt_next(tables, &w)))`; w.index is the
 * number of the row after this one. */
struct opt_walk {
    size_t table, row, index;
};
const struct opt *opt_next(const struct opt *const *tables, struct opt_walk *walk);
bool opt_takes_value(const struct opt *row);
/* The advice for another program's option, from set->others, or NULL. */
const char *opt_advice(const struct opt_set *set, struct str name);
/* A row's value as conf_parse reads it (OPT_LIST as an array). */
void opt_add_value(struct buf *b, const struct opt *row, const void *settings);

#endif
