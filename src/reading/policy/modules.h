/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard's knowledge of the standard library: the functions and modules that the rules look for,
 * and their other names.
 */
#ifndef POLICY_MODULES_H
#define POLICY_MODULES_H

#include <stdbool.h>

#include "base/str.h"
#include "policy/rules.h"

/* Which uses of a function are reported. */
enum use {
    USE_ANY,  /* each use */
    USE_CALL, /* only calls */
    USE_TEXT, /* only calls with an argument that the guard cannot read as code */
};

struct known_path {
    enum rule rule;
    enum use use;
};

/* The row about the function or module with this full name ("os.system"), or NULL. */
const struct known_path *module_path(struct str path);
/* True if any rule is about this path, or about a module that holds it. */
bool module_knows(struct str path);

/* The rule that reports an import of the module; a submodule counts as its parent. RULE_COUNT if
 * none. */
enum rule module_find(struct str name);
/* True for modules through which a program reaches the machine or itself: os, sys, builtins ... */
bool module_is_powerful(struct str name);
/* True if the module has a name of its own for another module or for something in one: enum has
 * "bltns" for "builtins". *ret is the full name of that thing. */
bool module_holds(struct str module, struct str name, struct str *ret);
/* True if the module is powerful, or library.def lists something that it holds. */
bool module_leads(struct str module);
/* True for the powerful modules that start programs, or that lead to a module that does. */
bool module_is_door(struct str name);
/* True for a module of the standard library (a guess by the first part of its name). */
bool module_is_library(struct str name);
/* True for a function or type of builtins, except the exceptions. */
bool module_is_builtin(struct str name);
/* The usual name of a module: "os" for "posix", "pickle" for "cPickle"; otherwise the name
 * itself. */
struct str module_plain_name(struct str name);
/* The usual path of something with several: "builtins.open" for "io.open". */
struct str module_plain_path(struct str path);

#endif
