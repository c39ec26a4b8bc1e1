/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings that mean the same at every front door (request.def), and the sources of their
 * values: built-in defaults, the user's config file, the project's, the environment, and this run's
 * own.
 */
#ifndef REQUEST_SETTINGS_H
#define REQUEST_SETTINGS_H

#include "base/opt.h"
#include "request/request.h"

enum setting_id {
#define SETTING(id, ...)  SETTING_##id,
#define LOCAL(id, ...)    SETTING_##id,
#define NEGATION(id, ...) SETTING_##id,
#define LIMIT(id, ...)    SETTING_##id,
#include "request/request.def"
    SETTING_COUNT
};
_Static_assert(SETTING_COUNT <= 64, "a request has a bit for each setting");

/* The type of a row's member, by its kind (base/opt.h). */
typedef bool setting_OPT_FLAG;
typedef char *setting_OPT_STRING;
typedef struct opt_list setting_OPT_LIST;
typedef uint64_t setting_OPT_SIZE;
typedef int64_t setting_OPT_DURATION, setting_OPT_MILLI, setting_OPT_INT;
typedef int setting_OPT_CHOICE;

/* A member for each row of request.def. A choice is an index: 0 is the default. */
struct settings {
#define SETTING(id, name, field, kind, ...) setting_##kind id;
#define LOCAL(id, name, kind, ...)          setting_##kind id;
#define LIMIT(id, name, field, kind, ...)   setting_##kind id;
#include "request/request.def"
    struct str prelude_text, tools_text, dockerfile_text; /* instead of a file, lent */

    const struct opt_set *sources;   /* of the values, lent; NULL: all count as defaults */
    bool config_named;               /* not the usual config file of the user */
    uint64_t asked;                  /* by a request: bits of enum setting_id (request/setting.h) */
    struct language_table languages; /* not an option: [language.NAME] sections */
};

/* Each over struct settings; a front door may embed that as the first member of a larger struct and
 * have tables of its own beside these. */
extern const struct opt work_options[];   /* language, files, environment */
extern const struct opt data_options[];   /* data and an agent's context */
extern const struct opt wall_options[];   /* backend, layers, network */
extern const struct opt policy_options[]; /* permissions of a program */
extern const struct opt guard_options[];  /* whether the guard reads it before it runs */
extern const struct opt limit_options[];  /* limits and retries */
extern const struct opt log_options[];
extern const struct opt session_options[]; /* of opening a session */

extern const char *const setting_nets[], *const setting_targets[], *const setting_values[];

/* Loads the environment and the config files: `config` instead of the usual files, if not NULL. */
int settings_load(struct settings *settings, struct opt_set *set, const char *config,
                  struct err *err);
/* Frees the languages; opt_done frees the rest. */
void settings_done(struct settings *settings);
/* Whether the user set it: on the command line, in a config file, in the environment, in a
 * request. */
bool settings_asked(const struct settings *settings, enum setting_id id);
/* Fills in everything that comes from options. The settings must outlive the request. */
int settings_request(const struct settings *settings, struct run_request *ret, struct err *err);

#endif
