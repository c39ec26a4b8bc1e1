/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings that mean the same at every front door (request.def), and the sources of their
 * values: built-in defaults, the user's config file, the project's config file, the environment,
 * and the options or fields of this run.
 */
#ifndef REQUEST_SETTINGS_H
#define REQUEST_SETTINGS_H

#include "options/opt.h"
#include "request/model_settings.h"
#include "request/request.h"

enum setting_id {
#define SETTING(id, ...)  SETTING_##id,
#define LOCAL(id, ...)    SETTING_##id,
#define FIELD(id, ...)    SETTING_##id,
#define TEXT(id, ...)     SETTING_##id,
#define DOCUMENT(id, ...) SETTING_##id,
#define BOTH(id, ...)     SETTING_##id,
#define NEGATION(id, ...) SETTING_##id,
#define LIMIT(id, ...)    SETTING_##id,
#define INTO(id, ...)     SETTING_##id,
#define AGAIN(id, ...)    SETTING_##id,
#include "request/request.def"
    SETTING_COUNT
};

/* The type of a row's member, by its kind (options/opt.h). */
typedef bool setting_OPT_FLAG;
typedef char *setting_OPT_STRING;
typedef struct opt_list setting_OPT_LIST;
typedef uint64_t setting_OPT_SIZE;
typedef int64_t setting_OPT_DURATION, setting_OPT_MILLI, setting_OPT_INT;
typedef int setting_OPT_CHOICE;

struct json_t;
struct setting_lent; /* request/setting.h */

enum {
    SETTING_WORDS = (SETTING_COUNT + 63) / 64,
    SAMPLES_MAX = 64,
    SAMPLES_JOBS = 4, /* in parallel, unless the user of a command chooses another number */
    SUITE_JOBS_MAX = 256,
};

/* A request as plain data, for every door: a member for each row of request.def. A choice is an
 * index: 0 is the default. Lent strings and JSON belong to the caller's document. */
struct settings {
#define SETTING(id, name, field, kind, ...) setting_##kind id;
#define LOCAL(id, name, kind, ...)          setting_##kind id;
#define FIELD(id, field, kind, ...)         setting_##kind id;
#define TEXT(id, ...)                                                                              \
    char *id;                                                                                      \
    struct str id##_text; /* lent; replaces the file */
#define DOCUMENT(id, ...) struct json_t *id;
#define BOTH(id, name, field, kind, ...)                                                           \
    setting_##kind id;                                                                             \
    struct json_t *id##_json;
#define LIMIT(id, name, field, kind, ...) setting_##kind id;
#include "request/request.def"
    struct model_settings model;
    struct task_bounds bounds; /* for a task for a model */

    const struct opt_set *sources;   /* where each value comes from, lent; NULL: all are defaults */
    bool config_named;               /* the config file is not the user's usual one */
    uint64_t asked[SETTING_WORDS];   /* by a request: bits of enum setting_id (request/setting.h) */
    struct setting_lent *lent;       /* for the readers of a request; NULL: this is no request */
    struct language_table languages; /* not an option: [language.NAME] sections */
};

/* The tables of request.def as options over struct settings. A front door may embed that as the
 * first member of a larger struct, and have its own tables beside these. */
#define TABLE(name) extern const struct opt name##_options[];
#include "request/request.def"

extern const char *const setting_targets[],
    *const setting_values[], *const setting_compares[], *const setting_calls[],
                                                            *const setting_styles[];

/* The path of the user's config file; the caller frees. *ret_named: `config`, an option's value, or
 * $GLOVEBOX_CONFIG names it, so it must exist. */
char *settings_user_file(const char *config, bool *ret_named);
/* Loads the environment and the config files: `config` instead of the usual files, if not NULL. */
int settings_load(struct settings *settings, struct opt_set *set, const char *config,
                  struct err *err);
/* Frees the languages; opt_done frees the rest. */
void settings_done(struct settings *settings);
/* True if the user set it: on the command line, in a config file, in the environment or in a
 * request. */
bool settings_asked(const struct settings *settings, enum setting_id id);
/* True if this request or this command line sets it. */
bool settings_given(const struct settings *settings, enum setting_id id);
/* Reads the word of --compare. False if the given value is not one of its words. */
bool settings_read_compare(struct settings *settings);
/* True if this request sets it. */
bool settings_requested(const struct settings *settings, enum setting_id id);
/* Reads the value of --net into the members of *ret for the network; the text is lent. */
int network_read(const char *text, struct request_place *ret, struct err *err);
/* Returns the hosts of a request's net_rules as text, for people and models. */
const char *network_hosts(const char *rules);
/* Fills in all members that come from options. The settings must outlive the request. */
int settings_request(const struct settings *settings, struct run_request *ret, struct err *err);

#endif
