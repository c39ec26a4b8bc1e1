/* SPDX-License-Identifier: Apache-2.0
 *
 * A setting is one row of request.def: an option, a field of a request, or both, and the verbs that
 * take it. Every door fills in the same struct settings from the same rows:
 *
 *   verb_options   the rows of a verb for the command line (options/opt.h)
 *   ask_begin      sets a request's settings to those of the daemon
 *   ask_read       changes them by the request's fields
 *   ask_schema     the fields as a JSON Schema
 *   settings_send  writes a user's settings as fields of a request to a daemon
 *
 * A door may have rows of its own beside these, in a table that ends with a row without a field.
 */
#ifndef REQUEST_SETTING_H
#define REQUEST_SETTING_H

#include <jansson.h>

#include "base/sha256.h"
#include "request/settings.h"

/* Fields that a client may send only if the daemon was started with --allow. */
enum permit {
    PERMIT_NONE,
    PERMIT_HOST_FILES = 1 << 0,   /* files of the host, by path */
    PERMIT_HOST_BACKEND = 1 << 1, /* programs without a wall */
    PERMIT_NET_HOST = 1 << 2,     /* the host's network */
    PERMIT_WITHOUT = 1 << 3,      /* layers left out */
    PERMIT_COMMIT = 1 << 4,       /* images of sessions, in the engine of the daemon's host */
    PERMIT_PACKAGES = 1 << 5,     /* packages, installed with a network */
    PERMIT_DOCKERFILE = 1 << 6,   /* builds by the engine of the daemon's host, with a network */
    /* A client that is the daemon's own user has these without --allow: it can use the engine
     * itself. */
    PERMITS_OF_OWN_USER = PERMIT_COMMIT | PERMIT_PACKAGES | PERMIT_DOCKERFILE,
};
/* Returns a name of --allow, such as "host-files". */
const char *permit_name(enum permit permit);
/* Reads the words of --allow, separated by commas: names into bits, and "net:PATTERN" into the
 * hosts that clients may name, which the caller frees. */
struct net_rules;
int permits_read(const struct opt_list *list, unsigned *ret, struct net_rules *ret_nets,
                 struct err *err);

/* States whether and how a client's text in a field can become code. Under --lock-policy and `serve
 * --review`, nothing of a client runs unread, so each field with strings declares this; a test
 * checks the fields of all doors. Numbers, flags and choices are never code. */
enum field_code {
    CODE_UNSAID,
    CODE_NONE,       /* data: no interpreter runs it */
    CODE_READ,       /* the guard and the reviewer read it before anything runs */
    CODE_VARIABLES,  /* of the environment: refused by name (languages/code_variables.h) */
    CODE_UNJUDGED,   /* runs, but no profile judges it: refused by --lock-policy; the reviewer reads
                        it */
    CODE_UNREADABLE, /* becomes code that we cannot read: refused */
    CODE_OPERATOR,   /* chooses something of the operator's: a file of the host, an image */
    CODE_POLICY,     /* chooses what is checked: refused by --lock-policy */
};

/* The operator's decisions about requests. */
struct request_rules {
    const struct settings *defaults;
    unsigned permits;              /* bits of enum permit */
    const char *manual;            /* where fields are documented, for messages; or NULL */
    const struct opt_list *images; /* patterns of images that clients may name; NULL: none */
    bool any_image;                /* images that match no pattern are allowed, too */
    const struct net_rules *nets;  /* patterns of hosts that clients may name; NULL: none */
    bool any_net;                  /* hosts that no pattern covers are allowed, too */
    bool lock_policy; /* clients cannot choose a policy, and nothing runs without the guard */
    bool reviews;     /* a model reads every program (serve --review) */
    int64_t ceilings[SETTING_COUNT]; /* 0: no ceiling */
};
/* ERR_POLICY if `what` needs a permit that the rules do not have. */
int permit_check(const struct request_rules *rules, enum permit permit, const char *what,
                 struct err *err);
/* ERR_POLICY unless the image's name matches a pattern. A * matches any string without a slash: a
 * pattern never allows another registry. */
int image_check(const struct request_rules *rules, const char *image, struct err *err);
/* Checks a client's value of --net: that it can be read, and that the rules permit it. */
int request_network(const char *text, const struct request_rules *rules, struct err *err);
/* ERR_POLICY unless the patterns cover every host that the text names. */
int network_check(const struct request_rules *rules, const char *text, struct err *err);
/* ERR_POLICY if `wanted` is more than the ceiling; 0 is no limit, so it exceeds every ceiling. */
int ceiling_check(const struct request_rules *rules, enum setting_id id, int64_t wanted,
                  struct err *err);

/* How a client handles a setting that differs from its default. */
enum setting_remote {
    REMOTE_BY_HAND, /* other code of the client sends its effect: files, a language, results */
    REMOTE_HERE,    /* no daemon can do this: the run is executed in the client */
    REMOTE_SHARED,  /* as REMOTE_HERE, unless the config file has it, which the daemon reads, too */
    REMOTE_SENT,    /* settings_send sends it */
};

/* The form of the value in JSON, if its kind does not determine it. Values from SHAPE_TEXT on are
 * kept at `json_at`: a struct str for text, otherwise the JSON itself as a json_t *; NULL if
 * absent. The document lends both. */
enum setting_shape {
    SHAPE_OF_KIND,
    SHAPE_MAP,    /* an object of strings: K=V items */
    SHAPE_TEXT,   /* the content as a string, where the option names a file */
    SHAPE_WORDS,  /* an array of strings, or one string */
    SHAPE_FILES,  /* [{name, content, encoding}], or {name: content} */
    SHAPE_ARRAY,  /* an array; `items` describes its objects */
    SHAPE_OBJECT, /* an object with any members */
    SHAPE_CASES,  /* an array of objects, or a case file as a string */
    SHAPE_ANY,    /* any value; null is a value, too */
};

/* Bits for the verbs: V_RUN ... */
enum verb_bit {
#define VERB(id, ...) VERB_BIT_##id,
#include "request/verbs.def"
    VERB_COUNT
};
enum verb_mask {
#define VERB(id, ...) V_##id = 1 << VERB_BIT_##id,
#include "request/verbs.def"
    V_TASKS = V_GENERATE | V_SOLVE | V_FIX | V_TRANSFORM | V_ANALYZE, /* a model's programs run */
    V_RUNS = V_RUN | V_TEST | V_TASKS | V_OPEN | V_REPL | V_MCP | V_TOOL_CALL,
    V_HERE = V_RUNS & ~V_OPEN, /* run in the process of the command */
    /* A model may review the program. */
    V_REVIEWS = V_REVIEW | V_RUN | V_TEST | V_CHECK | V_REPL | V_TOOL_CALL,
    V_ASKS = V_TASKS | V_MATH | V_REVIEWS, /* a model is used */
    V_SESSION = V_OPEN | V_EXEC | V_FORK,
    V_ANY = (1 << VERB_COUNT) - 1,
};

/* The fields of one kind of request: those of a verb, and a door's own rows. */
struct ask_form {
    unsigned verb;             /* a bit of enum verb_mask; 0: none, and `own` is for any struct */
    const struct setting *own; /* rows over a struct that begins with struct settings; NULL: none */
};

struct setting {
    struct opt opt;      /* the option; its name is NULL if the setting is only a field */
    const char *field;   /* its name in JSON; NULL: it is not a field */
    const char *meaning; /* replaces the option's help, if the field has another meaning */
    const char *unset;   /* the default of the field, if it differs from the option's */
    unsigned verbs;      /* bits of enum verb_mask: the verbs that take it at every door */
    unsigned option_of;  /* the verbs that take only the option, or (field_of) only the field */
    unsigned field_of;
    unsigned required; /* the verbs that require the field */
    enum setting_remote remote;
    enum setting_shape shape;
    enum permit permit;
    enum field_code code;
    enum setting_id of; /* the row that has the value: itself; for an AGAIN, the other row */
    const struct ask_form *items; /* of an array's objects */
    /* The names of the backends that it is for, separated by blanks; NULL: any. */
    const char *backends;
    bool has_to;    /* the value is copied into a run_request */
    size_t to;      /* the offset of that member */
    size_t json_at; /* the offset of the value in its JSON form */
    bool aside;     /* changes neither how a program runs nor what is found: where results go, how
                       many programs run at a time (settings_hash) */
    bool clamps;    /* a client's number above the option's max is reduced to max */
    bool bound;     /* set by the daemon's owner: a client may only lower it; 0 is no bound */
    int64_t most;   /* maximum of a client's number; 0: see `ceiling` */
    const char *ceiling; /* the default of --max-NAME; NULL: it has none */
    bool (*sendable)(
        const struct settings *s); /* true if any daemon can use this value; NULL: always */
};

extern const struct setting settings_all[SETTING_COUNT];
/* Returns the setting with an option of this name, or NULL. */
const struct setting *setting_find(const char *option);

enum setting_id setting_id_of(const struct setting *setting);
/* False for a value from a config file or the environment that is for other backends: it is
 * ignored. A value of a command or a request always counts, and may be refused. */
bool setting_counts(const struct settings *s, const struct setting *row);

/* True if it can name a variable: not empty, without '=' and control characters. */
bool env_name_is_valid(struct str name);

/* Lists that the readers of one request make in addition to the daemon's lent settings. */
struct setting_lent {
    char **lists[SETTING_COUNT]; /* made here; NULL for most */
};
void setting_lent_done(struct setting_lent *lent);

/* Returns the command of a verb: "session new". */
const char *verb_command(unsigned verb);
bool verb_takes_field(unsigned verb, const struct setting *row);
/* Returns the options of the verbs as a table, in the order of request.def; if several rows have
 * one name, only the first. Made once for each set of verbs, and never freed; not thread-safe. */
const struct opt *verb_options(unsigned verbs);

/* Sets a new request's settings to the daemon's own. `lent` gets the lists that the readers
 * make. */
void ask_begin(struct settings *ask, const struct request_rules *rules, struct setting_lent *lent);
/* Reads the object into *ret: a struct settings or a larger struct that begins with one; for a form
 * without a verb, any struct. A member that the object lacks or that is null keeps its value in
 * *ret; the others are marked as requested. Lists are added to the existing items. -1 with
 * ERR_USAGE for a field that is unknown (with the nearest known name), of another type, or missing;
 * ERR_POLICY for one that this daemon does not permit. */
int ask_read(const struct ask_form *form, json_t *object, const struct request_rules *rules,
             void *ret, struct err *err);
/* Checks which settings of a verb can be combined, for every door. -1 with ERR_USAGE and a message
 * that names options. */
int ask_check(const struct settings *ask, unsigned verb, struct err *err);
/* Returns the number of conversations of a task that passed ask_check. It is 1 if the number comes
 * from another source than this request, and contradicts a setting of the request. */
int64_t ask_samples(const struct settings *ask, unsigned verb);
/* Returns a JSON Schema of type object. */
json_t *ask_schema(const struct ask_form *form);

/* Walks the rows of a form: `struct ask_walk w = {0}; while ((row = ask_next(&form, &w)))`. */
struct ask_walk {
    size_t shared, own;
};
const struct setting *ask_next(const struct ask_form *form, struct ask_walk *walk);
/* True if the field's value is a string or contains strings. */
bool setting_holds_text(const struct setting *row);

/* Adds all settings of the verb that can change what is found about a program: names and values,
 * and the content of a text file that a setting names. */
void settings_hash(const struct settings *s, unsigned verb, struct sha256 *hash);

/* Returns the first setting that differs from the daemon's value and cannot be sent; NULL for none.
 * only_there as in settings_send. */
const struct setting *settings_kept_here(const struct settings *s, bool only_there);
/* Adds the user's settings to the body. With only_there, also those that would keep a run in the
 * client's own process: the daemon then accepts or refuses them. -1 with ERR_USAGE: a file cannot
 * be read, or a string is not UTF-8. */
int settings_send(const struct settings *s, bool only_there, json_t *body, struct err *err);

/* For the readers and their descriptions (ask.c, setting_read.c, setting_schema.c). */
int setting_read(const struct setting *row, json_t *value, void *to, struct err *err);

#endif
