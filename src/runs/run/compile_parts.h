/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of a compiler: for compile.c and compile_call.c only.
 */
#ifndef RUN_COMPILE_PARTS_H
#define RUN_COMPILE_PARTS_H

#include "jail/spec.h"
#include "run/compile.h"

#define COMPILE_OUT SPEC_WORK "/" COMPILED_OUT "/" COMPILED_PROGRAM

enum { COMPILE_WORDS = 256 };

/* One call of a compiler. */
struct compile_call {
    const struct compile_input *in;
    const struct language_compile *how;
    struct language row; /* the compiler, as a language whose programs it runs */
    struct interpreter tool;
    const char *const *args; /* of the row or of its `shared` */
    struct str text;
    const struct lay_list *given; /* for "{sources}"; NULL for a call without files */
    const char *shared;           /* the folder of the shared product; NULL: none */
    const char *words[COMPILE_WORDS];
    size_t n; /* of words, which end with NULL */
    char **env;
};

/* Finds the compiler, and fills in its words and variables. End with compile_call_done, also after
 * -1. */
int compile_call_make(struct compile_call *c, struct err *err);
/* Computes the key of everything on which the product depends; `laid` is NULL for one without
 * files. False if the product is not to be kept: the compiler is in an image, or the files are too
 * large to be read twice. */
bool compile_call_key(const struct compile_call *c, struct lay_list *laid, char ret[SHA256_HEX]);
void compile_call_done(struct compile_call *c);

#endif
