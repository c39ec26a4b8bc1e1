/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of the library: which functions and modules the rules look for, and under what
 * other names they can be had.
 */
#ifndef GUARD_MODULES_H
#define GUARD_MODULES_H

#include <stdbool.h>

#include "base/str.h"
#include "guard/rules.h"

/* The uses that are reported. */
enum use {
    USE_ANY,  /* each use */
    USE_CALL, /* when it is called */
};

struct known_path {
    const char *path;
    enum rule rule;
    enum use use;
};

/* The thing of that full name ("os.system"), or NULL. The text is followed by a NUL. */
const struct known_path *module_path(struct str path);
/* Any rule that has to do with it, or with things in it. */
bool module_knows(struct str path);

struct known_module {
    const char *name;
    enum rule rule;
};

/* What importing a module says, submodules like their parents; NULL for harmless ones. */
const struct known_module *module_find(struct str name);
/* Those through which a program reaches the machine or itself: os, sys, builtins ... */
bool module_is_powerful(struct str name);
/* The thing of the library that a module of it has under a name of its own: another module that it
 * imported ("builtins" for enum's bltns), or a thing in one. */
bool module_holds(struct str module, struct str name, struct str *ret);
/* Whether a powerful module is one, or may be reached through it. */
bool module_leads(struct str module);
/* Those of the powerful ones by which a program starts others, or gets at what does. */
bool module_is_door(struct str name);
/* A module of the standard library (a guess by its first name). */
bool module_is_library(struct str name);
/* A function or type of builtins; exceptions are not counted. */
bool module_is_builtin(struct str name);
/* "posix" is "os", "cPickle" is "pickle"; other names are themselves. */
struct str module_plain_name(struct str name);
/* The one place of things with several: "io.open" is "builtins.open". */
struct str module_plain_path(struct str path);

#endif
