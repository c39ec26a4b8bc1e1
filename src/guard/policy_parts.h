/* SPDX-License-Identifier: Apache-2.0
 *
 * What a policy holds, for the folder's own eyes: policy.c opens it, policy_file.c reads it, the
 * rules ask it.
 */
#ifndef GUARD_POLICY_PARTS_H
#define GUARD_POLICY_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "guard/guard.h"
#include "guard/rules.h"

/* Names, sorted. One may be a pattern: `_*` for names that begin so and are longer, `*__roles__`
 * for names that end so. */
struct name_set {
    char **at;
    size_t n, room;
};

void name_set_done(struct name_set *s);
void name_set_add(struct name_set *s, struct str name);
bool name_set_drop(struct name_set *s, struct str name);
bool name_set_has(const struct name_set *s, struct str name); /* exactly */
bool name_set_matches(const struct name_set *s, struct str name);

struct weight {
    bool off;
    enum severity severity;
    int points;
};

/* The use of one thing weighed otherwise than its rule: [path.os.environ]. */
struct path_weight {
    char *path;
    struct weight weight;
};

/* The system in whose words a refusal is reported. */
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
    const char *only_read;     /* the part that requires that nothing runs unread; NULL: none */

    bool list_imports; /* only allowed_imports may be imported */
    bool import_paths; /* "a.b" allows a too, and a does not allow a.b; else the other way round */
    struct name_set allowed_imports, forbidden_imports;
    bool list_builtins;
    struct name_set allowed_builtins, forbidden_names;
    struct name_set spelled_builtins; /* these names mean the builtins, whatever is bound to them */
    struct name_set invalid_names, reserved_names; /* to bind or use; to bind */
    bool list_dunders;
    struct name_set allowed_dunders, forbidden_attributes, forbidden_calls;
    struct name_set foreign_attributes; /* forbidden but of objects of the program's classes */
    uint64_t forbidden_features;        /* bits, see features.h */

    size_t max_code_chars, max_lines, max_nesting, max_range_items; /* 0: no limit */
    int64_t max_range;

    unsigned stages;         /* bits of those that may refuse */
    bool stages_said;        /* by the file itself, not only by its base */
    bool together;           /* imports and patterns are one stage */
    enum severity refuse_at; /* a finding as bad as this refuses */
    int score_threshold;     /* more points than this refuse; -1: never */

    struct weight weights[RULE_COUNT];
    struct path_weight *paths;
    size_t n_paths;
};

const struct weight *policy_weight(const struct policy *p, enum rule rule, struct str path);
/* Whether allowed_imports names it, or what it belongs to. */
bool policy_names_import(const struct policy *p, struct str module);
bool policy_allows_import(const struct policy *p, struct str module);
bool policy_forbids_import(const struct policy *p, struct str module);

/* A key of policy files: a function of its own, or a list and the switch that says that it is
 * meant, or a size. */
struct policy_reader;
struct conf_item;
struct policy_key {
    const char *name;
    int (*fn)(struct policy_reader *r, const struct conf_item *item, struct err *err);
    size_t set, limits, size; /* offsets in struct policy, + 1; 0: none */
};
extern const struct policy_key policy_keys[]; /* ends with a NULL name */
extern const char *const policy_texts_names[TEXTS_COUNT];

/* What every policy starts from. */
void policy_start(struct policy *p);

/* -1 for what is no name of a module, also with .* at its end, nor *. */
int policy_check_module(struct str name, struct err *err);
/* Applies the text of a policy file. */
int policy_read(struct policy *p, struct str text, const char *name, struct err *err);
/* The text of a built-in profile, or NULL. */
const char *profile_text(struct str name);

#endif
