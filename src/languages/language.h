/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages as data: how each is recognised and how its interpreter is called. The config file can
 * extend the built-in table; a user's row takes precedence over a built-in one of the same name.
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

/* Texts that the runner reads from its channel (session/run_display.h): the start of showing, and
 * the texts needed later, in pieces. The same as bytecode, for the interpreter with this magic
 * number. */
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
    const char *const *aliases;    /* other names for --lang, and programs in a shebang line */
    const char *const *extensions; /* with the dot */
    const char *const *programs;   /* interpreters to look for, best first */
    const char *const
        *args; /* "{file}" is the program's path inside, "{boot}" and "{runner}" the texts below */
    const char *const *check_args;  /* prints a version: for doctor */
    const char *const *syntax_args; /* reads "{file}" and runs nothing of it; NULL: not possible */
    const char *runner;             /* a program of ours that starts the user's, or NULL */
    const char *boot;               /* starts the runner, or NULL */
    const char *zygote; /* instead of the runner: loads, waits, and forks for each run; or NULL */
    const char *const *cells_args; /* starts its server of cells (backends/cell_wire.h); "{cells}"
                                      is the next member; NULL: no sessions */
    const char *cells_boot;        /* reads the server's text and runs it, or NULL */
    const char *const *cells;      /* that text, in pieces; NULL when none is sent */
    /* The same as bytecode, for the interpreter with this magic number; or NULL. */
    const char *cells_magic;
    const unsigned char *cells_code;
    const unsigned long *cells_code_size;
    const struct language_rich *rich; /* NULL: plain programs show nothing */
    /* Prefixes of environment variables that the interpreter reads only when it starts ("": any). A
     * run with such a variable cannot use an interpreter that was started early. NULL: unknown. */
    const char *const *early;
    /* Its server of cells may miss an interrupt at a cell's beginning, and a second one does no
     * harm. (In other languages it could hit the cell's handling of the first.) */
    bool interrupt_again;
    /* Names of programs that an interpreter started early may wait for, because opening the program
     * is the last step of its start; or NULL. */
    const char *const *waits_for;
    const char *extension; /* for a program without a name */
    const char *install;   /* how to get it on this distribution */
    const char *image;     /* a container image that has it, or NULL */
    bool stranger;         /* from a stranger's file: see language_configure */
};

struct language_table {
    struct language **user; /* owned, with everything they point to */
    size_t user_count;
};

/* The row of that name or alias, or NULL. */
const struct language *language_find(const struct language_table *table, struct str name);
/* -1 with *err, for a name that language_find does not know. */
int language_unknown(const struct language_table *table, struct str name, struct err *err);
/* Whether its args start the runner. */
bool language_has_runner(const struct language *language);
/* The traits of the built-in language of that very name; of others, no_traits. */
const struct language_traits *language_traits_of(const char *name);
/* The language of the extension or shebang; NULL without one. `file` may be NULL. */
const struct language *language_stated(const struct language_table *table, const char *file,
                                       struct str code);
/* The language that the content looks like; Python without any sign. See detect_language. */
const struct language *language_guess(const struct language_table *table, struct str code,
                                      struct python_text *text);
/* By extension, shebang, then content. `file` may be NULL. */
const struct language *language_detect(const struct language_table *table, const char *file,
                                       struct str code);
/* Calls back for each row, the user's first. */
void language_each(const struct language_table *table,
                   void (*each)(void *ctx, const struct language *language), void *ctx);

/* One `key = values` of a [language.NAME] section. A stranger's file may only add rows: it must not
 * change the meaning of a name or an extension, nor name a program by its path, which would show
 * that part of the host inside. */
int language_configure(struct language_table *table, struct str name, const struct conf_item *item,
                       bool stranger, struct err *err);
/* Checks that every row of the user's has a command. */
int language_check(const struct language_table *table, struct err *err);
void language_table_done(struct language_table *table);

/* A name for the file of a program that has none: "main.py". ES modules need one of their own. */
const char *language_main_name(const struct language *language, struct str code, char *out,
                               size_t n);

#endif
