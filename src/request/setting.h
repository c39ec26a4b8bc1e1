/* SPDX-License-Identifier: Apache-2.0
 *
 * A setting is one row of request.def. This header has the part for front doors with JSON: its
 * field in a request, whether a client may send it, and its ceiling.
 *
 *   setting_read   reads a field of a request into settings
 *   settings_send  writes a user's settings as fields of a request to a daemon
 */
#ifndef REQUEST_SETTING_H
#define REQUEST_SETTING_H

#include <jansson.h>

#include "request/settings.h"

/* Fields that a client may send only if the daemon was started with --allow. */
enum permit {
    PERMIT_NONE,
    PERMIT_HOST_FILES = 1 << 0,   /* files of the host, by path */
    PERMIT_HOST_BACKEND = 1 << 1, /* programs without a wall */
    PERMIT_NET_HOST = 1 << 2,     /* the host's network */
    PERMIT_WITHOUT = 1 << 3,      /* layers left out */
    PERMIT_COMMIT = 1 << 4,       /* images of sessions, in the engine of the daemon's host */
    PERMIT_PIP = 1 << 5,          /* packages, installed with a network */
    PERMIT_DOCKERFILE = 1 << 6,   /* builds by the engine of the daemon's host, with a network */
    /* The user that the daemon belongs to has these without --allow: it can use the engine itself.
     */
    PERMITS_OF_OWN_USER = PERMIT_COMMIT | PERMIT_PIP | PERMIT_DOCKERFILE,
};
/* "host-files" */
const char *permit_name(enum permit permit);
/* --allow's words, with commas between them, as bits. */
int permits_read(const struct opt_list *list, unsigned *ret, struct err *err);

/* What a client's text in a field can become. Under --lock-policy and `serve --review`, nothing of
 * a client's runs unread, so each field that holds text says how: a test walks the fields of all
 * doors. Numbers, flags and choices are no code. */
enum field_code {
    CODE_UNSAID,
    CODE_NONE,       /* data: no interpreter runs it */
    CODE_READ,       /* the guard reads it before anything runs, and so does the reviewer */
    CODE_VARIABLES,  /* of the environment: refused by name (languages/code_variables.h) */
    CODE_UNJUDGED,   /* runs, but no profile judges it: refused by --lock-policy; the reviewer reads
                        it */
    CODE_UNREADABLE, /* becomes code that cannot be read here: refused */
    CODE_OPERATOR,   /* chooses something of the operator's: a file of the host, an image */
    CODE_POLICY,     /* chooses what is checked: refused by --lock-policy */
};

/* The operator's decisions about requests. */
struct request_rules {
    const struct settings *defaults;
    unsigned permits;              /* bits of enum permit */
    const char *manual;            /* the place where fields are described, for messages; or NULL */
    const struct opt_list *images; /* patterns of those that clients may name; NULL: none */
    bool any_image;                /* those without a pattern as well */
    bool lock_policy; /* clients cannot choose a policy, and nothing runs without the guard */
    bool reviews;     /* a model reads every program (serve --review) */
    int64_t ceilings[SETTING_COUNT]; /* 0: none */
};
/* ERR_POLICY where `what` needs a permit that the rules do not have. */
int permit_check(const struct request_rules *rules, enum permit permit, const char *what,
                 struct err *err);
/* ERR_POLICY unless a pattern has the image's name. A * stands for any text without a slash: a
 * pattern never leads to another registry. */
int image_check(const struct request_rules *rules, const char *image, struct err *err);
/* ERR_POLICY for more than the ceiling; 0 is no limit, and so more than any. */
int ceiling_check(const struct request_rules *rules, enum setting_id id, int64_t wanted,
                  struct err *err);

/* How a client handles a setting that differs from its default. */
enum setting_remote {
    REMOTE_HERE,    /* no daemon can do that: the run stays in the client's own process */
    REMOTE_SHARED,  /* the same, unless the user's config file has it, which the daemon reads too */
    REMOTE_SENT,    /* settings_send sends it */
    REMOTE_BY_HAND, /* the client sends its effect: files, a language, results */
};

/* The form of the value in JSON, if its kind does not determine it. */
enum setting_shape {
    SHAPE_OF_KIND,
    SHAPE_MAP,  /* an object of texts: K=V items */
    SHAPE_TEXT, /* the text itself, where the option names a file */
};

/* The sessions that take a setting, as bits: other commands about sessions refuse its option. */
enum setting_session {
    SESSION_HERE = 1 << 0,                         /* one in this process: `repl` */
    SESSION_THERE = 1 << 1,                        /* a daemon's: `session new`, `repl --daemon` */
    SESSION_OPENED = SESSION_HERE | SESSION_THERE, /* any, when it opens */
    SESSION_FORK = 1 << 2,                         /* `session fork` */
    SESSION_CELL = 1 << 3,                         /* one cell: `session exec` */
};

struct setting {
    struct opt opt;
    const char *field;   /* its name in JSON; NULL: it is not a field */
    const char *meaning; /* replaces the option's help, if the field has another meaning */
    enum setting_remote remote;
    enum setting_shape shape;
    enum permit permit;
    unsigned session; /* bits of enum setting_session */
    enum field_code code;
    /* All names of the backends that it is for, with blanks between; NULL: any. */
    const char *backends;
    bool has_to;         /* the value goes into a run_request as it is */
    size_t to;           /* ... at this offset */
    size_t text_offset;  /* SHAPE_TEXT: of a struct str in struct settings */
    bool clamps;         /* a larger number from a client is taken as the option's max */
    int64_t most;        /* maximum of a client's number; 0: see `ceiling` */
    const char *ceiling; /* the default of --max-NAME; NULL: it has none */
    bool (*sendable)(
        const struct settings *s); /* whether any daemon has a use for this value; NULL: yes */
};

extern const struct setting settings_all[SETTING_COUNT];
/* The setting with an option of this name, or NULL. */
const struct setting *setting_find(const char *option);

enum setting_id setting_id_of(const struct setting *setting);
/* False for a value of a config file or the environment that is for other backends: it is as if
 * not set. A value of a command or a request always counts, and may be refused. */
bool setting_counts(const struct settings *s, const struct setting *row);

/* A variable's name: not empty, without '=' and control characters. */
bool env_name_is_valid(struct str name);

/* Values that the readers of one request add to the daemon's settings, which are lent. */
struct setting_lent {
    char **lists[SETTING_COUNT]; /* made here; NULL for most */
};
void setting_lent_done(struct setting_lent *lent);

/* Reads a field into the settings, and marks it as asked for. Lists are added to the existing
 * items. Texts are lent by the JSON. -1 with ERR_USAGE, the field's name in front. */
int setting_read(const struct setting *setting, json_t *value, struct settings *s,
                 struct setting_lent *lent, struct err *err);
/* The first setting that neither has the daemon's value nor can be sent; NULL for none. only_there
 * as in settings_send. */
const struct setting *settings_kept_here(const struct settings *s, bool only_there);
/* Adds the user's settings to the body. With only_there also those that keep a run in the client's
 * own process: the daemon then accepts or refuses them. -1 with ERR_USAGE: a file cannot be read,
 * or a text is not UTF-8. */
int settings_send(const struct settings *s, bool only_there, json_t *body, struct err *err);
/* A JSON Schema of the field's value. */
json_t *setting_schema(const struct setting *setting);

#endif
