/* SPDX-License-Identifier: Apache-2.0
 *
 * The content of a policy, for this room and the guard's rules: policy.c opens it, policy_file.c
 * reads it, the rules query it.
 */
#ifndef POLICY_POLICY_PARTS_H
#define POLICY_POLICY_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/rule_info.h"
#include "policy/rules.h"

/* Sorted names. A name may be a pattern: `_*` for longer names with that start, `*__roles__` for
 * longer names with that end. */
struct name_set {
    char **at;
    size_t n, room;
};

void name_set_done(struct name_set *s);
void name_set_add(struct name_set *s, struct str name);
bool name_set_drop(struct name_set *s, struct str name);
bool name_set_has(const struct name_set *s, struct str name); /* exact match, without patterns */
bool name_set_matches(const struct name_set *s, struct str name);

struct weight {
    bool off;
    enum severity severity;
    int points;
};

/* A weight for the use of one thing, instead of its rule's weight: [path.os.environ]. */
struct path_weight {
    char *path;
    struct weight weight;
};

/* The system that a refusal's messages imitate. */
enum policy_texts {
    TEXTS_PLAIN,
    TEXTS_KODEAGENT,
    TEXTS_CHAPTER,
    TEXTS_RESTRICTED,
    TEXTS_AGENTOS,
    TEXTS_SMOLAGENTS,
    TEXTS_COUNT
};

struct policy {
    char *name;
    enum policy_texts texts;
    unsigned target;
    struct name_set languages; /* "*": any */
    const char *only_read;     /* why policy_only_read was called; NULL: it was not */

    bool list_imports; /* only allowed_imports may be imported */
    bool import_paths; /* true: "a.b" allows a, and a does not allow a.b; false: the opposite */
    struct name_set allowed_imports, forbidden_imports;
    bool list_builtins;
    struct name_set allowed_builtins, forbidden_names;
    struct name_set spelled_builtins; /* these names mean the builtins, whatever is bound to them */
    struct name_set invalid_names, reserved_names; /* names that a program may not bind or use; that
                                                      it may not bind */
    struct name_set kept_names; /* names that statements of the module may not assign to */
    bool list_dunders;
    struct name_set allowed_dunders, forbidden_attributes, forbidden_calls;
    struct name_set foreign_attributes; /* allowed only on objects of the program's own classes */
    uint64_t forbidden_features;        /* bits, see features.h */

    size_t max_code_chars, max_lines, max_nesting, max_range_items; /* 0: no limit */
    int64_t max_range;

    unsigned stages;         /* bits of the stages that may refuse */
    bool stages_said;        /* set by the file itself, not only by its base */
    bool together;           /* imports and patterns are one stage */
    enum severity refuse_at; /* a finding of this severity or above refuses */
    int score_threshold;     /* a score above this refuses; -1: never */

    struct weight weights[RULE_COUNT];
    struct path_weight *paths;
    size_t n_paths;
};

const struct weight *policy_weight(const struct policy *p, enum rule rule, struct str path);
/* True if allowed_imports has the module, or (unless import_paths) a package that holds it. */
bool policy_names_import(const struct policy *p, struct str module);
bool policy_allows_import(const struct policy *p, struct str module);
bool policy_forbids_import(const struct policy *p, struct str module);

/* A key of policy files: it has a function of its own, or sets a list (and the switch that enables
 * the list), or sets a size. */
struct policy_reader;
struct conf_item;
struct policy_key {
    const char *name;
    int (*fn)(struct policy_reader *r, const struct conf_item *item, struct err *err);
    size_t set, limits, size; /* offsets in struct policy, plus 1; 0: none */
};
extern const struct policy_key policy_keys[]; /* ends with a NULL name */
extern const char *const policy_texts_names[TEXTS_COUNT];

/* Sets the defaults from which every policy starts. */
void policy_start(struct policy *p);

/* 0 for a module's name, `a.*` or `*`; otherwise -1 with *err. */
int policy_check_module(struct str name, struct err *err);
/* Applies the text of a policy file. */
int policy_read(struct policy *p, struct str text, const char *name, struct err *err);
/* The text of a built-in profile, or NULL. */
const char *profile_text(struct str name);

#endif
