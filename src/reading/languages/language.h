/* SPDX-License-Identifier: Apache-2.0
 *
 * Languages as data: how each is recognised and how its interpreter is called. The config file can
 * extend the built-in table; a user's row takes precedence over a built-in one of the same name.
 */
#ifndef LANGUAGES_LANGUAGE_H
#define LANGUAGES_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "languages/traits.h"
#include "options/conf.h"
#include "python/python.h"

/* Program texts that the runner reads from its channel (run/run_display.h): one that starts the
 * display, and in chunks those that are needed later. Then the same texts as bytecode, for the
 * interpreter with this magic number. */
struct language_rich {
    const char *begin;
    const char *const *later;
    const char *magic;
    const unsigned char *begin_code, *later_code;
    const unsigned long *begin_size, *later_size;
};

/* A compiler, for languages whose programs are compiled before they run. */
struct language_compile {
    const char *const *programs; /* to look for, best first; NULL: the row's programs */
    /* "{file}" is the program's path, "{out}" the product's, a file or a folder as the compiler
     * makes it, "{sources}" the program and the other files of the language that were given with
     * it, "{shared}" the product of `shared`. */
    const char *const *args;
    const char *const *env; /* more variables; NULL for none */
    /* The arguments that make, once for all programs, what the compiler would make again for each:
     * "{out}" is its folder. NULL: nothing. */
    const char *const *shared;
    const char *const *errors; /* the forms of its errors, as in `errors` of the row */
    /* In a user's row, which owns these. */
    const char *const *own_programs, *const *own_args;
    bool is_copy;          /* of a built-in one */
    bool native;           /* the product is the program; else an argument for the row's */
    uint64_t memory_bytes; /* limits of the compiler; 0: the usual ones */
    uint32_t pids;
    int64_t wall_ms;
};

/* The usual limits of compilers. */
#define COMPILE_MEMORY    (1ull << 30)
#define COMPILE_DISK      (1ull << 30)
#define COMPILE_PIDS      128u
#define COMPILE_MS        60000
#define COMPILE_SHARED_MS 600000

struct language {
    const char *name;
    const struct language_traits *traits; /* never NULL */
    const char *const *aliases;    /* other names for --lang, and programs in a shebang line */
    const char *const *extensions; /* with the dot */
    const char *const *programs;   /* interpreters to look for, best first */
    const char *const
        *args; /* "{file}" is the program's path inside, also as a part of an argument; "{boot}" and
                  "{runner}" are the texts below, "{out}" is what the compiler made, "{main}" the
                  class with its main() */
    const char *const *check_args; /* prints a version: for doctor */
    /* checks the syntax of "{file}" without running it; NULL: not possible */
    const char *const *syntax_args;
    /* More arguments, before these, which pass the run's limits to the interpreter: "{heap}" is the
     * memory in MiB that its own heap may have, "{cpus}" the number of processors. Left out with
     * the limit. NULL: it does not need them. */
    const char *const *heap;
    /* The forms of its error messages, and of the frames below one (explain/exception_pattern.c),
     * where the traits have no reader; or NULL. */
    const char *const *errors, *const *frames;
    const struct language_compile *compile; /* NULL: programs are run from their text */
    const char *runner; /* our program that starts the user's program, or NULL */
    const char *boot;   /* starts the runner, or NULL */
    const char *zygote; /* instead of the runner: loads, waits, and forks for each run; or NULL */
    const char *const *cells_args; /* starts its server of cells (backends/cell_wire.h); "{cells}"
                                      is the next member; NULL: no sessions */
    const char *cells_boot;        /* reads the server's program text and runs it, or NULL */
    const char *const *cells;      /* that text, in chunks; NULL if none is sent */
    /* The server as bytecode, for the interpreter with this magic number; or NULL. */
    const char *cells_magic;
    const unsigned char *cells_code;
    const unsigned long *cells_code_size;
    const struct language_rich *rich; /* NULL: plain programs show nothing */
    /* Prefixes of environment variables that the interpreter reads only at its start ("": any
     * variable). A run with such a variable cannot use an interpreter that was started in advance.
     * NULL: unknown. */
    const char *const *early;
    /* The server of cells may miss an interrupt at the beginning of a cell, and a second interrupt
     * does no harm. (In other languages, a second one could hit the code that handles the first.)
     */
    bool interrupt_again;
    /* File names on which an interpreter that was started in advance may wait, because opening the
     * program is the last step of its start; or NULL. */
    const char *const *waits_for;
    const char *extension; /* for a program without a name */
    const char *install;   /* how to get it on this distribution */
    const char *image;     /* a container image that has it, or NULL */
    /* Paths outside of /usr that its programs need and that hold no secret; or NULL. Only in
     * built-in rows. */
    const char *const *system_files;
    /* More host paths that its programs and its compiler need, in a user's row; or NULL. */
    const char *const *needs;
    bool stranger; /* from a file that is not the user's: see language_configure */
};

struct language_table {
    struct language **user; /* owned, with everything they point to */
    size_t user_count;
};

/* The row with that name or alias, or NULL. */
const struct language *language_find(const struct language_table *table, struct str name);
/* Always -1, with *err for a name that language_find does not know. */
int language_unknown(const struct language_table *table, struct str name, struct err *err);
/* True if this is its name, or an alias. */
bool language_is_called(const struct language *language, struct str name);
/* True if its args start the runner. */
bool language_has_runner(const struct language *language);
/* The traits of the built-in language with exactly that name; otherwise no_traits. */
const struct language_traits *language_traits_of(const char *name);
/* The language of the extension or shebang; NULL if neither names one. `file` may be NULL. */
const struct language *language_stated(const struct language_table *table, const char *file,
                                       struct str code);
/* The language that the content looks like; Python if there is no sign. See detect_language. */
const struct language *language_guess(const struct language_table *table, struct str code,
                                      struct python_text *text);
/* Detects the language by extension, then shebang, then content. `file` may be NULL. */
const struct language *language_detect(const struct language_table *table, const char *file,
                                       struct str code);
/* Calls `each` for each row, the user's rows first; not for a built-in one that a user's replaces.
 */
void language_each(const struct language_table *table,
                   void (*each)(void *ctx, const struct language *language), void *ctx);

/* Reads one `key = values` of a [language.NAME] section. A stranger's file may only add rows: it
 * must not change the meaning of a name or an extension, nor name a program by its path, which
 * would show that part of the host inside. */
int language_configure(struct language_table *table, struct str name, const struct conf_item *item,
                       bool stranger, struct err *err);
/* Checks that each of the user's rows has a command. */
int language_check(const struct language_table *table, struct err *err);
void language_table_done(struct language_table *table);

/* A file name for a program without one: "main.py". ES modules need another extension. */
const char *language_main_name(const struct language *language, struct str code, char *out,
                               size_t n);

#endif
