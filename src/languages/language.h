/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages as data: how each is recognised and how its interpreter is called. The built-in table
 * can be extended from the config file; a row of the user's comes before a built-in one of the same
 * name.
 */
#ifndef LANGUAGES_LANGUAGE_H
#define LANGUAGES_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/str.h"
#include "languages/traits.h"
#include "python/text.h"

/* What the runner takes from its channel (session/run_display.h): how showing begins, and what is
 * needed later, in pieces. The same as bytecode, for the interpreter with this magic number. */
struct language_rich {
    const char *begin;
    const char *const *later;
    const char *magic;
    const unsigned char *begin_code, *later_code;
    const unsigned long *begin_size, *later_size;
};

struct language {
    const char *name;
    const struct language_traits *traits; /* never NULL */
    const char *const *aliases;    /* other names for --lang, and what a shebang line may call */
    const char *const *extensions; /* with the dot */
    const char *const *programs;   /* interpreters to look for, best first */
    const char *const
        *args; /* "{file}" is the program's path inside, "{boot}" and "{runner}" the texts below */
    const char *const *check_args;  /* prints a version: for doctor */
    const char *const *syntax_args; /* reads "{file}" and runs nothing of it; NULL: no such way */
    const char *runner;             /* a program of ours that starts the user's, or NULL */
    const char *boot;               /* what starts the runner, or NULL */
    const char *zygote; /* instead of it: loads, waits, and forks for each run; or NULL */
    const char *const *cells_args; /* what starts its server of cells (session/cell_wire.h), in
                                      which "{cells}" is the next; NULL: it has no sessions */
    const char *cells_boot;        /* reads the server's text and runs it, or NULL */
    const char *const *cells;      /* that text, in pieces; NULL when none is sent */
    /* The same as bytecode, for the interpreter with this magic number; or NULL. */
    const char *cells_magic;
    const unsigned char *cells_code;
    const unsigned long *cells_code_size;
    const struct language_rich *rich; /* NULL where plain programs show nothing */
    /* Of variables in its environment that the interpreter reads when it starts, and not again: how
     * they begin ("": any). Who has one cannot have an interpreter that was started before. NULL:
     * it is not known. */
    const char *const *early;
    /* Its server of cells may miss an interrupt at a cell's beginning, and minds no second one. (In
     * others that could hit what a cell does because of the first.) */
    bool interrupt_again;
    /* Names of programs that an interpreter which was started before may wait for, because opening
     * them is the last it does for itself; or NULL. */
    const char *const *waits_for;
    const char *extension; /* for a program that comes without a name */
    const char *install;   /* how to get it on this distribution */
    bool stranger;         /* of the user's rows: see language_configure */
};

struct language_table {
    struct language **user; /* owned, with everything they point to */
    size_t user_count;
};

/* The row of that name or alias, or NULL. */
const struct language *language_find(const struct language_table *table, struct str name);
/* Whether its args start the runner. */
bool language_has_runner(const struct language *language);
/* The traits of the built-in language of that very name; of others, no_traits. */
const struct language_traits *language_traits_of(const char *name);
/* What extension or shebang say; NULL when they say nothing. `file` may be NULL. */
const struct language *language_stated(const struct language_table *table, const char *file,
                                       struct str code);
/* What the content looks like; Python when nothing says otherwise. See detect_language. */
const struct language *language_guess(const struct language_table *table, struct str code,
                                      struct python_text *text);
/* By extension, shebang, then content. `file` may be NULL. */
const struct language *language_detect(const struct language_table *table, const char *file,
                                       struct str code);
/* Calls back for each, the user's first. */
void language_each(const struct language_table *table,
                   void (*each)(void *ctx, const struct language *language), void *ctx);

/* One `key = values` of a [language.NAME] section. What a stranger's file says may only add: not
 * change what a name or an extension means already, nor name a program by its path, which would
 * show that part of the host inside. */
int language_configure(struct language_table *table, struct str name, const struct conf_item *item,
                       bool stranger, struct err *err);
/* Every row of the user's has a command. */
int language_check(const struct language_table *table, struct err *err);
void language_table_done(struct language_table *table);

/* A name for the file of a program that has none: "main.py". ES modules need one of their own. */
const char *language_main_name(const struct language *language, struct str code, char *out,
                               size_t n);

#endif
